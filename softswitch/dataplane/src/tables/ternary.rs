// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Masked values and ranges, by priority.

/// Bytes of a packed key between two limits, both inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeCheck {
    pub at: u32,
    pub low: Box<[u8]>,
    pub high: Box<[u8]>,
}

impl RangeCheck {
    fn matches(&self, key: &[u64]) -> bool {
        let bytes = (0..self.low.len()).map(|i| {
            let at = self.at as usize + i;
            (key[at / 8] >> (56 - 8 * (at % 8))) as u8
        });
        bytes.clone().cmp(self.low.iter().copied()).is_ge()
            && bytes.cmp(self.high.iter().copied()).is_le()
    }
}

/// What a packed key has to match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TernaryKey {
    /// `(value, mask)` of every word.
    pub words: Box<[(u64, u64)]>,
    pub ranges: Box<[RangeCheck]>,
}

impl TernaryKey {
    #[inline]
    pub fn matches(&self, key: &[u64]) -> bool {
        let diff = self
            .words
            .iter()
            .zip(key)
            .fold(0, |diff, (&(value, mask), key)| diff | (key ^ value) & mask);
        diff == 0 && self.ranges.iter().all(|range| range.matches(key))
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

#[derive(Debug, Clone)]
struct Row {
    priority: i32,
    entry: u32,
    key: TernaryKey,
}

/// Rows by falling priority; of equal ones the first that was inserted comes first.
#[derive(Debug, Clone, Default)]
pub struct TernaryIndex {
    rows: Vec<Row>,
}

impl TernaryIndex {
    pub fn insert(&mut self, key: TernaryKey, priority: i32, entry: u32) {
        let at = self.rows.partition_point(|row| row.priority >= priority);
        self.rows.insert(
            at,
            Row {
                priority,
                entry,
                key,
            },
        );
    }

    pub fn remove(&mut self, priority: i32, entry: u32) {
        let start = self.rows.partition_point(|row| row.priority > priority);
        if let Some(at) = self.rows[start..].iter().position(|row| row.entry == entry) {
            self.rows.remove(start + at);
        }
    }

    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<u32> {
        self.rows
            .iter()
            .find(|row| row.key.matches(key))
            .map(|row| row.entry)
    }
}
