// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The slots of a table's entries by what the control plane names them with.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

use super::entry::EntryState;
use super::word_map::WordMap;
use crate::model::values::MatchField;

/// Keys and priorities stay with the entries; here are their hashes.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    slots: WordMap,
    /// Slots whose hash another entry had first; hardly ever any.
    others: Vec<u32>,
}

/// One for all tables, so that a hash can be made without the table.
static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The hash of a key and a priority.
pub fn identity(key: &[MatchField], priority: i32) -> u64 {
    STATE.hash_one((key, priority))
}

fn identity_of(entry: &EntryState) -> u64 {
    identity(&entry.key, entry.priority)
}

impl Identities {
    /// `hash` is the key's and the priority's; the same below.
    pub fn get<'a>(
        &self,
        hash: u64,
        key: &[MatchField],
        priority: i32,
        entry: impl Fn(u32) -> &'a EntryState,
    ) -> Option<u32> {
        let first = self.slots.get(hash)?;
        let mut slots = std::iter::once(first).chain(self.others.iter().copied());
        slots.find(|&slot| {
            let entry = entry(slot);
            entry.priority == priority && entry.key == key
        })
    }

    /// See [`WordMap::touch`].
    pub fn touch(&self, hash: u64) -> u64 {
        self.slots.touch(hash)
    }

    /// Adds an entry with a name that is new.
    pub fn insert(&mut self, hash: u64, slot: u32) {
        match self.slots.get(hash) {
            None => self.slots.insert(hash, slot),
            Some(_) => self.others.push(slot),
        }
    }

    /// Removes what was an entry in a slot; `entry` has the others.
    pub fn remove<'a>(
        &mut self,
        hash: u64,
        slot: u32,
        entry: impl Fn(u32) -> Option<&'a EntryState>,
    ) {
        if self.slots.get(hash) != Some(slot) {
            self.others.retain(|&other| other != slot);
            return;
        }
        self.slots.remove(hash);
        // Another entry of this hash is found by it from now on.
        let same = |&other: &u32| entry(other).is_some_and(|entry| identity_of(entry) == hash);
        if let Some(at) = self.others.iter().position(same) {
            let other = self.others.swap_remove(at);
            self.slots.insert(hash, other);
        }
    }
}
