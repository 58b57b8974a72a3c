// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The capacity of a direction: the bits that its rate allows over time.

use crate::time::{Ns, NS_PER_S};

/// The integral of a rate that may change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capacity {
    /// None: unlimited.
    rate_bps: Option<u64>,
    since_ns: Ns,
    /// Integral of the rate up to `since_ns`, in bits per second times nanoseconds.
    bit_ns: u128,
    /// The rate was unlimited for a while.
    unlimited: bool,
}

impl Capacity {
    pub fn new(rate_bps: Option<u64>) -> Self {
        Self {
            rate_bps,
            ..Self::default()
        }
    }

    pub fn set_rate(&mut self, now: Ns, rate_bps: Option<u64>) {
        self.integrate(now);
        self.rate_bps = rate_bps;
    }

    pub fn reset(&mut self, now: Ns) {
        *self = Self {
            rate_bps: self.rate_bps,
            since_ns: now,
            ..Self::default()
        };
    }

    /// Bits that could have crossed since the reset; none if the rate was not always limited.
    pub fn bits(&self, now: Ns) -> Option<f64> {
        let mut at_now = *self;
        at_now.integrate(now);
        (!at_now.unlimited && at_now.rate_bps.is_some())
            .then(|| at_now.bit_ns as f64 / NS_PER_S as f64)
    }

    fn integrate(&mut self, now: Ns) {
        let duration = now.saturating_sub(self.since_ns);
        match self.rate_bps {
            Some(rate) => self.bit_ns += u128::from(rate) * u128::from(duration),
            None => self.unlimited |= duration > 0,
        }
        self.since_ns += duration;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_follows_the_rate() {
        let mut capacity = Capacity::new(Some(1_000));
        capacity.reset(NS_PER_S);
        capacity.set_rate(3 * NS_PER_S, Some(500));
        assert_eq!(capacity.bits(4 * NS_PER_S), Some(2_500.0));
    }

    #[test]
    fn an_unlimited_rate_has_no_capacity() {
        let mut capacity = Capacity::new(None);
        assert_eq!(capacity.bits(NS_PER_S), None);
        capacity.set_rate(NS_PER_S, Some(1));
        assert_eq!(capacity.bits(2 * NS_PER_S), None);
        capacity.reset(2 * NS_PER_S);
        assert_eq!(capacity.bits(3 * NS_PER_S), Some(1.0));
    }
}
