// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The value, mask and ranges that a key is compared with.

/// Bytes of a packed key between two limits, both inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeCheck {
    pub at: u32,
    pub low: Box<[u8]>,
    pub high: Box<[u8]>,
}

impl RangeCheck {
    pub fn matches(&self, key: &[u64]) -> bool {
        let bytes = (0..self.low.len()).map(|i| {
            let at = self.at as usize + i;
            (key[at / 8] >> (56 - 8 * (at % 8))) as u8
        });
        bytes.clone().cmp(self.low.iter().copied()).is_ge()
            && bytes.cmp(self.high.iter().copied()).is_le()
    }
}

/// Value and mask that a packed key is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TernaryKey {
    /// `(value, mask)` of every word.
    pub words: Box<[(u64, u64)]>,
    pub ranges: Box<[RangeCheck]>,
}

impl TernaryKey {
    /// Bits in which the words of a packed key differ.
    #[inline]
    pub fn diff(&self, key: &[u64]) -> u64 {
        let words = self.words.iter().zip(key);
        words.fold(0, |diff, (&(value, mask), key)| diff | (key ^ value) & mask)
    }

    #[inline]
    pub fn matches(&self, key: &[u64]) -> bool {
        self.diff(key) == 0 && self.ranges.iter().all(|range| range.matches(key))
    }

    /// Only the bits of `also` count.
    pub fn matches_with(&self, key: &[u64], also: Option<&[u64]>) -> bool {
        let Some(also) = also else {
            return self.matches(key);
        };
        let words = self.words.iter().zip(key).zip(also);
        words.fold(0, |diff, ((&(value, mask), key), also)| {
            diff | (key ^ value) & mask & also
        }) == 0
    }
}
