// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Hash functions with their inputs, and checksums.

use crate::model::ids::{CondId, HeaderId};
use crate::state::loc::Loc;

/// The input of a hash function.
#[derive(Debug, Clone)]
pub struct Calculation {
    pub input: Vec<CalcInput>,
    pub payload: bool,
    /// Index of the function in `Externs::hashers`.
    pub hasher: u32,
}

#[derive(Debug, Clone)]
pub enum CalcInput {
    /// A field, left out where its header is not valid.
    Field(HeaderId, Loc),
    VarField(HeaderId),
    Header(HeaderId),
    /// Bits at the end of whole bytes.
    Constant(Vec<u8>, u32),
}

#[derive(Debug)]
pub struct Checksum {
    pub target: Loc,
    pub header: HeaderId,
    pub kind: ChecksumKind,
    pub condition: Option<CondId>,
    pub verify: bool,
    pub update: bool,
}

#[derive(Debug)]
pub enum ChecksumKind {
    Calculation(u32),
    /// The checksum of an IPv4 header as a whole; the argument is the checksum field.
    Ipv4,
}
