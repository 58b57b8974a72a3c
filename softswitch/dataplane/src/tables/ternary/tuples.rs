// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tuple space: rows with the same mask are one group, in which a packet's key under that mask is found by its hash
//! (Srinivasan, Suri, Varghese, Packet Classification using Tuple Space Search, 1999).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::key::TernaryKey;
use super::ranked::Ranked;
use super::row::{Probe, Rank, Rows};
use crate::tables::word_hash::WordHash;
use crate::tables::word_map::WordMap;

/// Most masks with a group of their own. A row with a further one is in the group with the largest part of its mask.
pub const MASKS: usize = 128;

/// Set in what a hash leads to: the number of one of `several`, not an entry.
const SEVERAL: u32 = 1 << 31;

#[derive(Debug, Clone)]
struct Group {
    mask: Box<[u64]>,
    /// An entry or several by the hash of the bits that count here. All else is compared with the row.
    found: WordMap,
    several: Vec<Ranked>,
    free: Vec<u32>,
    /// The number of rows of each priority.
    priorities: BTreeMap<i32, u32>,
}

impl Group {
    fn new(mask: Box<[u64]>) -> Self {
        Self {
            mask,
            found: WordMap::default(),
            several: Vec::new(),
            free: Vec::new(),
            priorities: BTreeMap::new(),
        }
    }

    fn top(&self) -> Option<i32> {
        self.priorities.last_key_value().map(|(&top, _)| top)
    }

    #[inline]
    fn hash(&self, hash: WordHash, key: impl Iterator<Item = u64>) -> u64 {
        hash.of(key.zip(&self.mask).map(|(key, mask)| key & mask))
    }

    fn insert(&mut self, hash: u64, entry: u32, rows: &Rows) {
        let rank = rows.get(entry).rank;
        *self.priorities.entry(rank.priority.0).or_default() += 1;
        let add = |ranked: &mut Ranked, entry: u32| {
            let row = rows.get(entry);
            ranked.insert(row.rank, Probe::of(&row.key), entry);
        };
        match self.found.get(hash) {
            None => self.found.insert(hash, entry),
            Some(several) if several & SEVERAL != 0 => {
                add(&mut self.several[(several & !SEVERAL) as usize], entry);
            }
            Some(other) => {
                let mut ranked = Ranked::default();
                add(&mut ranked, other);
                add(&mut ranked, entry);
                let number = match self.free.pop() {
                    Some(number) => {
                        self.several[number as usize] = ranked;
                        number
                    }
                    None => {
                        self.several.push(ranked);
                        self.several.len() as u32 - 1
                    }
                };
                self.found.remove(hash);
                self.found.insert(hash, SEVERAL | number);
            }
        }
    }

    fn remove(&mut self, hash: u64, rank: Rank) {
        let priority = rank.priority.0;
        if let Some(count) = self.priorities.get_mut(&priority) {
            *count -= 1;
            if *count == 0 {
                self.priorities.remove(&priority);
            }
        }
        match self.found.get(hash) {
            Some(several) if several & SEVERAL != 0 => {
                let number = several & !SEVERAL;
                let ranked = &mut self.several[number as usize];
                ranked.remove(rank);
                if let Some(last) = ranked.only() {
                    *ranked = Ranked::default();
                    self.free.push(number);
                    self.found.remove(hash);
                    self.found.insert(hash, last);
                }
            }
            _ => self.found.remove(hash),
        }
    }
}

/// Groups of rows.
#[derive(Debug, Clone, Default)]
pub struct Tuples {
    hash: WordHash,
    groups: Vec<Group>,
    /// The highest priority and the number of each group that has rows, by falling priority.
    order: Vec<(i32, u32)>,
}

impl Tuples {
    /// All keys have the same hash from now on.
    #[cfg(test)]
    pub fn meet(&mut self) {
        self.hash = WordHash::CONSTANT;
    }

    /// The number of groups that have rows.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The group for rows with the mask of a key.
    fn group_for(&mut self, key: &TernaryKey) -> u32 {
        let mask = key.words.iter().map(|&(_, mask)| mask);
        let used = self.order.iter().map(|&(_, group)| group);
        let same = |&group: &u32| {
            self.groups[group as usize]
                .mask
                .iter()
                .copied()
                .eq(mask.clone())
        };
        if let Some(group) = used.clone().find(same) {
            return group;
        }
        let is_full = self.order.len() >= MASKS;
        if !is_full {
            return self.new_group(mask.collect());
        }
        let mut best: Option<(u32, u32)> = None;
        for group in used {
            let theirs = &self.groups[group as usize].mask;
            let is_part = theirs
                .iter()
                .zip(mask.clone())
                .all(|(part, whole)| part & !whole == 0);
            let bits = theirs.iter().map(|word| word.count_ones()).sum();
            if is_part && best.is_none_or(|(most, _)| bits > most) {
                best = Some((bits, group));
            }
        }
        match best {
            Some((_, group)) => group,
            None => self.new_group(key.words.iter().map(|_| 0).collect()),
        }
    }

    /// A group without rows.
    fn new_group(&mut self, mask: Box<[u64]>) -> u32 {
        let unused = self
            .groups
            .iter()
            .position(|group| group.priorities.is_empty());
        match unused {
            Some(unused) => {
                self.groups[unused] = Group::new(mask);
                unused as u32
            }
            None => {
                self.groups.push(Group::new(mask));
                self.groups.len() as u32 - 1
            }
        }
    }

    /// Changes a group, and moves it to the place of the priority that it has then.
    fn change(&mut self, group: u32, change: impl FnOnce(&mut Group)) {
        let state = &mut self.groups[group as usize];
        let before = state.top();
        change(state);
        let after = state.top();
        if before == after {
            return;
        }
        self.order.retain(|&(_, other)| other != group);
        if let Some(top) = after {
            let at = self.order.partition_point(|&(other, _)| other >= top);
            self.order.insert(at, (top, group));
        }
    }

    /// Adds a row that is among `rows`.
    pub fn insert(&mut self, entry: u32, rows: &mut Rows) {
        let group = self.group_for(&rows.get(entry).key);
        rows.get_mut(entry).group = group;
        let hash = self.hash_of(group, entry, rows);
        self.change(group, |state| state.insert(hash, entry, rows));
    }

    /// Removes a row that is still among `rows`.
    pub fn remove(&mut self, entry: u32, rows: &Rows) {
        let row = rows.get(entry);
        let hash = self.hash_of(row.group, entry, rows);
        self.change(row.group, |state| state.remove(hash, row.rank));
    }

    fn hash_of(&self, group: u32, entry: u32, rows: &Rows) -> u64 {
        let values = rows.get(entry).key.words.iter().map(|&(value, _)| value);
        self.groups[group as usize].hash(self.hash, values)
    }

    /// The first of all rows that match.
    #[inline]
    pub fn lookup(&self, key: &[u64], rows: &Rows) -> Option<u32> {
        let mut best: Option<(Rank, u32)> = None;
        for &(top, group) in &self.order {
            if best.is_some_and(|(rank, _)| rank.priority < Reverse(top)) {
                break;
            }
            let group = &self.groups[group as usize];
            let Some(found) = group.found.get(group.hash(self.hash, key.iter().copied())) else {
                continue;
            };
            let before = best.map(|(rank, _)| rank);
            let entry = if found & SEVERAL != 0 {
                group.several[(found & !SEVERAL) as usize].lookup(key, rows, before)
            } else {
                rows.get(found).matches(key).then_some(found)
            };
            if let Some(entry) = entry {
                let rank = rows.get(entry).rank;
                if before.is_none_or(|before| rank < before) {
                    best = Some((rank, entry));
                }
            }
        }
        best.map(|(_, entry)| entry)
    }
}
