// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use quench_dataplane::control::{Entry, EntryData, MeterRates};

use super::*;

/// The entry that an update inserts, as the data plane has it.
fn inserted(forms: &Forms, message: &m::TableEntry) -> Entry {
    let update = update(INSERT, Kind::Table(Box::new(message.clone())));
    let (mut changes, result) = forms.stage(&Open, &update, 40);
    assert_eq!(result, Ok(()));
    let Some(Change::TableInsert(name, data)) = changes.drain(..).nth(1) else {
        panic!("an insertion has one change behind the check for room");
    };
    let EntryData {
        action,
        metadata,
        idle_timeout_ns,
    } = data;
    Entry {
        key: name.key,
        priority: name.priority,
        action,
        is_const: false,
        metadata,
        idle_timeout_ns,
        since_hit_ns: Some(5),
        counter: Some(CounterValue {
            packets: 3,
            bytes: 1 << 63 | 4,
        }),
        meter: Some(MeterRates {
            cir: 7,
            cir_billionths: 1,
            cburst: 8,
            pir: 9,
            pir_billionths: 0,
            pburst: u64::MAX,
            eburst: 0,
        }),
        color_counts: None,
    }
}

#[test]
fn an_entry_is_read_as_it_was_written() {
    let mut forms = forms();
    let set = m::ActionSet {
        actions: vec![m::SetMember {
            action: Some(call(&[(1, 2)])),
            weight: 3,
            watch: Some(m::Watch::Port(vec![1, 0])),
        }],
        mode: 2,
        size_semantics: 1,
    };
    let actions = [
        (1, ActionType::Action(call(&[(1, 2)]))),
        (2, ActionType::Member(4)),
        (2, ActionType::Group(5)),
        (2, ActionType::Set(m::RawSet::of(&set))),
    ];
    let nothing = m::TableEntry::default();
    let read = |forms: &Forms, table: u32, entry: &Entry, request: &m::TableEntry| {
        let found = forms
            .entry_message(&forms.tables[&table], entry, request)
            .unwrap();
        found.map(|entity| match entity.kind {
            Some(Kind::Table(message)) => *message,
            other => panic!("{other:?}"),
        })
    };
    for (table, action) in actions {
        let written = m::TableEntry {
            action: does(action),
            controller_metadata: 6,
            metadata: vec![7],
            ..entry(table)
        };
        let found = inserted(&forms, &written);
        // Both tables have the id of the first.
        let want = m::TableEntry {
            table_id: 1,
            ..written
        };
        assert_eq!(read(&forms, table, &found, &nothing).unwrap(), want);
    }
    let found = inserted(&forms, &entry(1));
    let asks = m::TableEntry {
        counter_data: Some(m::CounterData::default()),
        meter_config: Some(m::MeterConfig::default()),
        time_since_last_hit: Some(m::IdleTimeout::default()),
        ..nothing.clone()
    };
    let full = read(&forms, 1, &found, &asks).unwrap();
    let count = m::CounterData {
        packet_count: 3,
        byte_count: 4,
    };
    let idle = m::IdleTimeout { elapsed_ns: 5 };
    assert_eq!(
        (full.counter_data, full.time_since_last_hit),
        (Some(count), Some(idle))
    );
    assert_eq!(full.meter_config, None);
    let table = Arc::get_mut(forms.tables.get_mut(&1).unwrap()).unwrap();
    table.direct_meter = true;
    let rates = read(&forms, 1, &found, &asks)
        .unwrap()
        .meter_config
        .unwrap();
    assert_eq!((rates.cir, rates.pir, rates.pburst), (8, 9, i64::MAX));
    let selects = |request: m::TableEntry| read(&forms, 1, &found, &request).is_some();
    assert!(selects(m::TableEntry {
        action: entry(1).action,
        ..nothing.clone()
    }));
    assert!(!selects(m::TableEntry {
        priority: 1,
        ..nothing.clone()
    }));
    assert!(!selects(m::TableEntry {
        metadata: vec![1],
        ..nothing.clone()
    }));
    assert!(!selects(m::TableEntry {
        controller_metadata: 1,
        ..nothing.clone()
    }));
    let other = m::Action {
        action_id: 8,
        ..m::Action::default()
    };
    assert!(!selects(m::TableEntry {
        action: does(ActionType::Action(other)),
        ..nothing.clone()
    }));
    let request = m::TableEntry {
        action: does(ActionType::Member(1)),
        ..nothing
    };
    let (code, _) = told(forms.entry_message(&forms.tables[&1], &found, &request));
    assert_eq!(code, ErrorCode::InvalidArgument);
}

#[test]
fn keys_are_read_as_they_were_written() {
    let form = form_of_each_kind();
    let exact = given(1, MatchType::Exact(one(&[0])));
    let full = [
        exact.clone(),
        given(2, MatchType::Lpm(lpm(&[0xa, 0xb0], 8))),
        given(3, MatchType::Ternary(two(&[2], &[2]))),
        given(4, MatchType::Range(two(&[1], &[0xf, 0xff]))),
        given(5, MatchType::Optional(one(&[6]))),
    ];
    for key in [&full[..], &full[..1], &full[..3]] {
        assert_eq!(form.encode(&form.decode(key).unwrap()).unwrap(), key);
    }
    let open = [
        MatchField::Exact(vec![0, 0]),
        MatchField::Lpm(vec![0, 0], 0),
        MatchField::Ternary(vec![0, 0], vec![0, 0]),
        MatchField::Range(vec![0, 0], vec![0xf, 0xff]),
        MatchField::DontCare,
    ];
    assert_eq!(form.encode(&open).unwrap(), [exact]);
}

#[test]
fn ports_and_masks_are_those_that_the_controller_knows() {
    let port = ValueType {
        cpu_port: Some(510),
        ..value("p", 32, 9)
    };
    assert_eq!(port.encode(&[1, 0xfe]).unwrap(), [0xff, 0xff, 0xff, 0xfd]);
    assert_eq!(port.encode(&[0, 0]).unwrap(), [0]);
    assert_eq!(port.encode_mask(&[1, 0xff]), [0xff; 4]);
    assert_eq!(port.encode_mask(&[1, 0xfe]), [1, 0xfe]);
    assert_eq!(value("v", 8, 9).encode_mask(&[1, 0xff]), [1, 0xff]);
}
