// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The two token buckets of a meter, colour-blind and without rounding: two rates (RFC 2698), or with an excess burst a
//! single one (RFC 2697).

use super::Color;
use crate::control::MeterRates;

const NS_PER_S: u128 = 1_000_000_000;

/// A token bucket, in billionths of a unit, so that no time is lost to rounding.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    rate: u64,
    depth: u128,
    tokens: u128,
}

impl Bucket {
    fn full(rate: u64, burst: u64) -> Self {
        let depth = u128::from(burst) * NS_PER_S;
        Self {
            rate,
            depth,
            tokens: depth,
        }
    }

    /// Returns the tokens that the bucket has no room for, in billionths of a unit.
    fn refill(&mut self, elapsed_ns: u64) -> u128 {
        self.add(u128::from(self.rate) * u128::from(elapsed_ns))
    }

    fn add(&mut self, earned: u128) -> u128 {
        let all = self.tokens.saturating_add(earned);
        self.tokens = self.depth.min(all);
        all - self.tokens
    }

    /// False, and nothing taken, where there is too little.
    fn take(&mut self, cost: u128) -> bool {
        let enough = self.tokens >= cost;
        if enough {
            self.tokens -= cost;
        }
        enough
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Buckets {
    pub rates: MeterRates,
    committed: Bucket,
    /// The peak rate's; with an excess burst, that which takes what the committed bucket has no room for.
    second: Bucket,
    /// When the buckets were last refilled; they are full until the first packet.
    filled_ns: Option<u64>,
}

impl Buckets {
    pub fn new(rates: MeterRates) -> Self {
        let second = match rates.eburst {
            0 => Bucket::full(rates.pir, rates.pburst),
            eburst => Bucket::full(0, eburst),
        };
        Self {
            rates,
            committed: Bucket::full(rates.cir, rates.cburst),
            second,
            filled_ns: None,
        }
    }

    pub fn color(&mut self, now_ns: u64, units: u32) -> Color {
        let filled_ns = self.filled_ns.unwrap_or(now_ns);
        let elapsed_ns = now_ns.saturating_sub(filled_ns);
        self.filled_ns = Some(now_ns.max(filled_ns));
        let cost = u128::from(units) * NS_PER_S;
        let over = self.committed.refill(elapsed_ns);
        if self.rates.eburst > 0 {
            self.second.add(over);
            return if self.committed.take(cost) {
                Color::Green
            } else if self.second.take(cost) {
                Color::Yellow
            } else {
                Color::Red
            };
        }
        self.second.refill(elapsed_ns);
        if !self.second.take(cost) {
            Color::Red
        } else if self.committed.take(cost) {
            Color::Green
        } else {
            Color::Yellow
        }
    }
}
