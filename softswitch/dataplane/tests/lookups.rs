// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Lookups by compiled code against the interpreter's, in tables with constant entries and with entries written later.

use std::cell::Cell;

use crate::common::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use quench_dataplane::Switch;
use serde_json::{json, Value};

/// Fields that lie across bytes and, in a key, across words; the last is too wide for compiled lookups.
const WIDTHS: [u32; 9] = [8, 5, 3, 16, 48, 64, 20, 4, 72];

/// A field of a key.
#[derive(Clone, Debug)]
struct Field {
    at: usize,
    kind: &'static str,
    mask: Option<u128>,
}

/// A value of a key's field: numbers before they are cut to its width, and a share of its bits.
type Match = (u128, u128, u32);

#[derive(Clone, Debug)]
struct Row {
    matches: Vec<Match>,
    priority: i32,
    action: usize,
    param: u64,
}

#[derive(Clone, Debug)]
struct Case {
    match_type: &'static str,
    key: Vec<Field>,
    rows: Vec<Row>,
    constant: bool,
    /// Whether hits and misses lead to different nodes.
    decides: bool,
    with_counters: bool,
    support_timeout: bool,
    /// Action and parameter of the default, and whether it is constant.
    default: Option<(usize, u64, bool)>,
    packets: Vec<Vec<u128>>,
}

/// Few different numbers, so that entries are hit and limits are met.
fn number() -> impl Strategy<Value = u128> {
    const KNOWN: [u128; 6] = [
        0,
        1,
        2,
        0x5555_5555_5555_5555_5555,
        1 << 63 | 1 << 3,
        u128::MAX,
    ];
    prop_oneof![8 => prop::sample::select(KNOWN.to_vec()), 1 => any::<u128>()]
}

fn keys() -> impl Strategy<Value = (&'static str, Vec<Field>)> {
    const TERNARY: [&str; 5] = ["ternary", "range", "lpm", "optional", "exact"];
    // The wide field is rare: without it compiled code does more.
    let at = prop_oneof![30 => 0usize..8, 1 => Just(8)];
    let mask = prop_oneof![5 => Just(None), 1 => number().prop_map(Some)];
    let field = (at, 0usize..5, mask);
    let key = prop::collection::vec(field, 1..5);
    (key, 0usize..4).prop_map(|(fields, table)| {
        let fields = fields.into_iter().enumerate();
        let fields = fields.map(|(i, (at, kind, mask))| {
            let kind = match (table, i) {
                (0, _) => "exact",
                (1, 0) => "lpm",
                (1, _) => "exact",
                _ => TERNARY[kind],
            };
            Field { at, kind, mask }
        });
        let fields: Vec<Field> = fields.collect();
        let has = |kind| fields.iter().any(|field| field.kind == kind);
        let match_type = match (table, has("range")) {
            (0, _) => "exact",
            (1, _) => "lpm",
            (_, true) => "range",
            (_, false) => "ternary",
        };
        (match_type, fields)
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let row = |fields: usize| {
        let matches = prop::collection::vec((number(), number(), 0u32..=8), fields);
        (matches, 1i32..9, 0usize..3, any::<u64>()).prop_map(
            |(matches, priority, action, param)| Row {
                matches,
                priority,
                action,
                param,
            },
        )
    };
    let flags = (
        prop::bool::weighted(0.7),
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
    );
    let default = prop::option::of((0usize..3, any::<u64>(), any::<bool>()));
    let packet = prop::collection::vec(number(), WIDTHS.len());
    let packets = prop::collection::vec(packet, 30);
    (keys(), flags, default, packets).prop_flat_map(
        move |((match_type, key), flags, default, packets)| {
            // Now and then more rows than become code.
            let count = prop_oneof![20 => 0usize..12, 1 => 60usize..70];
            let (key, packets) = (key.clone(), packets.clone());
            let fields = key.len();
            let rows = count.prop_flat_map(move |count| prop::collection::vec(row(fields), count));
            rows.prop_map(move |rows| Case {
                match_type,
                key: key.clone(),
                rows,
                constant: flags.0,
                decides: flags.1,
                with_counters: flags.2,
                support_timeout: flags.3,
                default,
                packets: packets.clone(),
            })
        },
    )
}

fn cut(value: u128, bits: u32) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

fn text(value: u128, bits: u32) -> String {
    format!("{:#x}", cut(value, bits))
}

/// The match of an entry on one field.
fn matched(field: &Field, &(one, other, share): &Match) -> Value {
    let bits = WIDTHS[field.at];
    let (one, other) = (cut(one, bits), cut(other, bits));
    let mut value = match field.kind {
        "ternary" => json!({"key": text(one & other, bits), "mask": text(other, bits)}),
        "range" => json!({"start": text(one.min(other), bits), "end": text(one.max(other), bits)}),
        "lpm" => json!({"key": text(one, bits), "prefix_length": bits * share / 8}),
        _ => json!({"key": text(one, bits)}),
    };
    value["match_type"] = field.kind.into();
    value
}

impl Case {
    fn program(&self, constant: bool) -> Program {
        let mut program = Program::new();
        let fields = WIDTHS.iter().enumerate();
        let fields: Vec<Value> = fields
            .map(|(at, bits)| json!([format!("f{at}"), bits, false]))
            .chain([json!(["out", 64, false])])
            .collect();
        program.header("r", fields.into());
        program.json["parsers"][0]["parse_states"][0]["parser_ops"] = json!([
            {"op": "extract", "parameters": [{"type": "regular", "value": "r"}]}]);
        let out = || field("r", "out");
        let actions = [
            program.action(
                "set",
                &[("value", 64)],
                vec![forward(2), assign(out(), param(0))],
            ),
            program.action("mark", &[], vec![forward(3), assign(out(), hex(77))]),
            program.action("nothing", &[], vec![]),
        ];
        let names: Vec<String> = self
            .key
            .iter()
            .map(|field| format!("f{}", field.at))
            .collect();
        let key = self.key.iter().zip(&names);
        let key: Vec<(&str, Value)> = key
            .map(|(each, name)| (each.kind, field("r", name)))
            .collect();
        let call = |action: usize, param: u64| {
            let data = (action == 0).then(|| text(param.into(), 64));
            json!({"action_id": actions[action], "action_data": data.into_iter().collect::<Vec<_>>()})
        };
        let mut extra =
            json!({"with_counters": self.with_counters, "support_timeout": self.support_timeout});
        if let Some((action, param, constant)) = self.default {
            extra["default_entry"] = call(action, param);
            extra["default_entry"]["action_const"] = constant.into();
            extra["default_entry"]["action_entry_const"] = constant.into();
        }
        program.table("t", self.match_type, &key, &actions, extra);
        let add = |more: u64| vec![assign(out(), expr("+", out(), hex(more)))];
        program.ingress(add(1000)).ingress(add(1));
        let pipeline = &mut program.json["pipelines"][0];
        let nodes = [0, 1].map(|call| pipeline["action_calls"][call]["name"].clone());
        let table = &mut pipeline["tables"][0];
        for (i, field) in self.key.iter().enumerate() {
            table["key"][i]["mask"] = field.mask.map_or(Value::Null, |mask| {
                let bits = WIDTHS[field.at];
                format!(
                    "0x{:0width$x}",
                    cut(mask, bits),
                    width = bits.div_ceil(8) as usize * 2
                )
                .into()
            });
        }
        if self.decides {
            table["next_tables"] = json!({"__HIT__": nodes[0], "__MISS__": nodes[1]});
        } else {
            table["next_tables"]["mark"] = nodes[1].clone();
        }
        if constant {
            let entry = |row: &Row| {
                let fields = self.key.iter().zip(&row.matches);
                let key: Vec<Value> = fields.map(|(field, value)| matched(field, value)).collect();
                json!({"match_key": key, "priority": row.priority, "action_entry": call(row.action, row.param)})
            };
            table["entries"] = self.rows.iter().map(entry).collect();
        }
        program
    }

    /// With the entries loaded, or written when the switch runs.
    fn load(&self, empty: Switch) -> Switch {
        let mut switch = empty;
        let loaded = self.program(true).json.to_string();
        switch.load_json(&loaded).expect("the program loads");
        if !self.constant {
            let entries = switch.table_entries("t", 0).expect("a table");
            let written = self.program(false).json.to_string();
            switch.load_json(&written).expect("the program loads");
            for entry in entries {
                let done =
                    switch.table_insert("t", &entry.key, entry.priority, entry.action.into(), 0);
                done.expect("the entry is valid");
            }
        }
        switch
    }

    /// Without the rows whose keys others have.
    fn distinct(mut self) -> Self {
        let mut seen = Vec::new();
        let has_priorities = !["exact", "lpm"].contains(&self.match_type);
        let key = self.key.clone();
        self.rows.retain(|row| {
            let fields = key.iter().zip(&row.matches);
            let full = |field: &Field, value: &Match| match (field.kind, matched(field, value)) {
                // A prefix leaves out what is behind it.
                ("lpm", said) => {
                    let bits = WIDTHS[field.at];
                    let prefix = said["prefix_length"].as_u64().expect("a number") as u32;
                    let kept = cut(value.0, bits).checked_shr(bits - prefix).unwrap_or(0);
                    format!("{prefix} {kept}")
                }
                // All ranges that cover everything have one form.
                (_, said) => said.to_string(),
            };
            let fields: Vec<String> = fields.map(|(field, value)| full(field, value)).collect();
            let identity = (fields, if has_priorities { row.priority } else { 0 });
            let new = !seen.contains(&identity);
            seen.push(identity);
            new
        });
        self
    }

    fn packet(&self, values: &[u128]) -> Vec<u8> {
        let bits: Vec<u8> = values
            .iter()
            .zip(WIDTHS)
            .flat_map(|(value, bits)| (0..bits).rev().map(move |bit| (value >> bit & 1) as u8))
            .collect();
        let bytes = bits.chunks(8);
        let bytes = bytes.map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit));
        bytes.chain([0; 8]).collect()
    }
}

/// The outputs of every packet, and the table afterwards.
fn run(case: &Case, switch: Switch) -> (Vec<(u32, Vec<u8>)>, String) {
    let mut switch = case.load(switch);
    let mut all = Vec::new();
    for (number, values) in (1..).zip(&case.packets) {
        switch.receive(number * MS, 1, case.packet(values));
        all.extend(packets(&mut switch, number * MS));
    }
    let entries = switch.table_entries("t", 1000 * MS).expect("a table");
    let missed = switch.default_counter_read("t").expect("a table");
    (all, format!("{entries:?} {missed:?}"))
}

#[test]
fn compiled_lookups_find_what_the_interpreter_finds() {
    let config = ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    // Hits and misses in tables with constant entries and in others.
    let seen = Cell::new([[0u32; 2]; 2]);
    let done = TestRunner::new(config).run(&cases(), |case| {
        let case = case.distinct();
        let want = run(&case, Switch::new_interpreted(Default::default()));
        let got = run(&case, Switch::new(Default::default()));
        prop_assert_eq!(&got, &want);
        if case.decides {
            // A hit adds 1001, a miss 1, to what the action left.
            let mut counts = seen.get();
            for (_, bytes) in &got.0 {
                let out = u64::from_be_bytes(bytes[bytes.len() - 8..].try_into().expect("8 bytes"));
                match out {
                    1001 | 1078 => counts[usize::from(case.constant)][0] += 1,
                    1 | 78 => counts[usize::from(case.constant)][1] += 1,
                    _ => (),
                }
            }
            seen.set(counts);
        }
        Ok(())
    });
    done.expect("both do the same");
    assert!(
        seen.get().iter().flatten().all(|&count| count > 20),
        "{:?}",
        seen.get()
    );
}

#[test]
fn hits_are_dated_only_where_entries_can_time_out() {
    for support_timeout in [false, true] {
        let mut program = Program::new();
        let set = program.action(
            "set",
            &[("port", 9)],
            vec![assign(std("egress_spec"), param(0))],
        );
        let key = [("exact", field("h", "a"))];
        let extra = json!({"support_timeout": support_timeout});
        program.table("t", "exact", &key, &[set], extra);
        for mut switch in [program.switch(), program.interpreted()] {
            let done = switch.table_insert("t", &[exact(5)], 0, call("set", &[2]).into(), 10);
            done.expect("the entry is valid");
            let since_hit_ns =
                |switch: &Switch| switch.table_entries("t", 100).expect("a table")[0].since_hit_ns;
            assert_eq!(since_hit_ns(&switch), support_timeout.then_some(90));
            switch.receive(40, 1, &[5, 0, 0, 0]);
            assert_eq!(packets(&mut switch, 40)[0].0, 2);
            assert_eq!(since_hit_ns(&switch), support_timeout.then_some(60));
        }
    }
}
