// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random batches, at one moment and in parts, against entries in a plain list.

use proptest::prelude::*;
use quench_dataplane::control::{
    Change, ControlResult, EntryData, EntryName, ErrorCode, MatchField, TableAction,
};
use quench_dataplane::Switch;
use serde_json::json;

use super::{bytes, forwarding, port};
use crate::common::*;

const SIZE: usize = 5;

#[derive(Clone, Debug)]
struct Act {
    kind: u8,
    value: u16,
    priority: i32,
    port: u64,
}

/// Entries in the order of their insertion: value of `c`, priority, port.
type Model = Vec<(u16, i32, u64)>;

/// The way in which a batch is carried out.
#[derive(Clone, Copy, Debug)]
enum Way {
    AtOnce,
    Rehearsed,
    Parts(usize),
    Each,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = (0u8..4, 0u16..4, 1i32..3, 1u64..9);
    let act = act.prop_map(|(kind, value, priority, port)| Act {
        kind,
        value,
        priority,
        port,
    });
    prop::collection::vec(act, 0..12)
}

fn key(match_type: &str, value: u16) -> MatchField {
    // Two of the values overlap where masks differ.
    let mask = if value % 2 == 0 { 0xfffe } else { 0xffff };
    match match_type {
        "exact" => MatchField::Exact(bytes(value)),
        "lpm" => MatchField::Lpm(bytes(value), if value % 2 == 0 { 15 } else { 16 }),
        _ => MatchField::Ternary(bytes(value), bytes(mask)),
    }
}

fn change(match_type: &str, act: &Act) -> Change {
    let name = EntryName {
        table: "t".to_owned(),
        key: vec![key(match_type, act.value)],
        priority: if match_type == "ternary" {
            act.priority
        } else {
            0
        },
    };
    let data: EntryData = call("out", &[act.port]).into();
    match act.kind {
        0 | 1 => Change::TableInsert(name, data),
        2 => Change::TableModify(name, data),
        _ => Change::TableDelete(name),
    }
}

fn apply(model: &mut Model, act: &Act, has_priority: bool) -> Result<(), ErrorCode> {
    let priority = if has_priority { act.priority } else { 0 };
    let found = model
        .iter()
        .position(|entry| (entry.0, entry.1) == (act.value, priority));
    match (act.kind, found) {
        (0 | 1, Some(_)) => return Err(ErrorCode::AlreadyExists),
        (0 | 1, None) if model.len() == SIZE => return Err(ErrorCode::ResourceExhausted),
        (0 | 1, None) => model.push((act.value, priority, act.port)),
        (_, None) => return Err(ErrorCode::NotFound),
        (2, Some(at)) => model[at].2 = act.port,
        (_, Some(at)) => drop(model.remove(at)),
    }
    Ok(())
}

/// The port of packets with each value, 0 for no entry.
fn ports_of(model: &Model, match_type: &str) -> Vec<u64> {
    let found = (0u16..6).map(|packet| {
        let matching = model.iter().filter(|(value, ..)| match match_type {
            "exact" => packet == *value,
            _ => packet == *value || value % 2 == 0 && packet == value + 1,
        });
        let best = matching
            .enumerate()
            .max_by_key(|(age, (value, priority, _))| {
                let longer = if match_type == "lpm" { value % 2 } else { 0 };
                (longer, *priority, std::cmp::Reverse(*age))
            });
        best.map_or(0, |(_, entry)| entry.2)
    });
    found.collect()
}

fn port_of(action: &TableAction) -> u64 {
    match action {
        TableAction::Action(call) => call.params[0]
            .iter()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
        other => panic!("{other:?}"),
    }
}

fn ports(switch: &mut Switch) -> Vec<u64> {
    let ports = (0u16..6).map(|value| u64::from(port(switch, [0, 0, 0, value as u8])));
    ports.collect()
}

/// The results; `seen` gets the ports of packets between two parts.
fn carry_out(
    switch: &mut Switch,
    changes: Vec<Change>,
    way: Way,
    seen: &mut Vec<Vec<u64>>,
) -> Vec<ControlResult<()>> {
    let whole = |result: Result<(), quench_dataplane::control::BatchError>| match result {
        Ok(()) => vec![],
        Err(refused) => {
            let mut results = vec![Ok(()); refused.place];
            results.push(Err(refused.error));
            results
        }
    };
    match way {
        Way::AtOnce => whole(switch.change_all(changes, 0)),
        Way::Rehearsed => whole(switch.rehearse(changes, 0)),
        Way::Each => changes
            .into_iter()
            .map(|change| switch.change(change, 0))
            .collect(),
        Way::Parts(most) => {
            let mut plan = switch.planner().plan(changes);
            assert!(plan.is_divisible());
            loop {
                match switch.carry_out_some(&mut plan, most, 0) {
                    Ok(true) => seen.push(ports(switch)),
                    Ok(false) => return whole(Ok(())),
                    Err(refused) => {
                        while switch.take_back(&mut plan, most) {
                            ports(switch);
                        }
                        return whole(Err(refused));
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    /// The state, the errors and their places, the order of equal entries and the count of memory.
    #[test]
    fn a_batch_does_what_its_changes_do(
        match_type in prop::sample::select(vec!["exact", "lpm", "ternary"]),
        batches in prop::collection::vec(
            (acts(), prop::sample::select(vec![Way::AtOnce, Way::Rehearsed, Way::Parts(1), Way::Parts(3), Way::Each])),
            1..6,
        ),
    ) {
        let program = forwarding(match_type, &[(match_type, "c")], json!({"max_size": SIZE}));
        let mut switch = program.switch();
        let mut model = Model::new();
        let has_priority = match_type == "ternary";
        let empty_bytes = switch.state_bytes();
        for (acts, way) in batches {
            let before = model.clone();
            let mut steps = Vec::new();
            let mut between = Vec::new();
            for act in &acts {
                let step = apply(&mut model, act, has_priority);
                let is_refused = step.is_err();
                steps.push(step);
                if is_refused && !matches!(way, Way::Each) {
                    break;
                }
                between.push(ports_of(&model, match_type));
            }
            let is_refused = steps.iter().any(Result::is_err);
            if !matches!(way, Way::Each) && (is_refused || matches!(way, Way::Rehearsed)) {
                model = before;
            }
            let changes = acts.iter().map(|act| change(match_type, act)).collect();
            let mut seen = Vec::new();
            let results = carry_out(&mut switch, changes, way, &mut seen);
            let codes = |result: &ControlResult<()>| result.clone().map_err(|error| error.code);
            let results: Vec<_> = results.iter().map(codes).collect();
            let want = if is_refused || matches!(way, Way::Each) { steps } else { vec![] };
            prop_assert_eq!(results, want);
            if let Way::Parts(most) = way {
                let want: Vec<_> = between.chunks_exact(most).map(|part| part[most - 1].clone()).collect();
                prop_assert_eq!(&seen[..], &want[..seen.len()]);
            }
            prop_assert_eq!(ports(&mut switch), ports_of(&model, match_type));
            let mut entries: Vec<_> = switch.table_entries("t", 0).unwrap().into_iter()
                .map(|entry| (entry.key[0].clone(), entry.priority, port_of(&entry.action))).collect();
            let mut want: Vec<_> = model.iter()
                .map(|(value, priority, port)| (key(match_type, *value), *priority, *port)).collect();
            let order = |entry: &(MatchField, i32, u64)| (format!("{:?}", entry.0), entry.1);
            entries.sort_by_key(order);
            want.sort_by_key(order);
            prop_assert_eq!(entries, want);
            if model.is_empty() {
                prop_assert_eq!(switch.state_bytes(), empty_bytes);
            }
        }
    }
}

#[test]
fn a_plan_is_for_the_program_that_it_was_made_for() {
    let program = forwarding("exact", &[("exact", "c")], json!({}));
    let mut switch = program.switch();
    let act = Act {
        kind: 0,
        value: 1,
        priority: 0,
        port: 7,
    };
    let insertion = change("exact", &act);
    let other = Act { value: 2, ..act };
    let two = vec![insertion.clone(), change("exact", &other)];
    let mut plan = switch.planner().plan(two);
    assert!(switch.carry_out_some(&mut plan, 1, 0).unwrap());
    switch.load_json(&program.json.to_string()).unwrap();
    let refused = switch.carry_out_some(&mut plan, 1, 0).unwrap_err();
    assert_eq!(
        (refused.place, refused.error.code),
        (1, ErrorCode::FailedPrecondition)
    );
    assert!(!switch.take_back(&mut plan, 1));
    assert!(switch.table_entries("t", 0).unwrap().is_empty());
    switch.change_all(vec![insertion], 0).unwrap();
    assert_eq!(port(&mut switch, [0, 0, 0, 1]), 7);
    let metadata = Change::TableKeepAction {
        entry: EntryName {
            table: "t".to_owned(),
            key: vec![key("exact", 1)],
            priority: 0,
        },
        metadata: vec![],
        idle_timeout_ns: 0,
    };
    assert!(!switch.planner().plan(vec![metadata]).is_divisible());
}
