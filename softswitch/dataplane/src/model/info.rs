// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The objects of a loaded program that the control plane can name.

use std::collections::BTreeMap;

use super::values::TableAction;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    Exact,
    Lpm,
    Ternary,
    Range,
    Optional,
    /// Validity of a header: exact with one bit.
    Valid,
}

impl MatchKind {
    /// The kind's name in the BMv2 JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
            Self::Valid => "valid",
        }
    }
}

/// The unit of a counter or meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Packets,
    Bytes,
    Both,
}

impl Unit {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Packets => "packets",
            Self::Bytes => "bytes",
            Self::Both => "both",
        }
    }
}

/// A named value and its width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    pub name: String,
    pub bits: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFieldInfo {
    pub name: String,
    pub kind: MatchKind,
    pub bits: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    pub name: String,
    /// The JSON's id.
    pub id: u32,
    pub key: Vec<KeyFieldInfo>,
    /// Names of the actions that the table may call.
    pub actions: Vec<String>,
    /// Their ids in the JSON, where several actions may have one name.
    pub action_ids: Vec<u32>,
    /// The program's own default action.
    pub default_action: Option<TableAction>,
    pub const_default_action: bool,
    pub size: u64,
    pub direct_counter: bool,
    /// Name of the direct meter.
    pub direct_meter: Option<String>,
    /// Name of the action profile or selector.
    pub profile: Option<String>,
    /// The entries belong to the program and cannot be changed.
    pub const_entries: bool,
    pub support_timeout: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionInfo {
    pub name: String,
    pub id: u32,
    pub params: Vec<FieldInfo>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInfo {
    pub name: String,
    pub size: u64,
    pub bits: u32,
}

/// A counter or meter array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    pub name: String,
    /// Number of cells; 0 where it is direct.
    pub size: u64,
    pub unit: Unit,
    /// The table that a direct array belongs to.
    pub direct_table: Option<String>,
}

/// An array of low-pass filters (`Lpf`) or of random drops (`Wred`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterInfo {
    pub name: String,
    /// `lpf` or `wred`.
    pub kind: &'static str,
    pub size: u64,
    /// The table that a direct array belongs to.
    pub direct_table: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    pub name: String,
    pub size: u64,
    /// Groups are allowed.
    pub selector: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSetInfo {
    pub name: String,
    /// 0 where the JSON gives none.
    pub size: u64,
    /// Widths of the key's fields.
    pub key_bits: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestInfo {
    pub id: u32,
    pub name: String,
    pub fields: Vec<FieldInfo>,
}

/// Everything that a program offers to the control plane, in the order of the JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramInfo {
    pub tables: Vec<TableInfo>,
    pub actions: Vec<ActionInfo>,
    pub registers: Vec<RegisterInfo>,
    pub counters: Vec<ArrayInfo>,
    pub meters: Vec<ArrayInfo>,
    pub filters: Vec<FilterInfo>,
    pub profiles: Vec<ProfileInfo>,
    pub value_sets: Vec<ValueSetInfo>,
    pub digests: Vec<DigestInfo>,
    /// The program's numbers of errors.
    pub errors: Vec<(String, u32)>,
    /// By the enum's name, its members' numbers.
    pub enums: BTreeMap<String, Vec<(String, u32)>>,
}
