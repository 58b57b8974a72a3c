// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The model of BMv2's JSON format, version 2.23: what simple_switch loads.
//!
//! Source: behavioral-model's `docs/JSON_format.md` and the loader. Field order is that of p4c's output.
//!
//! In: values that `emit` fills in. Out: text, by serde. Begin with [`Program`]; `expr.rs` has the expressions that
//! occur in all parts.

mod expr;
mod parser;
mod pipeline;
mod source_info;
mod tna;

use serde::Serialize;
use serde_json::Value;

pub use expr::{hex, Expr};
pub use parser::{ParseState, Parser, ParserOp, Transition};
pub use pipeline::{
    ActionEntry, ActionProfile, Conditional, DefaultEntry, Entry, Groups, Key, Pipeline, Selector,
    Table,
};
pub use source_info::SourceInfo;
pub use tna::{Crc, Filter, MathUnit};

/// The whole file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Program {
    pub header_types: Vec<HeaderType>,
    pub headers: Vec<Header>,
    pub header_stacks: Vec<HeaderStack>,
    pub header_union_types: Vec<HeaderUnionType>,
    pub header_unions: Vec<HeaderUnion>,
    pub header_union_stacks: Vec<HeaderUnionStack>,
    pub field_lists: Vec<FieldList>,
    /// Name and code.
    pub errors: Vec<(String, usize)>,
    pub enums: Vec<Enum>,
    pub parsers: Vec<Parser>,
    pub parse_vsets: Vec<ParseVset>,
    pub deparsers: Vec<Deparser>,
    pub meter_arrays: Vec<MeterArray>,
    pub counter_arrays: Vec<CounterArray>,
    pub register_arrays: Vec<RegisterArray>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter_arrays: Vec<Filter>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub math_units: Vec<MathUnit>,
    pub calculations: Vec<Calculation>,
    pub learn_lists: Vec<FieldList>,
    pub actions: Vec<Action>,
    pub pipelines: Vec<Pipeline>,
    pub checksums: Vec<Checksum>,
    pub force_arith: Vec<Value>,
    pub extern_instances: Vec<Value>,
    /// simple_switch's name of a field, and the header and field that it is.
    pub field_aliases: Vec<(String, (String, String))>,
    pub program: String,
    #[serde(rename = "__meta__")]
    pub meta: Meta,
}

#[derive(Clone, Debug, Serialize)]
pub struct Meta {
    pub version: (u32, u32),
    pub compiler: String,
    /// None: v1model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<&'static str>,
}

impl Default for Meta {
    fn default() -> Self {
        Meta {
            version: (2, 23),
            compiler: concat!("quench ", env!("CARGO_PKG_VERSION")).to_owned(),
            architecture: None,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderType {
    pub name: String,
    pub id: usize,
    /// Name, width in bits or `"*"`, and whether the field is signed.
    pub fields: Vec<HeaderField>,
    /// The length in bytes; only with a field of variable width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum HeaderField {
    Fixed(String, u32, bool),
    Variable(String, char),
}

#[derive(Clone, Debug, Serialize)]
pub struct Header {
    pub name: String,
    pub id: usize,
    pub header_type: String,
    pub metadata: bool,
    pub pi_omit: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderStack {
    pub name: String,
    pub id: usize,
    pub header_type: String,
    pub size: u32,
    pub header_ids: Vec<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderUnionType {
    pub name: String,
    pub id: usize,
    /// Member and its header type.
    pub headers: Vec<(String, String)>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderUnion {
    pub name: String,
    pub id: usize,
    pub union_type: String,
    pub header_ids: Vec<usize>,
    pub pi_omit: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderUnionStack {
    pub name: String,
    pub id: usize,
    pub union_type: String,
    pub size: u32,
    pub header_union_ids: Vec<usize>,
}

/// Fields kept with a copy of a packet, or sent in a digest. Ids begin at 1: simple_switch takes 0 for "none".
#[derive(Clone, Debug, Serialize)]
pub struct FieldList {
    pub id: usize,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub elements: Vec<Expr>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Enum {
    pub name: String,
    pub entries: Vec<(String, usize)>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ParseVset {
    pub name: String,
    pub id: usize,
    pub compressed_bitwidth: u32,
    pub max_size: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Deparser {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub order: Vec<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Clone, Debug, Serialize)]
pub struct MeterArray {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub is_direct: bool,
    pub rate_count: u32,
    /// `packets` or `bytes`.
    #[serde(rename = "type")]
    pub kind: String,
    pub size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_target: Option<(String, String)>,
    /// TNA: the results for green, yellow and red.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colors: Option<[u8; 3]>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CounterArray {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    pub is_direct: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct RegisterArray {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub size: u64,
    pub bitwidth: u32,
    /// The rest is TNA's. Hexadecimal, of one cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// Names and widths of a structure's fields; the first has the highest bits of the cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, u32)>,
    /// With a cell for each entry of the table that `binding` names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_direct: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// Has an index of its own that `next_index` reads and advances.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub log: bool,
    /// Only the control plane writes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub param: bool,
}

/// A hash over fields.
#[derive(Clone, Debug, Serialize)]
pub struct Calculation {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub algo: String,
    pub input: Vec<Value>,
    /// TNA: the width of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc: Option<Crc>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Checksum {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub target: (String, String),
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub calculation: String,
    pub verify: bool,
    pub update: bool,
    pub if_cond: Expr,
}

#[derive(Clone, Debug, Serialize)]
pub struct Action {
    pub name: String,
    pub id: usize,
    pub runtime_data: Vec<RuntimeData>,
    pub primitives: Vec<Primitive>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RuntimeData {
    pub name: String,
    pub bitwidth: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Primitive {
    pub op: &'static str,
    /// Results of [`Expr::parameter`].
    pub parameters: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
}
