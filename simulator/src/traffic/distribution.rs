// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random variables of the workloads.

use std::fmt;

use rand_xoshiro::rand_core::RngCore;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::de::{self, value::MapAccessDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::time::{from_s, Ns};

/// The distribution of a quantity. In a scenario a plain number stands for a constant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "distribution", rename_all = "snake_case")]
pub enum Distribution {
    Constant {
        value: f64,
    },
    /// Uniform over `low..high`.
    Uniform {
        low: f64,
        high: f64,
    },
    Exponential {
        mean: f64,
    },
    /// Pareto I: P(X > x) = (m/x)^shape from the least value m = mean (shape - 1)/shape on.
    Pareto {
        mean: f64,
        shape: f64,
    },
    /// Pareto II (Lomax): P(X > x) = (1 + x/scale)^-shape from 0 on, scale = mean (shape - 1).
    ParetoIi {
        mean: f64,
        shape: f64,
    },
}

impl Distribution {
    pub const fn constant(value: f64) -> Self {
        Self::Constant { value }
    }

    /// Fails if the parameters are wrong for a quantity that cannot be negative.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::Constant { value } => not_negative("the value", value),
            Self::Uniform { low, high } => {
                not_negative("low", low)?;
                positive("high", high)?;
                if low < high {
                    Ok(())
                } else {
                    Err(format!(
                        "low must be less than high, not {low} with high {high}"
                    ))
                }
            }
            Self::Exponential { mean } => positive("mean", mean),
            Self::Pareto { mean, shape } | Self::ParetoIi { mean, shape } => {
                positive("mean", mean)?;
                if shape.is_finite() && shape > 1.0 {
                    Ok(())
                } else {
                    Err(format!(
                        "shape must be greater than 1 (or there is no mean), not {shape}"
                    ))
                }
            }
        }
    }

    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant { value } => value,
            Self::Uniform { low, high } => (low + high) / 2.0,
            Self::Exponential { mean }
            | Self::Pareto { mean, .. }
            | Self::ParetoIi { mean, .. } => mean,
        }
    }

    /// The value below which a draw falls with the given probability: the inverse of the distribution function.
    pub fn quantile(&self, probability: f64) -> f64 {
        let above = 1.0 - probability;
        match *self {
            Self::Constant { value } => value,
            Self::Uniform { low, high } => low + (high - low) * probability,
            Self::Exponential { mean } => -mean * above.ln(),
            Self::Pareto { mean, shape } => mean * (shape - 1.0) / shape * above.powf(-1.0 / shape),
            Self::ParetoIi { mean, shape } => {
                mean * (shape - 1.0) * (above.powf(-1.0 / shape) - 1.0)
            }
        }
    }

    /// One draw; a constant draws no random number.
    pub fn sample(&self, rng: &mut Xoshiro256PlusPlus) -> f64 {
        match self {
            Self::Constant { value } => *value,
            _ => self.quantile(uniform(rng)),
        }
    }

    /// One draw of a count: rounded up (as ns-2's web traffic does), so at least 1.
    pub fn sample_count(&self, rng: &mut Xoshiro256PlusPlus) -> u64 {
        (self.sample(rng).ceil() as u64).max(1)
    }

    /// One draw in seconds, as nanoseconds.
    pub fn sample_ns(&self, rng: &mut Xoshiro256PlusPlus) -> Ns {
        from_s(self.sample(rng))
    }
}

fn not_negative(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(format!("{name} must be 0 or more, not {value}"))
    }
}

fn positive(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(format!("{name} must be greater than 0, not {value}"))
    }
}

/// Uniform over 0..1, without 1, in steps of 2^-53.
pub fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The form of a distribution in a scenario, other than a plain number.
#[derive(Deserialize)]
#[serde(tag = "distribution", rename_all = "snake_case", deny_unknown_fields)]
enum Tagged {
    Constant { value: f64 },
    Uniform { low: f64, high: f64 },
    Exponential { mean: f64 },
    Pareto { mean: f64, shape: f64 },
    ParetoIi { mean: f64, shape: f64 },
}

impl From<Tagged> for Distribution {
    fn from(tagged: Tagged) -> Self {
        match tagged {
            Tagged::Constant { value } => Self::Constant { value },
            Tagged::Uniform { low, high } => Self::Uniform { low, high },
            Tagged::Exponential { mean } => Self::Exponential { mean },
            Tagged::Pareto { mean, shape } => Self::Pareto { mean, shape },
            Tagged::ParetoIi { mean, shape } => Self::ParetoIi { mean, shape },
        }
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrTagged;

        impl<'de> Visitor<'de> for NumberOrTagged {
            type Value = Distribution;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or a distribution")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Distribution, E> {
                Ok(Distribution::Constant { value })
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Distribution, E> {
                Ok(Distribution::constant(value as f64))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Distribution, E> {
                Ok(Distribution::constant(value as f64))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Distribution, A::Error> {
                Tagged::deserialize(MapAccessDeserializer::new(map)).map(Distribution::from)
            }
        }

        deserializer.deserialize_any(NumberOrTagged)
    }
}

#[cfg(test)]
#[path = "distribution_tests.rs"]
mod tests;
