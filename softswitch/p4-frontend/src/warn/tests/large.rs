// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that are as large as the limits allow end, and fast: nothing here is quadratic in what a program can have.

use super::{load, Options, BEFORE, CONTROL, MAIN, PARSER};

fn count(locals: &str, apply: &str) -> usize {
    let text = format!(
        "{BEFORE}{PARSER}control control_(inout Headers h, inout S s) {{ {locals} apply {{ {apply} }} }}\n{MAIN}"
    );
    load(&text, &Options::default()).warnings.len()
}

#[test]
fn many_branches_with_a_large_state() {
    let branches = "if (s.a == 1) { v[0].f = 1; } else { v[1].f = 2; }".repeat(2000);
    assert!(
        count(
            "H[4000] v;",
            &format!("v[0].setValid(); v[1].setValid(); {branches}")
        ) <= 2
    );
}

#[test]
fn loops_in_each_other() {
    let depth = 40;
    let text = format!(
        "{}{}{}",
        "for (bit<8> i in 1 .. 2) {".repeat(depth),
        "s.a = v; v = 1;",
        "}".repeat(depth)
    );
    assert!(count("bit<8> v;", &text) >= 1);
}

#[test]
fn actions_that_call_each_other_twice() {
    let mut locals = "bit<8> v; action a0() { s.a = v; }".to_owned();
    for number in 1..200 {
        let before = number - 1;
        locals += &format!("action a{number}() {{ a{before}(); a{before}(); }}");
    }
    assert!(count(&locals, "a199();") >= 1);
}

#[test]
fn many_entries_and_names() {
    let entries: String = (0..3000)
        .map(|n| format!("({}, {n} &&& {n}): a();", n % 256))
        .collect();
    let locals = format!(
        "action a() {{ }} table t {{ key = {{ s.a: exact; s.b: ternary; }} actions = {{ a; }} default_action = a();
        const entries = {{ {entries} }} }}"
    );
    count(&locals, "t.apply();");
    let declared: String = (0..3000).map(|n| format!("bit<8> v{n};")).collect();
    assert_eq!(count(&declared, ""), 3000);
    let text = format!("{BEFORE}{PARSER}{CONTROL}{MAIN}");
    assert!(load(&text, &Options::default()).warnings.is_empty());
}
