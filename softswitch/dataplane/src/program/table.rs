// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A table as the program declares it.

use crate::externs::meter::{Color, Meter, MeterDef};
use crate::model::ids::END;
use crate::model::info::MatchKind;
use crate::state::loc::Loc;

/// One field of a table's key.
#[derive(Debug, Clone)]
pub struct KeyField {
    pub name: String,
    pub kind: MatchKind,
    pub loc: Loc,
    /// Where the field starts in the packed key, in bytes.
    pub at: u32,
    /// Bits of the packet's value that count, as big-endian bytes.
    pub mask: Option<Vec<u8>>,
}

impl KeyField {
    pub fn bits(&self) -> u32 {
        self.loc.bits
    }

    pub fn nbytes(&self) -> u32 {
        self.loc.bits.div_ceil(8)
    }
}

/// The way in which a table finds an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Exact,
    /// Index of the field with prefixes; the others are exact.
    Lpm(u32),
    /// The entry of the highest priority.
    Ternary,
}

/// The nodes that follow a hit, a miss, an empty group and each action.
#[derive(Debug, Clone)]
pub struct NextNodes {
    /// Nodes by action; only where neither hits nor misses decide.
    pub by_action: Vec<u32>,
    pub hit: Option<u32>,
    pub miss: Option<u32>,
    /// The node where no action runs.
    pub base: u32,
}

impl NextNodes {
    /// Every node that may follow.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let decided = [Some(self.base), self.hit, self.miss];
        self.by_action
            .iter()
            .copied()
            .chain(decided.into_iter().flatten())
    }

    pub fn after(&self, hit: bool, action: Option<u32>) -> u32 {
        let decided = if hit { self.hit } else { self.miss };
        decided.unwrap_or_else(|| match action {
            Some(action) => self.by_action.get(action as usize).copied().unwrap_or(END),
            None => self.base,
        })
    }
}

#[derive(Debug, Clone)]
pub struct TableDef {
    pub name: String,
    pub key: Vec<KeyField>,
    /// Words of the packed key.
    pub key_words: usize,
    pub algorithm: Algorithm,
    pub size: u64,
    /// Actions that entries may call.
    pub actions: Vec<u32>,
    pub next: NextNodes,
    /// Each hit counts, and is coloured. Where actions do that the arrays are among `direct_cells`.
    pub direct_counter: bool,
    pub direct_meter: Option<DirectMeter>,
    /// Field for the number of the entry that was hit, all ones for none.
    pub entry_index: Option<Loc>,
    pub direct_cells: Vec<DirectCells>,
    pub profile: Option<u32>,
    /// A profile with groups.
    pub with_groups: bool,
    pub support_timeout: bool,
    pub const_entries: bool,
    /// The default action may not be replaced by another one.
    pub const_default_action: bool,
    /// Nor may its parameters be changed.
    pub const_default_entry: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct DirectMeter {
    pub def: MeterDef,
    /// Field for the colour.
    pub target: Loc,
}

impl DirectMeter {
    /// Colours a packet by an entry's meter; gives the result and where it goes.
    #[inline]
    pub fn color(&self, meter: &mut Meter, now_ns: u64, bytes: u32) -> (u8, Loc) {
        let color = meter.execute(now_ns, self.def.in_bytes, bytes, Color::Green);
        (self.def.result(color), self.target)
    }
}

/// Cells of arrays that belong to a table's entries, one to each.
#[derive(Debug, Clone, Copy)]
pub enum DirectCells {
    Register(u32),
    Filter(u32),
    Counter(u32),
    Meter(u32),
}

impl TableDef {
    /// Whether anything has to be noted of what hits its entries: a count, a colour, the time or the entry.
    pub fn notes_hits(&self) -> bool {
        self.direct_counter
            || self.direct_meter.is_some()
            || self.support_timeout
            || self.entry_index.is_some()
    }

    /// The direct meter of a new entry.
    pub fn new_meter(&self) -> Option<Box<Meter>> {
        self.direct_meter.map(|_| Box::default())
    }

    /// The array that counts what hits the entries, where actions count.
    pub fn counter_cells(&self) -> Option<usize> {
        self.direct_cells.iter().find_map(|&cells| match cells {
            DirectCells::Counter(array) => Some(array as usize),
            _ => None,
        })
    }

    /// The array of the entries' meters, where actions colour.
    pub fn meter_cells(&self) -> Option<usize> {
        self.direct_cells.iter().find_map(|&cells| match cells {
            DirectCells::Meter(array) => Some(array as usize),
            _ => None,
        })
    }

    pub fn has_priorities(&self) -> bool {
        self.algorithm == Algorithm::Ternary
    }
}
