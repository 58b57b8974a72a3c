// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A program of which machine code leaves some of everything to the helpers, for tests.

use std::sync::Arc;

use serde_json::{json, Value};

use super::code::Code;
use crate::exec::core::Start;
use crate::exec::env::Env;
use crate::exec::packet::Packet;
use crate::externs::Externs;
use crate::load::load;
use crate::model::values::MatchField;
use crate::program::Program;
use crate::tables::bound::Bound;
use crate::tables::entry::{EntryAction, EntryState};
use crate::tables::Tables;

/// Numbers of tables, in pipeline 0.
pub const EXACT: u32 = 0;
pub const LPM: u32 = 1;
pub const COUNTED: u32 = 2;

/// Writes its parameter to `h.y` and to cell 1 of register 0, and counts in cell 1 of counter 0.
pub const STORE: u32 = 0;
/// Hashes the payload to `h.y`; pipeline 1 runs it alone.
pub const HASH: u32 = 1;

/// The header: `x` of 16 bits and `y` of 32.
pub const HEADER: usize = 1;

fn json() -> String {
    let names = [
        "ingress_port",
        "egress_spec",
        "egress_port",
        "instance_type",
        "packet_length",
    ];
    let standard = names.map(|name| json!([name, 16, false]));
    let field = |header: &str, name: &str| json!({"type": "field", "value": [header, name]});
    let named = |kind: &str, name: &str| json!({"type": kind, "value": name});
    let hex = |number: u32| json!({"type": "hexstr", "value": format!("{number:#x}")});
    let state = |name: &str, op: Value, next: Value| {
        json!({"name": name, "id": 0, "parser_ops": [op], "transition_key": [],
               "transitions": [{"type": "default", "next_state": next}]})
    };
    let extract = json!({"op": "extract", "parameters": [{"type": "regular", "value": "h"}]});
    let peek = json!({"op": "set", "parameters": [
        field("standard_metadata", "packet_length"), {"type": "lookahead", "value": [0, 8]}]});
    let table = |name: &str, kind: &str, counted: bool, next: Option<&str>| {
        json!({"name": name, "id": 0, "match_type": kind, "type": "simple", "max_size": 4, "with_counters": counted,
               "key": [{"match_type": kind, "target": ["h", "x"]}], "action_ids": [7],
               "next_tables": {"store": next}, "base_default_next": next})
    };
    let program = json!({
        "header_types": [
            {"name": "standard", "id": 0, "fields": standard},
            {"name": "h_t", "id": 1, "fields": [["x", 16, false], ["y", 32, false]]},
        ],
        "headers": [
            {"name": "standard_metadata", "id": 0, "header_type": "standard", "metadata": true},
            {"name": "h", "id": 1, "header_type": "h_t"},
        ],
        "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [
            state("start", extract, json!("more")), state("more", peek, json!(null))]}],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["h"],
            "primitives": [{"op": "assign", "parameters": [field("h", "x"), hex(9)]}]}],
        "register_arrays": [{"name": "r", "id": 0, "size": 4, "bitwidth": 32}],
        "counter_arrays": [{"name": "c", "id": 0, "size": 4, "is_direct": false}],
        "calculations": [{"name": "k", "id": 0, "algo": "crc16", "input": [{"type": "payload"}]}],
        "checksums": [{"name": "s", "id": 0, "target": ["h", "y"], "type": "generic", "calculation": "k",
            "verify": true, "update": true}],
        "pipelines": [
            {"name": "ingress", "id": 0, "init_table": "exact", "tables": [
                table("exact", "exact", false, Some("lpm")), table("lpm", "lpm", false, Some("counted")),
                table("counted", "exact", true, None)]},
            {"name": "egress", "id": 1, "init_table": "call", "tables": [],
             "action_calls": [{"name": "call", "id": 0, "action_id": 8, "next_node": null}]}],
        "actions": [
            {"name": "store", "id": 7, "runtime_data": [{"name": "p", "bitwidth": 32}], "primitives": [
                {"op": "assign", "parameters": [field("h", "y"), {"type": "runtime_data", "value": 0}]},
                {"op": "register_write", "parameters": [named("register_array", "r"), hex(1), field("h", "y")]},
                {"op": "count", "parameters": [named("counter_array", "c"), hex(1)]}]},
            {"name": "hash", "id": 8, "runtime_data": [], "primitives": [
                {"op": "modify_field_with_hash_based_offset", "parameters": [
                    field("h", "y"), hex(0), named("calculation", "k"), hex(0x10000)]}]}],
    });
    program.to_string()
}

/// The program loaded, with its state.
pub struct Fixture {
    pub program: Arc<Program>,
    pub externs: Externs,
    pub tables: Tables,
    loaded_tables: Arc<Tables>,
}

impl Fixture {
    /// Table [`EXACT`] has `h.x` 5 with parameter 50, [`LPM`] 0/8 with 60, [`COUNTED`] 5 with 70.
    pub fn new() -> Self {
        let Start {
            program,
            externs,
            tables: loaded_tables,
            ..
        } = load(&json())
            .unwrap_or_else(|error| panic!("{error}"))
            .start;
        let mut tables = Tables::clone(&loaded_tables);
        let five = MatchField::Exact(vec![0, 5]);
        let keys = [five.clone(), MatchField::Lpm(vec![0, 0], 8), five];
        for (table, (key, param)) in keys.into_iter().zip([50, 60, 70]).enumerate() {
            let action = &program.actions[STORE as usize];
            let call = Bound::new(STORE, action, &[vec![0, 0, 0, param]]).expect("one parameter");
            let entry = EntryState {
                key: vec![key],
                priority: 0,
                is_const: false,
                action: EntryAction::Direct(call),
                metadata: Vec::new(),
                idle_timeout_ns: 0,
                last_hit_ns: 0,
                expired: false,
                counter: Default::default(),
                meter: Default::default(),
            };
            tables.tables[table].insert(&program.tables[table], entry);
        }
        Self {
            program,
            externs,
            tables,
            loaded_tables,
        }
    }

    /// `None` on machines for which no code can be made.
    pub fn code(&self) -> Option<Code> {
        Code::new(&self.program, &self.externs, &self.loaded_tables)
    }

    /// As it is received: `h` with `x` 5, and a payload.
    pub fn packet(&self) -> Packet {
        let mut packet = Packet::new(&self.program.layout);
        packet.data = vec![0, 5, 0, 0, 0, 1, 0xaa, 0xbb].into();
        packet.arrived(1);
        packet
    }

    /// The environment that blocks run with.
    pub fn with<'a>(&'a mut self, packet: &'a mut Packet) -> (Env<'a>, &'a mut Tables) {
        let env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns: 0,
            queues: None,
        };
        (env, &mut self.tables)
    }
}
