// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A set of bytes of a stream, as ranges.

/// Ranges `first..end` in ascending order, which neither overlap nor touch. Memory is never given back.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranges {
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Adds a range, and returns how many of its bytes are new.
    pub fn insert(&mut self, first: u64, end: u64) -> u64 {
        if first >= end {
            return 0;
        }
        let from = self.ranges.partition_point(|range| range.1 < first);
        let to = from + self.ranges[from..].partition_point(|range| range.0 <= end);
        let held: u64 = self.ranges[from..to]
            .iter()
            .map(|range| range.1 - range.0)
            .sum();
        let mut merged = (first, end);

        if from < to {
            merged.0 = merged.0.min(self.ranges[from].0);
            merged.1 = merged.1.max(self.ranges[to - 1].1);
            self.ranges[from] = merged;
            self.ranges.drain(from + 1..to);
        } else {
            self.ranges.insert(from, merged);
        }
        merged.1 - merged.0 - held
    }

    /// Removes all bytes before `end`.
    pub fn remove_before(&mut self, end: u64) {
        let gone = self.ranges.partition_point(|range| range.1 <= end);

        self.ranges.drain(..gone);
        if let Some(range) = self.ranges.first_mut() {
            range.0 = range.0.max(end);
        }
    }

    /// The range that holds this byte.
    pub fn around(&self, byte: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|range| range.1 <= byte);

        self.ranges.get(at).copied().filter(|range| range.0 <= byte)
    }

    /// The first byte at or after `from` that is not in the set.
    pub fn first_outside(&self, from: u64) -> u64 {
        self.around(from).map_or(from, |range| range.1)
    }

    /// The beginning of the next range after `from`.
    pub fn next_start(&self, from: u64) -> Option<u64> {
        let at = self.ranges.partition_point(|range| range.0 <= from);

        self.ranges.get(at).map(|range| range.0)
    }

    /// The number of bytes of `first..end` are in the set.
    pub fn covered(&self, first: u64, end: u64) -> u64 {
        let from = self.ranges.partition_point(|range| range.1 <= first);

        self.ranges[from..]
            .iter()
            .take_while(|range| range.0 < end)
            .map(|range| range.1.min(end) - range.0.max(first))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_equal_a_set_of_bytes(
            inserts in proptest::collection::vec((0u64..64, 0u64..12), 0..30),
            cut in 0u64..80,
            window in (0u64..80, 0u64..80),
        ) {
            let mut ranges = Ranges::default();
            let mut set = [false; 100];

            for (first, length) in inserts {
                let new = (first..first + length).filter(|&byte| !set[byte as usize]).count();
                set[first as usize..(first + length) as usize].fill(true);
                prop_assert_eq!(ranges.insert(first, first + length), new as u64);
            }
            prop_assert!(ranges.as_slice().windows(2).all(|pair| pair[0].1 < pair[1].0));
            let (first, end) = (window.0.min(window.1), window.0.max(window.1));
            let covered = (first..end).filter(|&byte| set[byte as usize]).count();
            prop_assert_eq!(ranges.covered(first, end), covered as u64);
            prop_assert_eq!(ranges.around(first).is_some(), set[first as usize]);
            let outside = (first..).find(|&byte| !set[byte as usize]).expect("an end");
            prop_assert_eq!(ranges.first_outside(first), outside);
            ranges.remove_before(cut);
            set[..cut as usize].fill(false);
            prop_assert_eq!(ranges.covered(0, 100), set.iter().filter(|&&held| held).count() as u64);
        }
    }
}
