// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{errors, program, refused, MAIN};
use crate::ir::{KeySet, Table, Value};

fn declarations(table: &str) -> String {
    format!(
        "#include <core.p4>
        match_kind {{ range, optional }}
        header H {{ bit<8> a; bit<32> b; @name(\"third\") bit<8> c; @name(\".top.d\") bit<8> d; }}
        struct S {{ @name(\".h\") H inner; }}
        extern profile {{ profile(bit<32> size); }}
        control c(inout H h, inout H[2] s, inout bit<8> x, inout S all) {{
            action set(bit<8> v, bit<4> w) {{ x = v; }}
            action bound(in bit<8> d, bit<8> v) {{ x = d + v; }}
            action none() {{ }}
            table t {{ {table} }}
            apply {{ t.apply(); }}
        }}"
    )
}

#[track_caller]
fn table(text: &str) -> Table {
    let program = program(&format!(
        "{} control C_(inout H h, inout H[2] s, inout bit<8> x, inout S all); package Top(C_ c); Top(c()) main;",
        declarations(text)
    ));
    program.tables[0].clone()
}

#[track_caller]
fn table_refused(text: &str, message: &str) {
    refused(&declarations(text), message);
}

#[test]
fn keys_and_their_names() {
    let table = table(
        "key = { h.a: exact; s[1].b: lpm; h.isValid(): exact; h.b[7:0]: ternary; h.b & 0xff: ternary;
                 h.a + 1: range @name(\"sum\"); } actions = { none; }",
    );
    let names: Vec<_> = table.keys.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "h.a",
            "s[1].b",
            "h.$valid$",
            "h.b[7:0]",
            "h.b & 0xff",
            "sum"
        ]
    );
    assert_eq!(table.keys[1].match_kind, "lpm");
    table_refused(
        "key = { «h.a + 1»: exact; } actions = { none; }",
        "needs a name",
    );
    table_refused(
        "key = { h.a: «nearest»; } actions = { none; }",
        "not a declared match_kind",
    );
    table_refused(
        "key = { «h»: exact; } actions = { none; }",
        "cannot be a table key",
    );
}

#[test]
fn fields_count_by_their_annotated_names() {
    let names = |keys: &str| -> Vec<String> {
        let keys = table(&format!("key = {{ {keys} }} actions = {{ none; }}")).keys;
        keys.into_iter().map(|key| key.name).collect()
    };
    assert_eq!(
        names("s[1].c: exact; h.c[3:0]: exact; h.c & 0xf: exact;"),
        ["s[1].third", "h.third[3:0]", "h.third & 0xf"]
    );
    // A name that begins with a dot is the whole name of the field.
    assert_eq!(
        names("h.d: exact; s[1].d[3:0]: exact; all.inner.a: exact; all.inner.isValid(): exact; all.inner.d: exact;"),
        ["top.d", "top.d[3:0]", "h.a", "h.$valid$", "top.d"]
    );
}

#[test]
fn no_action_is_the_default() {
    let implied = table("actions = { none; }");
    assert_eq!(implied.default_action.action, Some(1));
    assert_eq!(implied.actions[1].annotations[0].name.text, "defaultonly");
    let listed = table("actions = { NoAction; none; }");
    assert_eq!(
        (listed.actions.len(), listed.default_action.action),
        (2, Some(0))
    );
    let other = table("actions = { none; } const default_action = none;");
    assert_eq!(
        (other.actions.len(), other.default_action.is_const),
        (1, true)
    );
}

#[test]
fn default_actions_with_arguments() {
    let table = table("actions = { set; } default_action = set(3, 4);");
    assert_eq!(
        table.default_action.args,
        [Value::Int(3.into()), Value::Int(4.into())]
    );
    table_refused(
        "actions = { set; } default_action = «none()»;",
        "not in the table's list",
    );
    table_refused(
        "actions = { set; } default_action = «set(1)»;",
        "no argument for parameter `w`",
    );
    table_refused(
        "actions = { set; } default_action = set(1, «true»);",
        "expected `bit<4>`",
    );
    table_refused(
        "actions = { set; } default_action = set(1, «x[3:0]»);",
        "known at compile time",
    );
    table_refused(
        "actions = { @tableonly none; } default_action = «none()»;",
        "only for entries",
    );
}

#[test]
fn arguments_are_bound_in_the_list() {
    let table = table("actions = { bound(h.a); } default_action = bound(h.a, 5);");
    assert_eq!(
        (table.actions[0].args.len(), table.default_action.args.len()),
        (1, 1)
    );
    table_refused("actions = { «bound»; }", "no argument for parameter `d`");
    table_refused(
        "actions = { «bound(h.a, 5)»; }",
        "1 parameter with a direction to bind",
    );
    table_refused(
        "actions = { bound(h.a); } default_action = bound(«x», 5);",
        "differs from the one in the list",
    );
}

#[test]
fn lists_of_actions() {
    table_refused("actions = { none; «none»; }", "in the list twice");
    table_refused("actions = { «nope»; }", "not declared");
    table_refused("actions = { «x»; }", "is a variable");
    refused(
        &declarations("key = { h.a: exact; }").replace("table t", "table «t»"),
        "has no `actions`",
    );
}

#[test]
fn entries_and_their_priorities() {
    let written = table(
        "key = { h.a: exact; h.b: ternary; } actions = { set; none; }
         entries = { const priority = 10: (1, 2 &&& 3): set(1, 2); (2, _): none(); priority = 4: (3, 5): none(); }",
    );
    let priorities: Vec<_> = written
        .entries
        .iter()
        .map(|entry| entry.priority.clone().unwrap())
        .collect();
    assert_eq!(priorities, [10.into(), 9.into(), 4.into()]);
    assert!(written.entries[0].is_const && !written.entries[1].is_const && !written.const_entries);
    assert!(matches!(written.entries[1].keyset[1], KeySet::DontCare));

    let derived = table(
        "key = { h.b: ternary; } actions = { none; } const entries = { 1: none(); 2: none(); 3: none(); }",
    );
    let priorities: Vec<_> = derived
        .entries
        .iter()
        .map(|entry| entry.priority.clone().unwrap())
        .collect();
    assert_eq!(priorities, [3.into(), 2.into(), 1.into()]);

    let rising = table(
        "key = { h.b: ternary; } actions = { none; } largest_priority_wins = false; priority_delta = 10;
         entries = { 1: none(); 2: none(); }",
    );
    let priorities: Vec<_> = rising
        .entries
        .iter()
        .map(|entry| entry.priority.clone().unwrap())
        .collect();
    assert_eq!(priorities, [1.into(), 11.into()]);
}

#[test]
fn entries_that_are_wrong() {
    let with = |key: &str, entry: &str| {
        format!("key = {{ {key} }} actions = {{ set; none; }} const entries = {{ {entry} }}")
    };
    table_refused(
        &with("h.a: exact;", "«_»: none();"),
        "`exact` cannot match a don't-care",
    );
    table_refused(
        &with("h.a: exact;", "«1 &&& 3»: none();"),
        "`exact` cannot match a mask",
    );
    table_refused(
        &with("h.b: lpm;", "1 &&& «0xff»: none();"),
        "must be a prefix",
    );
    table_refused(
        &with("h.b: lpm;", "«1 .. 2»: none();"),
        "`lpm` cannot match a range",
    );
    table_refused(
        &with("h.b: ternary;", "«1 .. 2»: none();"),
        "`ternary` cannot match a range",
    );
    table_refused(
        &with("h.b: range;", "«1 &&& 2»: none();"),
        "`range` cannot match a mask",
    );
    table_refused(
        &with("h.b: optional;", "«1 &&& 2»: none();"),
        "`optional` cannot match a mask",
    );
    table_refused(&with("h.a: exact;", "«true»: none();"), "expected `bit<8>`");
    table_refused(
        &with("h.a: exact;", "«(1, 2): none();»"),
        "1 key, but the entry has 2",
    );
    table_refused(
        &with("h.a: exact;", "1: «set(1)»;"),
        "no argument for parameter `w`",
    );
    table_refused(
        &with("h.a: exact;", "1: «bound(1)»;"),
        "not in the table's list",
    );
    table_refused(
        "key = { h.a: exact; } actions = { @defaultonly none; } const entries = { 1: «none()»; }",
        "`@defaultonly`",
    );
    table_refused(
        "actions = { none; } «const entries = { 1: none(); }»",
        "has no key",
    );
    table_refused("key = { h.b: ternary; } actions = { none; } const entries = { priority = «1»: 1: none(); }", "no priorities");
    table_refused(
        "key = { h.b: lpm; } actions = { none; } entries = { priority = «1»: 1: none(); }",
        "no priorities",
    );
    table_refused("key = { h.b: ternary; } actions = { none; } entries = { «1: none();» priority = 3: 2: none(); }", "first entry needs a priority");
}

#[test]
fn other_properties() {
    let table = table("key = { h.a: exact; } actions = { none; } size = 4 * 256; implementation = profile(32); support_timeout = true;");
    assert_eq!(table.size, Some(1024));
    assert_eq!(table.properties[0].name, "implementation");
    assert!(matches!(table.properties[0].value, Value::Extern(_)));
    assert_eq!(table.properties[1].value, Value::Bool(true));
    table_refused("actions = { none; } size = «true»;", "must be an integer");
    table_refused(
        "actions = { none; } size = 1; «size» = 2;",
        "two properties `size`",
    );
    table_refused(
        "actions = { none; } priority_delta = «0»;",
        "must be positive",
    );
    table_refused(
        "actions = { none; } largest_priority_wins = «3»;",
        "expected `bool`",
    );
}

#[test]
fn where_tables_are_applied() {
    let header = "#include <core.p4>\ncontrol c(inout bit<8> x) { action a() { } table t { actions = { a; } }";
    refused(
        &format!("{header} action b() {{ «t.apply()»; }} apply {{ }} }}"),
        "cannot be applied in an action",
    );
    refused(
        &format!("{header} apply {{ t.apply(«1»); }} }}"),
        "takes no arguments",
    );
    refused(
        &format!("{header} apply {{ t.«hit»(); }} }}"),
        "a table has no method",
    );
    refused(
        &format!("{header} apply {{ bool b = t.apply().«found»; }} }}"),
        "no member `found`",
    );
    refused(
        &format!("{header} apply {{ bool b = «t.apply()»; }} }}"),
        "is used through",
    );
    refused(
        &format!("{header} apply {{ switch (t.apply().action_run) {{ «b»: {{ }} }} }} }}"),
        "not declared",
    );
    refused(&format!("{header} action b() {{ }} apply {{ switch (t.apply().action_run) {{ «b»: {{ }} }} }} }}"), "not an action of table");
    refused(
        &format!("{header} apply {{ switch (t.apply().action_run) {{ a: {{ }} «a»: {{ }} }} }} }}"),
        "there twice",
    );
    let good = format!("{header} apply {{ if (t.apply().miss) {{ x = 1; }} switch (t.apply().action_run) {{ a: NoAction: {{ x = 2; }} default: {{ }} }} }} }}{MAIN}");
    assert_eq!(errors(&good), []);
}

#[test]
fn the_default_action_comes_after_the_actions() {
    refused(
        "control c() { action a() { } table t { «default_action = a;» actions = { a; } } apply { t.apply(); } }",
        "must come after `actions`",
    );
}
