// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The shape of a BMv2 JSON file (`docs/JSON_format.md` of behavioral-model, versions 2.0 to 2.24).
//!
//! Only what the switch needs is read; unknown attributes are ignored. Polymorphic `value`s stay JSON and are read by
//! the compiler of the object that they belong to.

mod pipeline;
mod tree;
mod typed;
mod units;

use serde::Deserialize;
pub use tree::Json;
pub use typed::Typed;

pub use pipeline::{ActionProfile, Pipeline, Selector, Table, TableEntry, TableKey};
pub use units::{Crc, FilterArray, MathUnit};

#[derive(Deserialize)]
pub struct Root {
    #[serde(default, rename = "__meta__")]
    pub meta: Option<Meta>,
    #[serde(default)]
    pub header_types: Vec<HeaderType>,
    #[serde(default)]
    pub headers: Vec<Header>,
    #[serde(default)]
    pub header_stacks: Vec<HeaderStack>,
    #[serde(default)]
    pub header_union_types: Vec<UnionType>,
    #[serde(default)]
    pub header_unions: Vec<Union>,
    #[serde(default)]
    pub header_union_stacks: Vec<UnionStack>,
    #[serde(default)]
    pub field_lists: Vec<FieldList>,
    #[serde(default)]
    pub errors: Vec<(String, u32)>,
    #[serde(default)]
    pub enums: Vec<Enum>,
    #[serde(default)]
    pub parsers: Vec<Parser>,
    #[serde(default)]
    pub parse_vsets: Vec<ParseVset>,
    #[serde(default)]
    pub deparsers: Vec<Deparser>,
    #[serde(default)]
    pub meter_arrays: Vec<MeterArray>,
    #[serde(default)]
    pub counter_arrays: Vec<CounterArray>,
    #[serde(default)]
    pub register_arrays: Vec<RegisterArray>,
    #[serde(default)]
    pub filter_arrays: Vec<FilterArray>,
    #[serde(default)]
    pub math_units: Vec<MathUnit>,
    #[serde(default)]
    pub calculations: Vec<Calculation>,
    #[serde(default)]
    pub learn_lists: Vec<FieldList>,
    #[serde(default)]
    pub actions: Vec<Action>,
    #[serde(default)]
    pub pipelines: Vec<Pipeline>,
    #[serde(default)]
    pub checksums: Vec<Checksum>,
    #[serde(default)]
    pub extern_instances: Vec<ExternInstance>,
    #[serde(default)]
    pub field_aliases: Vec<(String, (String, String))>,
}

#[derive(Deserialize)]
pub struct Meta {
    pub version: Option<(u32, u32)>,
    /// Quench's own: v1model where it is missing.
    #[serde(default)]
    pub architecture: Option<String>,
}

#[derive(Deserialize)]
pub struct Enum {
    pub name: String,
    #[serde(default)]
    pub entries: Vec<(String, u32)>,
}

#[derive(Deserialize)]
pub struct HeaderType {
    pub name: String,
    /// `[name, bits or "*", signed?, saturating?]`
    pub fields: Vec<Vec<Json>>,
    #[serde(default)]
    pub length_exp: Json,
    #[serde(default)]
    pub max_length: Option<u32>,
}

#[derive(Deserialize)]
pub struct Header {
    pub name: String,
    pub id: u32,
    pub header_type: String,
    #[serde(default)]
    pub metadata: bool,
}

#[derive(Deserialize)]
pub struct HeaderStack {
    pub name: String,
    pub header_type: String,
    pub header_ids: Vec<u32>,
}

#[derive(Deserialize)]
pub struct UnionType {
    pub name: String,
    /// `[member, header type]`
    pub headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
pub struct Union {
    pub name: String,
    pub id: u32,
    pub union_type: String,
    pub header_ids: Vec<u32>,
}

#[derive(Deserialize)]
pub struct UnionStack {
    pub name: String,
    pub union_type: String,
    pub header_union_ids: Vec<u32>,
}

/// A field list (clone, resubmit, recirculate) or a learn list (digest).
#[derive(Deserialize)]
pub struct FieldList {
    pub id: u32,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub elements: Vec<Typed>,
}

#[derive(Deserialize)]
pub struct Parser {
    pub name: String,
    pub init_state: Option<String>,
    /// Quench's own: a packet with an error goes no further.
    #[serde(default)]
    pub drop_on_error: bool,
    #[serde(default)]
    pub parse_states: Vec<ParseState>,
}

#[derive(Deserialize)]
pub struct ParseState {
    pub name: String,
    #[serde(default)]
    pub parser_ops: Vec<ParserOp>,
    #[serde(default)]
    pub transition_key: Vec<Typed>,
    #[serde(default)]
    pub transitions: Vec<Transition>,
    #[serde(default)]
    pub source_info: Json,
}

#[derive(Deserialize)]
pub struct ParserOp {
    pub op: String,
    #[serde(default)]
    pub parameters: Vec<Json>,
    #[serde(default)]
    pub source_info: Json,
}

#[derive(Deserialize)]
pub struct Transition {
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    #[serde(default)]
    pub value: Option<String>,
    #[serde(default)]
    pub mask: Option<String>,
    #[serde(default)]
    pub next_state: Option<String>,
}

#[derive(Deserialize)]
pub struct ParseVset {
    pub name: String,
    pub compressed_bitwidth: u32,
    #[serde(default)]
    pub max_size: Option<u64>,
}

#[derive(Deserialize)]
pub struct Deparser {
    pub name: String,
    #[serde(default)]
    pub order: Vec<String>,
    #[serde(default)]
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub struct MeterArray {
    pub name: String,
    #[serde(rename = "type")]
    pub unit: String,
    #[serde(default)]
    pub rate_count: Option<u32>,
    #[serde(default)]
    pub size: u64,
    #[serde(default)]
    pub is_direct: bool,
    #[serde(default)]
    pub binding: Option<String>,
    #[serde(default)]
    pub result_target: Option<(String, String)>,
    /// The program's values for green, yellow and red.
    #[serde(default)]
    pub colors: Option<[u8; 3]>,
}

#[derive(Deserialize)]
pub struct CounterArray {
    pub name: String,
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub is_direct: bool,
    #[serde(default)]
    pub binding: Option<String>,
}

#[derive(Deserialize)]
pub struct RegisterArray {
    pub name: String,
    pub size: u64,
    pub bitwidth: u32,
    /// The value that every cell begins with.
    #[serde(default)]
    pub initial: Option<String>,
    /// Parts of a cell, the first one most significant: their widths.
    #[serde(default)]
    pub fields: Vec<(String, u32)>,
    #[serde(default)]
    pub is_direct: bool,
    #[serde(default)]
    pub binding: Option<String>,
    /// Cells are written one after the other (`next_index`).
    #[serde(default)]
    pub log: bool,
    /// The register stands for a parameter: a single cell.
    #[serde(default)]
    pub param: bool,
}

#[derive(Deserialize)]
pub struct Calculation {
    pub name: String,
    pub algo: String,
    #[serde(default)]
    pub input: Vec<Typed>,
    #[serde(default)]
    pub crc: Option<Crc>,
    /// Width of the result.
    #[serde(default)]
    pub bits: Option<u32>,
}

#[derive(Deserialize)]
pub struct Action {
    pub name: String,
    pub id: u32,
    #[serde(default)]
    pub runtime_data: Vec<RuntimeData>,
    #[serde(default)]
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub struct RuntimeData {
    pub name: String,
    pub bitwidth: u32,
}

#[derive(Deserialize)]
pub struct Primitive {
    pub op: String,
    #[serde(default)]
    pub parameters: Vec<Json>,
    #[serde(default)]
    pub source_info: Json,
}

#[derive(Deserialize)]
pub struct Checksum {
    pub name: String,
    pub target: (String, String),
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub calculation: Option<String>,
    #[serde(default)]
    pub update: Option<bool>,
    #[serde(default)]
    pub verify: Option<bool>,
    #[serde(default)]
    pub if_cond: Json,
}

#[derive(Deserialize)]
pub struct ExternInstance {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
}
