// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Exact and longest-prefix matching over packed keys.

use rustc_hash::FxHashMap;

/// A map from packed keys to entries, without a box for keys of one word.
#[derive(Debug, Clone)]
pub enum ExactMap {
    One(FxHashMap<u64, u32>),
    Many(FxHashMap<Box<[u64]>, u32>),
}

impl ExactMap {
    pub fn new(key_words: usize) -> Self {
        if key_words == 1 {
            Self::One(FxHashMap::default())
        } else {
            Self::Many(FxHashMap::default())
        }
    }

    #[inline]
    pub fn get(&self, key: &[u64]) -> Option<u32> {
        match self {
            Self::One(map) => map.get(&key[0]).copied(),
            Self::Many(map) => map.get(key).copied(),
        }
    }

    pub fn insert(&mut self, key: &[u64], entry: u32) {
        match self {
            Self::One(map) => map.insert(key[0], entry),
            Self::Many(map) => map.insert(key.into(), entry),
        };
    }

    pub fn remove(&mut self, key: &[u64]) {
        match self {
            Self::One(map) => map.remove(&key[0]),
            Self::Many(map) => map.remove(key),
        };
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

    #[inline]
    pub fn lookup(&mut self, key: &[u64]) -> Option<u32> {
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
