// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys of several words as one word.

use super::word_map::chance;

/// A hash function drawn by chance: whoever chooses keys cannot choose such that meet.
#[derive(Debug, Clone, Copy)]
pub struct WordHash {
    start: u64,
    /// Odd.
    factor: u64,
}

impl Default for WordHash {
    fn default() -> Self {
        Self {
            start: chance(),
            factor: chance() | 1,
        }
    }
}

impl WordHash {
    /// All keys meet.
    #[cfg(test)]
    pub const CONSTANT: Self = Self {
        start: 0,
        factor: 0,
    };

    /// Both halves of each product count, as in wyhash.
    #[inline]
    pub fn of(&self, words: impl Iterator<Item = u64>) -> u64 {
        words.fold(self.start, |hash, word| {
            let product = u128::from(word ^ hash) * u128::from(self.factor);
            (product >> 64) as u64 ^ product as u64
        })
    }
}
