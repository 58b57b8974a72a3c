// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Places that actions write to.

use super::expr::HeaderNode;
use crate::model::ids::Value;
use crate::state::loc::Loc;

/// A place to which an action writes a number.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    Field(Loc),
    /// A field of a header known at run time, relative to it.
    HeaderField(HeaderNode, Loc),
    Register(u32, Value),
}

impl Target {
    /// Width and signedness of what is written.
    pub fn shape(&self, register_bits: impl Fn(u32) -> u32) -> Loc {
        match *self {
            Self::Field(loc) | Self::HeaderField(_, loc) => loc,
            Self::Register(register, _) => Loc::unsigned(0, 0, register_bits(register)),
        }
    }
}
