// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Masked values and ranges, by priority.
//!
//! In: keys of entries and of packets. Out: the entry that matches first. Begin with [`TernaryIndex`]; `tuples.rs` finds
//! a row among many.

mod key;
mod ranked;
mod row;
mod tuples;

pub use key::{RangeCheck, TernaryKey};
use ranked::Ranked;
pub use row::Row;
use row::{Probe, Rows, NEW};
use tuples::Tuples;

/// Most rows in whose order packets are compared with them where they have many masks. A table that once had more is
/// searched by groups until it is empty.
const WALKED: usize = 1024;
/// The search of a group takes as long as the comparison with so many rows.
const ROWS_OF_GROUP: usize = 16;

/// Rows by falling priority; of equal ones the first that was inserted comes first.
///
/// Few rows are compared one after the other, which is quickest, many are found by groups.
#[derive(Debug, Clone)]
pub struct TernaryIndex {
    rows: Rows,
    tuples: Tuples,
    /// All rows, while they are few.
    walk: Option<Ranked>,
    len: usize,
    /// Whether lookups go one row after the other.
    walks: bool,
    next_age: u64,
}

impl Default for TernaryIndex {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            tuples: Tuples::default(),
            walk: Some(Ranked::default()),
            len: 0,
            walks: true,
            next_age: 0,
        }
    }
}

impl TernaryIndex {
    /// A row that is new is the youngest; one that was removed has the age that it had.
    pub fn insert(&mut self, mut row: Row, entry: u32) {
        if row.rank.age == NEW {
            row.rank.age = self.next_age;
        }
        self.next_age = self.next_age.max(row.rank.age + 1);
        self.len += 1;
        if self.len > WALKED {
            self.walk = None;
        } else if let Some(walk) = &mut self.walk {
            walk.insert(row.rank, Probe::of(&row.key), entry);
        }
        self.rows.put(entry, row);
        self.tuples.insert(entry, &mut self.rows);
        self.choose();
    }

    pub fn remove(&mut self, entry: u32) -> Row {
        self.tuples.remove(entry, &self.rows);
        let row = self.rows.remove(entry);
        self.len -= 1;
        if self.len == 0 {
            *self = Self {
                next_age: self.next_age,
                ..Self::default()
            };
        } else if let Some(walk) = &mut self.walk {
            walk.remove(row.rank);
        }
        self.choose();
        row
    }

    fn choose(&mut self) {
        let walked = self.walk.as_ref().map(Ranked::len);
        self.walks = walked.is_some_and(|rows| rows <= ROWS_OF_GROUP * (self.tuples.len() + 1));
    }

    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<u32> {
        match &self.walk {
            Some(walk) if self.walks => walk.lookup(key, &self.rows, None),
            _ => self.tuples.lookup(key, &self.rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(key: TernaryKey, priority: i32) -> Row {
        Row::new(key, priority)
    }

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
                index.insert(row(TernaryKey { words, ranges: [check].into() }, 1), 7);
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
            index.insert(row(key, 1), 7);
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
                index.insert(row(key, priority), priority as u32);
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
        let row = |value: u64, mask: u64, priority: i32| {
            let words = [(value, mask)].into();
            let ranges = [].into();
            row(TernaryKey { words, ranges }, priority)
        };
        let mut index = TernaryIndex::default();
        index.insert(row(0, 0, 1), 10);
        index.insert(row(0x50, 0xf0, 5), 11);
        index.insert(row(0x55, 0xff, 5), 12);
        index.insert(row(0x55, 0xff, 9), 13);
        let found = |index: &TernaryIndex| [0x55u64, 0x51, 0x61].map(|key| index.lookup(&[key]));
        assert_eq!(found(&index), [Some(13), Some(11), Some(10)]);
        index.remove(13);
        assert_eq!(found(&index), [Some(11), Some(11), Some(10)]);
        index.remove(11);
        assert_eq!(found(&index), [Some(12), Some(10), Some(10)]);
        index.remove(10);
        assert_eq!(found(&index), [Some(12), None, None]);
    }

    /// One row after the other, as a packet's key is defined to find its entry.
    #[derive(Default)]
    struct Plain(Vec<(i32, u32, TernaryKey)>);

    impl Plain {
        fn insert(&mut self, key: TernaryKey, priority: i32, entry: u32) -> usize {
            let at = self.0.partition_point(|row| row.0 >= priority);
            self.0.insert(at, (priority, entry, key));
            at
        }

        fn lookup(&self, key: &[u64]) -> Option<u32> {
            let found = self.0.iter().find(|row| row.2.matches(key));
            found.map(|row| row.1)
        }
    }

    /// A row of two words: of few values, so that rows overlap, and of few or many masks.
    fn keys(masks: u64) -> impl Strategy<Value = TernaryKey> {
        let word = move || (0u64..4, 0..masks).prop_map(|(value, mask)| (value & mask, mask));
        let range = (0u8..4, 0u8..4).prop_map(|(a, b)| RangeCheck {
            at: 15,
            low: [a.min(b)].into(),
            high: [a.max(b)].into(),
        });
        let ranges = prop::option::weighted(0.2, range);
        (word(), word(), ranges).prop_map(|(first, second, range)| TernaryKey {
            words: [first, second].into(),
            ranges: range.into_iter().collect(),
        })
    }

    #[derive(Debug, Clone)]
    enum Act {
        Insert(TernaryKey, i32),
        Remove(prop::sample::Index),
        /// Removes a row and brings it back, as a batch does that is taken back.
        Restore(prop::sample::Index),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        (prop::sample::select(vec![2, 4, 64]), prop::sample::select(vec![1, 3, 1000])).prop_flat_map(
            |(masks, priorities)| {
                let act = prop_oneof![
                    6 => (keys(masks), 0..priorities).prop_map(|(key, priority)| Act::Insert(key, priority)),
                    2 => any::<prop::sample::Index>().prop_map(Act::Remove),
                    1 => any::<prop::sample::Index>().prop_map(Act::Restore),
                ];
                prop::collection::vec(act, 0..600)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

        /// Groups and walk find what the plain order finds, however rows come and go; more masks than there are groups
        /// for among them, rows whose hashes are all the same, too.
        #[test]
        fn the_first_row_that_matches_is_found(acts in acts(), same in any::<bool>()) {
            let (mut index, mut plain) = (TernaryIndex::default(), Plain::default());
            if same {
                index.tuples.meet();
            }
            let mut free = Vec::new();
            let mut used = 0;
            for (step, act) in acts.into_iter().enumerate() {
                match act {
                    Act::Insert(key, priority) => {
                        let entry = free.pop().unwrap_or_else(|| { used += 1; used - 1 });
                        index.insert(row(key.clone(), priority), entry);
                        plain.insert(key, priority, entry);
                    }
                    Act::Remove(which) if !plain.0.is_empty() => {
                        let (_, entry, _) = plain.0.remove(which.index(plain.0.len()));
                        index.remove(entry);
                        free.push(entry);
                    }
                    Act::Restore(which) if !plain.0.is_empty() => {
                        let (priority, entry, key) = plain.0[which.index(plain.0.len())].clone();
                        let row = index.remove(entry);
                        prop_assert_eq!((&row.key, row.rank.priority.0), (&key, priority));
                        index.insert(row, entry);
                    }
                    _ => {}
                }
                if step % 16 == 0 {
                    for key in (0..16).map(|number: u64| [number / 4, number % 4]) {
                        let want = plain.lookup(&key);
                        prop_assert_eq!(index.tuples.lookup(&key, &index.rows), want);
                        prop_assert_eq!(index.walk.as_ref().unwrap().lookup(&key, &index.rows, None), want);
                        prop_assert_eq!(index.lookup(&key), want);
                    }
                }
            }
        }
    }

    /// Priorities that rise, fall and are all the same; each row can be found, and all can go.
    #[test]
    fn many_rows_are_found_and_removed_whatever_their_priorities() {
        const ROWS: u32 = 20_000;
        for priority in [
            |_: u32| 7,
            |number: u32| number as i32,
            |number: u32| -(number as i32),
        ] {
            let mut index = TernaryIndex::default();
            // There are 16 masks, and the lowest bit counts in each.
            let key = |number: u32| {
                let mask = u64::MAX << (number % 16) | 1;
                let words = [(u64::from(number) << 16 & mask | 1, mask)].into();
                TernaryKey {
                    words,
                    ranges: [].into(),
                }
            };
            for number in 0..ROWS {
                index.insert(row(key(number), priority(number)), number);
            }
            for number in 0..ROWS {
                assert_eq!(index.lookup(&[u64::from(number) << 16 | 1]), Some(number));
                assert_eq!(index.lookup(&[u64::from(number) << 16]), None);
            }
            for number in (0..ROWS).step_by(2) {
                index.remove(number);
            }
            for number in 0..ROWS {
                let want = (number % 2 == 1).then_some(number);
                assert_eq!(index.lookup(&[u64::from(number) << 16 | 1]), want);
            }
            for number in (1..ROWS).step_by(2) {
                index.remove(number);
            }
            assert_eq!(index.lookup(&[1]), None);
        }
    }
}
