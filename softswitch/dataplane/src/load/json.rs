// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The shape of a BMv2 JSON file (`docs/JSON_format.md` of behavioral-model, versions 2.0 to 2.24).
//!
//! Only what the switch needs is read; unknown attributes are ignored. Polymorphic `value`s stay JSON and are read by
//! the compiler of the object that they belong to.

mod pipeline;
mod units;

use serde::Deserialize;
use serde_json::Value as Json;

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

impl Root {
    /// Whether meters and hash functions are those of TNA.
    pub fn is_tna(&self) -> bool {
        let meta = self.meta.as_ref();
        meta.is_some_and(|meta| meta.architecture.as_deref() == Some("tna"))
    }
