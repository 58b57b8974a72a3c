// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings about what BMv2 leaves out.

use std::path::Path;

use crate::common::Program;
use quench_p4_backend::compile_text;
use quench_p4_frontend::Options;

/// The first line of each warning, without its place.
fn warnings(program: &Program) -> Vec<String> {
    let compiled = compile_text(Path::new("t.p4"), &program.text(), &Options::default());
    let compiled = compiled.unwrap_or_else(|failure| panic!("{failure}"));
    let first = compiled.warnings.iter().filter_map(|w| w.lines().next());
    first
        .map(|line| line.splitn(4, ": ").skip(1).collect::<Vec<_>>().join(": "))
        .collect()
}

#[test]
fn the_default_action_of_a_table_with_an_action_profile() {
    let table = |default: &str| {
        format!(
            "action drop() {{ mark_to_drop(std); }} action_profile(8) profile;
            table t {{ key = {{ hdr.data.a: exact; }} actions = {{ drop; NoAction; }}
                {default} implementation = profile; }}"
        )
    };
    let of = |default| {
        let locals = table(default);
        warnings(&Program {
            locals: &locals,
            apply: "t.apply();",
            ..Program::default()
        })
    };
    assert_eq!(
        of("default_action = drop();"),
        [
            "warning: the default action I.drop of table I.t never runs: \
          BMv2 has none for action profiles [--Wwarn=unsupported]"
        ]
    );
    assert!(of("const default_action = NoAction();").is_empty());
    assert!(of("").is_empty());
}

#[test]
fn a_size_without_effect() {
    let of = |properties: &str| {
        let locals = format!(
            "table t {{ actions = {{ NoAction; }} {properties} default_action = NoAction; }}"
        );
        warnings(&Program {
            locals: &locals,
            apply: "t.apply();",
            ..Program::default()
        })
    };
    let key = "key = { hdr.data.a: exact; }";
    let constant = format!("{key} const entries = {{ 1: NoAction(); }} size = 10;");
    assert!(of("size = 1;").is_empty());
    assert!(of(&format!("{key} size = 10;")).is_empty());
    assert_eq!(
        [of("size = 3;"), of(&constant)].concat(),
        [
            "warning: this table has no keys: its size 3 has no effect [--Wwarn=mismatch]",
            "warning: this table has constant entries: its size 10 has no effect [--Wwarn=mismatch]",
        ]
    );
}

#[test]
fn the_match_kind_of_a_value_sets_field() {
    let program = Program {
        types: "struct element_t { bit<8> c; @match(ternary) bit<8> d; }",
        start: "transition select(hdr.data.c, hdr.data.d) { known: accept; default: accept; }",
        ..Program::default()
    };
    let text = program
        .text()
        .replace(
            "{ state start",
            "{ value_set<element_t>(4) known; state start",
        )
        .replace(
            "    state start",
            "    value_set<element_t>(4) known; state start",
        );
    let compiled = compile_text(Path::new("t.p4"), &text, &Options::default());
    let compiled = compiled.unwrap_or_else(|failure| panic!("{failure}"));
    let about_match = compiled
        .warnings
        .iter()
        .filter(|w| w.contains("`@match` of d"));
    assert_eq!(about_match.count(), 1, "{:?}", compiled.warnings);
}

#[test]
fn a_meter_of_a_table_that_is_not_applied() {
    let program = Program {
        locals: "direct_meter<bit<8>>(MeterType.bytes) colour;
            table t { actions = { NoAction; } meters = colour; default_action = NoAction; }",
        ..Program::default()
    };
    assert_eq!(
        warnings(&program),
        ["warning: table `t` is unused [--Wwarn=unused]"]
    );
}

#[test]
fn the_source_silences_the_back_end() {
    let of = |annotation: &str| {
        let locals = format!("{annotation} direct_counter(CounterType.bytes) count;");
        warnings(&Program {
            locals: &locals,
            ..Program::default()
        })
    };
    assert_eq!(of("").len(), 2, "of the front end and of the back end");
    assert!(of("@noWarn(\"unused\")").is_empty());
    assert!(of("@diagnostic(\"unused\", \"disable\")").is_empty());
}

#[test]
fn functions_that_bmv2_does_not_have_are_warned_about_once() {
    let program = Program {
        declarations: "#include <v1model_extended.p4>",
        metadata: "bit<64> ns; bit<32> pkts; bit<32> bytes;",
        apply: "time_ns(meta.ns); queue_depth(1, 0, meta.pkts, meta.bytes);",
        egress: "time_ns(meta.ns); enqueued(meta.ns, meta.pkts, meta.bytes);",
        ..Program::default()
    };
    let found = warnings(&program);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("warning: BMv2 has no functions of v1model_extended.p4"),
        "{found:?}"
    );
}
