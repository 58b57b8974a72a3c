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
    fn diff(&self, key: &[u64]) -> u64 {
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

#[derive(Debug, Clone)]
struct Row {
    priority: i32,
    entry: u32,
    ranges: Ranges,
    key: TernaryKey,
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
struct Probe {
    word: u32,
    value: u64,
    mask: u64,
}

impl Probe {
    fn of(key: &TernaryKey) -> Self {
        let mut words = (0..).zip(&key.words);
        let (word, &(value, mask)) = words
            .find(|(_, &(_, mask))| mask != 0)
            .unwrap_or((0, &(0, 0)));
        Self { word, value, mask }
    }

    #[inline]
    fn matches(&self, key: &[u64]) -> bool {
        (key[self.word as usize] ^ self.value) & self.mask == 0
    }
}

/// Rows by falling priority; of equal ones the first that was inserted comes first.
#[derive(Debug, Clone, Default)]
pub struct TernaryIndex {
    rows: Vec<Row>,
    /// The probe of every row.
    probes: Vec<Probe>,
}

impl TernaryIndex {
    pub fn insert(&mut self, key: TernaryKey, priority: i32, entry: u32) {
        let at = self.rows.partition_point(|row| row.priority >= priority);
        self.insert_at(at, key, priority, entry);
    }

    /// As [`Self::insert`], at the place that [`Self::place`] gave before the row was removed.
    pub fn insert_at(&mut self, at: usize, key: TernaryKey, priority: i32, entry: u32) {
        let ranges = match &*key.ranges {
            [] => Ranges::None,
            [range] => WordRange::of(range).map_or(Ranges::Wide, Ranges::One),
            ranges => {
                let words: Option<_> = ranges.iter().map(WordRange::of).collect();
                words.map_or(Ranges::Wide, Ranges::Many)
            }
        };
        self.probes.insert(at, Probe::of(&key));
        self.rows.insert(
            at,
            Row {
                priority,
                entry,
                ranges,
                key,
            },
        );
    }

    /// The place of an entry's row.
    pub fn place(&self, priority: i32, entry: u32) -> Option<usize> {
        let start = self.rows.partition_point(|row| row.priority > priority);
        let at = self.rows[start..]
            .iter()
            .position(|row| row.entry == entry)?;
        Some(start + at)
    }

    pub fn remove(&mut self, priority: i32, entry: u32) {
        if let Some(at) = self.place(priority, entry) {
            self.rows.remove(at);
            self.probes.remove(at);
        }
    }

    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<u32> {
        if key.is_empty() {
            // Fields without bits: everything matches.
            return self.rows.first().map(|row| row.entry);
        }
        let mut rows = self.probes.iter().zip(&self.rows);
        let found = rows.find(|(probe, row)| probe.matches(key) && row.matches(key));
        found.map(|(_, row)| row.entry)
    }
}

impl Row {
    #[inline]
    fn matches(&self, key: &[u64]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(value: u64, nbytes: usize) -> Box<[u8]> {
        value.to_be_bytes()[8 - nbytes..].into()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Some of the ranges lie across two words, where they are compared byte by byte.
        #[test]
        fn a_range_holds_what_lies_between_its_ends(
            at in 0usize..8, nbytes in 1usize..=8, ends in any::<[u64; 2]>(), value in any::<u64>(),
        ) {
            let cut = |value: u64| value >> (64 - 8 * nbytes);
            let (low, high) = (cut(ends[0].min(ends[1])), cut(ends[0].max(ends[1])));
            for value in [cut(value), low, high, high.wrapping_add(1), low.wrapping_sub(1)] {
                let mut bytes = [0u8; 16];
                bytes[at..at + nbytes].copy_from_slice(&number(value, nbytes));
                let key: Vec<u64> = bytes
                    .chunks(8)
                    .map(|word| u64::from_be_bytes(word.try_into().expect("8 bytes")))
                    .collect();
                let check = RangeCheck { at: at as u32, low: number(low, nbytes), high: number(high, nbytes) };
                let mut index = TernaryIndex::default();
                let words = vec![(0, 0); 2].into();
                index.insert(TernaryKey { words, ranges: [check].into() }, 1, 7);
                let shown = u64::from_be_bytes({
                    let mut shown = [0; 8];
                    shown[8 - nbytes..].copy_from_slice(&number(value, nbytes));
                    shown
                });
                prop_assert_eq!(index.lookup(&key), (low..=high).contains(&shown).then_some(7));
            }
        }
    }

    #[test]
    fn a_range_of_no_bits_holds_everything() {
        let check = |at: u32| RangeCheck {
            at,
            low: [].into(),
            high: [].into(),
        };
        for (ranges, words) in [
            (vec![check(0)], 1),
            (vec![check(8)], 1),
            (vec![check(3), check(8)], 2),
        ] {
            let key = TernaryKey {
                words: vec![(5, u64::MAX); words].into(),
                ranges: ranges.into(),
            };
            let mut index = TernaryIndex::default();
            index.insert(key, 1, 7);
            assert_eq!(index.lookup(&vec![5; words]), Some(7));
            assert_eq!(index.lookup(&vec![6; words]), None);
        }
    }

    #[test]
    fn keys_of_any_number_of_words_are_found() {
        for words in 0..6 {
            let mut index = TernaryIndex::default();
            for (priority, value) in [(3, 5), (2, 6), (1, 5)] {
                let key = TernaryKey {
                    words: vec![(value, 0xff); words].into(),
                    ranges: [].into(),
                };
                index.insert(key, priority, priority as u32);
            }
            let found = [5, 0x106, 7].map(|value| index.lookup(&vec![value; words]));
            match words {
                0 => assert_eq!(found, [Some(3); 3]),
                _ => assert_eq!(found, [Some(3), Some(2), None]),
            }
        }
    }

    #[test]
    fn rows_keep_their_order_when_others_come_and_go() {
        let row = |value: u64, mask: u64| TernaryKey {
            words: [(value, mask)].into(),
            ranges: [].into(),
        };
        let mut index = TernaryIndex::default();
        index.insert(row(0, 0), 1, 10);
        index.insert(row(0x50, 0xf0), 5, 11);
        index.insert(row(0x55, 0xff), 5, 12);
        index.insert(row(0x55, 0xff), 9, 13);
        let found = |index: &TernaryIndex| [0x55u64, 0x51, 0x61].map(|key| index.lookup(&[key]));
        assert_eq!(found(&index), [Some(13), Some(11), Some(10)]);
        index.remove(9, 13);
        assert_eq!(found(&index), [Some(11), Some(11), Some(10)]);
        index.remove(5, 11);
        assert_eq!(found(&index), [Some(12), Some(10), Some(10)]);
        index.remove(1, 10);
        assert_eq!(found(&index), [Some(12), None, None]);
    }
}
