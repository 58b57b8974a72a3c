// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The entries of one table.

use std::cmp::Reverse;

use super::bound::Bound;
use super::entry::{EntryAction, EntryState};
use super::exact::{ExactMap, LpmIndex};
use super::identities::{identity, Identities};
use super::key::Packed;
use super::place::{By, Place};
use super::slots::Slots;
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
    entries: Slots<EntryState>,
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
            entries: Slots::default(),
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
        self.find_by(identity(key, priority), key, priority)
    }

    /// As [`Self::find`], with the hash that a [`Place`] has.
    pub fn find_by(&self, identity: u64, key: &[MatchField], priority: i32) -> Option<u32> {
        let entry = |slot| self.entry(slot);
        self.by_key.get(identity, key, priority, entry)
    }

    #[inline]
    pub fn entry(&self, index: u32) -> &EntryState {
        self.entries.get(index).expect("indices lead to entries")
    }

    #[inline]
    pub fn entry_mut(&mut self, index: u32) -> &mut EntryState {
        self.entries
            .get_mut(index)
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
        let entries = self.entries.numbered(0);
        let mut rows: Vec<_> = entries
            .map(|(slot, entry)| {
                let packed = Packed::of(def, &entry.key);
                let rank = (entry.priority, packed.prefix_bits);
                (rank, packed.ternary(), slot as u32)
            })
            .collect();
        // Stable: of equal ones the first that was inserted wins.
        rows.sort_by_key(|row| Reverse(row.0));
        rows.into_iter().map(|(_, key, slot)| (key, slot)).collect()
    }

    pub fn entries(&self) -> impl Iterator<Item = &EntryState> {
        self.entries.iter()
    }

    /// See [`Slots::page`].
    pub fn page(&self, from: usize, count: usize) -> (Vec<&EntryState>, Option<usize>) {
        self.entries.page(from, count)
    }

    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut EntryState> {
        self.entries.iter_mut()
    }

    /// Adds an entry whose key is canonical and new; gives its slot, which is below the number of entries that there
    /// were at most.
    pub fn insert(&mut self, def: &TableDef, entry: EntryState) -> u32 {
        let mut place = Place::new(def, &entry.key, entry.priority);
        self.insert_at(&mut place, entry)
    }

    /// The slot of the entry that is inserted next.
    pub fn next_slot(&self) -> u32 {
        let last = self.free.last().copied();
        last.unwrap_or(self.entries.end() as u32)
    }

    /// Reads the memory with which changes at a place begin. Many such reads one after the other take little longer
    /// than one, for none waits for another.
    #[inline]
    pub fn touch(&self, place: &Place) -> u64 {
        let indexed = match (&self.index, &place.by) {
            (Index::Exact(map), By::Packed(packed)) => map.touch(&packed.value),
            (Index::Lpm(index), By::Packed(packed)) => {
                index.touch(&packed.value, packed.prefix_bits)
            }
            _ => 0,
        };
        indexed ^ self.by_key.touch(place.identity)
    }

    /// As [`Self::insert`], with what was made of key and priority before. An entry that was removed with its place
    /// comes back to where it stood.
    pub fn insert_at(&mut self, place: &mut Place, entry: EntryState) -> u32 {
        self.footprint_bytes += entry.footprint_bytes();
        let slot = self.next_slot();
        self.free.pop();
        self.by_key.insert(place.identity, slot);
        self.entries.put(slot, entry);
        self.rows += 1;
        match (&mut self.index, &mut place.by) {
            (Index::Exact(map), By::Packed(packed)) => map.insert(&packed.value, slot),
            (Index::Lpm(index), By::Packed(packed)) => {
                index.insert(&packed.value, &packed.mask, packed.prefix_bits, slot)
            }
            (Index::Ternary(index), By::Row(row)) => {
                let row = row
                    .take()
                    .expect("the row of an entry that is not in the table");
                index.insert(row, slot);
            }
            _ => unreachable!("the place is one of this table"),
        }
        slot
    }

    /// Removes the entry of a place.
    pub fn remove_at(&mut self, place: &mut Place, slot: u32) -> EntryState {
        let entry = self.entries.take(slot).expect("indices lead to entries");
        let others = |slot| self.entries.get(slot);
        self.by_key.remove(place.identity, slot, others);
        match (&mut self.index, &mut place.by) {
            (Index::Exact(map), By::Packed(packed)) => map.remove(&packed.value),
            (Index::Lpm(index), By::Packed(packed)) => {
                index.remove(&packed.value, packed.prefix_bits)
            }
            (Index::Ternary(index), By::Row(row)) => *row = Some(index.remove(slot)),
            _ => unreachable!("the place is one of this table"),
        }
        self.footprint_bytes -= entry.footprint_bytes();
        self.rows -= 1;
        self.free.push(slot);
        entry
    }
}
