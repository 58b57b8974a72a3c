// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Two-rate three-colour meters, colour-blind (RFC 2698).

use crate::control::MeterRates;

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

    fn refill(&mut self, elapsed_ns: u64) {
        let earned = u128::from(self.rate) * u128::from(elapsed_ns);
        self.tokens = self.depth.min(self.tokens.saturating_add(earned));
    }
}

#[derive(Debug, Clone, Copy)]
struct Configured {
    rates: MeterRates,
    committed: Bucket,
    peak: Bucket,
    /// When the buckets were last refilled; they are full until the first packet.
    filled_ns: Option<u64>,
}

/// One meter; without rates everything is green.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meter(Option<Configured>);

impl Meter {
    pub fn new(rates: Option<MeterRates>) -> Self {
        Self(rates.map(|rates| Configured {
            rates,
            committed: Bucket::full(rates.cir, rates.cburst),
            peak: Bucket::full(rates.pir, rates.pburst),
            filled_ns: None,
        }))
    }

    pub fn rates(&self) -> Option<MeterRates> {
        self.0.map(|configured| configured.rates)
    }

    /// Colours a packet of `units` bytes, or 1 for a meter of packets.
    pub fn execute(&mut self, now_ns: u64, units: u32) -> Color {
        let Some(meter) = &mut self.0 else {
            return Color::Green;
        };
        let filled_ns = meter.filled_ns.unwrap_or(now_ns);
        let elapsed_ns = now_ns.saturating_sub(filled_ns);
        meter.filled_ns = Some(now_ns.max(filled_ns));
        meter.committed.refill(elapsed_ns);
        meter.peak.refill(elapsed_ns);
        let cost = u128::from(units) * NS_PER_S;
        if meter.peak.tokens < cost {
            return Color::Red;
        }
        meter.peak.tokens -= cost;
        if meter.committed.tokens < cost {
            return Color::Yellow;
        }
        meter.committed.tokens -= cost;
        Color::Green
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
        let units = if self.in_bytes { bytes } else { 1 };
        let cell = self.cells.get_mut(usize::try_from(index).ok()?)?;
        Some(cell.execute(now_ns, units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn bursts_pass_then_yellow_then_red() {
        let mut meter = Meter::new(Some(MeterRates {
            cir: 1,
            cburst: 2,
            pir: 2,
            pburst: 4,
        }));
        let colors: Vec<_> = (0..6).map(|_| meter.execute(0, 1)).collect();
        use Color::{Green, Red, Yellow};
        assert_eq!(colors, [Green, Green, Yellow, Yellow, Red, Red]);
        assert_eq!(meter.execute(S, 1), Green);
        assert_eq!(meter.execute(S, 1), Yellow);
        assert_eq!(meter.execute(S, 1), Red);
    }

    #[test]
    fn long_run_rates_are_exact() {
        let mut meter = Meter::new(Some(MeterRates {
            cir: 1000,
            cburst: 10,
            pir: 3000,
            pburst: 10,
        }));
        let mut counts = [0; 3];
        for i in 0..100_000u64 {
            counts[meter.execute(i * 100_000, 1) as usize] += 1;
        }
        assert_eq!(counts[0], 10_009);
        assert_eq!(counts[0] + counts[1], 30_009);
    }

    #[test]
    fn unset_meters_are_green_and_red_packets_take_no_tokens() {
        assert_eq!(Meter::default().execute(5, 1500), Color::Green);
        let mut meter = Meter::new(Some(MeterRates {
            cir: 100,
            cburst: 100,
            pir: 100,
            pburst: 100,
        }));
        assert_eq!(meter.execute(0, 101), Color::Red);
        assert_eq!(meter.execute(0, 100), Color::Green);
    }
}
