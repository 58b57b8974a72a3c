// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs with thousands of everything, and small ones that ask for much: each ends, with a program that the data plane
//! loads or with an error that has a place. What is quadratic takes minutes at these sizes, and what is cubic hours.
//!
//! Those that take seconds as they are belong to `make fuzz`, which limits their processor time.

use std::path::Path;

use crate::common::Program;
use quench_dataplane::{Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::Options;

const MANY: usize = 2000;
/// Their nest overflows the stack of any thread but the compiler's own. The JSON is longer than the data plane takes.
const CASES: usize = 10_000;
/// Cubic work takes minutes.
const IFS: usize = 4000;

fn many(piece: impl Fn(usize) -> String) -> String {
    (0..MANY).map(piece).collect()
}

/// `piece(0)` to `piece(39)`: what doubles so often takes 2^40.
fn doublings(piece: impl Fn(usize) -> String) -> String {
    (0..40).map(piece).collect()
}

/// The error, or `None` where the program compiles.
fn outcome(text: &str) -> Option<String> {
    let result = compile_text(Path::new("test.p4"), text, &Options::default());
    match result {
        Ok(compiled) => {
            let mut switch = Switch::new_interpreted(SwitchConfig::default());
            let loaded = switch.load_json(&compiled.json);
            loaded.expect("the data plane loads what the compiler made");
            None
        }
        Err(failure) => {
            let message = failure.to_string();
            assert!(message.starts_with("test.p4:"), "{message:.200}");
            assert!(
                message.len() < MANY << 10,
                "{} bytes of errors",
                message.len()
            );
            Some(message)
        }
    }
}

fn compiles(program: Program<'_>) {
    let error = outcome(&program.text());
    assert!(error.is_none(), "{:.400}", error.unwrap_or_default());
}

fn refused(program: Program<'_>, why: &str) {
    let error = outcome(&program.text()).expect("an error");
    assert!(error.contains(why), "{error:.400}");
}

#[test]
fn a_switch_of_many_cases() {
    let cases: String = (0..200)
        .map(|n| format!("{n}: {{ hdr.data.b = {n}; }} "))
        .collect();
    let apply = format!("switch (hdr.data.a) {{ {cases} default: {{ hdr.data.b = 7; }} }}");
    let program = Program {
        apply: &apply,
        ..Program::default()
    };
    for (a, b) in [(0, 0), (199, 199), (1 << 20, 7)] {
        assert_eq!(program.data([a, 1, 0, 0, 0])[1], b);
    }
}

#[test]
#[ignore = "large: make fuzz-large"]
fn a_switch_of_thousands_of_cases() {
    let cases: String = (0..CASES)
        .map(|n| format!("{n}: {{ hdr.data.b = {n}; }} "))
        .collect();
    let apply = format!("switch (hdr.data.a) {{ {cases} }}");
    let program = Program {
        apply: &apply,
        ..Program::default()
    };
    let result = compile_text(Path::new("test.p4"), &program.text(), &Options::default());
    assert!(result.is_ok());
    let labels = many(|n| format!("{n}: "));
    let apply = format!("switch (hdr.data.a) {{ {labels} {{ hdr.data.b = 1; }} }}");
    compiles(Program {
        apply: &apply,
        ..Program::default()
    });
}

#[test]
fn a_switch_in_a_function_that_a_parser_calls() {
    let program = Program {
        declarations: "bit<32> f(in bit<32> x) {
            switch (x) { 1: { return 10; } 2: { return 20; } default: { return 30; } } }",
        start: "hdr.data.b = f(hdr.data.a); transition accept;",
        ..Program::default()
    };
    let chosen = [1, 2, 3].map(|a| program.data([a, 0, 0, 0, 0])[1]);
    assert_eq!(chosen, [10, 20, 30]);
}

#[test]
#[ignore = "large: make fuzz-large"]
fn thousands_of_ifs_on_one_line() {
    let ifs: String = (0..IFS)
        .map(|n| format!("if (hdr.data.a == {n}) {{ hdr.data.b = {n}; }} "))
        .collect();
    compiles(Program {
        apply: &ifs,
        ..Program::default()
    });
    let action = format!("action x() {{ {ifs} }}");
    compiles(Program {
        locals: &action,
        apply: "x();",
        ..Program::default()
    });
}

#[test]
fn thousands_of_states_tables_and_entries() {
    let states = many(|n| {
        let next = n + 1;
        format!(
            "state s{n} {{ transition select(hdr.data.a) {{ {n}: s{next}; default: accept; }} }} "
        )
    });
    let states = format!("{states} state s{MANY} {{ transition accept; }}");
    compiles(Program {
        start: "transition s0;",
        states: &states,
        ..Program::default()
    });
    let tables = many(|n| format!("table t{n} {{ actions = {{ NoAction; }} }} "));
    let apply = many(|n| format!("t{n}.apply(); "));
    compiles(Program {
        locals: &tables,
        apply: &apply,
        ..Program::default()
    });
    let entries = many(|n| format!("{n}: a({n}); "));
    let table = format!(
        "action a(bit<32> x) {{ hdr.data.b = x; }} table t {{ key = {{ hdr.data.a: exact; }} actions = {{ a; }}
         const entries = {{ {entries} }} }}"
    );
    compiles(Program {
        locals: &table,
        apply: "t.apply();",
        ..Program::default()
    });
}

#[test]
fn what_doubles_is_refused() {
    let structs = doublings(|n| format!("struct s{} {{ s{n} x; s{n} y; }} ", n + 1));
    refused(
        Program {
            types: &format!("struct s0 {{ bit<8> x; }} {structs}"),
            metadata: "s40 m;",
            ..Program::default()
        },
        "fields in all",
    );
    let controls = doublings(|n| {
        format!(
            "control c{}() {{ c{n}() x; c{n}() y; apply {{ x.apply(); y.apply(); }} }} ",
            n + 1
        )
    });
    refused(
        Program {
            declarations: &format!("control c0() {{ apply {{}} }} {controls}"),
            locals: "c40() c;",
            apply: "c.apply();",
            ..Program::default()
        },
        "parsers and controls in all",
    );
}

#[test]
#[ignore = "large: make fuzz-large"]
fn calls_that_double_are_refused() {
    let functions = doublings(|n| {
        format!(
            "bit<32> f{}(in bit<32> x) {{ return f{n}(x) + f{n}(x + 1); }} ",
            n + 1
        )
    });
    refused(
        Program {
            declarations: &format!("bit<32> f0(in bit<32> x) {{ return x; }} {functions}"),
            apply: "hdr.data.a = f40(hdr.data.a);",
            ..Program::default()
        },
        "operations, once each call is replaced",
    );
    let actions = doublings(|n| format!("action f{}() {{ f{n}(); f{n}(); }} ", n + 1));
    refused(
        Program {
            locals: &format!("action f0() {{ hdr.data.a = hdr.data.a + 1; }} {actions}"),
            apply: "f40();",
            ..Program::default()
        },
        "operations, once each call is replaced",
    );
}

#[test]
fn what_is_deep_is_refused() {
    let functions = many(|n| format!("bit<32> f{}(in bit<32> x) {{ return f{n}(x); }} ", n + 1));
    refused(
        Program {
            declarations: &format!("bit<32> f0(in bit<32> x) {{ return x; }} {functions}"),
            ..Program::default()
        },
        "functions call each other more than 128 deep",
    );
    let controls = many(|n| {
        format!(
            "control c{}() {{ c{n}() x; apply {{ x.apply(); }} }} ",
            n + 1
        )
    });
    refused(
        Program {
            declarations: &format!("control c0() {{ apply {{}} }} {controls}"),
            locals: &format!("c{MANY}() c;"),
            ..Program::default()
        },
        "more than 64 deep in each other",
    );
    let structs = many(|n| format!("struct s{} {{ s{n} x; }} ", n + 1));
    refused(
        Program {
            types: &format!("struct s0 {{ bit<8> x; }} {structs}"),
            ..Program::default()
        },
        "more than 64 types in each other",
    );
    let sum = vec!["hdr.data.a"; 500].join(" + ");
    refused(
        Program {
            apply: &format!("hdr.data.a = {sum};"),
            ..Program::default()
        },
        "operations in each other",
    );
    for (open, close) in [("(", ")"), ("{", "}"), ("if (true) {", "}"), ("~", "")] {
        let inner = if open.len() == 1 && open != "{" {
            "1"
        } else {
            ""
        };
        let nest = format!("{}{inner}{}", open.repeat(MANY), close.repeat(MANY));
        let assigned = format!("hdr.data.a = {nest};");
        let apply = if inner.is_empty() { &nest } else { &assigned };
        refused(
            Program {
                apply,
                ..Program::default()
            },
            "deep",
        );
    }
}

#[test]
fn a_table_by_action_and_by_result_in_many_places() {
    let actions: String = (0..1100).map(|n| format!("action a{n}() {{}} ")).collect();
    let names: String = (0..1100).map(|n| format!("a{n}; ")).collect();
    let locals = format!("{actions} table t {{ actions = {{ {names} }} default_action = a0(); }}");
    let in_places = |places: usize| {
        let switch = |n| {
            format!(
                "switch (t.apply().action_run) {{ a{n}: {{ hdr.data.a = {n}; }} default: {{}} }} "
            )
        };
        let switches: String = (0..places).map(switch).collect();
        format!("{switches} if (t.apply().hit) {{ hdr.data.b = 1; }}")
    };
    let program = |apply: &str| {
        let program = Program {
            locals: &locals,
            apply,
            ..Program::default()
        };
        outcome(&program.text())
    };
    assert_eq!(program(&in_places(100)), None);
    let error = program(&in_places(500)).expect("an error");
    let why = "table I.t applied in 501 places, with statements for its actions";
    assert!(error.contains(why), "{error:.400}");
}

#[test]
fn what_is_large_is_refused() {
    let wide = |metadata| Program {
        metadata,
        ..Program::default()
    };
    refused(wide("bit<100000000> x;"), "at most 2048 are supported");
    refused(wide("bit<2049> x;"), "at most 2048 are supported");
    for apply in [
        "hdr.data.a = (bit<32>)(1 << 1000000000);",
        "hdr.data.a = (bit<32>)(1 << 65537);",
    ] {
        refused(
            Program {
                apply,
                ..Program::default()
            },
            "too large",
        );
    }
    let squares = doublings(|n| format!("const int c{} = c{n} * c{n}; ", n + 1));
    refused(
        Program {
            declarations: &format!("const int c0 = 3; {squares}"),
            ..Program::default()
        },
        "too large",
    );
    let stack = |headers| Program {
        types: "header h_t { bit<8> x; }",
        headers,
        ..Program::default()
    };
    refused(stack("h_t[1000000000] s;"), "from 0 to 4096");
    refused(stack("h_t[4096] s; h_t t;"), "more than 4096 headers");
    compiles(stack("h_t[4000] s;"));
    let fields: String = (0..300).map(|n| format!("bit<2048> f{n}; ")).collect();
    refused(wide(&fields), "65536 bytes together");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let apply = format!("{} hdr.data.zz = 1;", "hdr.data.a = 1; ".repeat(MANY));
    let error = outcome(
        &Program {
            apply: &apply,
            ..Program::default()
        }
        .text(),
    );
    let error = error.expect("an error");
    assert!(error.len() < 1000, "{} bytes", error.len());
    assert!(error.contains("hdr.data.zz"), "{error}");
}
