// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The two token buckets of a Tofino meter.
//!
//! A packet gets the colour that the packet before it left, or a worse one that it brings; the buckets are charged when
//! it has passed, and what they give is for the next packet. Rates and bursts have a few bits and an exponent. The
//! arithmetic is that of the Tofino model (`mau-meter.cpp`) and of the driver (`pipe_mgr_meter_drv_workflows.c`) of
//! open-p4studio; softswitch/docs/tna-units.md has it.

use super::super::clock::{cycles, CLOCK_HZ};
use super::color::Color;
use crate::model::values::MeterRates;

const MAX_RATE_MANTISSA: f32 = 511.0;
const MAX_BURST_MANTISSA: u64 = 255;
/// Five bits.
const MAX_BURST_EXPONENT: u32 = 31;
const MAX_BURST: u64 = MAX_BURST_MANTISSA << MAX_BURST_EXPONENT;
/// The driver's maximum: one less than the mantissa could do, in a cycle.
const MAX_RATE: u64 = (MAX_RATE_MANTISSA as u64 - 1) * CLOCK_HZ;
/// Levels have 23 bits with their sign: those of larger bursts are counted in units of a power of two.
const LEVEL_EXPONENT: u32 = 14;
/// The largest exponent of cycles between two refills: one more would not fit the timestamp.
const MAX_REFILL_EXPONENT: u32 = 27;
/// Charges have 16 bits.
const CHARGE_MASK: u32 = 0xffff;

/// One bucket.
#[derive(Debug, Clone, Copy)]
struct Level {
    level: i32,
    full: i32,
    /// The units that `2^refill_exponent` cycles bring.
    mantissa: u32,
    refill_exponent: u32,
    /// A unit of the level is `2^coarse` bytes or packets.
    coarse: u32,
}

impl Level {
    /// The level of a rate of 0: below empty for good.
    const EMPTY: Self = Self {
        level: -1,
        full: 0,
        mantissa: 0,
        refill_exponent: 31,
        coarse: 0,
    };

    /// The level of the highest rate with the largest burst, which stand for no limit.
    const FULL: Self = Self {
        level: (MAX_BURST_MANTISSA as i32) << LEVEL_EXPONENT,
        full: (MAX_BURST_MANTISSA as i32) << LEVEL_EXPONENT,
        mantissa: MAX_RATE_MANTISSA as u32,
        refill_exponent: 0,
        coarse: MAX_BURST_EXPONENT - LEVEL_EXPONENT,
    };

    fn new(rate: u64, burst: u64) -> Result<Self, String> {
        if rate == 0 {
            return Ok(Self::EMPTY);
        }
        if rate >= MAX_RATE && burst >= MAX_BURST {
            return Ok(Self::FULL);
        }
        let (mut mantissa, mut exponent) = (burst, 0);
        while mantissa > MAX_BURST_MANTISSA {
            mantissa /= 2;
            exponent += 1;
        }
        if exponent > MAX_BURST_EXPONENT {
            return Err(format!(
                "a burst of {burst}; at most {MAX_BURST} are possible"
            ));
        }
        let coarse = exponent.saturating_sub(LEVEL_EXPONENT);
        let full = (mantissa as i32) << (exponent - coarse);
        let mut per_refill = rate as f32 / CLOCK_HZ as f32;
        let mut exponent = 0;
        while 2.0 * per_refill <= MAX_RATE_MANTISSA
            && exponent + 1 + coarse <= MAX_REFILL_EXPONENT
            && 2.0 * per_refill <= burst as f32
        {
            per_refill *= 2.0;
            exponent += 1;
        }
        if per_refill >= MAX_RATE_MANTISSA + 1.0 {
            return Err(format!(
                "a rate of {rate} a second; at most {MAX_RATE} are possible"
            ));
        }
        if per_refill < 1.0 {
            return Err(format!(
                "a rate of {rate} a second with a burst of {burst} is too small: the buckets are refilled by whole units, at least {} times a second",
                CLOCK_HZ >> MAX_REFILL_EXPONENT
            ));
        }
        if per_refill > burst as f32 {
            return Err(format!(
                "a burst of {burst} is too small for a rate of {rate} a second"
            ));
        }
        Ok(Self {
            level: full,
            full,
            mantissa: per_refill as u32,
            refill_exponent: exponent + coarse,
            coarse,
        })
    }

    fn refill(&mut self, elapsed: u64) {
        let refills = elapsed >> self.refill_exponent;
        let all = refills.saturating_mul(self.mantissa.into());
        let level = i64::from(self.level).saturating_add_unsigned(all);
        self.level = level.min(self.full.into()) as i32;
    }

    /// A rest that does not fill a unit of the level counts as one with the probability of its part of it.
    fn charge(&mut self, units: u32, random: u32) {
        let part = (1 << self.coarse) - 1;
        let up = u32::from(units & part > random & part);
        let charge = (units >> self.coarse) + up;
        self.level -= (charge & CHARGE_MASK) as i32;
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Buckets {
    pub rates: MeterRates,
    committed: Level,
    peak: Level,
    /// The cycle of the last refill; they are full until the first packet.
    filled: Option<u64>,
    /// The colour of the next packet.
    color: Color,
}

impl Buckets {
    pub fn new(rates: MeterRates) -> Result<Self, String> {
        if rates.eburst > 0 {
            return Err("a meter of Tofino has two rates, and no excess burst".to_owned());
        }
        if rates.cir_billionths > 0 || rates.pir_billionths > 0 {
            return Err("the rates of a meter of Tofino are whole numbers".to_owned());
        }
        let committed = Level::new(rates.cir, rates.cburst);
        let peak = Level::new(rates.pir, rates.pburst);
        Ok(Self {
            rates,
            committed: committed.map_err(|error| format!("committed: {error}"))?,
            peak: peak.map_err(|error| format!("peak: {error}"))?,
            filled: None,
            color: match (rates.cir, rates.pir) {
                (_, 0) => Color::Red,
                (0, _) => Color::Yellow,
                _ => Color::Green,
            },
        })
    }

    /// Colours a packet that has a colour already.
    pub fn color(&mut self, now_ns: u64, units: u32, before: Color) -> Color {
        let color = self.color.max(before);
        let now = cycles(now_ns);
        self.refill(now);
        // As the model does it, the draw depends on the time alone.
        let random = (now.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
        if color != Color::Red {
            self.peak.charge(units, random);
        }
        if color == Color::Green {
            self.committed.charge(units, random);
        }
        self.color = match (self.peak.level < 0, self.committed.level < 0) {
            (true, _) => Color::Red,
            (false, true) => Color::Yellow,
            (false, false) => Color::Green,
        };
        color
    }

    /// Refills happen at multiples of their power of two of cycles, which the timestamp follows as far as the more
    /// frequent ones.
    fn refill(&mut self, now: u64) {
        let (committed, peak) = (&mut self.committed, &mut self.peak);
        let often = committed.refill_exponent.min(peak.refill_exponent);
        let last = |cycle: u64, exponent: u32| cycle >> exponent << exponent;
        let filled = self.filled.unwrap_or(last(now, often));
        for bucket in [committed, peak] {
            bucket.refill(now.saturating_sub(last(filled, bucket.refill_exponent)));
        }
        self.filled = Some(last(now, often).max(filled));
    }
}
