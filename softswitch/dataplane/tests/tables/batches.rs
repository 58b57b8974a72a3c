// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Several changes at one moment, which happen all or not at all.

use quench_dataplane::control::{
    Change, CounterValue, EntryName, ErrorCode, MatchField, MeterRates,
};
use quench_dataplane::Switch;
use serde_json::json;

use super::{bytes, forwarding, insert, port};
use crate::common::*;

fn name(key: &[MatchField], priority: i32) -> EntryName {
    EntryName {
        table: "t".to_owned(),
        key: key.to_vec(),
        priority,
    }
}

fn ternary(value: u16, mask: u16) -> [MatchField; 1] {
    [MatchField::Ternary(bytes(value), bytes(mask))]
}

/// No table has this name.
fn refused() -> Change {
    Change::TableSetDefault("none".to_owned(), None)
}

fn fail(switch: &mut Switch, changes: Vec<Change>, place: usize, code: ErrorCode) {
    let error = switch.change_all(changes, 0).unwrap_err();
    assert_eq!((error.place, error.error.code), (place, code));
}

#[test]
fn of_equal_entries_the_first_still_wins_after_a_batch_was_taken_back() {
    let mut switch = forwarding("ternary", &[("ternary", "c")], json!({})).switch();
    let (wide, narrow) = (ternary(0x100, 0xff00), ternary(0x101, 0xffff));
    insert(&mut switch, &wide, 5, 7);
    insert(&mut switch, &narrow, 5, 8);
    insert(&mut switch, &ternary(0x102, 0xffff), 9, 6);
    let ports = |switch: &mut Switch| [1, 2, 3].map(|low| port(switch, [0, 0, 1, low]));
    assert_eq!(ports(&mut switch), [7, 6, 7]);
    let before = switch.table_entries("t", 0).unwrap();
    let deleted = vec![
        Change::TableDelete(name(&wide, 5)),
        Change::TableDelete(name(&narrow, 5)),
        Change::TableInsert(name(&narrow, 5), call("out", &[9]).into()),
        refused(),
    ];
    fail(&mut switch, deleted, 3, ErrorCode::NotFound);
    assert_eq!(ports(&mut switch), [7, 6, 7]);
    assert_eq!(switch.table_entries("t", 0).unwrap(), before);
    // The next entry stands behind both, as it would have without the batch.
    insert(&mut switch, &ternary(0x101, 0xfffd), 5, 3);
    assert_eq!(ports(&mut switch), [7, 6, 7]);
}

#[test]
fn a_batch_sees_its_own_changes_and_a_rehearsal_keeps_none() {
    let mut switch = forwarding("exact", &[("exact", "a")], json!({"max_size": 1})).switch();
    let entry = || name(&[exact(1)], 0);
    let keep = Change::TableKeepAction {
        entry: entry(),
        metadata: vec![1],
        idle_timeout_ns: 0,
    };
    let changes = vec![
        Change::TableInsert(entry(), call("out", &[7]).into()),
        keep,
        Change::TableDelete(entry()),
        Change::TableInsert(name(&[exact(2)], 0), call("out", &[8]).into()),
        Change::TableCheck(name(&[exact(2)], 0)),
    ];
    switch.rehearse(changes.clone(), 0).unwrap();
    assert_eq!(switch.table_entries("t", 0).unwrap(), []);
    let most_bytes = switch.state_bytes();
    switch.change_all(changes, 0).unwrap();
    assert_eq!([1, 2].map(|a| port(&mut switch, [a, 0, 0, 0])), [0, 8]);
    let full = Change::TableInsert(entry(), call("out", &[7]).into());
    let replaced = vec![Change::TableDelete(name(&[exact(2)], 0)), full.clone()];
    fail(&mut switch, vec![full], 0, ErrorCode::ResourceExhausted);
    switch.change_all(replaced, 0).unwrap();
    let room = Change::RoomCheck {
        coming_bytes: 1,
        most_bytes,
    };
    let none = vec![Change::TableDelete(entry()), room.clone()];
    fail(&mut switch, none, 1, ErrorCode::ResourceExhausted);
    assert_eq!(port(&mut switch, [1, 0, 0, 0]), 7);
}

#[test]
fn ages_counts_and_tokens_are_those_from_before() {
    let extra = json!({"support_timeout": true, "with_counters": true, "direct_meters": "m"});
    let mut program = forwarding("exact", &[("exact", "a")], extra);
    let meter = json!({"name": "m", "id": 0, "is_direct": true, "rate_count": 2, "type": "packets",
        "result_target": ["h", "b"], "binding": "t"});
    program.push("meter_arrays", meter);
    program.push(
        "counter_arrays",
        json!({"name": "n", "id": 0, "is_direct": true, "binding": "t"}),
    );
    let mut switch = program.switch();
    let key = [exact(1)];
    insert(&mut switch, &key, 0, 7);
    let rates = MeterRates {
        cir: 1,
        cburst: 1,
        pir: 1,
        pburst: 2,
        ..MeterRates::default()
    };
    switch
        .direct_meter_write("t", &key, 0, Some(rates))
        .unwrap();
    let colour = |switch: &mut Switch| send(switch, &[1, 9, 0, 0])[0].1[1];
    assert_eq!(colour(&mut switch), 0);
    let other = MeterRates {
        pburst: 90,
        eburst: 0,
        ..rates
    };
    let counted = CounterValue {
        packets: 40,
        bytes: 50,
    };
    let before = switch.table_entries("t", 5 * MS).unwrap();
    let keep = Change::TableKeepAction {
        entry: name(&key, 0),
        metadata: vec![1, 2, 3],
        idle_timeout_ns: 9,
    };
    let changes = vec![
        keep.clone(),
        Change::DirectCounterWrite(name(&key, 0), counted),
        Change::DirectMeterWrite(name(&key, 0), Some(other)),
        Change::DefaultCounterWrite("t".to_owned(), counted),
        Change::TableModify(name(&key, 0), call("other", &[]).into()),
        Change::TableDelete(name(&key, 0)),
        Change::TableInsert(name(&key, 0), call("other", &[]).into()),
        keep,
        refused(),
    ];
    let bytes = switch.state_bytes();
    let error = switch.change_all(changes, 4 * MS).unwrap_err();
    assert_eq!(error.place, 8);
    assert_eq!(switch.state_bytes(), bytes);
    assert_eq!(
        switch.default_counter_read("t").unwrap(),
        Some(CounterValue::default())
    );
    assert_eq!(switch.table_entries("t", 5 * MS).unwrap(), before);
    assert_eq!(before[0].since_hit_ns, Some(5 * MS));
    assert_eq!([colour(&mut switch), colour(&mut switch)], [1, 2]);
}
