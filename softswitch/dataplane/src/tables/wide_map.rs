// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A map from keys of several words to entries, on top of a map from their hashes.

use super::slots::{chunk, place};
use super::word_hash::WordHash;
use super::word_map::WordMap;

#[derive(Debug, Clone)]
pub struct WideMap {
    width: usize,
    hash: WordHash,
    /// The place of a key by its hash.
    places: WordMap,
    /// The key of each place, `width` words each, in chunks as those of `Slots`, and its entry.
    keys: Vec<Vec<u64>>,
    entries: Vec<Vec<u32>>,
    len: usize,
    free: Vec<u32>,
    /// Places of keys whose hash another key had first; hardly ever any.
    others: Vec<u32>,
}

impl WideMap {
    pub fn new(width: usize) -> Self {
        Self {
            width,
            hash: WordHash::default(),
            places: WordMap::default(),
            keys: Vec::new(),
            entries: Vec::new(),
            len: 0,
            free: Vec::new(),
            others: Vec::new(),
        }
    }

    #[inline]
    fn key(&self, number: u32) -> &[u64] {
        let (chunk, at) = place(number as usize);
        &self.keys[chunk][at * self.width..(at + 1) * self.width]
    }

    #[inline]
    fn entry(&self, number: u32) -> u32 {
        let (chunk, at) = place(number as usize);
        self.entries[chunk][at]
    }

    #[inline]
    fn hash(&self, key: &[u64]) -> u64 {
        self.hash.of(key.iter().copied())
    }

    #[inline]
    pub fn get(&self, key: &[u64]) -> Option<u32> {
        let place = self.places.get(self.hash(key))?;
        if self.key(place) == key {
            return Some(self.entry(place));
        }
        let other = self.others.iter().find(|&&place| self.key(place) == key)?;
        Some(self.entry(*other))
    }

    /// See [`WordMap::touch`].
    pub fn touch(&self, key: &[u64]) -> u64 {
        self.places.touch(self.hash(key))
    }

    /// Adds a key that is new.
    pub fn insert(&mut self, key: &[u64], entry: u32) {
        let hash = self.hash(key);
        let number = match self.free.pop() {
            Some(number) => {
                let (chunk, at) = place(number as usize);
                self.keys[chunk][at * self.width..(at + 1) * self.width].copy_from_slice(key);
                self.entries[chunk][at] = entry;
                number
            }
            None => {
                let (number, _) = place(self.len);
                if number == self.keys.len() {
                    self.keys.push(chunk(number, self.width));
                    self.entries.push(chunk(number, 1));
                }
                self.keys[number].extend_from_slice(key);
                self.entries[number].push(entry);
                self.len += 1;
                self.len as u32 - 1
            }
        };
        match self.places.get(hash) {
            None => self.places.insert(hash, number),
            Some(_) => self.others.push(number),
        }
    }

    pub fn remove(&mut self, key: &[u64]) {
        let hash = self.hash(key);
        let Some(place) = self.places.get(hash) else {
            return;
        };
        if self.key(place) == key {
            self.free.push(place);
            self.places.remove(hash);
            // Another key of this hash is found by it from now on.
            let same = |&place: &u32| self.hash(self.key(place)) == hash;
            if let Some(at) = self.others.iter().position(same) {
                let place = self.others.swap_remove(at);
                self.places.insert(hash, place);
            }
        } else if let Some(at) = self.others.iter().position(|&other| self.key(other) == key) {
            self.free.push(self.others.swap_remove(at));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Also where all keys have the same hash.
        #[test]
        fn it_holds_what_a_map_holds(
            steps in prop::collection::vec((0u64..24, any::<bool>()), 0..200), width in 0usize..4, same in any::<bool>(),
        ) {
            let made = |number: u64| -> Vec<u64> { (0..width as u64).map(|word| number >> word).collect() };
            let mut map = WideMap::new(width);
            if same {
                map.hash = WordHash::CONSTANT;
            }
            let mut model = HashMap::new();
            for (number, (which, add)) in (0u32..).zip(steps) {
                let key = made(which);
                if add && !model.contains_key(&key) {
                    map.insert(&key, number);
                    model.insert(key, number);
                } else if !add {
                    map.remove(&key);
                    model.remove(&key);
                }
                prop_assert_eq!(map.is_empty(), model.is_empty());
                for key in (0u64..24).map(made) {
                    prop_assert_eq!(map.get(&key), model.get(&key).copied());
                }
            }
        }
    }
}
