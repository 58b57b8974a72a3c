// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Matching, actions, defaults, profiles, idle timeouts, direct resources.

mod batches;
mod entries;
mod matching;
mod plans;
mod profiles;

use crate::common::*;
use quench_dataplane::control::MatchField;
use quench_dataplane::Switch;

/// A table on the given fields of `h` whose entries set the port.
fn forwarding(match_type: &str, key: &[(&str, &str)], extra: serde_json::Value) -> Program {
    let mut program = Program::new();
    let out = program.action(
        "out",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    let other = program.action(
        "other",
        &[],
        vec![forward(100), assign(field("h", "a"), hex(0xee))],
    );
    let key: Vec<(&str, serde_json::Value)> = key
        .iter()
        .map(|(kind, name)| (*kind, field("h", name)))
        .collect();
    program.table("t", match_type, &key, &[out, other], extra);
    program
}

fn insert(switch: &mut Switch, key: &[MatchField], priority: i32, port: u64) {
    switch
        .table_insert("t", key, priority, call("out", &[port]).into(), 0)
        .unwrap();
}

fn port(switch: &mut Switch, packet: [u8; 4]) -> u32 {
    send(switch, &packet).first().map_or(511, |(port, _)| *port)
}

fn bytes(value: u16) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}
