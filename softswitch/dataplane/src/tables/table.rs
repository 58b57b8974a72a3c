// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The entries of one table.

use std::cmp::Reverse;

use super::bound::Bound;
use super::entry::{EntryAction, EntryState};
use super::exact::{ExactMap, LpmIndex};
use super::identities::Identities;
use super::key::Packed;
use super::pages::page;
use super::ternary::{TernaryIndex, TernaryKey};
use crate::externs::meter::Meter;
use crate::model::values::{CounterValue, MatchField};
use crate::program::table::{Algorithm, TableDef};

#[derive(Debug, Clone)]
enum Index {
    Exact(ExactMap),
    Lpm(LpmIndex),
    Ternary(TernaryIndex),
}

#[derive(Debug, Clone)]
pub struct Table {
    /// Number of entries.
    rows: u32,
    index: Index,
    entries: Vec<Option<EntryState>>,
    free: Vec<u32>,
    by_key: Identities,
    pub default: Option<EntryAction>,
    /// The program's own default.
    pub initial_default: Option<EntryAction>,
    pub default_counter: CounterValue,
    pub default_meter: Meter,
    pub profile: Option<u32>,
    /// The memory of all entries.
    pub footprint_bytes: usize,
}

/// An entry, and where it stands among others of its priority.
#[derive(Debug, Clone)]
pub struct Standing {
    pub entry: EntryState,
    age: Option<u64>,
}

impl Table {
    pub fn new(def: &TableDef) -> Self {
        let index = match def.algorithm {
            Algorithm::Exact => Index::Exact(ExactMap::new(def.key_words)),
            Algorithm::Lpm(_) => Index::Lpm(LpmIndex::new(def.key_words)),
            Algorithm::Ternary => Index::Ternary(TernaryIndex::default()),
        };
        Self {
            rows: 0,
            index,
            entries: Vec::new(),
            free: Vec::new(),
            by_key: Identities::default(),
            default: None,
            initial_default: None,
            default_counter: CounterValue::default(),
            default_meter: Meter::default(),
            profile: def.profile,
            footprint_bytes: 0,
        }
    }

    /// Where the number of entries is, for compiled code: four bytes of every `Table`.
    pub const ROWS: usize = std::mem::offset_of!(Self, rows);

    #[inline]
    pub fn lookup(&mut self, key: &[u64]) -> Option<u32> {
        match &mut self.index {
            Index::Exact(map) => map.get(key),
            Index::Lpm(index) => index.lookup(key),
            Index::Ternary(index) => index.lookup(key),
        }
    }

    /// As [`Self::lookup`], in an exact map with keys of one word.
    #[inline]
    pub fn lookup_exact(&self, key: u64) -> Option<u32> {
        match &self.index {
            Index::Exact(map) => map.get_word(key),
            _ => unreachable!("the table has an exact map"),
        }
    }

    /// As [`Self::lookup`], by prefixes of one word.
    #[inline]
    pub fn lookup_lpm(&self, key: u64) -> Option<u32> {
        match &self.index {
            Index::Lpm(index) => index.lookup_word(key),
            _ => unreachable!("the table has prefixes"),
        }
    }

    pub fn len(&self) -> usize {
        self.rows as usize
    }

    /// The entry with this canonical key.
    pub fn find(&self, key: &[MatchField], priority: i32) -> Option<u32> {
        self.by_key.get(key, priority, |slot| self.entry(slot))
    }

    #[inline]
    pub fn entry(&self, index: u32) -> &EntryState {
        self.entries[index as usize]
            .as_ref()
            .expect("indices lead to entries")
    }

    #[inline]
    pub fn entry_mut(&mut self, index: u32) -> &mut EntryState {
        self.entries[index as usize]
            .as_mut()
            .expect("indices lead to entries")
    }

    /// The action of a hit or a miss in a table without an action profile.
    #[inline]
    pub fn call(&self, hit: Option<u32>) -> Option<&Bound> {
        let action = match hit {
            Some(index) => Some(&self.entry(index).action),
            None => self.default.as_ref(),
        };
        action.map(EntryAction::direct)
    }

    /// Key and slot of every entry; where several match, the first wins.
    pub fn rows(&self, def: &TableDef) -> Vec<(TernaryKey, u32)> {
        let slots = (0..).zip(&self.entries);
        let entries = slots.filter_map(|(slot, entry)| Some((entry.as_ref()?, slot)));
        let mut rows: Vec<_> = entries
            .map(|(entry, slot)| {
                let packed = Packed::of(def, &entry.key);
                ((entry.priority, packed.prefix_bits), packed.ternary(), slot)
            })
            .collect();
        // Stable: of equal ones the first that was inserted wins.
        rows.sort_by_key(|row| Reverse(row.0));
        rows.into_iter().map(|(_, key, slot)| (key, slot)).collect()
    }

    pub fn entries(&self) -> impl Iterator<Item = &EntryState> {
        self.entries.iter().flatten()
    }

    /// See [`page`].
    pub fn page(&self, from: usize, count: usize) -> (Vec<&EntryState>, Option<usize>) {
        page(&self.entries, from, count)
    }

    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut EntryState> {
        self.entries.iter_mut().flatten()
    }

    /// Adds an entry whose key is canonical and new; gives its slot, which is below the number of entries that there
    /// were at most.
    pub fn insert(&mut self, def: &TableDef, entry: EntryState) -> u32 {
        self.add(def, entry, None)
    }

    /// The slot of the entry that is inserted next.
    pub fn next_slot(&self) -> u32 {
        let last = self.free.last().copied();
        last.unwrap_or(self.entries.len() as u32)
    }

    /// The entry in a slot as it stands, for [`Self::put_back`].
    pub fn standing(&self, slot: u32) -> Standing {
        let entry = self.entry(slot).clone();
        let age = match &self.index {
            Index::Ternary(index) => Some(index.age(slot)),
            Index::Exact(_) | Index::Lpm(_) => None,
        };
        Standing { entry, age }
    }

    /// Brings an entry back that was changed or removed; all that changed after it was taken back before.
    pub fn put_back(&mut self, def: &TableDef, standing: Standing) {
        let Standing { entry, age } = standing;
        match self.find(&entry.key, entry.priority) {
            Some(slot) => {
                self.footprint_bytes += entry.footprint_bytes();
                let changed = std::mem::replace(self.entry_mut(slot), entry);
                self.footprint_bytes -= changed.footprint_bytes();
            }
            None => {
                self.add(def, entry, age);
            }
        }
    }

    fn add(&mut self, def: &TableDef, entry: EntryState, age: Option<u64>) -> u32 {
        let packed = Packed::of(def, &entry.key);
        let priority = entry.priority;
        self.footprint_bytes += entry.footprint_bytes();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.entries.len() as u32 - 1
        });
        self.by_key.insert(&entry, slot);
        self.entries[slot as usize] = Some(entry);
        self.rows += 1;
        match &mut self.index {
            Index::Exact(map) => map.insert(&packed.value, slot),
            Index::Lpm(index) => {
                index.insert(&packed.value, &packed.mask, packed.prefix_bits, slot)
            }
            Index::Ternary(index) => match age {
                Some(age) => index.insert_aged(age, packed.ternary(), priority, slot),
                None => index.insert(packed.ternary(), priority, slot),
            },
        }
        slot
    }

    pub fn remove(&mut self, def: &TableDef, slot: u32) -> EntryState {
        let entry = self.entries[slot as usize]
            .take()
            .expect("indices lead to entries");
        self.by_key
            .remove(&entry, slot, |slot| self.entries[slot as usize].as_ref());
        let packed = Packed::of(def, &entry.key);
        match &mut self.index {
            Index::Exact(map) => map.remove(&packed.value),
            Index::Lpm(index) => index.remove(&packed.value, packed.prefix_bits),
            Index::Ternary(index) => index.remove(slot),
        }
        self.footprint_bytes -= entry.footprint_bytes();
        self.rows -= 1;
        self.free.push(slot);
        entry
    }
}
