// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables, entries, conditions and action calls.

use serde::Deserialize;

use super::tree::Json;
use super::typed::Typed;
use super::units::Crc;

#[derive(Deserialize)]
pub struct Pipeline {
    pub name: String,
    pub init_table: Option<String>,
    #[serde(default)]
    pub tables: Vec<Table>,
    #[serde(default)]
    pub action_profiles: Vec<ActionProfile>,
    #[serde(default)]
    pub conditionals: Vec<Conditional>,
    #[serde(default)]
    pub action_calls: Vec<ActionCall>,
}

#[derive(Deserialize)]
pub struct ActionProfile {
    pub name: String,
    #[serde(default)]
    pub max_size: u64,
    #[serde(default)]
    pub selector: Option<Selector>,
    /// Members of a group, by their weights.
    #[serde(default)]
    pub max_group_size: Option<u32>,
    #[serde(default)]
    pub num_groups: Option<u32>,
}

#[derive(Clone, Deserialize)]
pub struct Selector {
    pub algo: String,
    #[serde(default)]
    pub input: Vec<Typed>,
    #[serde(default)]
    pub crc: Option<Crc>,
    #[serde(default)]
    pub bits: Option<u32>,
    /// TNA: the register that says which members are active.
    #[serde(default)]
    pub up: Option<String>,
    /// TNA: `fair` or `resilient`.
    #[serde(default)]
    pub mode: Option<String>,
}

#[derive(Deserialize)]
pub struct Table {
    pub name: String,
    pub id: u32,
    pub match_type: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub key: Vec<TableKey>,
    #[serde(default)]
    pub max_size: Option<u64>,
    #[serde(default)]
    pub with_counters: bool,
    /// TNA: the field for the number of the entry that was hit.
    #[serde(default)]
    pub entry_index: Option<(String, String)>,
    #[serde(default)]
    pub support_timeout: bool,
    #[serde(default)]
    pub direct_meters: Option<String>,
    #[serde(default)]
    pub action_profile: Option<String>,
    /// Before profiles were objects of their own.
    #[serde(default)]
    pub act_prof_name: Option<String>,
    #[serde(default)]
    pub selector: Option<Selector>,
    #[serde(default)]
    pub action_ids: Option<Vec<u32>>,
    #[serde(default)]
    pub actions: Vec<String>,
    #[serde(default)]
    pub next_tables: Json,
    #[serde(default)]
    pub base_default_next: Option<String>,
    #[serde(default)]
    pub default_entry: Option<DefaultEntry>,
    #[serde(default)]
    pub entries: Option<Vec<TableEntry>>,
    #[serde(default)]
    pub source_info: Json,
}

#[derive(Deserialize)]
pub struct TableKey {
    pub match_type: String,
    pub target: Json,
    #[serde(default)]
    pub mask: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Deserialize)]
pub struct DefaultEntry {
    pub action_id: u32,
    #[serde(default)]
    pub action_const: bool,
    #[serde(default)]
    pub action_data: Vec<String>,
    #[serde(default)]
    pub action_entry_const: bool,
}

#[derive(Deserialize)]
pub struct TableEntry {
    pub match_key: Vec<EntryKey>,
    pub action_entry: EntryAction,
    #[serde(default)]
    pub priority: i64,
    /// Quench's own: the entry's `const`, in a table whose entries may change otherwise.
    #[serde(default)]
    pub is_const: bool,
    /// Quench's own: the priority as P4Runtime gives it, of which the larger wins.
    #[serde(default)]
    pub p4runtime_priority: Option<i32>,
}

#[derive(Deserialize)]
pub struct EntryKey {
    pub match_type: String,
    #[serde(default)]
    pub key: Json,
    #[serde(default)]
    pub mask: Option<String>,
    #[serde(default)]
    pub prefix_length: Option<u32>,
    #[serde(default)]
    pub start: Option<String>,
    #[serde(default)]
    pub end: Option<String>,
}

#[derive(Deserialize)]
pub struct EntryAction {
    pub action_id: u32,
    #[serde(default)]
    pub action_data: Vec<String>,
}

#[derive(Deserialize)]
pub struct Conditional {
    pub name: String,
    pub expression: Json,
    #[serde(default)]
    pub true_next: Option<String>,
    #[serde(default)]
    pub false_next: Option<String>,
    #[serde(default)]
    pub source_info: Json,
}

#[derive(Deserialize)]
pub struct ActionCall {
    pub name: String,
    pub action_id: u32,
    #[serde(default)]
    pub next_node: Option<String>,
    #[serde(default)]
    pub source_info: Json,
}
