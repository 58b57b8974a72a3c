// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The places of headers and metadata in the packet state.
//!
//! Headers keep the bit layout that they have in packets, so extracting and emitting are copies; every field of a
//! metadata instance ends a slot of its own, which has 1, 2, 4 or 8 bytes where the field fits. A header's validity is
//! a one-bit field of the same buffer. The bits of a variable-length field lie in a region of their own, byte-aligned,
//! with their number beside the buffer.

use super::loc::Loc;
use crate::model::ids::{HeaderId, Value};

#[derive(Debug, Clone)]
pub struct FieldDef {
    pub name: String,
    /// Relative to the start of the header.
    pub rel: Loc,
    pub is_var: bool,
}

/// A variable-length field in a header.
#[derive(Debug, Clone, Copy)]
pub struct VarDef {
    /// Bits of the header before the field.
    pub before_bits: u32,
    pub max_bytes: u32,
    /// Longest header in bytes; 0 where the program gives none.
    pub max_header_bytes: u32,
}

#[derive(Debug, Clone)]
pub struct HeaderType {
    pub name: String,
    pub fields: Vec<FieldDef>,
    /// The bits without the variable-length field.
    pub fixed_bits: u32,
    pub var: Option<VarDef>,
}

impl HeaderType {
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// A header's variable-length field in the packet state.
#[derive(Debug, Clone, Copy)]
pub struct VarSlot {
    /// Index of its length in `Phv::var_bits`.
    pub slot: u32,
    /// Its region in the buffer.
    pub byte: u32,
    pub before_bits: u32,
    pub max_bytes: u32,
    pub max_header_bytes: u32,
}

#[derive(Debug, Clone)]
pub struct HeaderDef {
    pub name: String,
    pub kind: u32,
    pub metadata: bool,
    /// Start of the fixed part in the buffer.
    pub byte: u32,
    pub fixed_bytes: u32,
    pub valid: Loc,
    pub var: Option<VarSlot>,
    /// Length of the variable-length field in bits, where the header type gives it.
    pub var_length: Option<Value>,
    /// The union that the header is a member of.
    pub union: Option<u32>,
    /// The places of the fields in the buffer (the variable-length one has no meaning here).
    pub fields: Vec<Loc>,
}

#[derive(Debug, Clone)]
pub struct StackDef {
    pub kind: u32,
    pub headers: Vec<HeaderId>,
    /// Index in `Phv::next`.
    pub next: u32,
}

#[derive(Debug, Clone)]
pub struct UnionDef {
    pub kind: u32,
    pub headers: Vec<HeaderId>,
}

#[derive(Debug, Clone)]
pub struct UnionType {
    pub name: String,
    /// Member names and header types.
    pub members: Vec<(String, u32)>,
}

#[derive(Debug, Clone)]
pub struct UnionStackDef {
    pub kind: u32,
    pub unions: Vec<u32>,
    pub next: u32,
}

/// All of the packet state.
#[derive(Debug, Default)]
pub struct Layout {
    pub types: Vec<HeaderType>,
    pub union_types: Vec<UnionType>,
    pub headers: Vec<HeaderDef>,
    pub stacks: Vec<StackDef>,
    pub unions: Vec<UnionDef>,
    pub union_stacks: Vec<UnionStackDef>,
    /// Size of the buffer, padding included.
    pub bytes: usize,
    /// The fixed fields in front of the variable-length ones.
    pub fixed_bytes: usize,
    /// Metadata fields fill this range of the buffer.
    pub metadata: std::ops::Range<usize>,
    /// Number of variable-length fields; those of metadata are listed apart.
    pub var_slots: usize,
    pub metadata_var_slots: Vec<u32>,
    /// Number of stacks of both kinds.
    pub stack_slots: usize,
}

impl Layout {
    /// The bytes with the headers' validity: the last ones in front of the variable-length fields.
    pub fn validity(&self) -> std::ops::Range<usize> {
        self.fixed_bytes - self.headers.len()..self.fixed_bytes
    }

    pub fn header_type(&self, header: HeaderId) -> &HeaderType {
        &self.types[self.headers[header as usize].kind as usize]
    }
}
