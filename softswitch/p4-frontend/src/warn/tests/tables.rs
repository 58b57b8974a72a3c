// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{control, load, BEFORE, MAIN, PARSER};
use crate::Options;

/// A table with two keys and the entries.
#[track_caller]
fn entries(before: &str, entries: &str) {
    let locals = format!(
        "action a(bit<8> x) {{ s.a = x; }}
        table t {{ key = {{ s.a: exact; s.b: ternary; }} actions = {{ a; }} default_action = a(0);
            {before} entries = {{ {entries} }} }}"
    );
    control(&locals, "t.apply();");
}

#[test]
fn an_entry_behind_one_that_matches_as_much() {
    entries("const", "(1, 2): a(1); «keys|(1, 2): a(2);» (2, 2): a(3);");
    entries(
        "const",
        "(1, 0x10 &&& 0xf0): a(1); «keys|(1, 0x12 &&& 0xff): a(2);» (1, 0x20 &&& 0xff): a(3);",
    );
    entries(
        "const",
        "(1, 0x12 &&& 0xff): a(1); (1, 0x10 &&& 0xf0): a(2); (2, _): a(3); (3, _): a(4);",
    );
    entries("const", "(1, _): a(1); «keys|(1, 7): a(2);»");
}

#[test]
fn the_note_names_the_first_of_the_entries_that_match_as_much() {
    let entry = |bits: u32| format!("(1, {0} &&& {0}): a(1);", (1 << bits) - 1);
    let entries: Vec<String> = (1..8).map(entry).collect();
    let text = format!(
        "{BEFORE}{PARSER}control control_(inout Headers h, inout S s) {{
            action a(bit<8> x) {{ s.a = x; }}
            table t {{ key = {{ s.a: exact; s.b: ternary; }} actions = {{ a; }} default_action = a(0);
            const entries = {{ {}\n(1, 0xff): a(2); }} }}
        apply {{ t.apply(); }} }}\n{MAIN}",
        entries.join("\n")
    );
    let loaded = load(&text, &Options::default());
    let place = |span| loaded.sources.location(span).line;
    let warnings = loaded.warnings.iter();
    let notes = warnings.map(|w| (w.span.map(place), w.notes[0].span.map(place)));
    let first = text[..text.find("(1, 1 &&& 1)").expect("the entry")]
        .lines()
        .count() as u32;
    let expected = (1..=7).map(|behind| (Some(first + behind), Some(first)));
    assert_eq!(notes.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn priorities() {
    entries("", "«duplicate-priorities|priority=9: (1, 1): a(1);» priority=9: (2, 1): a(2); priority=8: (3, 1): a(3);");
    entries(
        "",
        "«entries-out-of-priority-order|priority=8: (1, 1): a(1);» priority=9: (2, 1): a(2);",
    );
    entries(
        "largest_priority_wins = false;",
        "priority=8: (1, 1): a(1); priority=9: (2, 1): a(2);",
    );
}

#[test]
fn bits_outside_of_the_mask() {
    entries("const", "(1, «mismatch|0x1f» &&& 0xf0): a(1);");
}

#[test]
fn a_constant_key() {
    control(
        "table t { key = { «ignore-prop|8w1»: exact @name(\"one\"); } actions = { NoAction; }
            default_action = NoAction; }",
        "t.apply();",
    );
}

#[test]
fn the_older_annotation_of_a_priority() {
    control(
        "table t { key = { s.a: ternary; } actions = { NoAction; } default_action = NoAction;
            const entries = { 1: NoAction() «deprecated|@priority(3)»; 2: NoAction(); } }",
        "t.apply();",
    );
}
