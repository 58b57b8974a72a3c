// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions, actions and controls: the order of evaluation, copy-in and copy-out, early ends.

use std::path::Path;

use crate::common::{data, error, run_with, Program};
use quench_p4_backend::compile_text;
use quench_p4_frontend::{Arch, Options};

#[test]
fn operands_are_evaluated_left_to_right() {
    let program = Program {
        declarations: "bit<32> next(inout bit<32> x) { x = x + 1; return x; }",
        apply: "hdr.data.a = hdr.data.b * 100 + next(hdr.data.b) * 10 + hdr.data.b;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 3, 0, 0, 0])[..2], [300 + 40 + 4, 4]);
}

#[test]
fn nested_calls_of_one_function_keep_their_arguments() {
    let program = Program {
        declarations:
            "bit<32> sub(in bit<32> x, in bit<32> y) { bit<32> r = x; r = r - y; return r; }",
        apply: "hdr.data.a = sub(hdr.data.a + 1, sub(hdr.data.b + 1, sub(hdr.data.a, 5)));",
        ..Program::default()
    };
    // 11 - (21 - (10 - 5))
    assert_eq!(
        program.data([10, 20, 0, 0, 0])[0],
        u64::from(11u32.wrapping_sub(16))
    );
}

#[test]
fn overlapping_arguments_are_copied_in_and_out_in_order() {
    let program = Program {
        declarations: "void f(inout bit<32> x, inout bit<32> y) { x = x + 1; y = y + x; }",
        apply: "f(hdr.data.a, hdr.data.a);",
        ..Program::default()
    };
    // x becomes 6, y becomes 5 + 6; y is copied out last.
    assert_eq!(program.data([5, 0, 0, 0, 0])[0], 11);
}

#[test]
fn an_action_that_writes_its_arguments_source_sees_the_copy() {
    let program = Program {
        locals: "action act(in bit<32> x) { hdr.data.a = 1; hdr.data.b = x; }",
        apply: "act(hdr.data.a);",
        ..Program::default()
    };
    assert_eq!(program.data([7, 0, 0, 0, 0])[..2], [1, 7]);
}

#[test]
fn an_action_that_reads_an_element_of_an_array_does_not_see_its_argument_change() {
    let program = |pairs: &'static str| {
        Program {
        types: "struct pair_t { bit<8> low; bit<8> high; }",
        metadata: pairs,
        locals:
            "action act(inout bit<8> x) { x = 5; hdr.data.d = meta.pairs[hdr.data.c].high; }",
        apply: "meta.pairs[0] = { 1, 2 }; act(meta.pairs[0].high); hdr.data.e = (bit<16>) meta.pairs[0].high;",
        ..Program::default()
    }
    };
    for pairs in ["pair_t[1] pairs;", "pair_t[2] pairs;"] {
        assert_eq!(program(pairs).data([0; 5])[3..], [2, 5]);
    }
}

#[test]
fn out_arguments_can_be_slices_and_stack_elements() {
    let program = Program {
        types: "header item_t { bit<8> v; }",
        headers: "item_t[3] items;",
        declarations: "void put(out bit<4> low, out bit<8> value) { low = 0xf; value = 0x77; }",
        apply: "hdr.items[2].setValid(); put(hdr.data.a[7:4], hdr.items[hdr.data.c].v); hdr.data.d = hdr.items[2].v;",
        ..Program::default()
    };
    let fields = program.data([0x1234_5600, 0, 2, 0, 0]);
    assert_eq!((fields[0], fields[3]), (0x1234_56f0, 0x77));
}

#[test]
fn the_index_of_a_target_is_taken_before_the_value() {
    let program = Program {
        types: "header item_t { bit<8> v; }",
        headers: "item_t[3] items;",
        declarations: "bit<8> step(inout bit<8> i) { i = i + 1; return i; }",
        apply: "hdr.items[0].setValid(); hdr.items[1].setValid(); hdr.items[0].v = 0; hdr.items[1].v = 0;
                hdr.items[hdr.data.c].v = step(hdr.data.c); hdr.data.d = hdr.items[0].v; hdr.data.e = (bit<16>)hdr.items[1].v;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 0, 9, 9])[2..], [1, 1, 0]);
}

#[test]
fn the_right_side_of_and_runs_only_when_needed() {
    let program = Program {
        declarations: "bool count(inout bit<32> n) { n = n + 1; return true; }",
        apply: "if (hdr.data.a == 1 && count(hdr.data.b)) { hdr.data.c = 1; }
                if (hdr.data.a == 1 || count(hdr.data.b)) { hdr.data.d = 1; }
                hdr.data.e = hdr.data.a == 1 ? 16w5 : (count(hdr.data.b) ? 16w6 : 7);",
        ..Program::default()
    };
    assert_eq!(program.data([1, 0, 0, 0, 0]), [1, 1, 1, 1, 5]);
    assert_eq!(program.data([2, 0, 0, 0, 0]), [2, 2, 0, 1, 6]);
}

#[test]
fn return_leaves_a_function_from_inside_branches_and_loops() {
    let program = Program {
        declarations: "bit<8> first_above(in bit<32> bits, in bit<8> limit) {
                for (bit<8> i = 0; i < 32; i = i + 1) {
                    if (i <= limit) { continue; }
                    if ((bits >> i) & 1 == 1) { return i; }
                }
                return 255;
            }",
        apply: "hdr.data.c = first_above(hdr.data.a, hdr.data.d);",
        ..Program::default()
    };
    assert_eq!(program.data([0b1_0100_0010, 0, 0, 1, 0])[2], 6);
    assert_eq!(program.data([0b1_0100_0010, 0, 0, 6, 0])[2], 8);
    assert_eq!(program.data([0b1_0100_0010, 0, 0, 8, 0])[2], 255);
}

#[test]
fn break_ends_the_inner_loop_only() {
    let program = Program {
        apply: "for (bit<8> i = 0; i < 3; i = i + 1) {
                for (bit<8> j = 0; j < 10; j = j + 1) { if (j == i) { break; } hdr.data.a = hdr.data.a + 1; }
            }",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 0, 0, 0])[0], 3);
}

#[test]
fn exit_ends_the_pipeline_but_results_are_copied_out() {
    let program = Program {
        declarations: "control Inner(inout bit<32> x, inout bit<32> y) {
                action stop() { x = x + 1; exit; }
                table t { actions = { stop; } const default_action = stop; }
                apply { t.apply(); y = 99; }
            }",
        locals: "Inner() inner;",
        apply: "inner.apply(hdr.data.a, hdr.data.b); hdr.data.c = 1;",
        egress: "hdr.data.d = 1;",
        ..Program::default()
    };
    assert_eq!(program.data([5, 6, 0, 0, 0]), [6, 6, 0, 1, 0]);
}

#[test]
fn exit_inside_a_call_with_copies_still_copies_out() {
    let program = Program {
        declarations: "control Inner(inout bit<32> x, in bit<32> y) {
                apply { x = x + y; if (y == 5) { exit; } x = 0; }
            }",
        locals: "Inner() inner;",
        apply: "inner.apply(hdr.data.a, hdr.data.a); hdr.data.c = 1;",
        ..Program::default()
    };
    assert_eq!(program.data([5, 0, 0, 0, 0])[..3], [10, 0, 0]);
    assert_eq!(program.data([6, 0, 0, 0, 0])[..3], [0, 0, 1]);
}

#[test]
fn return_in_a_control_ends_that_control() {
    let program = Program {
        declarations: "control Inner(inout bit<32> x) {
                apply { if (x > 10) { return; } x = x + 1; }
            }",
        locals: "Inner() inner;",
        apply: "inner.apply(hdr.data.a); inner.apply(hdr.data.b); hdr.data.c = 1;",
        ..Program::default()
    };
    assert_eq!(program.data([1, 20, 0, 0, 0])[..3], [2, 20, 1]);
}

#[test]
fn compound_assignment_evaluates_its_target_once() {
    let program = Program {
        types: "header item_t { bit<8> v; }",
        headers: "item_t[3] items;",
        declarations: "bit<8> step(inout bit<8> i) { bit<8> r = i; i = i + 1; return r; }",
        apply: "hdr.items[0].setValid(); hdr.items[1].setValid(); hdr.items[0].v = 10; hdr.items[1].v = 20;
                hdr.items[step(hdr.data.c)].v += 5; hdr.data.d = hdr.items[0].v;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 0, 0, 0])[2..4], [1, 15]);
}

#[test]
fn exit_leaves_a_loop_and_the_pipeline() {
    let program = Program {
        locals: "table t { actions = { NoAction; } }",
        apply: "t.apply(); for (bit<8> i = 0; i < 9; i = i + 1) { if (i == hdr.data.c) { exit; } hdr.data.a = hdr.data.a + 1; }
                hdr.data.d = 1;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 3, 0, 0])[..4], [3, 0, 3, 0]);
    assert_eq!(program.data([0, 0, 9, 0, 0])[..4], [9, 0, 9, 1]);
}

#[test]
fn an_inout_argument_has_the_value_of_its_turn() {
    let program = Program {
        declarations:
            "bit<8> f(inout bit<8> x, in bit<8> y) { x = x * 3 + y; return x; }
             control C2(inout bit<8> x, in bool hit) { apply { x = hit ? x + 1 : 8w0; } }",
        locals: "action set(bit<8> v) { hdr.data.d = v; } C2() c2;
                 table t { key = { hdr.data.c: ternary; } actions = { set; } default_action = set(9); const entries = { _: set(8); } }",
        apply: "bit<8> x = 5;
                f(x, f(x, 1));
                f(hdr.data.c, f(hdr.data.c, 1));
                hdr.data.a = (bit<32>)x;
                c2.apply(hdr.data.d, t.apply().hit);",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 5, 1, 0]), [31, 0, 31, 2, 0]);
}

/// The calls of v1model as it was until the end of 2021.
const OLD_CALLS: [(&str, &str, &str); 4] = [
    ("mark_to_drop();", "", "mark_to_drop(standard_metadata)"),
    (
        "clone3(CloneType.I2E, 5, std);",
        "",
        "clone_preserving_field_list(TYPE, SESSION, N)",
    ),
    (
        "resubmit({ meta.kept });",
        "",
        "resubmit_preserving_field_list(N)",
    ),
    (
        "",
        "recirculate({ meta.kept });",
        "recirculate_preserving_field_list(N)",
    ),
];

#[test]
fn calls_that_p4c_took_out_name_what_to_write() {
    for (apply, egress, successor) in OLD_CALLS {
        let program = Program {
            metadata: "bit<8> kept;",
            apply,
            egress,
            ..Program::default()
        };
        let error = error(&program.text());
        assert!(
            error.contains(&format!("write {successor}")) && error.contains("--v1model-2021"),
            "{error}"
        );
    }
}

#[test]
fn calls_that_p4c_took_out_work_with_the_older_v1model() {
    let options = Options {
        arch: Arch::V1Model2021,
        ..Options::default()
    };
    let run = |apply, egress, packet| {
        let program = Program {
            metadata: "bit<8> kept; bit<8> lost; bool flag;",
            apply,
            egress,
            ..Program::default()
        };
        run_with(&program.text(), &options, &data(packet))
    };
    let behind =
        "else { hdr.data.c = meta.kept; hdr.data.d = meta.lost; if (meta.flag) hdr.data.e = 1; }";
    let set = "meta.kept = 7; meta.lost = 8; meta.flag = true;";
    let sent = data([1, 2, 0, 0, 0]);
    let seen = data([1, 2, 7, 0, 1]);
    let resubmit = format!(
        "if (std.instance_type == 0) {{ {set} resubmit({{ meta.kept, meta.flag }}); }} {behind}"
    );
    assert_eq!(run(&resubmit, "", [1, 2, 0, 0, 0]), Some((1, seen.clone())));
    let again = "if (std.instance_type == 0) { } ".to_owned() + behind;
    let recirculate =
        format!("if (!meta.flag) {{ {set} recirculate({{ meta.kept, meta.flag }}); }}");
    assert_eq!(run(&again, &recirculate, [1, 2, 0, 0, 0]), Some((1, seen)));
    // Nobody has made the session.
    let clone = "clone3(CloneType.I2E, 5, { std, meta });";
    assert_eq!(run(clone, "", [1, 2, 0, 0, 0]), Some((1, sent)));
    assert_eq!(run("mark_to_drop();", "", [1, 2, 0, 0, 0]), None);
    assert_eq!(run("", "mark_to_drop();", [1, 2, 0, 0, 0]), None);
    for (apply, egress, _) in OLD_CALLS {
        let program = Program {
            metadata: "bit<8> kept;",
            apply,
            egress,
            ..Program::default()
        };
        let compiled = compile_text(Path::new("t.p4"), &program.text(), &options);
        let warnings = compiled.expect("the program compiles").warnings;
        let deprecated = warnings
            .iter()
            .filter(|w| w.contains("[--Wwarn=deprecated]"));
        assert_eq!(deprecated.count(), 1, "{warnings:?}");
    }
}
