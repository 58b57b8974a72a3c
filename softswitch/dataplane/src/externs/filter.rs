// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tofino's low-pass filter: the average that `Lpf` returns and that `Wred` decides by.
//!
//! An execution takes in as much of the time since the last one as is a power-of-two multiple of the time constant, from
//! 2^-7 on, and leaves the rest to the next. The decay over that time is made of two shifts, of which each truncates. The
//! arithmetic is that of the Tofino model (`mau-lpf-meter.cpp` of open-p4studio); docs/reference/tna-units.md has it.

use super::clock::CLOCK_HZ;

/// The hardware keeps times in 28 bits.
const TIME_MASK: u64 = (1 << 28) - 1;

/// Every 2^23 cycles, about 7 ms, the hardware runs each filter with a sample of 0, so that no time wraps unseen.
const SWEEP_SHIFT: u32 = 23;

/// Sweeps in a row after which a value that has not changed will not change any more: the time of 2^28 cycles twice over,
/// which is more than the longest step of any time constant.
const STILL_SWEEPS: u32 = 64;

const NS_PER_S: f64 = 1e9;

/// Cycles as `(1 + mantissa / 512) * 2^exponent`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeConstant {
    /// 9 bits.
    pub mantissa: u32,
    /// 5 bits.
    pub exponent: u32,
}

impl TimeConstant {
    /// Rounded down to what the hardware can express, as its driver does it, in single precision; less than a cycle is
    /// one. `None` for what is negative, no number, or too long: 2^32 cycles are 3.5 s.
    pub fn from_ns(ns: f64) -> Option<Self> {
        let mut cycles = f64::from(ns as f32 * CLOCK_HZ as f32) / NS_PER_S;
        if !(cycles >= 0.0 && cycles < (1u64 << 32) as f64) {
            return None;
        }
        let mut exponent = 0;
        while cycles >= 2.0 {
            cycles /= 2.0;
            exponent += 1;
        }
        let mantissa = ((cycles.max(1.0) - 1.0) * 512.0) as u32;
        Some(Self { mantissa, exponent })
    }
}

/// How a filter treats its samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Constants {
    /// Samples are added up and decay, instead of being averaged.
    pub rate: bool,
    pub mantissa: u32,
    /// For samples above the value.
    pub rise_exponent: u32,
    pub fall_exponent: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct Filter {
    constants: Constants,
    value: u32,
    /// The cycle up to which time has been taken in, 28 bits.
    timestamp: u32,
    /// Sweeps up to now.
    sweeps: u64,
}

impl Filter {
    /// An average of 0, written at a cycle. The timestamp begins with 0, as the driver writes it, so the first sample
    /// counts for a long time.
    pub fn new(constants: Constants, now_cycles: u64) -> Self {
        Self {
            constants,
            value: 0,
            timestamp: 0,
            sweeps: now_cycles >> SWEEP_SHIFT,
        }
    }

    pub fn value(&self) -> u32 {
        self.value
    }

    /// Takes in a sample; gives the new value, in 33 bits before it is cut to 32.
    pub fn run(&mut self, now_cycles: u64, sample: u32) -> u64 {
        self.sweep(now_cycles >> SWEEP_SHIFT);
        self.step(now_cycles, sample)
    }

    /// The sweeps that are due since the last execution.
    fn sweep(&mut self, due: u64) {
        let mut still = 0;
        while self.sweeps < due && still < STILL_SWEEPS {
            self.sweeps += 1;
            let before = self.value;
            self.step(self.sweeps << SWEEP_SHIFT, 0);
            still = if self.value == before { still + 1 } else { 0 };
        }
        // The others move the time on and nothing else.
        let rest = due.saturating_sub(self.sweeps);
        let timestamp = u64::from(self.timestamp).wrapping_add(rest << SWEEP_SHIFT);
        self.timestamp = (timestamp & TIME_MASK) as u32;
        self.sweeps = self.sweeps.max(due);
    }

    fn step(&mut self, now_cycles: u64, sample: u32) -> u64 {
        let (old, new) = (u64::from(self.value), u64::from(sample));
        let rate = self.constants.rate;
        let value = match self.take_time(now_cycles, sample) {
            None if rate => old + new,
            None => old,
            Some(shift) if shift >= 4 => new,
            Some(shift) => {
                let (first, second) = shifts(shift);
                let kept = |value: u64| (value >> first, value >> second);
                let ((old1, old2), (new1, new2)) = (kept(old), kept(new));
                match (shift < 0, rate) {
                    (true, true) => old - old1 + old2 + new,
                    (true, false) => old - old1 + old2 + new1 - new2,
                    (false, true) => old1 + old2 + new,
                    (false, false) => old1 + old2 + new - new1 - new2,
                }
            }
        };
        let value = value & ((1 << 33) - 1);
        self.value = u32::try_from(value).unwrap_or(u32::MAX);
        value
    }

    /// Moves the timestamp on by the largest power-of-two multiple of the time constant that has gone by; gives the power,
    /// `None` where less than 2^-7 of the time constant has.
    fn take_time(&mut self, now_cycles: u64, sample: u32) -> Option<i32> {
        let Constants {
            rate,
            mantissa,
            rise_exponent,
            fall_exponent,
        } = self.constants;
        let exponent = match rate || sample > self.value {
            true => rise_exponent,
            false => fall_exponent,
        };
        let elapsed = now_cycles.wrapping_sub(u64::from(self.timestamp)) & TIME_MASK;
        let log = elapsed.checked_ilog2()?;
        // Bits that stand for parts of a cycle do not count.
        let whole = 0x200 | 0x3_fe00 >> exponent.min(9);
        let mantissa = u64::from((512 + mantissa) & whole);
        let cycles = |log: u32| (mantissa << log) >> 9;
        let log = match cycles(log) > elapsed {
            true => log.checked_sub(1)?,
            false => log,
        };
        let shift = log as i32 - exponent as i32;
        if shift <= -8 {
            return None;
        }
        let timestamp = u64::from(self.timestamp) + cycles(log);
        self.timestamp = (timestamp & TIME_MASK) as u32;
        Some(shift)
    }
}

/// The two shifts whose sum comes near to the decay over `2^shift` time constants.
fn shifts(shift: i32) -> (u32, u32) {
    match shift {
        0 => (2, 3),
        1 => (3, 7),
        2 => (6, 9),
        3 => (12, 14),
        _ => (shift.unsigned_abs(), 2 * shift.unsigned_abs() + 1),
    }
}
