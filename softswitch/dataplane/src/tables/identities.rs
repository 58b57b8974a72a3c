// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The slots of a table's entries by what the control plane names them with.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::entry::EntryState;
use super::word_map::WordMap;
use crate::model::values::MatchField;

/// Keys and priorities stay with the entries; here are their hashes.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    state: RandomState,
    slots: WordMap,
    /// Slots whose hash another entry had first; hardly ever any.
    others: Vec<u32>,
}

impl Identities {
    fn hash(&self, key: &[MatchField], priority: i32) -> u64 {
        self.state.hash_one((key, priority))
    }

    pub fn get<'a>(
        &self,
        key: &[MatchField],
        priority: i32,
        entry: impl Fn(u32) -> &'a EntryState,
    ) -> Option<u32> {
        let first = self.slots.get(self.hash(key, priority))?;
        let mut slots = std::iter::once(first).chain(self.others.iter().copied());
        slots.find(|&slot| {
            let entry = entry(slot);
            entry.priority == priority && entry.key == key
        })
    }

    /// Adds an entry with a name that is new.
    pub fn insert(&mut self, entry: &EntryState, slot: u32) {
        let hash = self.hash(&entry.key, entry.priority);
        match self.slots.get(hash) {
            None => self.slots.insert(hash, slot),
            Some(_) => self.others.push(slot),
        }
    }

    /// Removes what was an entry in a slot; `entry` has the others.
    pub fn remove<'a>(
        &mut self,
        gone: &EntryState,
        slot: u32,
        entry: impl Fn(u32) -> Option<&'a EntryState>,
    ) {
        let hash = self.hash(&gone.key, gone.priority);
        if self.slots.get(hash) != Some(slot) {
            self.others.retain(|&other| other != slot);
            return;
        }
        self.slots.remove(hash);
        // Another entry of this hash is found by it from now on.
        let same = |&other: &u32| {
            entry(other).is_some_and(|entry| self.hash(&entry.key, entry.priority) == hash)
        };
        if let Some(at) = self.others.iter().position(same) {
            let other = self.others.swap_remove(at);
            self.slots.insert(hash, other);
        }
    }
}
