// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Memory accesses of machine code: buffers, widths, and which accesses may alias.

use cranelift_codegen::ir::types::{I16, I32, I64, I8};
use cranelift_codegen::ir::{AliasRegion, MemFlags, Type, Value};

/// A buffer with fields.
#[derive(Clone, Copy)]
pub struct Buffer {
    pub start: Value,
    /// Fields within this range lie in slots (`Loc::in_slot`).
    pub slots: (u32, u32),
}

impl Buffer {
    /// For parts of fields, which are not what slots hold.
    pub fn in_parts(self) -> Self {
        Self {
            slots: (0, 0),
            ..self
        }
    }
}

/// The flags of an access: the region says which others it may meet.
pub fn flags(region: AliasRegion) -> MemFlags {
    MemFlags::new()
        .with_notrap()
        .with_alias_region(Some(region))
}

pub fn int(nbytes: u32) -> Type {
    match nbytes {
        1 => I8,
        2 => I16,
        4 => I32,
        _ => I64,
    }
}
