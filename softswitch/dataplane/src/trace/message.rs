// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The messages of `quench_switch/trace/packet_trace.proto`, which documents them.
//!
//! Numbers below 50 are those of BMv2's `packet_trace.proto`.

use prost::{Enumeration, Message, Oneof};

use crate::model::values::CounterValue;

#[derive(Clone, PartialEq, Message)]
pub struct PacketTrace {
    #[prost(message, optional, tag = "1")]
    pub input: Option<InputPacket>,
    #[prost(message, optional, tag = "2")]
    pub root: Option<TraceTree>,
    #[prost(uint64, tag = "100")]
    pub omitted_events: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct InputPacket {
    #[prost(uint64, tag = "1")]
    pub packet_id: u64,
    #[prost(uint32, tag = "2")]
    pub ingress_port: u32,
    #[prost(uint64, tag = "100")]
    pub time_ns: u64,
    #[prost(uint32, tag = "101")]
    pub packet_bytes: u32,
    #[prost(uint64, tag = "102")]
    pub parent_packet_id: u64,
    #[prost(enumeration = "CopyKind", tag = "103")]
    pub copy_kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct TraceTree {
    #[prost(message, repeated, tag = "1")]
    pub events: Vec<TraceEvent>,
    #[prost(oneof = "Outcome", tags = "2, 3")]
    pub outcome: Option<Outcome>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Outcome {
    #[prost(message, tag = "2")]
    Transmit(Transmit),
    #[prost(message, tag = "3")]
    Drop(Drop),
}

#[derive(Clone, PartialEq, Message)]
pub struct Transmit {
    #[prost(uint32, tag = "1")]
    pub egress_port: u32,
    #[prost(uint32, tag = "2")]
    pub packet_size: u32,
    #[prost(uint64, tag = "100")]
    pub time_ns: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Drop {
    #[prost(string, tag = "100")]
    pub reason: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct TraceEvent {
    #[prost(message, optional, tag = "50")]
    pub source: Option<Source>,
    #[prost(
        oneof = "Event",
        tags = "1, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111"
    )]
    pub event: Option<Event>,
}

/// A place in the program's source.
#[derive(Clone, PartialEq, Message)]
pub struct Source {
    #[prost(string, tag = "1")]
    pub file: String,
    #[prost(uint32, tag = "2")]
    pub line: u32,
    #[prost(uint32, tag = "3")]
    pub column: u32,
    #[prost(string, tag = "4")]
    pub fragment: String,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Event {
    #[prost(message, tag = "1")]
    PipelineStage(PipelineStageEvent),
    #[prost(message, tag = "100")]
    ParserState(ParserStateEvent),
    #[prost(message, tag = "101")]
    Extract(HeaderEvent),
    #[prost(message, tag = "102")]
    Select(SelectEvent),
    #[prost(message, tag = "103")]
    ParserError(ParserErrorEvent),
    #[prost(message, tag = "104")]
    Table(TableEvent),
    #[prost(message, tag = "105")]
    Condition(ConditionEvent),
    #[prost(message, tag = "106")]
    Primitive(PrimitiveEvent),
    #[prost(message, tag = "107")]
    Copy(CopyEvent),
    #[prost(message, tag = "108")]
    Queue(QueueEvent),
    #[prost(message, tag = "109")]
    Checksum(ChecksumEvent),
    #[prost(message, tag = "110")]
    Deparse(DeparseEvent),
    #[prost(message, tag = "111")]
    ActionCall(ActionCallEvent),
}

#[derive(Clone, PartialEq, Message)]
pub struct PipelineStageEvent {
    #[prost(string, tag = "1")]
    pub stage_name: String,
    #[prost(enumeration = "StageKind", tag = "2")]
    pub stage_kind: i32,
    #[prost(enumeration = "Direction", tag = "3")]
    pub direction: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum StageKind {
    Unspecified = 0,
    Parser = 1,
    Control = 2,
    Deparser = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum Direction {
    Unspecified = 0,
    Enter = 1,
    Exit = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum CopyKind {
    None = 0,
    CloneIngress = 1,
    CloneEgress = 2,
    Replica = 3,
    Resubmit = 4,
    Recirculate = 5,
}

#[derive(Clone, PartialEq, Message)]
pub struct FieldValue {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct FieldChange {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub before: String,
    #[prost(string, tag = "3")]
    pub after: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ParserStateEvent {
    #[prost(string, tag = "1")]
    pub name: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct HeaderEvent {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub fields: Vec<FieldValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SelectEvent {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub next_state: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ParserErrorEvent {
    #[prost(string, tag = "1")]
    pub error: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct TableEvent {
    #[prost(string, tag = "1")]
    pub table: String,
    #[prost(message, repeated, tag = "2")]
    pub key: Vec<KeyFieldValue>,
    #[prost(bool, tag = "3")]
    pub hit: bool,
    #[prost(message, optional, tag = "4")]
    pub entry: Option<EntryMatch>,
    #[prost(string, tag = "5")]
    pub action: String,
    #[prost(message, repeated, tag = "6")]
    pub parameters: Vec<FieldValue>,
    #[prost(message, optional, tag = "7")]
    pub counter: Option<CounterReading>,
    #[prost(message, optional, tag = "8")]
    pub meter: Option<FieldChange>,
}

#[derive(Clone, PartialEq, Message)]
pub struct KeyFieldValue {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub match_kind: String,
    #[prost(string, tag = "3")]
    pub value: String,
    #[prost(string, tag = "4")]
    pub row: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct EntryMatch {
    #[prost(uint32, tag = "1")]
    pub handle: u32,
    #[prost(int32, tag = "2")]
    pub priority: i32,
    #[prost(uint32, optional, tag = "3")]
    pub member: Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    pub group: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ConditionEvent {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(bool, tag = "2")]
    pub outcome: bool,
    #[prost(message, repeated, tag = "3")]
    pub operands: Vec<FieldValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PrimitiveEvent {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub changes: Vec<FieldChange>,
    #[prost(message, repeated, tag = "3")]
    pub operands: Vec<FieldValue>,
    #[prost(string, repeated, tag = "4")]
    pub headers: Vec<String>,
    #[prost(message, optional, tag = "5")]
    pub array: Option<ArrayAccess>,
    #[prost(message, optional, tag = "6")]
    pub range: Option<NumberRange>,
    #[prost(string, tag = "7")]
    pub calculation: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ArrayAccess {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(uint64, tag = "2")]
    pub index: u64,
    #[prost(bool, tag = "3")]
    pub out_of_range: bool,
    #[prost(string, tag = "4")]
    pub before: String,
    #[prost(string, tag = "5")]
    pub after: String,
    #[prost(message, optional, tag = "6")]
    pub counter: Option<CounterReading>,
}

#[derive(Clone, PartialEq, Message)]
pub struct CounterReading {
    #[prost(uint64, tag = "1")]
    pub packets: u64,
    #[prost(uint64, tag = "2")]
    pub bytes: u64,
}

impl From<&CounterValue> for CounterReading {
    fn from(value: &CounterValue) -> Self {
        Self {
            packets: value.packets,
            bytes: value.bytes,
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct NumberRange {
    #[prost(uint64, tag = "1")]
    pub low: u64,
    #[prost(uint64, tag = "2")]
    pub high: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct CopyEvent {
    #[prost(enumeration = "CopyKind", tag = "1")]
    pub kind: i32,
    #[prost(uint64, tag = "2")]
    pub packet_id: u64,
    #[prost(uint32, tag = "3")]
    pub target: u32,
    #[prost(uint32, tag = "4")]
    pub field_list: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct QueueEvent {
    #[prost(uint32, tag = "1")]
    pub port: u32,
    #[prost(uint32, tag = "2")]
    pub queue: u32,
    #[prost(uint64, tag = "3")]
    pub enqueue_time_ns: u64,
    #[prost(uint64, tag = "4")]
    pub enqueue_depth_pkts: u64,
    #[prost(uint64, tag = "5")]
    pub enqueue_depth_bytes: u64,
    #[prost(uint64, tag = "6")]
    pub dequeue_time_ns: u64,
    #[prost(uint64, tag = "7")]
    pub dequeue_depth_pkts: u64,
    #[prost(uint64, tag = "8")]
    pub dequeue_depth_bytes: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct ChecksumEvent {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(bool, tag = "2")]
    pub right: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct DeparseEvent {
    #[prost(string, repeated, tag = "1")]
    pub headers: Vec<String>,
    #[prost(uint32, tag = "2")]
    pub payload_bytes: u32,
    #[prost(message, repeated, tag = "3")]
    pub checksums: Vec<FieldChange>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ActionCallEvent {
    #[prost(string, tag = "1")]
    pub action: String,
}
