// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Matching, actions, defaults, profiles, idle timeouts, direct resources.

mod common;

use common::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quench_dataplane::control::{
    Control, CounterValue, EntryData, ErrorCode, Group, GroupMember, MatchField, MeterRates,
    OneShotMember, TableAction,
};
use quench_dataplane::Switch;
use serde_json::json;

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

#[test]
fn exact_entries_are_found_changed_and_removed() {
    let mut switch = forwarding("exact", &[("exact", "a"), ("exact", "c")], json!({})).switch();
    let key = [exact(1), exact(0x102)];
    insert(&mut switch, &key, 0, 7);
    assert_eq!(port(&mut switch, [1, 9, 1, 2]), 7);
    assert_eq!(port(&mut switch, [2, 9, 1, 2]), 0);
    let again = switch.table_insert("t", &key, 0, call("out", &[8]).into(), 0);
    assert_eq!(again.unwrap_err().code, ErrorCode::AlreadyExists);
    switch
        .table_modify("t", &key, 0, call("other", &[]).into(), 0)
        .unwrap();
    assert_eq!(
        send(&mut switch, &[1, 9, 1, 2]),
        [(100, vec![0xee, 9, 1, 2])]
    );
    let entry = switch.table_get("t", &key, 0, 0).unwrap().unwrap();
    assert_eq!(
        entry.key,
        [MatchField::Exact(vec![1]), MatchField::Exact(vec![1, 2])]
    );
    assert_eq!(entry.action, call("other", &[]));
    switch.table_delete("t", &key, 0).unwrap();
    assert_eq!(
        switch.table_delete("t", &key, 0).unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(port(&mut switch, [1, 9, 1, 2]), 0);
}

#[test]
fn what_does_not_suit_the_table_is_refused() {
    let mut switch = forwarding("exact", &[("exact", "a")], json!({"max_size": 1})).switch();
    let mut refused = |key: &[MatchField], priority, action: TableAction| {
        switch
            .table_insert("t", key, priority, action.into(), 0)
            .unwrap_err()
            .code
    };
    assert_eq!(
        refused(&[exact(256)], 0, call("out", &[1])),
        ErrorCode::OutOfRange
    );
    assert_eq!(
        refused(&[exact(1)], 0, call("out", &[512])),
        ErrorCode::OutOfRange
    );
    assert_eq!(
        refused(&[exact(1)], 3, call("out", &[1])),
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        refused(&[], 0, call("out", &[1])),
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        refused(&[MatchField::DontCare], 0, call("out", &[1])),
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        refused(&[exact(1)], 0, call("out", &[])),
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        refused(&[exact(1)], 0, call("nothing", &[])),
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        refused(&[exact(1)], 0, TableAction::Member(1)),
        ErrorCode::InvalidArgument
    );
    insert(&mut switch, &[exact(1)], 0, 1);
    let full = switch.table_insert("t", &[exact(2)], 0, call("out", &[1]).into(), 0);
    assert_eq!(full.unwrap_err().code, ErrorCode::ResourceExhausted);
    assert_eq!(
        switch.table_entries("u", 0).unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(switch.table_entries("t", 0).unwrap().len(), 1);
}

#[test]
fn ranges_and_priorities() {
    let mut switch = forwarding("range", &[("range", "c"), ("ternary", "a")], json!({})).switch();
    let range = |low, high| MatchField::Range(bytes(low), bytes(high));
    insert(&mut switch, &[range(10, 300), MatchField::DontCare], 1, 3);
    insert(
        &mut switch,
        &[range(20, 20), MatchField::Ternary(vec![0xf5], vec![0xf0])],
        9,
        4,
    );
    assert_eq!(port(&mut switch, [0, 0, 0, 9]), 0);
    assert_eq!(port(&mut switch, [0, 0, 0, 10]), 3);
    assert_eq!(port(&mut switch, [0, 0, 1, 44]), 3);
    assert_eq!(port(&mut switch, [0, 0, 1, 45]), 0);
    assert_eq!(port(&mut switch, [0xf9, 0, 0, 20]), 4);
    let entries = switch.table_entries("t", 0).unwrap();
    assert_eq!(
        entries[1].key[1],
        MatchField::Ternary(vec![0xf0], vec![0xf0])
    );
    assert_eq!(entries[1].priority, 9);
}

#[test]
fn optional_and_validity_keys() {
    let mut program = forwarding(
        "ternary",
        &[("optional", "a"), ("valid", "$valid$")],
        json!({}),
    );
    program.json["pipelines"][0]["tables"][0]["key"][1] =
        json!({"match_type": "valid", "target": "h", "mask": null, "name": "h.isValid()"});
    let mut switch = program.switch();
    insert(
        &mut switch,
        &[MatchField::Optional(vec![5]), exact(1)],
        2,
        6,
    );
    insert(&mut switch, &[MatchField::DontCare, exact(0)], 1, 8);
    assert_eq!(port(&mut switch, [5, 0, 0, 0]), 6);
    assert_eq!(port(&mut switch, [4, 0, 0, 0]), 0);
    assert_eq!(send(&mut switch, &[1])[0].0, 8);
    assert_eq!(
        switch.program().unwrap().tables[0].key[1].name,
        "h.isValid()"
    );
}

#[test]
fn defaults_and_constant_entries_come_from_the_program() {
    let mut program = forwarding("ternary", &[("ternary", "a")], json!({}));
    let out = program.json["actions"][0]["id"].clone();
    let entry = |value: &str, mask: &str, priority: u32, port: &str| {
        json!({"match_key": [{"match_type": "ternary", "key": value, "mask": mask}], "priority": priority,
               "action_entry": {"action_id": out, "action_data": [port]}})
    };
    let table = &mut program.json["pipelines"][0]["tables"][0];
    table["entries"] = json!([
        entry("0x05", "0x0f", 2, "0x3"),
        entry("0x15", "0xff", 1, "0x4")
    ]);
    table["default_entry"] = json!({"action_id": out, "action_const": false, "action_data": ["0x9"], "action_entry_const": false});
    let mut switch = program.switch();
    assert_eq!(port(&mut switch, [0x25, 0, 0, 0]), 3);
    assert_eq!(port(&mut switch, [0x15, 0, 0, 0]), 4);
    assert_eq!(port(&mut switch, [0x16, 0, 0, 0]), 9);
    let entries = switch.table_entries("t", 0).unwrap();
    assert_eq!(
        entries
            .iter()
            .map(|entry| (entry.priority, entry.is_const))
            .collect::<Vec<_>>(),
        [(1, true), (2, true)]
    );
    let change = switch.table_delete("t", &entries[0].key, 1);
    assert_eq!(change.unwrap_err().code, ErrorCode::FailedPrecondition);
    switch
        .table_set_default("t", Some(call("out", &[12])))
        .unwrap();
    assert_eq!(port(&mut switch, [0, 0, 0, 0]), 12);
    switch.table_set_default("t", None).unwrap();
    assert_eq!(
        switch.table_default("t").unwrap(),
        Some(TableAction::Action(quench_dataplane::control::ActionCall {
            name: "out".into(),
            params: vec![vec![0, 9]],
        }))
    );
}

#[test]
fn a_constant_default_stays() {
    let mut program = forwarding("exact", &[("exact", "a")], json!({}));
    let out = program.json["actions"][0]["id"].clone();
    program.json["pipelines"][0]["tables"][0]["default_entry"] = json!({"action_id": out, "action_const": true, "action_data": ["0x9"], "action_entry_const": true});
    let mut switch = program.switch();
    let change = switch.table_set_default("t", Some(call("out", &[1])));
    assert_eq!(change.unwrap_err().code, ErrorCode::FailedPrecondition);
    assert_eq!(port(&mut switch, [0; 4]), 9);
}

#[test]
fn hits_and_misses_lead_on() {
    let mut program = forwarding("exact", &[("exact", "a")], json!({}));
    let mark = |program: &mut Program, value| {
        let id = program.id();
        let action = program.action(
            &format!("mark{value}"),
            &[],
            vec![assign(field("h", "b"), hex(value)), forward(1)],
        );
        json!({"name": format!("n{value}"), "id": id, "action_id": action, "next_node": null})
    };
    let calls = vec![mark(&mut program, 1), mark(&mut program, 2)];
    let pipeline = &mut program.json["pipelines"][0];
    pipeline["action_calls"] = json!(calls);
    pipeline["tables"][0]["next_tables"] = json!({"__HIT__": "n1", "__MISS__": "n2"});
    let mut switch = program.switch();
    insert(&mut switch, &[exact(7)], 0, 3);
    assert_eq!(send(&mut switch, &[7, 0, 0, 0])[0].1[1], 1);
    assert_eq!(send(&mut switch, &[8, 0, 0, 0])[0].1[1], 2);
}

fn selector() -> Program {
    let mut program = forwarding(
        "exact",
        &[("exact", "a")],
        json!({"type": "indirect_ws", "action_profile": "p"}),
    );
    program.json["pipelines"][0]["action_profiles"] = json!([{"name": "p", "id": 1, "max_size": 4, "selector": {
        "algo": "identity", "input": [{"type": "field", "value": ["h", "b"]}]}}]);
    program
}

#[test]
fn groups_choose_by_hash_weight_and_live_ports() {
    let mut switch = selector().switch();
    for (member, port) in [(1, 11), (2, 12), (3, 13)] {
        switch
            .member_insert("p", member, action("out", &[port]))
            .unwrap();
    }
    let member = |member, weight, watch_port| GroupMember {
        member,
        weight,
        watch_port,
    };
    let group = Group {
        id: 5,
        members: vec![member(2, 2, Some(40)), member(1, 1, None)],
        max_size: 3,
    };
    switch.group_insert("p", group.clone()).unwrap();
    switch
        .table_insert("t", &[exact(1)], 0, TableAction::Group(5).into(), 0)
        .unwrap();
    let ports = |switch: &mut Switch| {
        (0..6)
            .map(|b| port(switch, [1, b, 0, 0]))
            .collect::<Vec<_>>()
    };
    assert_eq!(ports(&mut switch), [11, 12, 12, 11, 12, 12]);
    switch.set_port_up(40, false);
    assert_eq!(ports(&mut switch), [11; 6]);
    switch.set_port_up(40, true);
    switch.member_modify("p", 1, action("out", &[21])).unwrap();
    assert_eq!(ports(&mut switch), [21, 12, 12, 21, 12, 12]);
    let busy = [switch.member_delete("p", 1), switch.group_delete("p", 5)];
    assert!(busy
        .into_iter()
        .all(|result| result.unwrap_err().code == ErrorCode::FailedPrecondition));
    let large = Group {
        members: vec![member(3, 4, None)],
        ..group.clone()
    };
    assert_eq!(
        switch.group_modify("p", large).unwrap_err().code,
        ErrorCode::ResourceExhausted
    );
    assert_eq!(switch.groups("p").unwrap(), [group]);
    switch
        .group_modify(
            "p",
            Group {
                id: 5,
                members: vec![],
                max_size: 0,
            },
        )
        .unwrap();
    assert_eq!(ports(&mut switch), [0; 6]);
    switch.member_delete("p", 1).unwrap();
    switch.table_delete("t", &[exact(1)], 0).unwrap();
    switch.group_delete("p", 5).unwrap();
}

#[test]
fn one_shot_sets_and_single_members() {
    let mut switch = selector().switch();
    let one = |port, weight| OneShotMember {
        action: action("out", &[port]),
        weight,
        watch_port: Some(port as u32),
    };
    let set = TableAction::OneShot(vec![one(31, 1), one(32, 1)]);
    switch
        .table_insert("t", &[exact(1)], 0, set.clone().into(), 0)
        .unwrap();
    assert_eq!(
        [
            port(&mut switch, [1, 0, 0, 0]),
            port(&mut switch, [1, 1, 0, 0])
        ],
        [31, 32]
    );
    switch.set_port_up(32, false);
    assert_eq!(port(&mut switch, [1, 1, 0, 0]), 31);
    let read = switch
        .table_get("t", &[exact(1)], 0, 0)
        .unwrap()
        .unwrap()
        .action;
    let TableAction::OneShot(read) = read else {
        panic!("{read:?}")
    };
    assert_eq!(read.len(), 2);
    switch.member_insert("p", 9, action("other", &[])).unwrap();
    switch
        .table_modify("t", &[exact(1)], 0, TableAction::Member(9).into(), 0)
        .unwrap();
    assert_eq!(port(&mut switch, [1, 0, 0, 0]), 100);
    let missing = switch.table_modify("t", &[exact(1)], 0, TableAction::Member(8).into(), 0);
    assert_eq!(missing.unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn idle_entries_are_reported_once_until_hit_again() {
    let mut switch =
        forwarding("exact", &[("exact", "a")], json!({"support_timeout": true})).switch();
    let data = EntryData {
        idle_timeout_ns: 100,
        metadata: vec![7],
        ..call("out", &[3]).into()
    };
    switch
        .table_insert("t", &[exact(1)], 0, data, 1000)
        .unwrap();
    assert!(switch.expired_entries(1099).is_empty());
    let expired = switch.expired_entries(1150);
    assert_eq!(
        (expired[0].0.as_str(), expired[0].1.since_hit_ns),
        ("t", 150)
    );
    assert_eq!(expired[0].1.metadata, [7]);
    assert!(switch.expired_entries(5000).is_empty());
    switch.receive(6000, 1, &[1, 0, 0, 0]);
    assert!(switch.expired_entries(6050).is_empty());
    assert_eq!(switch.expired_entries(6100).len(), 1);
}

#[test]
fn direct_counters_and_meters_belong_to_entries() {
    let mut program = forwarding(
        "exact",
        &[("exact", "a")],
        json!({"with_counters": true, "direct_meters": "m"}),
    );
    program.push(
        "meter_arrays",
        json!({"name": "m", "id": 1, "is_direct": true, "rate_count": 2, "type": "packets",
        "size": 16, "binding": "t", "result_target": ["h", "b"]}),
    );
    program.push(
        "counter_arrays",
        json!({"name": "c", "id": 1, "is_direct": true, "binding": "t"}),
    );
    let mut switch = program.switch();
    insert(&mut switch, &[exact(1)], 0, 3);
    let rates = MeterRates {
        cir: 1,
        cburst: 1,
        pir: 1,
        pburst: 2,
    };
    switch
        .direct_meter_write("t", &[exact(1)], 0, Some(rates))
        .unwrap();
    let colors: Vec<u8> = (0..3)
        .map(|_| send(&mut switch, &[1, 9, 0, 0])[0].1[1])
        .collect();
    assert_eq!(colors, [0, 1, 2]);
    send(&mut switch, &[2, 9, 0, 0, 0]);
    let entry = switch.table_get("t", &[exact(1)], 0, 0).unwrap().unwrap();
    assert_eq!(
        entry.counter,
        Some(CounterValue {
            packets: 3,
            bytes: 12
        })
    );
    assert_eq!(entry.meter, Some(rates));
    assert_eq!(
        switch.default_counter_read("t").unwrap(),
        Some(CounterValue {
            packets: 1,
            bytes: 5
        })
    );
    let value = CounterValue {
        packets: 5,
        bytes: 50,
    };
    switch
        .direct_counter_write("t", &[exact(1)], 0, value)
        .unwrap();
    assert_eq!(
        switch.table_entries("t", 0).unwrap()[0].counter,
        Some(value)
    );
    assert_eq!(
        switch.counter_read("c", 0).unwrap_err().code,
        ErrorCode::InvalidArgument
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn the_longest_prefix_wins(
        entries in prop::collection::hash_map((any::<u16>(), 0u32..=16), 1u64..500, 1..30),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        probes in prop::collection::vec(any::<u16>(), 30),
    ) {
        let mut switch = forwarding("lpm", &[("lpm", "c"), ("exact", "a")], json!({})).switch();
        let mask = |len: u32| if len == 0 { 0 } else { u16::MAX << (16 - len) };
        let mut known: Vec<(u16, u32, u64)> = Vec::new();
        for (&(value, len), &port) in &entries {
            let key = [MatchField::Lpm(bytes(value), len), exact(1)];
            let result = switch.table_insert("t", &key, 0, call("out", &[port]).into(), 0);
            let value = value & mask(len);
            let new = !known.iter().any(|&(v, l, _)| (v, l) == (value, len));
            prop_assert_eq!(result.is_ok(), new);
            if new {
                known.push((value, len, port));
            }
        }
        for index in removed {
            if !known.is_empty() {
                let (value, len, _) = known.remove(index.index(known.len()));
                switch.table_delete("t", &[MatchField::Lpm(bytes(value), len), exact(1)], 0).unwrap();
            }
        }
        for probe in probes.into_iter().chain(known.iter().map(|entry| entry.0).collect::<Vec<_>>()) {
            let hits = known.iter().filter(|&&(value, len, _)| probe & mask(len) == value);
            let want = hits.max_by_key(|entry| entry.1).map_or(0, |entry| entry.2);
            let [hi, lo] = probe.to_be_bytes();
            prop_assert_eq!(u64::from(port(&mut switch, [1, 0, hi, lo])), want);
            prop_assert_eq!(port(&mut switch, [2, 0, hi, lo]), 0);
        }
    }

    #[test]
    fn the_highest_priority_wins(
        entries in prop::collection::vec((any::<u16>(), any::<u16>(), any::<u8>(), any::<u8>(), 1u64..500), 1..30),
        probes in prop::collection::vec((0usize..30, any::<u16>(), any::<u8>()), 40),
    ) {
        let mut switch = forwarding("ternary", &[("ternary", "c"), ("range", "b")], json!({})).switch();
        for (i, &(value, mask, low, high, port)) in entries.iter().enumerate() {
            let (low, high) = (low.min(high), low.max(high));
            let key = [MatchField::Ternary(bytes(value), bytes(mask)), MatchField::Range(vec![low], vec![high])];
            let priority = 1 + (i as i32 * 7) % 31;
            insert(&mut switch, &key, priority, port);
        }
        for (near, noise, b) in probes {
            let (value, mask, ..) = entries[near % entries.len()];
            let c = value & mask | noise & !mask;
            let hits = entries.iter().enumerate().filter(|(_, (value, mask, low, high, _))| {
                (c ^ value) & mask == 0 && (low.min(high)..=low.max(high)).contains(&&b)
            });
            let want = hits.max_by_key(|(i, _)| 1 + (i * 7) % 31).map_or(0, |(_, entry)| entry.4);
            let [hi, lo] = c.to_be_bytes();
            prop_assert_eq!(u64::from(port(&mut switch, [0, b, hi, lo])), want);
        }
    }
}
