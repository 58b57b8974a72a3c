// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One packet cannot keep the switch busy: each of these programs would go on for hours, or for ever.

use crate::common::{assign, expr, field, forward, hex, prim, send, stat, Program};
use quench_dataplane::control::{PortOptions, Replica};
use quench_dataplane::{Switch, SwitchConfig};
use serde_json::{json, Value};

const PACKET: [u8; 4] = [1, 2, 3, 4];

/// As machine code and as the interpreter runs it.
fn switches(program: &Program) -> [Switch; 2] {
    [false, true].map(|interpreted| {
        program.switch_with(SwitchConfig {
            interpreted,
            ..SwitchConfig::default()
        })
    })
}

/// The packet ends without anything sent, at the same place both ways; gives the counts.
#[track_caller]
fn assert_ends(program: &Program, prepare: impl Fn(&mut Switch)) -> Vec<(&'static str, u64)> {
    let [compiled, interpreted] = switches(program).map(|mut switch| {
        prepare(&mut switch);
        assert_eq!(send(&mut switch, &PACKET), []);
        assert!(stat(&switch, "dropped_endless_loop") > 0);
        switch.stats()
    });
    assert_eq!(compiled, interpreted);
    compiled
}

fn count(stats: &[(&'static str, u64)], name: &str) -> u64 {
    let found = stats.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no count {name}")).1
}

/// A loop of so many turns (at most 65 535).
fn counted_loop(turns: u64) -> Vec<Value> {
    vec![
        assign(field("h", "c"), hex(turns)),
        assign(field("h", "c"), expr("-", field("h", "c"), hex(1))),
        prim("_jump_if_zero", vec![field("h", "c"), hex(4)]),
        prim("_jump", vec![hex(1)]),
    ]
}

fn lists(program: &mut Program) {
    program.push(
        "field_lists",
        json!({"id": 1, "name": "none", "elements": []}),
    );
}

#[test]
fn a_jump_back_that_depends_is_a_loop_too() {
    let mut program = Program::new();
    program.ingress(vec![
        forward(2),
        prim("_jump_if_zero", vec![hex(0), hex(1)]),
    ]);
    assert_eq!(
        count(&assert_ends(&program, |_| ()), "dropped_endless_loop"),
        1
    );
}

#[test]
fn a_loop_that_ends_is_run() {
    let mut program = Program::new();
    let mut ops = counted_loop(0xffff);
    ops.push(forward(2));
    program.ingress(ops);
    for mut switch in switches(&program) {
        assert_eq!(send(&mut switch, &PACKET), [(2, vec![1, 2, 0, 0])]);
    }
}

#[test]
fn all_passes_have_one_budget() {
    let mut program = Program::new();
    lists(&mut program);
    let mut ops = counted_loop(0xffff);
    ops.extend([forward(2), prim("resubmit", vec![hex(1)])]);
    program.ingress(ops);
    let passes = count(&assert_ends(&program, |_| ()), "ingress_pkts");
    assert!((2..100).contains(&passes), "{passes}");
}

#[test]
fn a_parser_that_consumes_nothing_ends() {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    let state = &mut program.json["parsers"][0]["parse_states"][0];
    state["parser_ops"] = json!([]);
    let own = state["name"].clone();
    state["transitions"] =
        json!([{"type": "default", "value": null, "mask": null, "next_state": own}]);
    assert_eq!(
        count(&assert_ends(&program, |_| ()), "dropped_endless_loop"),
        1
    );
}

/// Without a common budget it would become 2^1024 packets.
#[test]
fn copies_of_copies_have_one_budget() {
    let mut program = Program::new();
    lists(&mut program);
    let group = assign(field("standard_metadata", "mcast_grp"), hex(1));
    program.ingress(vec![group]);
    program.egress(vec![prim("recirculate", vec![hex(1)])]);
    let stats = assert_ends(&program, |switch| {
        let replica = |port| Replica { port, rid: 0 };
        let group = vec![replica(2), replica(3)];
        switch.multicast_group_set(1, group).unwrap();
        for port in [2, 3] {
            let unlimited = PortOptions {
                capacity_pkts: Some(0),
                ..PortOptions::default()
            };
            switch.port_set(port, &unlimited, 0).unwrap();
        }
    });
    assert!(count(&stats, "ingress_pkts") > 1000);
}

#[test]
fn a_loop_in_the_deparser_sends_nothing() {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    program.json["deparsers"][0]["primitives"] = json!([prim("_jump", vec![hex(0)])]);
    assert_eq!(
        count(&assert_ends(&program, |_| ()), "dropped_endless_loop"),
        1
    );
}
