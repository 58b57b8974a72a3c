// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Wred`: random drops by a filtered value, between two thresholds.
//!
//! The hardware has no slope. It adds a random number to the lower threshold and drops what is above the sum; with a
//! second draw it does so only once in a power of two. Settings are in 8 bits with an exponent, and probabilities in
//! whole percents. After the Tofino model (`mau-lpf-meter.cpp`) and the driver (`pipe_mgr_meter_drv_workflows.c`) of
//! open-p4studio.

use super::filter::{Constants, TimeConstant};
use crate::model::values::WredConfig;

/// The thresholds as the hardware has them, shifted down by `exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// Nothing up to it is dropped.
    level0: u32,
    /// From there on to where, without the maximum, all would be dropped that `scale` lets through.
    span: u32,
    /// Everything above it is dropped.
    level_max: u32,
    exponent: u32,
    /// A packet above the random threshold is dropped once in 2^scale times.
    scale: u32,
}

/// Bits of the draw that thins drops out.
const SCALE_BITS: u32 = 7;

impl Curve {
    /// The curve of an entry that was never configured: it drops only what 32 bits do not hold.
    pub const NEVER: Self = Self {
        level0: 255,
        span: 0,
        level_max: 255,
        exponent: 24,
        scale: 0,
    };

    pub fn new(config: &WredConfig) -> Result<Self, String> {
        let &WredConfig {
            min_thresh: min,
            max_thresh: max,
            max_probability,
            ..
        } = config;
        if !(max_probability > 0.0 && max_probability <= 1.0) {
            return Err(format!(
                "a probability of {max_probability}: it must be above 0 and at most 1"
            ));
        }
        if min > max {
            return Err(format!(
                "the minimum threshold {min} is above the maximum {max}"
            ));
        }
        let percent = (max_probability as f32 * 100.0).ceil() as u32;
        if min == max && percent != 100 {
            return Err(format!(
                "with both thresholds at {min} the probability is 1, not {max_probability}"
            ));
        }
        let range = 255.0 * f64::from(percent) / 100.0;
        let plain = Self::scaled(min, max, percent, range, 0);
        let scale = thinning(range as u32, percent);
        if scale == 0 || min == max {
            return Ok(plain);
        }
        let thinned = Self::scaled(min, max, percent, range * f64::from(1 << scale), scale);
        Ok(match thinned.exponent <= plain.exponent {
            true => thinned,
            false => plain,
        })
    }

    /// The curve of which `range` of 255 random numbers lead to a drop at the upper threshold.
    fn scaled(min: u32, max: u32, percent: u32, range: f64, scale: u32) -> Self {
        let (low, high) = (f64::from(min), f64::from(max));
        let level100 = match min == max || percent == 100 {
            true => u64::from(max),
            false => {
                let slope = range / (high - low);
                ((255.0 + slope * low) / slope) as u64
            }
        };
        let span = level100.saturating_sub(min.into());
        let mut exponent = 0;
        while span.max(max.into()) >> exponent > 255 {
            exponent += 1;
        }
        Self {
            level0: min >> exponent,
            span: (span >> exponent) as u32,
            level_max: max >> exponent,
            exponent,
            scale,
        }
    }

    /// Whether a packet is dropped at an average, which has 33 bits. `random` is uniform over all numbers.
    pub fn drops(&self, average: u64, random: u64) -> bool {
        let (jitter, thin) = (random as u32 & 0xff, (random >> 8) as u32 & 0x7f);
        let more = (self.span * jitter) >> 8;
        let threshold = (more & 0xff) + self.level0;
        let above = |level: u32| average > u64::from(level) << self.exponent;
        let drawn = thin & ((1 << self.scale) - 1) == 0;
        above(threshold.min(self.level_max)) && drawn || above(self.level_max)
    }
}

/// The power of two that drops of so many percent can be thinned out by, without getting fewer.
fn thinning(range: u32, percent: u32) -> u32 {
    let (mut range, mut limit, mut scale) = (range, 100, 0);
    while range <= 255 && limit >= percent {
        range *= 2;
        if scale == SCALE_BITS {
            break;
        }
        scale += 1;
        limit = 100 >> scale;
    }
    match range > 255 || limit <= percent {
        true => scale.saturating_sub(1),
        false => scale,
    }
}

/// The setting of a curve's filter.
pub fn constants(config: &WredConfig) -> Result<Constants, String> {
    let ns = config.time_constant_ns;
    let Some(TimeConstant { mantissa, exponent }) = TimeConstant::from_ns(ns) else {
        return Err(format!("a time constant of {ns} ns is not from 0 to 3.5 s"));
    };
    Ok(Constants {
        rate: false,
        mantissa,
        rise_exponent: exponent,
        fall_exponent: exponent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::externs::random::Random;

    fn config(min_thresh: u32, max_thresh: u32, max_probability: f64) -> WredConfig {
        WredConfig {
            time_constant_ns: 1000.0,
            min_thresh,
            max_thresh,
            max_probability,
        }
    }

    fn curve(min_thresh: u32, max_thresh: u32, max_probability: f64) -> Curve {
        Curve::new(&config(min_thresh, max_thresh, max_probability)).expect("it is possible")
    }

    /// Worked out by hand from the driver's steps.
    #[test]
    fn thresholds_get_eight_bits_and_an_exponent() {
        let certain = Curve {
            level0: 50,
            span: 100,
            level_max: 150,
            exponent: 1,
            scale: 0,
        };
        assert_eq!(curve(100, 300, 1.0), certain);
        // 10 %: a slope of 25.5 * 8 / 2000 reaches 255 after 2500, and one drop in 8 is left.
        let tenth = Curve {
            level0: 62,
            span: 156,
            level_max: 187,
            exponent: 4,
            scale: 3,
        };
        assert_eq!(curve(1000, 3000, 0.1), tenth);
        assert_eq!(curve(200, 200, 1.0).span, 0);
        // Rounded up to 1 %, which is 2 of 255, thinned out by 64.
        assert_eq!(curve(10, 20, 0.0001), curve(10, 20, 0.01));
        assert_eq!(curve(10, 20, 0.01).scale, 6);
    }

    #[test]
    fn what_the_hardware_cannot_do_is_refused() {
        for (config, why) in [
            (config(3, 2, 1.0), "3 is above the maximum 2"),
            (config(2, 2, 0.5), "both thresholds"),
            (config(1, 2, 0.0), "must be above 0"),
            (config(1, 2, 1.1), "at most 1"),
            (config(1, 2, f64::NAN), "NaN"),
        ] {
            let error = Curve::new(&config).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
        let long = WredConfig {
            time_constant_ns: 4e9,
            ..config(1, 2, 1.0)
        };
        assert!(constants(&long).is_err());
    }

    #[test]
    fn an_entry_without_settings_drops_nothing() {
        let mut random = Random::new(1);
        let drops = |average, random: &mut Random| Curve::NEVER.drops(average, random.next());
        assert!((0..1000).all(|i| !drops(i << 20, &mut random)));
        assert!(!drops(0xff00_0000, &mut random));
        assert!(drops(0xff00_0001, &mut random));
    }

    /// Drops of 200 000 packets at some averages are within 4.5 standard deviations of what the thresholds give: by
    /// chance one of 100 000 runs would fail, but the seed is fixed.
    #[test]
    fn the_share_of_drops_follows_the_thresholds() {
        let curve = curve(1000, 3000, 0.1);
        let mut random = Random::new(7);
        let packets = 200_000u32;
        // Random numbers R of 256 whose threshold, 62 + (156 R >> 8), is below the average / 16; one in 8 of them
        // drops.
        for (average, below) in [(992, 0), (1009, 4), (2000, 104), (2992, 206), (2993, 2048)] {
            let drops = (0..packets).filter(|_| curve.drops(average, random.next()));
            let (drops, p) = (drops.count() as f64, f64::from(below) / 2048.0);
            let expected = p * f64::from(packets);
            let deviation = (expected * (1.0 - p)).sqrt();
            assert!(
                (drops - expected).abs() <= 4.5 * deviation,
                "{average}: {drops} drops, {expected} expected"
            );
        }
    }
}
