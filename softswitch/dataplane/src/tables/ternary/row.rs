// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A row of a ternary table: what it is compared with, and its rank.

use std::cmp::Reverse;

use super::key::{RangeCheck, TernaryKey};
use crate::tables::slots::Slots;

/// The order of rows: by falling priority, and of equal ones the first that was inserted comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    pub priority: Reverse<i32>,
    pub age: u64,
}

/// The age of a row that was never in a table.
pub const NEW: u64 = u64::MAX;

#[derive(Debug, Clone)]
pub struct Row {
    pub rank: Rank,
    /// The group that has it.
    pub group: u32,
    ranges: Ranges,
    pub key: TernaryKey,
}

/// A row's ranges, as they are quickest to check.
#[derive(Debug, Clone)]
enum Ranges {
    None,
    One(WordRange),
    Many(Box<[WordRange]>),
    /// Those of the key: one lies in more than one word.
    Wide,
}

/// A range within one word of the packed key.
#[derive(Debug, Clone, Copy)]
struct WordRange {
    word: u32,
    shift: u32,
    mask: u64,
    low: u64,
    high: u64,
}

impl WordRange {
    /// `None` for a range that lies in more than one word, or in none: a field of 0 bits.
    fn of(range: &RangeCheck) -> Option<Self> {
        let nbytes = range.low.len() as u32;
        let (word, behind) = (range.at / 8, 8u32.checked_sub(range.at % 8 + nbytes)?);
        if nbytes == 0 {
            return None;
        }
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        };
        Some(Self {
            word,
            shift: behind * 8,
            mask: u64::MAX >> (64 - nbytes * 8),
            low: number(&range.low),
            high: number(&range.high),
        })
    }

    #[inline]
    fn matches(&self, key: &[u64]) -> bool {
        let value = key[self.word as usize] >> self.shift & self.mask;
        (self.low..=self.high).contains(&value)
    }
}

/// The first word of a row's key that counts: most rows are passed over by it alone.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    word: u32,
    value: u64,
    mask: u64,
}

impl Probe {
    pub fn of(key: &TernaryKey) -> Self {
        let mut words = (0..).zip(&key.words);
        let (word, &(value, mask)) = words
            .find(|(_, &(_, mask))| mask != 0)
            .unwrap_or((0, &(0, 0)));
        Self { word, value, mask }
    }

    #[inline]
    pub fn matches(&self, key: &[u64]) -> bool {
        (key[self.word as usize] ^ self.value) & self.mask == 0
    }
}

impl Row {
    /// A row that has no age yet.
    pub fn new(key: TernaryKey, priority: i32) -> Self {
        let ranges = match &*key.ranges {
            [] => Ranges::None,
            [range] => WordRange::of(range).map_or(Ranges::Wide, Ranges::One),
            ranges => {
                let words: Option<_> = ranges.iter().map(WordRange::of).collect();
                words.map_or(Ranges::Wide, Ranges::Many)
            }
        };
        let rank = Rank {
            priority: Reverse(priority),
            age: NEW,
        };
        Self {
            rank,
            group: 0,
            ranges,
            key,
        }
    }

    #[inline]
    pub fn matches(&self, key: &[u64]) -> bool {
        let diff = self.key.diff(key);
        let in_ranges = || match &self.ranges {
            Ranges::None => true,
            Ranges::One(range) => range.matches(key),
            Ranges::Many(ranges) => ranges.iter().all(|range| range.matches(key)),
            Ranges::Wide => self.key.ranges.iter().all(|range| range.matches(key)),
        };
        diff == 0 && in_ranges()
    }
}

/// The rows by their entries' slots.
#[derive(Debug, Clone, Default)]
pub struct Rows(Slots<Row>);

impl Rows {
    #[inline]
    pub fn get(&self, entry: u32) -> &Row {
        self.0.get(entry).expect("an entry has a row")
    }

    pub fn get_mut(&mut self, entry: u32) -> &mut Row {
        self.0.get_mut(entry).expect("an entry has a row")
    }

    pub fn remove(&mut self, entry: u32) -> Row {
        self.0.take(entry).expect("an entry has a row")
    }

    pub fn put(&mut self, entry: u32, row: Row) {
        self.0.put(entry, row);
    }
}
