// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tofino's low-pass filter: the average that `Lpf` returns and that `Wred` decides by.
//!
//! An execution takes in as much of the time since the last one as is a power-of-two multiple of the time constant,
//! from 2^-7 on, and leaves the rest to the next. The decay over that time is made of two shifts, of which each
//! truncates. The arithmetic is that of the Tofino model (`mau-lpf-meter.cpp` of open-p4studio);
//! softswitch/docs/tna-units.md has it.

use super::clock::CLOCK_HZ;

/// The hardware keeps times in 28 bits.
const TIME_MASK: u64 = (1 << 28) - 1;

/// Every 2^23 cycles, about 7 ms, the hardware runs each filter with a sample of 0, so that no time wraps unseen.
const SWEEP_SHIFT: u32 = 23;

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

/// The constants with which a filter treats its samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Constants {
    /// Samples are added up and decay, instead of being averaged.
    pub rate: bool,
    pub mantissa: u32,
    /// The exponent for samples above the value.
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
        while self.sweeps < due {
            self.sweeps += 1;
            self.step(self.sweeps << SWEEP_SHIFT, 0);
            if self.is_still(self.sweeps << SWEEP_SHIFT) {
                break;
            }
        }
        // The others move the time on and nothing else.
        let rest = due.saturating_sub(self.sweeps);
        let timestamp = u64::from(self.timestamp).wrapping_add(rest << SWEEP_SHIFT);
        self.timestamp = (timestamp & TIME_MASK) as u32;
        self.sweeps = self.sweeps.max(due);
    }

    /// Whether sweeps change nothing any more: the time that they take in is at most one sweep's, or the shortest
    /// that the time constant knows, and then the value's shift leaves nothing of it.
    fn is_still(&self, now_cycles: u64) -> bool {
        let exponent = self.constants.fall_exponent;
        let shortest = u64::from(512 + self.constants.mantissa) << exponent >> 16;
        let shift = exponent.saturating_sub(SWEEP_SHIFT).min(7);
        self.value >> shift == 0 && self.elapsed(now_cycles) < shortest.max(1 << SWEEP_SHIFT)
    }

    /// Cycles that have not been taken in.
    fn elapsed(&self, now_cycles: u64) -> u64 {
        now_cycles.wrapping_sub(u64::from(self.timestamp)) & TIME_MASK
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

    /// Moves the timestamp on by the largest power-of-two multiple of the time constant that has gone by; gives the
    /// power, `None` where less than 2^-7 of the time constant has.
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
        let elapsed = self.elapsed(now_cycles);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filter(rate: bool, mantissa: u32, rise_exponent: u32, fall_exponent: u32) -> Filter {
        let constants = Constants {
            rate,
            mantissa,
            rise_exponent,
            fall_exponent,
        };
        Filter::new(constants, 0)
    }

    #[test]
    fn time_constants_are_rounded_down_to_ten_bits() {
        let constant = |ns| TimeConstant::from_ns(ns).map(|c| (c.mantissa, c.exponent));
        assert_eq!(constant(0.0), Some((0, 0)));
        assert_eq!(constant(0.5), Some((0, 0)));
        // 1221 cycles = (1 + 98/512 + a rest) * 2^10.
        assert_eq!(constant(1001.0), Some((98, 10)));
        // 1220 are that without a rest, but not in single precision.
        assert_eq!(constant(1000.0), Some((97, 10)));
        assert_eq!(constant(3.5e9), Some((506, 31)));
        for ns in [-1.0, 3.6e9, f64::NAN, f64::INFINITY] {
            assert_eq!(constant(ns), None, "{ns}");
        }
    }

    /// With a time constant of 2^10 cycles, each case of the equations once, worked out by hand.
    #[test]
    fn an_average_takes_in_powers_of_two_of_time() {
        let mut filter = filter(false, 0, 10, 10);
        let mut now = 16 << 10;
        assert_eq!(filter.run(now, 100), 100, "16 time constants: the sample");
        now += 1 << 10;
        assert_eq!(filter.run(now, 200), 25 + 12 + 200 - 50 - 25);
        assert_eq!(filter.run(now + 7, 900), 162, "too early to count");
        now += 8;
        assert_eq!(filter.run(now, 1000), 162 - 1 + 7);
        now += 512;
        assert_eq!(filter.run(now, 0), 168 - 84 + 21);
        now += 2 << 10;
        assert_eq!(filter.run(now, 800), 13 + 800 - 100 - 6);
        now += 4 << 10;
        assert_eq!(filter.run(now, 0), (707 >> 6) + (707 >> 9));
        now += 8 << 10;
        assert_eq!(filter.run(now, 1 << 14), (1 << 14) - 4 - 1);
        assert_eq!(filter.run(now, 5), (1 << 14) - 5, "at the same time");
        assert_eq!(filter.value(), (1 << 14) - 5);
    }

    #[test]
    fn time_that_is_no_power_of_two_is_left_for_the_next_sample() {
        let mut filter = filter(false, 0, 10, 10);
        filter.run(3 << 20, 64);
        assert_eq!(filter.timestamp, 2 << 20);
        assert_eq!(filter.run(3 << 20, 32), 32);
        assert_eq!(filter.timestamp, 3 << 20);
    }

    #[test]
    fn mantissas_make_steps_longer() {
        let mut early = filter(false, 256, 10, 10);
        // Half of 1536 cycles are one step.
        assert_eq!(early.run(1535, 80), 40 - 10);
        assert_eq!(early.timestamp, 768);
        let mut whole = filter(false, 256, 10, 10);
        assert_eq!(whole.run(1536, 80), 80 - 20 - 10);
        assert_eq!(whole.timestamp, 1536);
        // Parts of a cycle do not count.
        let mut short = filter(false, 511, 0, 0);
        short.run(3, 80);
        assert_eq!(short.timestamp, 2);
        let mut short = filter(false, 511, 1, 1);
        short.run(3, 80);
        assert_eq!(short.timestamp, 3);
    }

    #[test]
    fn gain_and_decay_have_their_own_exponents() {
        let mut filter = filter(false, 0, 8, 12);
        // Sixteen gains, and one decay, in 2^12 cycles.
        assert_eq!(filter.run(1 << 12, 800), 800);
        assert_eq!(filter.run(2 << 12, 800), 800, "not above: 300 + 500");
        assert_eq!(filter.run(3 << 12, 0), 200 + 100);
        assert_eq!(filter.run(4 << 12, 400), 400);
    }

    #[test]
    fn rates_add_up_and_saturate() {
        let mut filter = filter(true, 0, 10, 10);
        assert_eq!(filter.run(1 << 10, 100), 100);
        assert_eq!(filter.run(1 << 10, 100), 200);
        assert_eq!(filter.run(2 << 10, 50), 50 + 25 + 50);
        assert_eq!(filter.run((2 << 10) + 512, 3), 125 - 62 + 15 + 3);
        assert_eq!(filter.run(100 << 10, 7), 7);
        filter.run(100 << 10, u32::MAX);
        assert_eq!(filter.value(), u32::MAX);
        let unsaturated = filter.run(100 << 10, u32::MAX);
        assert_eq!(unsaturated & 0x1_ffff_ffff, unsaturated);
        assert!(unsaturated > u64::from(u32::MAX));
        assert_eq!(filter.value(), u32::MAX);
    }

    /// With a time constant of a sweep's interval.
    #[test]
    fn sweeps_let_an_idle_average_decay() {
        let mut filter = filter(false, 0, 23, 23);
        assert_eq!(filter.run(1 << 22, 8000), 4000 - 1000);
        let first = 3000 - 1500 + 375;
        let second = (first >> 2) + (first >> 3);
        let third = (second >> 2) + (second >> 3);
        assert_eq!(filter.run((3 << 23) + 5, 9), third);
        assert_eq!(third, 262);
    }

    #[test]
    fn a_filter_that_is_set_late_has_no_sweeps_before() {
        let constants = filter(false, 0, 20, 20).constants;
        let now = (1 << 40) + (1 << 27);
        let mut late = Filter::new(constants, now);
        // The time since 0 modulo 2^28 is 2^7 time constants: the sample.
        assert_eq!(late.run(now, 77), 77);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Sweeps that are made up for are the same as sweeps one by one, however long the rest was.
        #[test]
        fn rests_end_with_the_value_of_all_sweeps(
            mantissa in 0u32..512,
            exponent in 0u32..32,
            rate in any::<bool>(),
            samples in prop::collection::vec((0u64..1 << 26, any::<u32>(), 0u32..32), 1..20),
            rest in 0u64..20_000,
        ) {
            let mut filter = filter(rate, mantissa, exponent, exponent);
            let mut now = 0;
            for (gap, sample, down) in samples {
                now += gap;
                filter.run(now, sample >> down);
            }
            let mut swept = filter;
            for _ in 0..rest {
                swept.sweeps += 1;
                swept.step(swept.sweeps << SWEEP_SHIFT, 0);
            }
            filter.sweep(filter.sweeps + rest);
            prop_assert_eq!(filter.value, swept.value);
            prop_assert_eq!(filter.sweeps, swept.sweeps);
        }
    }
}
