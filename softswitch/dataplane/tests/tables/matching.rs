// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The entry that a packet finds.

use proptest::prelude::*;
use quench_dataplane::control::{ErrorCode, MatchField};
use serde_json::json;

use super::{bytes, forwarding, insert, port};
use crate::common::*;

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
fn fields_without_bits_match_their_only_value() {
    let empty = json!(["none", 0, false]);
    let entry = |key: &[&str]| {
        let key: Vec<_> = key
            .iter()
            .map(|key| json!({"match_type": "exact", "key": key}))
            .collect();
        json!({"match_key": key, "priority": 1,
            "action_entry": {"action_id": 101, "action_data": ["0x9"]}})
    };
    for (key, given) in [
        (vec!["none", "a"], vec!["0x00", "0x05"]),
        (vec!["a", "none"], vec!["0x05", "0x00"]),
        (vec!["none"], vec!["0x00"]),
    ] {
        let fields: Vec<_> = key.iter().map(|name| ("exact", *name)).collect();
        let mut program = forwarding("exact", &fields, json!({}));
        program.json["header_types"][1]["fields"]
            .as_array_mut()
            .unwrap()
            .push(empty.clone());
        let value = |name: &&str| exact(if *name == "a" { 5 } else { 0 });
        let row: Vec<_> = key.iter().map(value).collect();
        for mut switch in [program.switch(), program.interpreted()] {
            assert_eq!(port(&mut switch, [5, 0, 0, 0]), 0);
            insert(&mut switch, &row, 0, 3);
            assert_eq!(port(&mut switch, [5, 0, 0, 0]), 3);
            let other = if key.len() == 1 { 3 } else { 0 };
            assert_eq!(port(&mut switch, [4, 0, 0, 0]), other);
            let wrong: Vec<_> = key.iter().map(|_| exact(256)).collect();
            let refused = switch.table_insert("t", &wrong, 0, call("out", &[3]).into(), 0);
            assert_eq!(refused.unwrap_err().code, ErrorCode::OutOfRange);
        }
        program.json["pipelines"][0]["tables"][0]["entries"] = json!([entry(&given)]);
        assert_eq!(port(&mut program.switch(), [5, 0, 0, 0]), 9);
    }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

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
