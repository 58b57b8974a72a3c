// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Lpf`: the low-pass filter's settings and result.

use super::filter::{Constants, TimeConstant};
use crate::model::values::{LpfConfig, LpfKind};

/// Five bits.
const MAX_SCALE_DOWN: u32 = 31;

/// The setting of a filter: its constants, and by how many bits its result is shifted down.
pub fn settings(config: &LpfConfig) -> Result<(Constants, u32), String> {
    let constant = |name: &str, ns: f64| {
        let constant = TimeConstant::from_ns(ns);
        constant.ok_or_else(|| format!("a {name} time constant of {ns} ns is not from 0 to 3.5 s"))
    };
    let gain = constant("gain", config.gain_time_constant_ns)?;
    let decay = constant("decay", config.decay_time_constant_ns)?;
    let rate = config.kind == LpfKind::Rate;
    if rate && gain != decay {
        return Err("a filter of rates has one time constant, for gain and decay".to_owned());
    }
    if gain.mantissa != decay.mantissa {
        return Err(format!(
            "the time constants {} ns and {} ns differ, and not by a power of two: give equal ones, or one 2, 4, 8, ... times the other",
            config.gain_time_constant_ns, config.decay_time_constant_ns
        ));
    }
    let scale_down = config.out_scale_down_factor;
    if scale_down > MAX_SCALE_DOWN {
        return Err(format!(
            "the result cannot be shifted down by {scale_down} bits; at most by {MAX_SCALE_DOWN}"
        ));
    }
    let constants = Constants {
        rate,
        mantissa: gain.mantissa,
        rise_exponent: gain.exponent,
        fall_exponent: decay.exponent,
    };
    Ok((constants, scale_down))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(kind: LpfKind, gain: f64, decay: f64, out_scale_down_factor: u32) -> LpfConfig {
        LpfConfig {
            kind,
            gain_time_constant_ns: gain,
            decay_time_constant_ns: decay,
            out_scale_down_factor,
        }
    }

    #[test]
    fn gain_and_decay_share_a_mantissa() {
        let (constants, scale_down) =
            settings(&config(LpfKind::Sample, 1000.0, 4000.0, 3)).expect("it is possible");
        let want = Constants {
            rate: false,
            mantissa: 97,
            rise_exponent: 10,
            fall_exponent: 12,
        };
        assert_eq!((constants, scale_down), (want, 3));
        assert!(settings(&config(LpfKind::Rate, 1000.0, 1000.0, 0)).is_ok_and(|(c, _)| c.rate));
    }

    #[test]
    fn what_the_hardware_cannot_do_is_refused() {
        for (config, why) in [
            (config(LpfKind::Sample, 1000.0, 3000.0, 0), "power of two"),
            (
                config(LpfKind::Rate, 1000.0, 2000.0, 0),
                "one time constant",
            ),
            (
                config(LpfKind::Sample, -1.0, 1.0, 0),
                "gain time constant of -1",
            ),
            (config(LpfKind::Sample, 1.0, 4e9, 0), "decay time constant"),
            (config(LpfKind::Sample, 1.0, 1.0, 32), "at most by 31"),
        ] {
            let error = settings(&config).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }
}
