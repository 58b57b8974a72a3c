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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// The distribution function's points: a value, and the percentage of draws up to it.
    Points {
        points: Vec<(f64, f64)>,
        between: Between,
    },
}

/// The distribution function between two of its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// A straight line: all values between the points occur. The first point's percentage is that of its value alone.
    #[default]
    Linear,
    /// It jumps at each point: only the points' values occur.
    Steps,
}

/// The most points of a distribution.
const MAX_POINTS: usize = 100_000;
/// The largest mean: more bytes or seconds than any run has.
const MAX_MEAN: f64 = 1e15;

impl Distribution {
    pub const fn constant(value: f64) -> Self {
        Self::Constant { value }
    }

    /// Fails if the parameters are wrong for a quantity that cannot be negative.
    pub fn check(&self) -> Result<(), String> {
        self.check_parameters()?;
        let mean = self.mean();
        if mean <= MAX_MEAN {
            return Ok(());
        }
        Err(format!(
            "the mean must be {MAX_MEAN:e} or less, not {mean:e}"
        ))
    }

    fn check_parameters(&self) -> Result<(), String> {
        match *self {
            Self::Points { ref points, .. } => check_points(points),
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
            Self::Points {
                ref points,
                between,
            } => mean_of_points(points, between),
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
            Self::Points {
                ref points,
                between,
            } => point_at(points, between, 100.0 * probability),
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

/// Fails if the points are no distribution function of a quantity that cannot be negative.
fn check_points(points: &[(f64, f64)]) -> Result<(), String> {
    if points.is_empty() || points.len() > MAX_POINTS {
        let problem = format!("must be 1 to {MAX_POINTS} points, not {}", points.len());
        return Err(problem);
    }
    let (mut last_value, mut last_percent) = (0.0, 0.0);
    for (index, &(value, percent)) in points.iter().enumerate() {
        let at = |problem: String| Err(format!("points[{index}]: {problem}"));
        if !(value.is_finite() && percent.is_finite()) {
            return at("must be a value and a percentage".to_owned());
        }
        if value < last_value {
            return at(format!("{value} is less than {last_value} before it"));
        }
        if percent < last_percent {
            return at(format!(
                "{percent} % is less than {last_percent} % before it"
            ));
        }
        if percent > 100.0 {
            return at(format!("{percent} % is more than 100 %"));
        }
        (last_value, last_percent) = (value, percent);
    }
    if last_percent == 100.0 {
        return Ok(());
    }
    let last = points.len() - 1;
    Err(format!(
        "points[{last}]: rises to {last_percent} %, not to 100 %"
    ))
}

/// Each point with the one before it; the first has itself, at 0 %.
fn segments(points: &[(f64, f64)]) -> impl Iterator<Item = [(f64, f64); 2]> + '_ {
    let before = points.first().map(|(value, _)| (*value, 0.0));
    let before = before.into_iter().chain(points.iter().copied());
    before.zip(points).map(|(from, to)| [from, *to])
}

fn mean_of_points(points: &[(f64, f64)], between: Between) -> f64 {
    let parts = segments(points).map(|[from, to]| {
        let value = match between {
            Between::Linear => (from.0 + to.0) / 2.0,
            Between::Steps => to.0,
        };
        value * (to.1 - from.1) / 100.0
    });
    parts.sum()
}

/// The value at a percentage below 100: that of the first point beyond it, or on the line to that point.
fn point_at(points: &[(f64, f64)], between: Between, percent: f64) -> f64 {
    let after = points.partition_point(|point| point.1 <= percent);
    let Some(&to) = points.get(after) else {
        return points.last().map_or(0.0, |point| point.0);
    };
    match (between, after.checked_sub(1)) {
        (Between::Linear, Some(before)) => {
            let from = points[before];
            from.0 + (to.0 - from.0) * (percent - from.1) / (to.1 - from.1)
        }
        _ => to.0,
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
    Constant {
        value: f64,
    },
    Uniform {
        low: f64,
        high: f64,
    },
    Exponential {
        mean: f64,
    },
    Pareto {
        mean: f64,
        shape: f64,
    },
    ParetoIi {
        mean: f64,
        shape: f64,
    },
    Points {
        points: Vec<(f64, f64)>,
        #[serde(default)]
        between: Between,
    },
}

impl From<Tagged> for Distribution {
    fn from(tagged: Tagged) -> Self {
        match tagged {
            Tagged::Constant { value } => Self::Constant { value },
            Tagged::Uniform { low, high } => Self::Uniform { low, high },
            Tagged::Exponential { mean } => Self::Exponential { mean },
            Tagged::Pareto { mean, shape } => Self::Pareto { mean, shape },
            Tagged::ParetoIi { mean, shape } => Self::ParetoIi { mean, shape },
            Tagged::Points { points, between } => Self::Points { points, between },
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
