// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Table entries and what they do.

use crate::externs::meter::Meter;
use crate::model::values::{CounterValue, MatchField, OneShotSet};
use crate::tables::bound::Bound;
use crate::tables::profile::Choices;

/// The action, member or group of an entry.
#[derive(Debug, Clone)]
pub enum EntryAction {
    Direct(Bound),
    /// Slot of a member of the profile.
    Member(u32),
    /// Slot of a group of the profile.
    Group(u32),
    OneShot(Box<OneShot>),
}

/// Memory of an entry, an action's parameter or a member of a set beside the bytes that the control plane gave, in the
/// indices too; measured, rounded up.
const ENTRY_BYTES: usize = 320;
const PART_BYTES: usize = 96;
/// The memory of a masked key's row, its group and the order of rows besides.
const ROW_BYTES: usize = 576;

impl EntryAction {
    fn footprint_bytes(&self) -> usize {
        match self {
            Self::Direct(call) => call.data.len(),
            Self::Member(_) | Self::Group(_) => 0,
            Self::OneShot(held) => {
                let members = held.set.members.iter().zip(&held.calls);
                members
                    .map(|(member, call)| {
                        let params = &member.action.params;
                        let given: usize = params.iter().map(Vec::len).sum();
                        PART_BYTES * (2 + params.len())
                            + given
                            + call.data.len()
                            + member.action.name.len()
                    })
                    .sum()
            }
        }
    }

    /// The action of an entry of a table without an action profile.
    #[inline]
    pub fn direct(&self) -> &Bound {
        match self {
            Self::Direct(call) => call,
            _ => unreachable!("members and groups belong to a profile"),
        }
    }
}

/// A set of weighted actions that belongs to one entry.
#[derive(Debug, Clone)]
pub struct OneShot {
    pub set: OneShotSet,
    pub calls: Vec<Bound>,
    /// Indices into `calls`.
    pub choices: Choices,
}

#[derive(Debug, Clone)]
pub struct EntryState {
    /// As the control plane sees it, in canonical form.
    pub key: Vec<MatchField>,
    pub priority: i32,
    /// The program's for good, in a table whose other entries may change.
    pub is_const: bool,
    pub action: EntryAction,
    pub metadata: Vec<u8>,
    pub idle_timeout_ns: u64,
    /// Kept only where the table supports idle time-outs.
    pub last_hit_ns: u64,
    /// Its expiry was reported and it has not been hit since.
    pub expired: bool,
    pub counter: CounterValue,
    /// There where the table has direct meters.
    pub meter: Option<Box<Meter>>,
}

impl EntryState {
    /// The memory that it takes, roughly.
    pub fn footprint_bytes(&self) -> usize {
        let fields = self.key.iter().map(|field| match field {
            MatchField::Exact(value) | MatchField::Lpm(value, _) | MatchField::Optional(value) => {
                value.len()
            }
            MatchField::Ternary(value, other) | MatchField::Range(value, other) => {
                value.len() + other.len()
            }
            MatchField::DontCare => 0,
        });
        // The key is there once more to find the entry by, and packed to match packets with.
        let key: usize = fields.map(|bytes| 4 * bytes + PART_BYTES).sum();
        let masked = self.key.iter().any(|field| {
            matches!(
                field,
                MatchField::Ternary(..) | MatchField::Range(..) | MatchField::Optional(_)
            )
        });
        let row = if masked { ROW_BYTES } else { 0 };
        ENTRY_BYTES + row + key + self.action.footprint_bytes() + self.metadata.len()
    }
}
