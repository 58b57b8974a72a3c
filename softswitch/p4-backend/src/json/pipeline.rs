// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables and conditionals, each naming the node that comes next (`None`: the end).

use serde::Serialize;
use serde_json::{Map, Value};

use super::expr::Expr;
use super::source_info::SourceInfo;
use super::tna::Crc;

#[derive(Clone, Debug, Serialize)]
pub struct Pipeline {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub init_table: Option<String>,
    pub tables: Vec<Table>,
    pub action_profiles: Vec<ActionProfile>,
    pub conditionals: Vec<Conditional>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub key: Vec<Key>,
    pub match_type: String,
    /// `simple`, `indirect` or `indirect_ws`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_profile: Option<String>,
    pub max_size: u64,
    pub with_counters: bool,
    pub support_timeout: bool,
    pub direct_meters: Option<String>,
    /// TNA: header and field that get the number of the entry that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_index: Option<(String, String)>,
    pub action_ids: Vec<usize>,
    pub actions: Vec<String>,
    pub base_default_next: Option<String>,
    /// By action name, or `__HIT__` and `__MISS__`.
    pub next_tables: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_entry: Option<DefaultEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Key {
    pub match_type: String,
    pub name: String,
    pub target: (String, String),
    pub mask: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct DefaultEntry {
    pub action_id: usize,
    pub action_const: bool,
    pub action_data: Vec<String>,
    pub action_entry_const: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub match_key: Vec<Value>,
    pub action_entry: ActionEntry,
    /// The smaller number wins.
    pub priority: usize,
    /// Beyond p4c's format, where only this entry of the table is `const`; BMv2 ignores it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_const: bool,
    /// Beyond p4c's format, where the program gives a priority of its own: the larger wins. BMv2 ignores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p4runtime_priority: Option<i32>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ActionEntry {
    pub action_id: usize,
    pub action_data: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ActionProfile {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub max_size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<Selector>,
    #[serde(flatten)]
    pub groups: Groups,
}

/// TNA: the groups of a selector.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Groups {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_group_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_groups: Option<u64>,
    /// The register whose bits say which members are up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Selector {
    pub algo: String,
    pub input: Vec<Expr>,
    /// The rest is TNA's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc: Option<Crc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// `fair` or `resilient`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub expression: Expr,
    pub true_next: Option<String>,
    pub false_next: Option<String>,
}
