// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Small BMv2 programs, built in Rust.
//!
//! The packets have one header `h` (`a`, `b`: 8 bits, `c`: 16 bits) and a payload; `meta` is the program's metadata.

pub mod router;
pub mod units;

use quench_dataplane::control::{ActionCall, MatchField, TableAction};
use quench_dataplane::{Arriving, Output, PacketBytes, Switch, SwitchConfig};
use serde_json::{json, Value};

pub const MS: u64 = 1_000_000;

/// A program that forwards to `egress_spec` (0 unless something sets it).
pub struct Program {
    pub json: Value,
    next_id: u32,
}

pub fn field(header: &str, name: &str) -> Value {
    json!({"type": "field", "value": [header, name]})
}

pub fn std(name: &str) -> Value {
    field("standard_metadata", name)
}

pub fn hex(number: u64) -> Value {
    json!({"type": "hexstr", "value": format!("{number:#x}")})
}

pub fn header(name: &str) -> Value {
    json!({"type": "header", "value": name})
}

pub fn param(index: u32) -> Value {
    json!({"type": "runtime_data", "value": index})
}

pub fn expr(op: &str, left: Value, right: Value) -> Value {
    json!({"type": "expression", "value": {"type": "expression", "value": {"op": op, "left": left, "right": right}}})
}

pub fn prim(op: &str, parameters: Vec<Value>) -> Value {
    json!({"op": op, "parameters": parameters})
}

pub fn assign(dst: Value, src: Value) -> Value {
    prim("assign", vec![dst, src])
}

pub fn forward(port: u64) -> Value {
    assign(std("egress_spec"), hex(port))
}

impl Program {
    pub fn new() -> Self {
        let standard = [
            ("ingress_port", 9),
            ("egress_spec", 9),
            ("egress_port", 9),
            ("instance_type", 32),
            ("packet_length", 32),
            ("enq_timestamp", 32),
            ("enq_qdepth", 19),
            ("deq_timedelta", 32),
            ("deq_qdepth", 19),
            ("ingress_global_timestamp", 48),
            ("egress_global_timestamp", 48),
            ("mcast_grp", 16),
            ("egress_rid", 16),
            ("checksum_error", 1),
            ("parser_error", 32),
            ("priority", 3),
            ("_padding", 3),
        ];
        let standard: Vec<Value> = standard
            .iter()
            .map(|(name, bits)| json!([name, bits, false]))
            .collect();
        let aliases = [
            ("queueing_metadata", "enq_timestamp"),
            ("queueing_metadata", "enq_qdepth"),
            ("queueing_metadata", "deq_timedelta"),
            ("queueing_metadata", "deq_qdepth"),
            ("intrinsic_metadata", "ingress_global_timestamp"),
            ("intrinsic_metadata", "egress_global_timestamp"),
            ("intrinsic_metadata", "mcast_grp"),
            ("intrinsic_metadata", "egress_rid"),
            ("intrinsic_metadata", "priority"),
        ];
        let alias = |(from, name): &(&str, &str)| {
            json!([format!("{from}.{name}"), ["standard_metadata", name]])
        };
        let aliases: Vec<Value> = aliases.iter().map(alias).collect();
        let pipeline = |name: &str| {
            json!({"name": name, "id": 0, "init_table": null, "tables": [], "action_profiles": [],
                   "conditionals": [], "action_calls": []})
        };
        Self {
            json: json!({
                "__meta__": {"version": [2, 23]},
                "header_types": [
                    {"name": "standard_metadata", "id": 0, "fields": standard},
                    {"name": "h_t", "id": 1, "fields": [["a", 8, false], ["b", 8, false], ["c", 16, false]]},
                    {"name": "meta_t", "id": 2, "fields": [["x", 8, false], ["y", 32, false], ["s", 16, true]]},
                ],
                "headers": [
                    {"name": "standard_metadata", "id": 0, "header_type": "standard_metadata", "metadata": true},
                    {"name": "h", "id": 1, "header_type": "h_t", "metadata": false},
                    {"name": "meta", "id": 2, "header_type": "meta_t", "metadata": true},
                ],
                "header_stacks": [], "header_union_types": [], "header_unions": [], "header_union_stacks": [],
                "errors": [["NoError", 0], ["PacketTooShort", 1], ["NoMatch", 2], ["StackOutOfBounds", 3],
                           ["HeaderTooShort", 4], ["ParserTimeout", 5], ["ParserInvalidArgument", 6], ["Mine", 7]],
                "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [
                    {"name": "start", "id": 0, "parser_ops": [
                        {"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}],
                     "transition_key": [], "transitions": [
                        {"type": "default", "value": null, "mask": null, "next_state": null}]}]}],
                "parse_vsets": [], "calculations": [], "checksums": [], "learn_lists": [], "field_lists": [],
                "deparsers": [{"name": "deparser", "id": 0, "order": ["h"]}],
                "meter_arrays": [], "counter_arrays": [], "register_arrays": [], "actions": [],
                "pipelines": [pipeline("ingress"), pipeline("egress")],
                "extern_instances": [], "field_aliases": aliases,
            }),
            next_id: 100,
        }
    }

    pub fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    pub fn push(&mut self, list: &str, value: Value) -> &mut Self {
        self.json[list].as_array_mut().expect("a list").push(value);
        self
    }

    /// A header type with its one instance `name`, emitted after the others.
    pub fn header(&mut self, name: &str, fields: Value) -> &mut Self {
        let (kind, id) = (self.id(), self.id());
        self.push(
            "header_types",
            json!({"name": format!("{name}_t"), "id": kind, "fields": fields}),
        );
        let kind = format!("{name}_t");
        self.push(
            "headers",
            json!({"name": name, "id": id, "header_type": kind, "metadata": false}),
        );
        self.emit(name)
    }

    pub fn emit(&mut self, name: &str) -> &mut Self {
        self.json["deparsers"][0]["order"]
            .as_array_mut()
            .expect("a list")
            .push(json!(name));
        self
    }

    pub fn action(&mut self, name: &str, params: &[(&str, u32)], primitives: Vec<Value>) -> u32 {
        let id = self.id();
        let params: Vec<Value> = params
            .iter()
            .map(|(name, bits)| json!({"name": name, "bitwidth": bits}))
            .collect();
        let action =
            json!({"name": name, "id": id, "runtime_data": params, "primitives": primitives});
        self.push("actions", action);
        id
    }

    /// Appends a node to a pipeline (0 ingress, 1 egress): the last one leads to it.
    fn append(&mut self, pipeline: usize, list: &str, node: Value) {
        let name = node["name"].clone();
        let pipeline = &mut self.json["pipelines"][pipeline];
        for call in pipeline["action_calls"].as_array_mut().expect("a list") {
            if call["next_node"].is_null() {
                call["next_node"] = name.clone();
            }
        }
        for table in pipeline["tables"].as_array_mut().expect("a list") {
            for (_, next) in table["next_tables"].as_object_mut().expect("an object") {
                if next.is_null() {
                    *next = name.clone();
                }
            }
            if table["base_default_next"].is_null() {
                table["base_default_next"] = name.clone();
            }
        }
        if pipeline["init_table"].is_null() {
            pipeline["init_table"] = name;
        }
        pipeline[list].as_array_mut().expect("a list").push(node);
    }

    /// Runs primitives for every packet.
    pub fn always(&mut self, pipeline: usize, primitives: Vec<Value>) -> &mut Self {
        let id = self.id();
        let action = self.action(&format!("act_{id}"), &[], primitives);
        let node =
            json!({"name": format!("call_{id}"), "id": id, "action_id": action, "next_node": null});
        self.append(pipeline, "action_calls", node);
        self
    }

    pub fn ingress(&mut self, primitives: Vec<Value>) -> &mut Self {
        self.always(0, primitives)
    }

    pub fn egress(&mut self, primitives: Vec<Value>) -> &mut Self {
        self.always(1, primitives)
    }

    /// A table of ingress; `extra` overrides attributes.
    pub fn table(
        &mut self,
        name: &str,
        match_type: &str,
        key: &[(&str, Value)],
        actions: &[u32],
        extra: Value,
    ) -> &mut Self {
        self.table_of(0, name, match_type, key, actions, extra)
    }

    pub fn table_of(
        &mut self,
        pipeline: usize,
        name: &str,
        match_type: &str,
        key: &[(&str, Value)],
        actions: &[u32],
        extra: Value,
    ) -> &mut Self {
        let key: Vec<Value> = key
            .iter()
            .map(|(kind, target)| json!({"match_type": kind, "target": target["value"], "mask": null}))
            .collect();
        let all = self.json["actions"].as_array().expect("a list").clone();
        let names = actions.iter().map(|id| {
            let action = all
                .iter()
                .find(|action| action["id"] == *id)
                .expect("an action");
            action["name"].as_str().expect("a name").to_owned()
        });
        let next: serde_json::Map<String, Value> = names.map(|name| (name, Value::Null)).collect();
        let id = self.id();
        let mut table = json!({"name": name, "id": id, "match_type": match_type, "type": "simple", "key": key,
            "max_size": 1024, "with_counters": false, "support_timeout": false, "direct_meters": null,
            "action_ids": actions, "next_tables": next, "base_default_next": null});
        for (attribute, value) in extra.as_object().expect("an object") {
            table[attribute] = value.clone();
        }
        self.append(pipeline, "tables", table);
        self
    }

    pub fn switch(&self) -> Switch {
        self.switch_with(SwitchConfig::default())
    }

    pub fn switch_with(&self, config: SwitchConfig) -> Switch {
        self.load(Switch::new(config))
    }

    /// A switch without machine code.
    pub fn interpreted(&self) -> Switch {
        self.load(Switch::new_interpreted(SwitchConfig::default()))
    }

    fn load(&self, mut switch: Switch) -> Switch {
        switch
            .load_json(&self.json.to_string())
            .expect("the program loads");
        switch
    }
}

/// Everything that comes out until `now_ns`.
pub fn outputs(switch: &mut Switch, now_ns: u64) -> Vec<Output> {
    let mut all = Vec::new();
    switch.advance(now_ns, &mut |output| all.push(output));
    all
}

/// Packets that come out until `now_ns`.
pub fn packets(switch: &mut Switch, now_ns: u64) -> Vec<(u32, Vec<u8>)> {
    let all = outputs(switch, now_ns).into_iter();
    all.filter_map(|output| match output {
        Output::Packet { port, bytes, .. } => Some((port, bytes.into_vec())),
        Output::Digest { .. } => None,
    })
    .collect()
}

/// A packet of which all zeros at the end are implied.
pub fn implied(bytes: &[u8]) -> PacketBytes {
    let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    PacketBytes::new(bytes[..bytes.len() - zeros].to_vec(), zeros)
}

/// The packets that come out after one packet into port 1.
pub fn send<'a>(switch: &mut Switch, bytes: impl Into<Arriving<'a>>) -> Vec<(u32, Vec<u8>)> {
    let now_ns = switch.next_event_ns().unwrap_or(0);
    switch.receive(now_ns, 1, bytes);
    packets(switch, now_ns)
}

pub fn call(name: &str, params: &[u64]) -> TableAction {
    TableAction::Action(action(name, params))
}

pub fn action(name: &str, params: &[u64]) -> ActionCall {
    let params = params
        .iter()
        .map(|param| param.to_be_bytes().to_vec())
        .collect();
    ActionCall {
        name: name.to_owned(),
        params,
    }
}

pub fn exact(value: u64) -> MatchField {
    MatchField::Exact(value.to_be_bytes().to_vec())
}

pub fn stat(switch: &Switch, name: &str) -> u64 {
    let stats = Switch::stats(switch);
    stats
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, count)| count)
        .expect("a known count")
}
