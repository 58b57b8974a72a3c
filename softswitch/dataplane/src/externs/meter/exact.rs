// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The two token buckets of a meter, colour-blind and without rounding: two rates (RFC 2698), or with an excess burst a
//! single one (RFC 2697).

use super::color::Color;
use crate::model::values::MeterRates;

/// A token bucket holds 1e-18 of a unit: what a rate of a billionth of a unit per second earns in a nanosecond. So no
/// time is lost to rounding, and no rate.
const UNIT: u128 = 1_000_000_000_000_000_000;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Billionths of a unit per second.
    rate: u128,
    depth: u128,
    tokens: u128,
}

impl Bucket {
    fn full(rate: u128, burst: u64) -> Self {
        let depth = u128::from(burst) * UNIT;
        Self {
            rate,
            depth,
            tokens: depth,
        }
    }

    /// Returns the tokens that the bucket has no room for.
    fn refill(&mut self, elapsed_ns: u64) -> u128 {
        self.add(self.rate.saturating_mul(u128::from(elapsed_ns)))
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
    /// The time of the last refill; the buckets are full until the first packet.
    filled_ns: Option<u64>,
}

impl Buckets {
    pub fn new(rates: MeterRates) -> Self {
        let second = match rates.eburst {
            0 => Bucket::full(rates.peak(), rates.pburst),
            eburst => Bucket::full(0, eburst),
        };
        Self {
            rates,
            committed: Bucket::full(rates.committed(), rates.cburst),
            second,
            filled_ns: None,
        }
    }

    pub fn color(&mut self, now_ns: u64, units: u32) -> Color {
        let filled_ns = self.filled_ns.unwrap_or(now_ns);
        let elapsed_ns = now_ns.saturating_sub(filled_ns);
        self.filled_ns = Some(now_ns.max(filled_ns));
        let cost = u128::from(units) * UNIT;
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
