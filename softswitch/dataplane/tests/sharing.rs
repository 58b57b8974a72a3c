// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One program for several switches: its code is shared, its state is not.

use crate::common::*;
use quench_dataplane::{SharedProgram, Switch, SwitchConfig};
use serde_json::json;

/// Counts its packets in a register, which goes out as `b`; `a` is the key of a table that gives the port.
fn program() -> Program {
    let mut program = Program::new();
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 1, "size": 1, "bitwidth": 8}),
    );
    let out = program.action(
        "out",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    let fixed = program.action(
        "fixed",
        &[("c", 16)],
        vec![assign(field("h", "c"), param(0))],
    );
    let cell = json!({"type": "register", "value": ["r", hex(0)]});
    program.ingress(vec![
        assign(cell.clone(), expr("+", cell.clone(), hex(1))),
        assign(field("h", "b"), cell),
    ]);
    program.table(
        "constant",
        "exact",
        &[("exact", field("h", "a"))],
        &[fixed],
        json!({"entries": [{"source_info": null, "priority": 1,
            "match_key": [{"match_type": "exact", "key": "0x07"}],
            "action_entry": {"action_id": fixed, "action_data": ["0x1234"]}}]}),
    );
    program.table(
        "t",
        "exact",
        &[("exact", field("h", "a"))],
        &[out],
        json!({}),
    );
    program
}

fn route(switch: &mut Switch, port: u64) {
    switch
        .table_insert("t", &[exact(7)], 0, call("out", &[port]).into(), 0)
        .expect("the entry is right");
}

#[test]
fn switches_of_one_program_have_state_of_their_own() {
    let shared = SharedProgram::new(&program().json.to_string()).expect("the program is sound");
    let mut switches = [3, 4].map(|port| {
        let mut switch = Switch::new(SwitchConfig::default());
        switch.load(&shared);
        route(&mut switch, port);
        switch
    });
    let packet = [7, 0, 0, 0];
    assert_eq!(
        send(&mut switches[0], &packet),
        [(3, vec![7, 1, 0x12, 0x34])]
    );
    assert_eq!(
        send(&mut switches[0], &packet),
        [(3, vec![7, 2, 0x12, 0x34])]
    );
    assert_eq!(
        send(&mut switches[1], &packet),
        [(4, vec![7, 1, 0x12, 0x34])]
    );
}

#[test]
fn a_switch_outlives_the_program_and_its_other_switches() {
    let shared = SharedProgram::new(&program().json.to_string()).expect("the program is sound");
    let mut switch = Switch::new(SwitchConfig::default());
    Switch::new(SwitchConfig::default()).load(&shared);
    switch.load(&shared);
    drop(shared);
    route(&mut switch, 5);
    assert_eq!(
        send(&mut switch, &[7, 0, 0, 0]),
        [(5, vec![7, 1, 0x12, 0x34])]
    );
}

#[test]
fn an_interpreted_switch_takes_a_compiled_program() {
    let shared = SharedProgram::new(&program().json.to_string()).expect("the program is sound");
    let mut switch = Switch::new_interpreted(SwitchConfig::default());
    switch.load(&shared);
    assert!(!switch.is_compiled());
    route(&mut switch, 6);
    assert_eq!(
        send(&mut switch, &[7, 0, 0, 0]),
        [(6, vec![7, 1, 0x12, 0x34])]
    );
}
