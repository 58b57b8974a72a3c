// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The limits of what a program may ask for.
//!
//! Programs come from outside. Everything that a program can make large has one limit, declared here and documented in
//! `softswitch/docs/embedded-switch.md`. Sizes are checked before anything of that size is allocated or computed with.

use std::cell::Cell;

use crate::model::load_error::{fail, LoadResult};

/// The most that there may be of something, in the unit that its name says.
#[derive(Clone, Copy)]
pub struct Limit {
    unit: &'static str,
    max: u64,
}

const fn limit(max: u64, unit: &'static str) -> Limit {
    Limit { unit, max }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Counters and meters take their memory in the loaded program and in the switch that runs it; the cells of registers
/// take theirs when they are written.
pub const COPIES: u64 = 2;

/// Room for some 40 000 constant entries with blanks and source lines, 700 bytes each. `quench_switch.outside.files`
/// has the same.
pub const JSON_BYTES: Limit = limit(32 * MIB, "bytes of JSON");
/// The memory that reading takes: an empty list has 2 bytes of text and tens of bytes of memory.
pub const JSON_VALUES: Limit = limit(1 << 20, "JSON values");
/// Expressions are compiled and evaluated recursively.
pub const NESTING: Limit = limit(1000, "levels of JSON");
/// The width of one field, parameter, constant or register cell.
pub const WIDTH_BITS: Limit = limit(1 << 16, "bits");
/// The width of one header type, without its variable-length field.
pub const HEADER_BITS: Limit = limit(8 * 64 * KIB, "bits of fields");
/// All headers and metadata of one packet, variable-length fields and validity included.
pub const STATE_BYTES: Limit = limit(64 * KIB, "bytes of packet state");
pub const HEADERS: Limit = limit(4096, "headers");
/// The length of one header stack or header union stack.
pub const STACK: Limit = limit(4096, "elements");
/// The parameters of one action.
pub const PARAMETER_BYTES: Limit = limit(16 * KIB, "bytes of parameters");
/// The key of one table, or of one parser state's `select`.
pub const KEY_BYTES: Limit = limit(16 * KIB, "bytes of key");
/// The entries of one table, also where the program asks for more: the control plane fills it.
pub const TABLE_ENTRIES: Limit = limit(1 << 24, "entries");
/// The members of one group of a selector of Tofino, each by its weight.
pub const GROUP_MEMBERS: Limit = limit(1 << 17, "members of a group");
/// Headers that the deparser emits, each as often as it is emitted.
pub const EMITTED_BYTES: Limit = limit(128 * KIB, "bytes of headers");
/// Numbers and conditions in all expressions.
pub const EXPRESSIONS: Limit = limit(1 << 19, "parts of expressions");
/// All else that a program makes the switch keep: registers, counters, meters, entries, constants.
pub const MEMORY_BYTES: Limit = limit(128 * MIB, "bytes of memory");

impl Limit {
    pub fn allow(self, wanted: u64) -> LoadResult<()> {
        let Self { unit, max } = self;
        if wanted > max {
            return fail(format!("{wanted} {unit}; at most {max} are supported"));
        }
        Ok(())
    }

    /// A number that is at least 1 and within the limit.
    pub fn allow_some(self, wanted: u64) -> LoadResult<()> {
        if wanted == 0 {
            return fail(format!("0 {}", self.unit));
        }
        self.allow(wanted)
    }
}

/// The used part of a limit that many objects share.
pub struct Total {
    limit: Limit,
    taken: Cell<u64>,
}

impl Total {
    pub fn of(limit: Limit) -> Self {
        let taken = Cell::new(0);
        Self { limit, taken }
    }

    pub fn take(&self, more: u64) -> LoadResult<()> {
        self.taken.set(self.taken.get().saturating_add(more));
        self.limit.allow(self.taken.get())
    }

    /// `count` objects of `bytes_each` bytes.
    pub fn take_all(&self, count: u64, bytes_each: u64) -> LoadResult<()> {
        self.take(count.saturating_mul(bytes_each))
    }
}
