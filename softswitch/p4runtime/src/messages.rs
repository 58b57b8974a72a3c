// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The messages of `p4runtime.proto` of which there are many in a `Write`. Those of other entities stay bytes.

use prost::{Message, Oneof};

pub use crate::raw_set::RawSet;

#[derive(Clone, PartialEq, Message)]
pub struct Update {
    #[prost(int32, tag = "1")]
    pub kind: i32,
    #[prost(message, optional, tag = "2")]
    pub entity: Option<Entity>,
}

pub const INSERT: i32 = 1;
pub const MODIFY: i32 = 2;
pub const DELETE: i32 = 3;

#[derive(Clone, PartialEq, Message)]
pub struct Entity {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")]
    pub kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Kind {
    #[prost(bytes, tag = "1")]
    Extern(Vec<u8>),
    #[prost(message, boxed, tag = "2")]
    Table(Box<TableEntry>),
    #[prost(message, tag = "3")]
    Member(Member),
    #[prost(bytes, tag = "4")]
    Group(Vec<u8>),
    #[prost(bytes, tag = "5")]
    Meter(Vec<u8>),
    #[prost(bytes, tag = "6")]
    DirectMeter(Vec<u8>),
    #[prost(bytes, tag = "7")]
    Counter(Vec<u8>),
    #[prost(bytes, tag = "8")]
    DirectCounter(Vec<u8>),
    #[prost(bytes, tag = "9")]
    Replication(Vec<u8>),
    #[prost(bytes, tag = "10")]
    ValueSet(Vec<u8>),
    #[prost(bytes, tag = "11")]
    Register(Vec<u8>),
    #[prost(bytes, tag = "12")]
    Digest(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
pub struct TableEntry {
    #[prost(uint32, tag = "1")]
    pub table_id: u32,
    #[prost(message, repeated, tag = "2")]
    pub matches: Vec<FieldMatch>,
    #[prost(message, optional, tag = "3")]
    pub action: Option<TableAction>,
    #[prost(int32, tag = "4")]
    pub priority: i32,
    #[prost(uint64, tag = "5")]
    pub controller_metadata: u64,
    #[prost(message, optional, tag = "6")]
    pub meter_config: Option<MeterConfig>,
    #[prost(message, optional, tag = "7")]
    pub counter_data: Option<CounterData>,
    #[prost(bool, tag = "8")]
    pub is_default_action: bool,
    #[prost(int64, tag = "9")]
    pub idle_timeout_ns: i64,
    #[prost(message, optional, tag = "10")]
    pub time_since_last_hit: Option<IdleTimeout>,
    #[prost(bytes = "vec", tag = "11")]
    pub metadata: Vec<u8>,
    #[prost(message, optional, tag = "12")]
    pub meter_counter_data: Option<MeterCounterData>,
    #[prost(bool, tag = "13")]
    pub is_const: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct MeterConfig {
    #[prost(int64, tag = "1")]
    pub cir: i64,
    #[prost(int64, tag = "2")]
    pub cburst: i64,
    #[prost(int64, tag = "3")]
    pub pir: i64,
    #[prost(int64, tag = "4")]
    pub pburst: i64,
    #[prost(int64, tag = "5")]
    pub eburst: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct CounterData {
    #[prost(int64, tag = "1")]
    pub byte_count: i64,
    #[prost(int64, tag = "2")]
    pub packet_count: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct MeterCounterData {
    #[prost(message, optional, tag = "1")]
    pub green: Option<CounterData>,
    #[prost(message, optional, tag = "2")]
    pub yellow: Option<CounterData>,
    #[prost(message, optional, tag = "3")]
    pub red: Option<CounterData>,
}

#[derive(Clone, PartialEq, Message)]
pub struct IdleTimeout {
    #[prost(int64, tag = "1")]
    pub elapsed_ns: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct FieldMatch {
    #[prost(uint32, tag = "1")]
    pub field_id: u32,
    #[prost(oneof = "MatchType", tags = "2, 3, 4, 6, 7, 100")]
    pub given: Option<MatchType>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum MatchType {
    #[prost(message, tag = "2")]
    Exact(One),
    #[prost(message, tag = "3")]
    Ternary(Two),
    #[prost(message, tag = "4")]
    Lpm(Lpm),
    #[prost(message, tag = "6")]
    Range(Two),
    #[prost(message, tag = "7")]
    Optional(One),
    #[prost(message, tag = "100")]
    Other(Any),
}

#[derive(Clone, PartialEq, Message)]
pub struct One {
    #[prost(bytes = "vec", tag = "1")]
    pub value: Vec<u8>,
}

/// Value and mask, or low and high.
#[derive(Clone, PartialEq, Message)]
pub struct Two {
    #[prost(bytes = "vec", tag = "1")]
    pub first: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub second: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Lpm {
    #[prost(bytes = "vec", tag = "1")]
    pub value: Vec<u8>,
    #[prost(int32, tag = "2")]
    pub prefix_len: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TableAction {
    #[prost(oneof = "ActionType", tags = "1, 2, 3, 4")]
    pub given: Option<ActionType>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum ActionType {
    #[prost(message, tag = "1")]
    Action(Action),
    #[prost(uint32, tag = "2")]
    Member(u32),
    #[prost(uint32, tag = "3")]
    Group(u32),
    #[prost(message, tag = "4")]
    Set(RawSet),
}

#[derive(Clone, PartialEq, Message)]
pub struct Action {
    #[prost(uint32, tag = "1")]
    pub action_id: u32,
    #[prost(message, repeated, tag = "4")]
    pub params: Vec<Param>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Param {
    #[prost(uint32, tag = "2")]
    pub param_id: u32,
    #[prost(bytes = "vec", tag = "3")]
    pub value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ActionSet {
    #[prost(message, repeated, tag = "1")]
    pub actions: Vec<SetMember>,
    #[prost(int32, tag = "2")]
    pub mode: i32,
    #[prost(int32, tag = "3")]
    pub size_semantics: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct SetMember {
    #[prost(message, optional, tag = "1")]
    pub action: Option<Action>,
    #[prost(int32, tag = "2")]
    pub weight: i32,
    #[prost(oneof = "Watch", tags = "3, 4")]
    pub watch: Option<Watch>,
}

/// The port on which a member's liveness depends.
#[derive(Clone, PartialEq, Oneof)]
pub enum Watch {
    #[prost(int32, tag = "3")]
    Number(i32),
    #[prost(bytes, tag = "4")]
    Port(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
pub struct Member {
    #[prost(uint32, tag = "1")]
    pub profile_id: u32,
    #[prost(uint32, tag = "2")]
    pub member_id: u32,
    #[prost(message, optional, tag = "3")]
    pub action: Option<Action>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Group {
    #[prost(uint32, tag = "1")]
    pub profile_id: u32,
    #[prost(uint32, tag = "2")]
    pub group_id: u32,
    #[prost(message, repeated, tag = "3")]
    pub members: Vec<GroupMember>,
    #[prost(int32, tag = "4")]
    pub max_size: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct GroupMember {
    #[prost(uint32, tag = "1")]
    pub member_id: u32,
    #[prost(int32, tag = "2")]
    pub weight: i32,
    #[prost(oneof = "Watch", tags = "3, 4")]
    pub watch: Option<Watch>,
}
