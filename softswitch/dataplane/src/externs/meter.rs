// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Three-colour meters, colour-blind: two rates (RFC 2698), or with an excess burst a single one (RFC 2697).

use crate::control::{ColorCounts, MeterRates};

const NS_PER_S: u128 = 1_000_000_000;

/// The colours as the v1model numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Green = 0,
    Yellow = 1,
    Red = 2,
}

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
struct Configured {
    rates: MeterRates,
    committed: Bucket,
    /// The peak rate's; with an excess burst, that which takes what the committed bucket has no room for.
    second: Bucket,
    /// When the buckets were last refilled; they are full until the first packet.
    filled_ns: Option<u64>,
}

impl Configured {
    fn new(rates: MeterRates) -> Self {
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

    fn color(&mut self, now_ns: u64, units: u32) -> Color {
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

/// One meter; without rates everything is green.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meter {
    configured: Option<Configured>,
    /// Of the colours, as they are numbered.
    pub counts: ColorCounts,
}

impl Meter {
    /// Sets the rates, or none, and fills the buckets. The counts stay.
    pub fn set_rates(&mut self, rates: Option<MeterRates>) {
        self.configured = rates.map(Configured::new);
    }

    pub fn rates(&self) -> Option<MeterRates> {
        self.configured.map(|configured| configured.rates)
    }

    /// Colours a packet, whose bytes cost tokens where the meter is one of bytes.
    pub fn execute(&mut self, now_ns: u64, in_bytes: bool, bytes: u32) -> Color {
        let units = if in_bytes { bytes } else { 1 };
        let color = match &mut self.configured {
            Some(configured) => configured.color(now_ns, units),
            None => Color::Green,
        };
        self.counts[color as usize].count(bytes);
        color
    }
}

#[derive(Debug, Clone)]
pub struct MeterArray {
    /// Counts bytes; packets otherwise.
    pub in_bytes: bool,
    pub cells: Vec<Meter>,
}

impl MeterArray {
    pub fn new(size: usize, in_bytes: bool) -> Self {
        Self {
            in_bytes,
            cells: vec![Meter::default(); size],
        }
    }

    /// `None` where there is no such meter.
    pub fn execute(&mut self, index: u64, now_ns: u64, bytes: u32) -> Option<Color> {
        let cell = self.cells.get_mut(usize::try_from(index).ok()?)?;
        Some(cell.execute(now_ns, self.in_bytes, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn meter(cir: u64, cburst: u64, pir: u64, pburst: u64, eburst: u64) -> Meter {
        let mut meter = Meter::default();
        meter.set_rates(Some(MeterRates {
            cir,
            cburst,
            pir,
            pburst,
            eburst,
        }));
        meter
    }

    #[test]
    fn bursts_pass_then_yellow_then_red() {
        let mut meter = meter(1, 2, 2, 4, 0);
        let colors: Vec<_> = (0..6).map(|_| meter.execute(0, false, 60)).collect();
        use Color::{Green, Red, Yellow};
        assert_eq!(colors, [Green, Green, Yellow, Yellow, Red, Red]);
        assert_eq!(meter.execute(S, false, 60), Green);
        assert_eq!(meter.execute(S, false, 60), Yellow);
        assert_eq!(meter.execute(S, false, 60), Red);
        let counts = meter.counts.map(|count| (count.packets, count.bytes));
        assert_eq!(counts, [(3, 180), (3, 180), (3, 180)]);
        meter.set_rates(None);
        assert_eq!(meter.execute(S, false, 60), Green);
        assert_eq!(meter.counts[0].packets, 4);
    }

    /// RFC 2697, section 3: the excess bucket earns only what the committed one has no room for.
    #[test]
    fn an_excess_burst_fills_from_what_the_committed_burst_leaves() {
        let mut meter = meter(1, 2, 1, 2, 3);
        use Color::{Green, Red, Yellow};
        let colors: Vec<_> = (0..6).map(|_| meter.execute(0, false, 60)).collect();
        assert_eq!(colors, [Green, Green, Yellow, Yellow, Yellow, Red]);
        // Two of three seconds fill the committed burst, the third the excess burst.
        let colors: Vec<_> = (0..4).map(|_| meter.execute(3 * S, false, 60)).collect();
        assert_eq!(colors, [Green, Green, Yellow, Red]);
        // A packet too long for both takes nothing.
        let mut in_bytes = self::meter(1, 100, 1, 100, 150);
        assert_eq!(in_bytes.execute(0, true, 151), Red);
        assert_eq!(in_bytes.execute(0, true, 150), Yellow);
        assert_eq!(in_bytes.execute(0, true, 100), Green);
    }

    #[test]
    fn long_run_rates_are_exact() {
        let mut meter = meter(1000, 10, 3000, 10, 0);
        for i in 0..100_000u64 {
            meter.execute(i * 100_000, false, 60);
        }
        let counts = meter.counts.map(|count| count.packets);
        assert_eq!(counts[0], 10_009);
        assert_eq!(counts[0] + counts[1], 30_009);
    }

    #[test]
    fn unset_meters_are_green_and_red_packets_take_no_tokens() {
        assert_eq!(Meter::default().execute(5, true, 1500), Color::Green);
        let mut meter = meter(100, 100, 100, 100, 0);
        assert_eq!(meter.execute(0, true, 101), Color::Red);
        assert_eq!(meter.execute(0, true, 100), Color::Green);
    }
}
