// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{check, control, parser, BEFORE, MAIN, PARSER};

#[test]
fn a_variable_is_read_before_it_is_written() {
    control("", "bit<8> v; s.a = «uninitialized-use|v»; v = 1; s.a = v;");
    control(
        "",
        "S v; v.a = 1; s.a = v.a; s.b = «uninitialized-use|v.b»; sink(«uninitialized-use|v»);",
    );
    control(
        "bit<8> v; action a() { s.a = «uninitialized-use|v»; }",
        "a();",
    );
    control("", "bit<8> v; «uninitialized-use|v»[3:0] = 1;");
    control("", "bit<8> v; v = «uninitialized-use|v» + 1; s.a = v;");
}

#[test]
fn writes_on_all_ways_count() {
    control("", "bit<8> v; if (s.a == 1) v = 1; else v = 2; s.a = v;");
    control(
        "",
        "bit<8> v; if (s.a == 1) v = 1; s.a = «uninitialized-use|v»;",
    );
    control("", "bit<8> v; if (s.a == 1) v = 1; else return; s.a = v;");
    control(
        "",
        "bit<8> v; switch (s.a) { 1: { v = 1; } default: { v = 2; } } s.a = v;",
    );
    control(
        "",
        "bit<8> v; switch (s.a) { 1: { v = 1; } } s.a = «uninitialized-use|v»;",
    );
    control("", "bit<8> v; source(v); s.a = v;");
}

#[test]
fn one_of_the_tables_actions_runs() {
    let locals =
        "bit<8> v; bit<8> w; action one() { v = 1; w = 1; } action two(bit<8> x) { v = x; }
        table t { key = { s.b: exact; } actions = { one; two; } default_action = one; }";
    control(locals, "w = 0; t.apply(); s.a = v + w;");
    control(locals, "t.apply(); s.a = v; s.a = «uninitialized-use|w»;");
    control(
        locals,
        "v = 2; if (t.apply().hit) { s.a = «uninitialized-use|w»; }",
    );
    control(
        locals,
        "switch (t.apply().action_run) { one: { s.a = v; } default: { s.a = «uninitialized-use|w»; } }",
    );
}

#[test]
fn loops() {
    control(
        "",
        "bit<8> v; for (bit<8> i in 1 .. 3) { s.a = «uninitialized-use|v» + i; v = i; }",
    );
    control(
        "",
        "bit<8> v = 0; for (bit<8> i in 1 .. 3) { s.a = v + i; v = i; }",
    );
    control("", "bit<8> v; for (bit<8> i in 1 .. 3) { if (i == s.a) { v = i; break; } } s.a = «uninitialized-use|v»;");
}

#[test]
fn out_parameters() {
    check(&format!(
        "{BEFORE}{PARSER}
        void none(out bit<8> «uninitialized-out-param|x») {{ }}
        bit<8> some(in bit<8> c, out bit<8> «uninitialized-out-param|x») {{
            if (c == 1) {{ return 1; }} x = 2; return 3;
        }}
        bit<8> all(in bit<8> c, out bit<8> x) {{
            if (c == 1) {{ x = 1; return 1; }} x = 2; return 3;
        }}
        void header_may_stay_invalid(out H x) {{ }}
        control control_(inout Headers h, inout S s) {{ apply {{
            none(s.a); s.a = some(1, s.a); s.a = all(1, s.a); header_may_stay_invalid(h.one);
        }} }}
        {MAIN}"
    ));
}

#[test]
fn calls_in_conditions() {
    let locals = "bit<8> v; action one() { v = 1; }
        table t { key = { s.b: exact; } actions = { one; } default_action = one; }";
    control(
        locals,
        "if (s.a == 1 && t.apply().hit) { s.a = «uninitialized-use|v»; }",
    );
    control(locals, "if (t.apply().hit && s.a == 1) { s.a = v; }");
}

#[test]
fn states_of_parsers_in_circles() {
    parser(
        "bit<8> n; state start { s = { 1, 2 }; n = 0; transition next; }
        state next { n = n + 1; transition select(n) { 3: accept; default: next; } }",
    );
    parser(
        "bit<8> n; bit<8> m; state start { s = { 1, 2 }; n = 0; transition next; }
        state next { s.a = «uninitialized-use|m»; m = 1; n = n + 1; transition select(n) { 3: accept; default: next; } }",
    );
}

#[test]
fn shifts_and_signs() {
    control(
        "",
        "s.a = «overflow|s.a << 8»; s.a = s.a << 7; s.b = (bit<16>)«overflow|(8w1 >> 9)»;",
    );
    control(
        "",
        "s.a = «mismatch|-1»; s.a = (bit<8>)(-1); s.b = «overflow|65536»;",
    );
}
