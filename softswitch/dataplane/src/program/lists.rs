// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of fields: what copies keep of a packet, and what digests tell.

use crate::model::ids::HeaderId;
use crate::state::loc::Loc;

pub type FieldList = Vec<CopiedField>;

#[derive(Debug, Clone)]
pub enum CopiedField {
    Field(Loc),
    Var(HeaderId),
    /// A number in whole bytes, and its width in bits.
    Constant(Vec<u8>, u32),
}

#[derive(Debug)]
pub enum DigestField {
    Field(Loc),
    Constant(Vec<u8>),
}
