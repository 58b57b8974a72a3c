// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Entries as the control plane and the program put them in, and what belongs to each.

use quench_dataplane::control::{
    CloneSession, ControlError, CounterValue, EntryData, ErrorCode, MatchField, MeterRates,
    Replica, TableAction,
};
use quench_dataplane::switch::{SharedProgram, SwitchConfig};
use quench_dataplane::Switch;
use serde_json::json;

use super::{forwarding, insert, port};
use crate::common::*;

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
    assert_eq!(change.unwrap_err().code, ErrorCode::PermissionDenied);
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

/// P4Info tells `entries` from `const entries`, the JSON does not.
#[test]
fn entries_of_the_program_change_but_for_constant_ones() {
    let mut program = forwarding("ternary", &[("ternary", "a")], json!({}));
    let out = program.json["actions"][0]["id"].clone();
    let entry = |value: &str, priority: u32, port: &str| {
        json!({"match_key": [{"match_type": "ternary", "key": value, "mask": "0xff"}], "priority": priority,
               "action_entry": {"action_id": out, "action_data": [port]}})
    };
    let mut first = entry("0x05", 1, "0x3");
    first["is_const"] = json!(true);
    first["p4runtime_priority"] = json!(70);
    let table = &mut program.json["pipelines"][0]["tables"][0];
    table["entries"] = json!([first, entry("0x06", 2, "0x4")]);
    table["max_size"] = json!(2);
    let text = program.json.to_string();
    let load = |most: Option<u64>| {
        let mut shared = SharedProgram::interpreted(&text).unwrap();
        shared.set_entries(&[("t".to_owned(), most)].into());
        let mut switch = Switch::new(SwitchConfig::default());
        switch.load(&shared.compiled());
        switch
    };
    let key = |value: u8| [MatchField::Ternary(vec![value], vec![0xff])];
    let denied = |result: Result<(), ControlError>| {
        assert_eq!(result.unwrap_err().code, ErrorCode::PermissionDenied);
    };

    let mut switch = load(Some(3));
    let found = switch.table_entries("t", 0).unwrap();
    let found: Vec<_> = found.iter().map(|e| (e.priority, e.is_const)).collect();
    assert_eq!(found, [(70, true), (1, false)]);
    denied(switch.table_delete("t", &key(5), 70));
    denied(switch.table_modify("t", &key(5), 70, call("out", &[9]).into(), 0));
    switch
        .table_modify("t", &key(6), 1, call("out", &[9]).into(), 0)
        .unwrap();
    assert_eq!(port(&mut switch, [6, 0, 0, 0]), 9);
    insert(&mut switch, &key(7), 1, 8);
    assert_eq!(port(&mut switch, [7, 0, 0, 0]), 8);
    let full = switch.table_insert("t", &key(8), 1, call("out", &[1]).into(), 0);
    assert_eq!(full.unwrap_err().code, ErrorCode::ResourceExhausted);
    switch.table_delete("t", &key(6), 1).unwrap();
    assert_eq!(port(&mut switch, [6, 0, 0, 0]), 0);

    let mut switch = load(None);
    denied(switch.table_delete("t", &key(6), 1));
    denied(switch.table_insert("t", &key(7), 1, call("out", &[1]).into(), 0));
    assert_eq!(port(&mut switch, [6, 0, 0, 0]), 4);
}

#[test]
fn a_constant_default_stays() {
    let mut program = forwarding("exact", &[("exact", "a")], json!({}));
    let out = program.json["actions"][0]["id"].clone();
    program.json["pipelines"][0]["tables"][0]["default_entry"] = json!({"action_id": out, "action_const": true, "action_data": ["0x9"], "action_entry_const": true});
    let mut switch = program.switch();
    let change = switch.table_set_default("t", Some(call("out", &[1])));
    assert_eq!(change.unwrap_err().code, ErrorCode::PermissionDenied);
    assert_eq!(port(&mut switch, [0; 4]), 9);
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
    assert!(switch.expired_entries(1099, usize::MAX).is_empty());
    let expired = switch.expired_entries(1150, usize::MAX);
    assert_eq!(
        (expired[0].0.as_str(), expired[0].1.since_hit_ns),
        ("t", Some(150))
    );
    assert_eq!(expired[0].1.metadata, [7]);
    assert!(switch.expired_entries(5000, usize::MAX).is_empty());
    switch.receive(6000, 1, &[1, 0, 0, 0]);
    assert!(switch.expired_entries(6050, usize::MAX).is_empty());
    assert_eq!(switch.expired_entries(6100, usize::MAX).len(), 1);
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
        ..MeterRates::default()
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
    let packets = entry.color_counts.unwrap().map(|count| count.packets);
    assert_eq!(packets, [1, 1, 1]);
    switch.direct_colors_clear("t", &[exact(1)], 0).unwrap();
    let entry = switch.table_get("t", &[exact(1)], 0, 0).unwrap().unwrap();
    assert_eq!(entry.color_counts, Some(Default::default()));
    // A miss has a colour only where a controller gave the default entry a meter.
    switch.default_meter_write("t", Some(rates)).unwrap();
    let colors: Vec<u8> = (0..3)
        .map(|_| send(&mut switch, &[3, 9, 0, 0])[0].1[1])
        .collect();
    assert_eq!(colors, [0, 1, 2]);
    let (read, counts) = switch.default_meter_read("t").unwrap().unwrap();
    assert_eq!((read, counts[2].bytes), (Some(rates), 4));
    switch.default_meter_write("t", None).unwrap();
    switch.default_colors_clear("t").unwrap();
    assert_eq!(send(&mut switch, &[3, 9, 0, 0])[0].1[1], 9);
    assert_eq!(
        switch.default_meter_read("t").unwrap(),
        Some((None, Default::default()))
    );
    assert_eq!(
        switch.default_counter_read("t").unwrap(),
        Some(CounterValue {
            packets: 5,
            bytes: 21
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

#[test]
fn idle_entries_are_reported_some_at_a_time() {
    let mut switch =
        forwarding("exact", &[("exact", "a")], json!({"support_timeout": true})).switch();
    for value in 1..=5 {
        let data = EntryData {
            idle_timeout_ns: 100,
            ..call("out", &[3]).into()
        };
        switch
            .table_insert("t", &[exact(value)], 0, data, 0)
            .unwrap();
    }
    let counts = [2, 2, 2, 2].map(|count| switch.expired_entries(500, count).len());
    assert_eq!(counts, [2, 2, 1, 0]);
}

#[test]
fn pages_hold_each_entry_once() {
    let mut switch = forwarding("exact", &[("exact", "a")], json!({})).switch();
    for value in 1..=7 {
        switch
            .table_insert("t", &[exact(value)], 0, call("out", &[3]).into(), 0)
            .unwrap();
    }
    switch.table_delete("t", &[exact(3)], 0).unwrap();
    let all = switch.table_entries("t", 0).unwrap();
    let (mut paged, mut sizes, mut from) = (Vec::new(), Vec::new(), Some(0));
    while let Some(start) = from {
        let (page, next) = switch.table_page("t", start, 2, 0).unwrap();
        sizes.push(page.len());
        paged.extend(page);
        from = next;
    }
    assert_eq!((sizes, paged), (vec![2, 2, 2], all));
    assert_eq!(
        switch.table_page("t", usize::MAX, 2, 0).unwrap(),
        (vec![], None)
    );
}

#[test]
fn what_the_state_takes_goes_with_it() {
    let mut switch = forwarding("exact", &[("exact", "a")], json!({})).switch();
    let empty_bytes = switch.state_bytes();
    switch
        .table_insert("t", &[exact(1)], 0, call("out", &[3]).into(), 0)
        .unwrap();
    let with_entry_bytes = switch.state_bytes();
    assert!(with_entry_bytes > empty_bytes);
    let data = EntryData {
        metadata: vec![0; 1000],
        ..call("out", &[3]).into()
    };
    switch.table_modify("t", &[exact(1)], 0, data, 0).unwrap();
    assert_eq!(switch.state_bytes(), with_entry_bytes + 1000);
    switch.table_delete("t", &[exact(1)], 0).unwrap();
    assert_eq!(switch.state_bytes(), empty_bytes);
    let replicas = |count| vec![Replica { port: 1, rid: 0 }; count];
    for count in [3, 1, 2] {
        switch.multicast_group_set(5, replicas(count)).unwrap();
        let session = CloneSession {
            replicas: replicas(count),
            ..CloneSession::default()
        };
        switch.clone_session_set(7, session).unwrap();
    }
    let full_bytes = switch.state_bytes();
    switch.multicast_group_set(6, replicas(2)).unwrap();
    assert_eq!(2 * (switch.state_bytes() - full_bytes), full_bytes);
    switch.clone_session_delete(7).unwrap();
    switch.multicast_group_delete(5).unwrap();
    switch.multicast_group_delete(6).unwrap();
    assert_eq!(switch.state_bytes(), empty_bytes);
}
