// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that the loader would never make: one place or index is wrong in each, and the proof finds it.

use std::sync::Arc;

use serde_json::json;

use super::damage::DAMAGE;
use super::*;
use crate::exec::core::Start;
use crate::load::load;
use crate::program::table::DirectCells;
use crate::program::unit::Unit;
use crate::program::Jump;

/// A program with one of most things.
fn sound_json() -> String {
    let names = [
        "ingress_port",
        "egress_spec",
        "egress_port",
        "instance_type",
        "packet_length",
    ];
    let standard = names.map(|name| json!([name, 16, false]));
    let field = |header: &str, name: &str| json!({"type": "field", "value": [header, name]});
    let param = json!({"type": "runtime_data", "value": 0});
    let register = json!({"type": "register_array", "value": "r"});
    let next = json!({"a": null});
    let program = json!({
        "header_types": [
            {"name": "standard", "id": 0, "fields": standard},
            {"name": "h_t", "id": 1, "fields": [["x", 12, false], ["y", 20, false]]},
        ],
        "headers": [
            {"name": "standard_metadata", "id": 0, "header_type": "standard", "metadata": true},
            {"name": "h", "id": 1, "header_type": "h_t"},
        ],
        "header_stacks": [{"name": "st", "id": 0, "header_type": "h_t", "header_ids": [1]}],
        "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [
            {"name": "start", "id": 0, "transition_key": [field("h", "y")],
             "parser_ops": [{"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}],
             "transitions": [{"type": "default", "next_state": null}]}]}],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["h"]}],
        "register_arrays": [{"name": "r", "id": 0, "size": 4, "bitwidth": 16}],
        "pipelines": [
            {"name": "ingress", "id": 0, "init_table": "t", "tables": [
                {"name": "t", "id": 0, "match_type": "exact", "type": "simple", "max_size": 4,
                 "key": [{"match_type": "exact", "target": ["h", "x"]}], "action_ids": [7],
                 "next_tables": next, "base_default_next": null}]},
            {"name": "egress", "id": 1, "init_table": null, "tables": []}],
        "actions": [{"name": "a", "id": 7, "runtime_data": [{"name": "p", "bitwidth": 20}],
            "primitives": [
                {"op": "assign", "parameters": [field("h", "y"), param]},
                {"op": "register_write", "parameters": [register, field("h", "x"), field("h", "y")]},
            ]}],
    });
    program.to_string()
}

fn sound() -> (Program, Externs) {
    let Start {
        program, externs, ..
    } = load(&sound_json())
        .unwrap_or_else(|error| panic!("{error}"))
        .start;
    let program = Arc::try_unwrap(program);
    (program.expect("nobody else has the program"), externs)
}

fn refused(damage: impl FnOnce(&mut Program, &mut Externs)) -> String {
    let (mut program, mut externs) = sound();
    damage(&mut program, &mut externs);
    prove(&program, &externs, std::iter::empty()).expect_err("the program is damaged")
}

#[test]
fn a_sound_program_passes() {
    let (program, externs) = sound();
    assert_eq!(prove(&program, &externs, std::iter::empty()), Ok(()));
}

#[test]
fn the_loader_proves_what_it_made() {
    DAMAGE.set(Some(|program| program.layout.headers[1].byte += 1 << 20));
    let error = load(&sound_json()).err().expect("the program is damaged");
    let message = error.to_string();
    assert!(message.contains("would not stay inside"), "{message}");
}

#[test]
fn places_outside_their_buffers_are_found() {
    let end = |program: &Program| program.layout.fixed_bytes as u32;
    refused(|program, _| program.layout.headers[1].fields[1].byte = end(program));
    refused(|program, _| program.layout.headers[1].byte = end(program) - 3);
    refused(|program, _| program.layout.headers[1].valid.byte = end(program));
    refused(|program, _| program.layout.types[1].fields[1].rel.bits += 8);
    refused(|program, _| program.layout.bytes -= 1);
    let message = refused(|program, _| {
        program.actions[0].ops[0] = Op::Assign(
            Loc::unsigned(end(program) - 1, 1, 8),
            Value {
                node: 0,
                tier: crate::model::ids::Tier::W64,
            },
        );
    });
    assert!(message.contains("bytes of the fields"), "{message}");
    refused(|program, _| program.tables[0].key[0].loc.byte = u32::MAX);
    refused(|program, _| program.tables[0].key_words = 0);
    refused(|program, _| program.states[0].key_bytes = 0);
}

#[test]
fn parameters_outside_an_actions_data_are_found() {
    let message = refused(|program, _| program.actions[0].data_bytes -= 1);
    assert!(message.contains("parameters"), "{message}");
    refused(|program, _| program.actions[0].data_bytes = 0);
    // The deparser runs no action: a parameter in its primitives is one of nothing.
    refused(|program, _| {
        program.deparsers[0].ops = std::mem::take(&mut program.actions[0].ops);
        program.actions[0].params.clear();
    });
}

#[test]
fn indices_of_nothing_are_found() {
    refused(|_, externs| externs.registers = Default::default());
    refused(|program, _| program.parsers[0].first = 1);
    refused(|program, _| program.deparsers[0].order.push(2));
    refused(|program, _| program.layout.stacks[0].headers.push(0));
    refused(|program, _| program.layout.stacks[0].next = 1);
    refused(|program, _| program.pipelines[0].first = 1);
    refused(|program, _| program.tables[0].actions.push(1));
    refused(|program, _| program.tables[0].next.base = 7);
    refused(|program, _| program.pipelines[1].nodes.push(ControlNode::Call(0, END)));
    refused(|program, _| {
        program.actions[0]
            .ops
            .push(Op::Jump(Jump { to: 4, work: 0 }))
    });
    refused(|program, _| program.exprs.nodes.clear());
}

#[test]
fn units_of_nothing_are_found() {
    let value = Value {
        node: 0,
        tier: crate::model::ids::Tier::W64,
    };
    let bad_value = Value {
        node: 1 << 20,
        ..value
    };
    let (field, bad_field) = (Loc::unsigned(0, 0, 8), Loc::unsigned(1 << 20, 0, 8));
    let (to, nowhere) = (Target::Field(field), Target::Field(bad_field));
    // The program has one register array and no other; field and value are good.
    let good = Unit::NextIndex(to, 0);
    let bad = [
        (Unit::Hash(to, 0), "calculation"),
        (Unit::Filter(to, 0, value, value), "filter"),
        (Unit::Math(to, 0, value), "math unit"),
        (Unit::Meter(0, value, to, None, None), "meter"),
        (
            Unit::Meter(0, value, to, Some(value), Some(bad_value)),
            "number",
        ),
        (Unit::Count(0, value, value), "counter"),
        (Unit::Count(0, value, bad_value), "number"),
        (Unit::NextIndex(to, 1), "register"),
        (Unit::NextIndex(nowhere, 0), "fields"),
    ];
    let (mut program, externs) = sound();
    program.actions[0].ops.push(Op::Unit(good));
    assert_eq!(prove(&program, &externs, std::iter::empty()), Ok(()));
    for (unit, what) in bad {
        let message = refused(|program, _| program.actions[0].ops.push(Op::Unit(unit)));
        assert!(message.contains(what), "{what}: {message}");
    }
    refused(|program, _| program.tables[0].entry_index = Some(bad_field));
    for cells in [DirectCells::Register(1), DirectCells::Filter(0)] {
        refused(|program, _| program.tables[0].direct_cells.push(cells));
    }
}
