// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The distribution of a queue's depth, for percentiles.

/// Depths below this many bytes are kept as they are; above, in steps of 1/256 of the power of two below them.
const EXACT_BYTES: u64 = 512;
const STEP_BITS: u32 = EXACT_BYTES.trailing_zeros() - 1;

/// The time for which a queue had each depth in bytes, and how often it came to have it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Depths {
    /// By the number of the step.
    weights: Vec<Weight>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Weight {
    lasted_ns: u64,
    changes: u64,
}

/// A depth with its weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighed {
    /// The least depth of the step.
    pub bytes: u64,
    pub lasted_ns: u64,
    pub changes: u64,
}

impl Depths {
    #[inline(never)]
    pub(super) fn lasted(&mut self, bytes: u64, duration_ns: u64) {
        self.weight(bytes).lasted_ns += duration_ns;
    }

    /// The depth is now this.
    #[inline(never)]
    pub(super) fn changed(&mut self, bytes: u64) {
        self.weight(bytes).changes += 1;
    }

    fn weight(&mut self, bytes: u64) -> &mut Weight {
        let step = step(bytes);
        if step >= self.weights.len() {
            self.weights.resize(step + 1, Weight::default());
        }
        &mut self.weights[step]
    }

    /// The depths that there were, in ascending order.
    pub fn all(&self) -> impl Iterator<Item = Weighed> + '_ {
        let weights = self.weights.iter().enumerate();
        let found = weights.filter(|(_, weight)| **weight != Weight::default());
        found.map(|(step, weight)| Weighed {
            bytes: least_bytes(step),
            lasted_ns: weight.lasted_ns,
            changes: weight.changes,
        })
    }
}

fn step(bytes: u64) -> usize {
    if bytes < EXACT_BYTES {
        return bytes as usize;
    }
    let shift = bytes.ilog2() - STEP_BITS;
    ((u64::from(shift) << STEP_BITS) + (bytes >> shift)) as usize
}

fn least_bytes(step: usize) -> u64 {
    let step = step as u64;
    if step < EXACT_BYTES {
        return step;
    }
    let shift = (step >> STEP_BITS) - 1;
    (step - (shift << STEP_BITS)) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_in_order_without_gaps_and_at_most_a_256th_wide() {
        for bytes in (0..70_000).chain([1 << 25, (1 << 25) + 77_777, (1 << 40) + 3, u64::MAX]) {
            let least = least_bytes(step(bytes));
            assert!(
                least <= bytes && bytes - least <= bytes / 256,
                "{bytes}: {least}"
            );
            assert_eq!(step(least), step(bytes));
        }
        let firsts: Vec<u64> = (0..5000).map(least_bytes).collect();
        assert!(firsts.windows(2).all(|two| two[0] < two[1]));
        assert!((1..5000).all(|number| step(least_bytes(number) - 1) == number - 1));
    }
}
