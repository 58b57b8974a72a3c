// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The clock of the chip, and time as Tofino's units count it: in cycles of the pipeline's clock.

use crate::model::config::SwitchConfig;

/// Tofino 1.
pub const CLOCK_HZ: u64 = 1_220_000_000;

const NS_PER_S: u128 = 1_000_000_000;

/// The cycle that runs at a time.
pub fn cycles(now_ns: u64) -> u64 {
    // The clock has fewer than 2 cycles in a nanosecond, so the times of 290 years fit.
    (u128::from(now_ns) * u128::from(CLOCK_HZ) / NS_PER_S) as u64
}

/// The clock of the chip that programs for TNA see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipClock {
    slowdown: u64,
    start_ns: u64,
}

impl ChipClock {
    pub fn new(config: &SwitchConfig) -> Self {
        Self {
            slowdown: u64::from(config.slowdown.max(1)),
            start_ns: config.chip_start_ns,
        }
    }

    #[inline]
    pub fn at(self, now_ns: u64) -> u64 {
        (now_ns / self.slowdown).wrapping_add(self.start_ns)
    }
}

impl Default for ChipClock {
    fn default() -> Self {
        Self::new(&SwitchConfig::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_the_cycles_of_the_clock() {
        assert_eq!(cycles(1_000_000_000), CLOCK_HZ);
        assert_eq!((cycles(0), cycles(50), cycles(49)), (0, 61, 59));
    }
}
