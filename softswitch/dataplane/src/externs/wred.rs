// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Wred`: random drops by a filtered value, between two thresholds.
//!
//! The hardware has no slope. It adds a random number to the lower threshold and drops what is above the sum; with a
//! second draw it does so only once in a power of two. Settings are in 8 bits with an exponent, and probabilities in
//! whole percents. After the Tofino model (`mau-lpf-meter.cpp`) and the driver (`pipe_mgr_meter_drv_workflows.c`) of
//! open-p4studio.

use super::filter::{Constants, TimeConstant};
use crate::control::WredConfig;

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
    /// What is above the random threshold is dropped once in 2^scale times.
    scale: u32,
}

/// Bits of the draw that thins drops out.
const SCALE_BITS: u32 = 7;

impl Curve {
    /// Of an entry that was never configured: drops only what 32 bits do not hold.
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
                "a probability of {max_probability} is not above 0 and up to 1"
            ));
        }
        if min > max {
            return Err(format!("the threshold {min} is above {max}"));
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
        let threshold = (self.span * jitter >> 8 & 0xff) + self.level0;
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

/// What the filter of a curve is set to.
pub fn constants(config: &WredConfig) -> Result<Constants, String> {
    let ns = config.time_constant_ns;
    let Some(TimeConstant { mantissa, exponent }) = TimeConstant::from_ns(ns) else {
        return Err(format!(
            "a time constant of {ns} ns is not from 0 to 3.5 s"
        ));
    };
    Ok(Constants {
        rate: false,
        mantissa,
        rise_exponent: exponent,
        fall_exponent: exponent,
    })
}
