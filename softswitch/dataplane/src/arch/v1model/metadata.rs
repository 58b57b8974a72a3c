// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The metadata that the switch shares with the program.

use crate::arch::declared::Declared;
use crate::model::load_error::{fail, LoadResult};
use crate::state::slot::Slot;

const STANDARD: &str = "standard_metadata";
const INTRINSIC: &str = "intrinsic_metadata";
const QUEUEING: &str = "queueing_metadata";

/// The metadata that the switch itself reads and writes; `None` where the program does not have or never names a field.
#[derive(Debug, Clone, Copy)]
pub struct StandardFields {
    pub ingress_port: Option<Slot>,
    pub packet_length: Option<Slot>,
    pub instance_type: Option<Slot>,
    pub egress_spec: Slot,
    pub egress_port: Option<Slot>,
    pub parser_error: Option<Slot>,
    pub checksum_error: Option<Slot>,
    pub ingress_timestamp: Option<Slot>,
    pub egress_timestamp: Option<Slot>,
    pub mcast_grp: Option<Slot>,
    pub egress_rid: Option<Slot>,
    pub priority: Option<Slot>,
    pub queueing: QueueingFields,
}

impl StandardFields {
    pub fn all(&self) -> impl Iterator<Item = Slot> {
        // Without a rest pattern, so that a field that is added is not forgotten.
        let Self {
            ingress_port,
            packet_length,
            instance_type,
            egress_spec,
            egress_port,
            parser_error,
            checksum_error,
            ingress_timestamp,
            egress_timestamp,
            mcast_grp,
            egress_rid,
            priority,
            queueing:
                QueueingFields {
                    enq_timestamp,
                    enq_qdepth,
                    deq_timedelta,
                    deq_qdepth,
                    qid,
                },
        } = *self;
        let optional = [
            ingress_port,
            packet_length,
            instance_type,
            egress_port,
            parser_error,
            checksum_error,
            ingress_timestamp,
            egress_timestamp,
            mcast_grp,
            egress_rid,
            priority,
            enq_timestamp,
            enq_qdepth,
            deq_timedelta,
            deq_qdepth,
            qid,
        ];
        optional.into_iter().flatten().chain([egress_spec])
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct QueueingFields {
    pub enq_timestamp: Option<Slot>,
    pub enq_qdepth: Option<Slot>,
    pub deq_timedelta: Option<Slot>,
    pub deq_qdepth: Option<Slot>,
    pub qid: Option<Slot>,
}

/// A field and whether the program names it.
type Field = (Slot, bool);

/// Refuses a program without the fields that every program has.
pub fn check(program: &dyn Declared) -> LoadResult<()> {
    for field in [
        "ingress_port",
        "packet_length",
        "instance_type",
        "egress_spec",
        "egress_port",
    ] {
        required(program, field)?;
    }
    Ok(())
}

/// Call it when all of the program is loaded: a field that nothing has named by then is neither read nor written for
/// any packet.
pub fn find(program: &dyn Declared) -> LoadResult<StandardFields> {
    let of = |header: &str, name: &str| program.shared(header, name).and_then(if_named);
    Ok(StandardFields {
        ingress_port: of(STANDARD, "ingress_port"),
        packet_length: of(STANDARD, "packet_length"),
        instance_type: of(STANDARD, "instance_type"),
        egress_spec: required(program, "egress_spec")?,
        egress_port: of(STANDARD, "egress_port"),
        parser_error: of(STANDARD, "parser_error"),
        checksum_error: of(STANDARD, "checksum_error"),
        ingress_timestamp: of(INTRINSIC, "ingress_global_timestamp"),
        egress_timestamp: of(INTRINSIC, "egress_global_timestamp"),
        mcast_grp: of(INTRINSIC, "mcast_grp"),
        egress_rid: of(INTRINSIC, "egress_rid"),
        priority: of(INTRINSIC, "priority"),
        queueing: queueing(program),
    })
}

fn if_named((slot, named): Field) -> Option<Slot> {
    named.then_some(slot)
}

fn required(program: &dyn Declared, name: &str) -> LoadResult<Slot> {
    match program.shared(STANDARD, name) {
        Some((slot, _)) => Ok(slot),
        None => fail(format!(
            "the field {STANDARD}.{name}, which the switch needs, is missing"
        )),
    }
}

/// As in simple_switch, all of them or none; `qid` may be absent.
fn queueing(program: &dyn Declared) -> QueueingFields {
    let names = [
        "enq_timestamp",
        "enq_qdepth",
        "deq_timedelta",
        "deq_qdepth",
        "qid",
    ];
    let fields = names.map(|name| program.shared(QUEUEING, name));
    let existing = fields[..4].iter().flatten().count();
    if existing < 4 {
        if existing > 0 {
            tracing::warn!("some but not all fields of the queueing metadata exist: none is used");
        }
        return QueueingFields::default();
    }
    let [enq_timestamp, enq_qdepth, deq_timedelta, deq_qdepth, qid] =
        fields.map(|field| field.and_then(if_named));
    QueueingFields {
        enq_timestamp,
        enq_qdepth,
        deq_timedelta,
        deq_qdepth,
        qid,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Architecture;
    use super::StandardFields;
    use crate::load::load;
    use serde_json::json;

    /// The fields of a program with nothing but an action of these primitives.
    fn fields(primitives: serde_json::Value) -> StandardFields {
        let names = [
            "ingress_port",
            "egress_spec",
            "egress_port",
            "instance_type",
            "packet_length",
            "enq_timestamp",
            "enq_qdepth",
            "deq_timedelta",
            "deq_qdepth",
            "priority",
        ];
        let fields = names.map(|name| json!([name, 16, false]));
        let pipeline =
            |name: &str| json!({"name": name, "id": 0, "init_table": null, "tables": []});
        let program = json!({
            "header_types": [{"name": "standard", "id": 0, "fields": fields}],
            "headers": [
                {"name": "standard_metadata", "id": 0, "header_type": "standard", "metadata": true},
                {"name": "copy", "id": 1, "header_type": "standard", "metadata": true},
            ],
            "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [
                {"name": "start", "id": 0, "parser_ops": [], "transition_key": [], "transitions": []}]}],
            "deparsers": [{"name": "deparser", "id": 0, "order": []}],
            "pipelines": [pipeline("ingress"), pipeline("egress")],
            "actions": [{"name": "a", "id": 0, "runtime_data": [], "primitives": primitives}],
            "field_aliases": [
                ["queueing_metadata.enq_timestamp", ["standard_metadata", "enq_timestamp"]],
                ["queueing_metadata.enq_qdepth", ["standard_metadata", "enq_qdepth"]],
                ["queueing_metadata.deq_timedelta", ["standard_metadata", "deq_timedelta"]],
                ["queueing_metadata.deq_qdepth", ["standard_metadata", "deq_qdepth"]],
                ["intrinsic_metadata.priority", ["standard_metadata", "priority"]],
            ],
        });
        let loaded = load(&program.to_string());
        let loaded = loaded.unwrap_or_else(|e| panic!("{e}"));
        let Architecture::V1Model(v1model) = loaded.architecture else {
            panic!("a JSON that names no architecture is for v1model");
        };
        v1model.standard
    }

    #[test]
    fn what_no_part_of_the_program_names_has_no_place() {
        let field = |name: &str| json!({"type": "field", "value": ["standard_metadata", name]});
        let assign =
            json!({"op": "assign", "parameters": [field("deq_qdepth"), field("packet_length")]});
        let named = fields(json!([assign]));
        assert!(named.packet_length.is_some());
        assert!(named.queueing.deq_qdepth.is_some());
        assert_eq!(named.egress_port, None);
        assert_eq!(named.instance_type, None);
        assert_eq!(named.priority, None);
        assert_eq!(named.queueing.enq_qdepth, None);
    }

    #[test]
    fn a_header_that_is_copied_is_named_with_all_its_fields() {
        let header = |name: &str| json!({"type": "header", "value": name});
        let copy = json!({"op": "assign_header", "parameters": [header("copy"), header("standard_metadata")]});
        let named = fields(json!([copy]));
        assert!(named.egress_port.is_some());
        assert!(named.priority.is_some());
        assert!(named.queueing.enq_timestamp.is_some());
    }
}
