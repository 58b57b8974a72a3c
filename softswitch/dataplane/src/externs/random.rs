// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random numbers that depend on the seed alone.

use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Debug, Clone)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform over `lo..=hi`, without bias (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    pub fn uniform(&mut self, lo: u64, hi: u64) -> u64 {
        let span = (hi - lo).wrapping_add(1);
        if span == 0 {
            return self.next();
        }
        let rejected = span.wrapping_neg() % span;
        loop {
            let wide = u128::from(self.next()) * u128::from(span);
            if wide as u64 >= rejected {
                return lo + (wide >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_inclusive_and_even() {
        let mut random = Random::new(7);
        let mut counts = [0u32; 5];
        for _ in 0..50_000 {
            counts[random.uniform(10, 14) as usize - 10] += 1;
        }
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 500),
            "{counts:?}"
        );
        assert_eq!(random.uniform(3, 3), 3);
    }

    #[test]
    fn the_whole_range_works_and_seeds_repeat() {
        let draw = |seed| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..4).map(|_| random.uniform(0, u64::MAX)).collect()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
