// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Exact and longest-prefix matching over packed keys.

use super::wide_map::WideMap;
use super::word_map::WordMap;

/// A map from packed keys to entries.
#[derive(Debug, Clone)]
pub enum ExactMap {
    One(WordMap),
    Many(WideMap),
}

impl ExactMap {
    pub fn new(key_words: usize) -> Self {
        if key_words == 1 {
            Self::One(WordMap::default())
        } else {
            Self::Many(WideMap::new(key_words))
        }
    }

    #[inline]
    pub fn get(&self, key: &[u64]) -> Option<u32> {
        match self {
            Self::Many(map) => map.get(key),
            _ => self.get_word(key[0]),
        }
    }

    /// As [`Self::get`], for a map with keys of one word.
    #[inline(always)]
    pub fn get_word(&self, key: u64) -> Option<u32> {
        match self {
            Self::One(map) => map.get(key),
            Self::Many(map) => map.get(&[key]),
        }
    }

    /// See [`WordMap::touch`].
    pub fn touch(&self, key: &[u64]) -> u64 {
        match self {
            Self::One(map) => map.touch(key[0]),
            Self::Many(map) => map.touch(key),
        }
    }

    /// Adds a key that is new.
    pub fn insert(&mut self, key: &[u64], entry: u32) {
        match self {
            Self::One(map) => map.insert(key[0], entry),
            Self::Many(map) => map.insert(key, entry),
        }
    }

    pub fn remove(&mut self, key: &[u64]) {
        match self {
            Self::One(map) => map.remove(key[0]),
            Self::Many(map) => map.remove(key),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::One(map) => map.is_empty(),
            Self::Many(map) => map.is_empty(),
        }
    }
}

#[derive(Debug, Clone)]
struct Level {
    prefix_bits: u32,
    mask: Box<[u64]>,
    /// The first word of the mask.
    first_mask: u64,
    map: ExactMap,
}

/// One exact map for every prefix length in use, longest first.
#[derive(Debug, Clone)]
pub struct LpmIndex {
    levels: Vec<Level>,
    /// The packet's key under a mask.
    masked: Vec<u64>,
}

impl LpmIndex {
    pub fn new(key_words: usize) -> Self {
        Self {
            levels: Vec::new(),
            masked: vec![0; key_words],
        }
    }

    /// `mask` has ones where the key counts: everywhere but behind the prefix.
    pub fn insert(&mut self, key: &[u64], mask: &[u64], prefix_bits: u32, entry: u32) {
        let at = self
            .levels
            .partition_point(|level| level.prefix_bits > prefix_bits);
        if self
            .levels
            .get(at)
            .is_none_or(|level| level.prefix_bits != prefix_bits)
        {
            let map = ExactMap::new(key.len());
            self.levels.insert(
                at,
                Level {
                    prefix_bits,
                    mask: mask.into(),
                    first_mask: mask.first().copied().unwrap_or(0),
                    map,
                },
            );
        }
        self.levels[at].map.insert(key, entry);
    }

    pub fn remove(&mut self, key: &[u64], prefix_bits: u32) {
        let at = self
            .levels
            .partition_point(|level| level.prefix_bits > prefix_bits);
        if let Some(level) = self.levels.get_mut(at) {
            level.map.remove(key);
            if level.map.is_empty() {
                self.levels.remove(at);
            }
        }
    }

    /// See [`WordMap::touch`].
    pub fn touch(&self, key: &[u64], prefix_bits: u32) -> u64 {
        let mut levels = self.levels.iter();
        let level = levels.find(|level| level.prefix_bits == prefix_bits);
        level.map_or(0, |level| level.map.touch(key))
    }

    /// As [`Self::lookup`], for keys of one word.
    #[inline]
    pub fn lookup_word(&self, key: u64) -> Option<u32> {
        let mut levels = self.levels.iter();
        levels.find_map(|level| level.map.get_word(key & level.first_mask))
    }

    #[inline]
    pub fn lookup(&mut self, key: &[u64]) -> Option<u32> {
        if let [key] = *key {
            return self.lookup_word(key);
        }
        for level in &self.levels {
            for (slot, (key, mask)) in self.masked.iter_mut().zip(key.iter().zip(&level.mask)) {
                *slot = key & mask;
            }
            if let Some(entry) = level.map.get(&self.masked) {
                return Some(entry);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_many_there_are() {
        for key_words in [1, 2] {
            let key = |number: u64| vec![number; key_words];
            let mut map = ExactMap::new(key_words);
            for count in 1..=20u32 {
                map.insert(&key(u64::from(count)), count);
                for number in 0..=21 {
                    let want = (1..=count).contains(&number).then_some(number);
                    assert_eq!(map.get(&key(u64::from(number))), want);
                }
            }
            for gone in 1..=20u32 {
                assert!(!map.is_empty());
                map.remove(&key(u64::from(gone)));
                for number in 0..=21 {
                    let want = (gone + 1..=20).contains(&number).then_some(number);
                    assert_eq!(map.get(&key(u64::from(number))), want);
                }
            }
            assert!(map.is_empty());
        }
    }

    #[test]
    fn the_longest_prefix_wins_with_keys_of_any_number_of_words() {
        for key_words in [1, 2] {
            let key = |top: u64| {
                let mut key = vec![0; key_words];
                key[0] = top << 32;
                key
            };
            let mut index = LpmIndex::new(key_words);
            for (value, prefix_bits, entry) in
                [(0x0a00_0000, 8, 1), (0x0a01_0000, 16, 2), (0, 0, 3)]
            {
                let mask = key(u64::from(u32::MAX) << (32 - prefix_bits) & u64::from(u32::MAX));
                index.insert(&key(value), &mask, prefix_bits, entry);
            }
            let found = |index: &mut LpmIndex| {
                [0x0a01_0203, 0x0a02_0304, 0x0b00_0001].map(|address| index.lookup(&key(address)))
            };
            assert_eq!(found(&mut index), [Some(2), Some(1), Some(3)]);
            index.remove(&key(0x0a01_0000), 16);
            assert_eq!(found(&mut index), [Some(1), Some(1), Some(3)]);
            index.remove(&key(0), 0);
            assert_eq!(found(&mut index), [Some(1), Some(1), None]);
        }
    }
}
