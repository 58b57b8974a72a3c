// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The samples against the distributions' own formulas.

use rand_xoshiro::rand_core::SeedableRng;
use serde_json::json;

use super::*;

const DRAWS: usize = 100_000;

fn draws(of: &Distribution, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..DRAWS).map(|_| of.sample(&mut rng)).collect()
}

/// Kolmogorov-Smirnov: the greatest distance between the sample's and the expected distribution function; 1.95/sqrt(n)
/// is passed by chance in 1 of 1000 seeds.
fn assert_follows(of: &Distribution, below: impl Fn(f64) -> f64) {
    let mut sample = draws(of, 11);
    sample.sort_by(f64::total_cmp);
    let n = DRAWS as f64;
    let distance = sample
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            (below(x) - i as f64 / n)
                .abs()
                .max((below(x) - (i + 1) as f64 / n).abs())
        })
        .fold(0.0, f64::max);
    assert!(distance < 1.95 / n.sqrt(), "{of:?}: distance {distance}");
}

/// The mean within 3.3 standard errors: missed by chance in 1 of 1000 seeds.
fn assert_mean(of: &Distribution, deviation: f64) {
    let sample = draws(of, 12);
    let mean = sample.iter().sum::<f64>() / DRAWS as f64;
    let error = 3.3 * deviation / (DRAWS as f64).sqrt();
    assert!(
        (mean - of.mean()).abs() < error,
        "{of:?}: mean {mean}, expected {} +- {error}",
        of.mean()
    );
}

#[test]
fn exponential() {
    let of = Distribution::Exponential { mean: 0.5 };
    assert_follows(&of, |x| 1.0 - (-x / 0.5).exp());
    assert_mean(&of, 0.5);
}

#[test]
fn uniform_between_its_ends() {
    let of = Distribution::Uniform {
        low: 0.02,
        high: 0.05,
    };
    assert_follows(&of, |x| ((x - 0.02) / 0.03).clamp(0.0, 1.0));
    assert_mean(&of, 0.03 / 12f64.sqrt());
}

#[test]
fn pareto_starts_at_its_least_value() {
    let of = Distribution::Pareto {
        mean: 2.0,
        shape: 3.0,
    };
    let least = 2.0 * 2.0 / 3.0;
    assert_follows(&of, |x| 1.0 - (least / x).powi(3));
    assert!(draws(&of, 1).iter().all(|&x| x >= least));
    // Variance of Pareto I: m^2 a / ((a-1)^2 (a-2)).
    assert_mean(&of, (least * least * 3.0 / 4.0).sqrt());
}

#[test]
fn pareto_ii_starts_at_zero() {
    let of = Distribution::ParetoIi {
        mean: 2.0,
        shape: 3.0,
    };
    assert_follows(&of, |x| 1.0 - (1.0 + x / 4.0).powi(-3));
    // Variance of Lomax: scale^2 a / ((a-1)^2 (a-2)).
    assert_mean(&of, (16.0 * 3.0 / 4.0f64).sqrt());
}

/// The web table's own shapes have no variance: the quantiles are what can be tested.
#[test]
fn the_web_tables_variables() {
    for (mean, shape) in [(10.0, 2.0), (3.0, 1.5), (0.1, 1.5), (12.0, 1.2)] {
        let of = Distribution::ParetoIi { mean, shape };
        let scale = mean * (shape - 1.0);
        assert_follows(&of, |x| 1.0 - (1.0 + x / scale).powf(-shape));
    }
}

#[test]
fn a_constant_takes_no_random_number() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let before = rng.clone();
    assert_eq!(Distribution::constant(8.0).sample(&mut rng), 8.0);
    assert_eq!(rng, before);
}

#[test]
fn counts_are_rounded_up() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    assert_eq!(Distribution::constant(8.0).sample_count(&mut rng), 8);
    assert_eq!(Distribution::constant(2.1).sample_count(&mut rng), 3);
    let of = Distribution::ParetoIi {
        mean: 3.0,
        shape: 1.5,
    };
    assert!((0..1000).all(|_| of.sample_count(&mut rng) >= 1));
}

#[test]
fn the_seed_decides() {
    let of = Distribution::Exponential { mean: 1.0 };
    assert_eq!(draws(&of, 5), draws(&of, 5));
    assert_ne!(draws(&of, 5), draws(&of, 6));
}

#[test]
fn the_forms_of_a_scenario() {
    let read = |value| serde_json::from_value::<Distribution>(value).map_err(|e| e.to_string());
    assert_eq!(read(json!(8)).unwrap(), Distribution::constant(8.0));
    assert_eq!(read(json!(0.5)).unwrap(), Distribution::constant(0.5));
    let of = Distribution::ParetoIi {
        mean: 3.0,
        shape: 1.5,
    };
    let text = json!({"distribution": "pareto_ii", "mean": 3.0, "shape": 1.5});
    assert_eq!(read(text.clone()).unwrap(), of);
    assert_eq!(serde_json::to_value(of).unwrap(), text);
    let unknown = read(json!({"distribution": "exponential", "mean": 3.0, "shape": 1.5}));
    assert!(unknown.unwrap_err().contains("unknown field `shape`"));
    assert!(read(json!("fast"))
        .unwrap_err()
        .contains("a number or a distribution"));
}

#[test]
fn impossible_parameters_are_refused() {
    for (of, why) in [
        (
            Distribution::constant(-1.0),
            "the value must be 0 or more, not -1",
        ),
        (
            Distribution::Exponential { mean: 0.0 },
            "mean must be greater than 0, not 0",
        ),
        (
            Distribution::Exponential { mean: f64::NAN },
            "mean must be greater than 0, not NaN",
        ),
        (
            Distribution::ParetoIi {
                mean: 3.0,
                shape: 1.0,
            },
            "shape must be greater than 1 (or there is no mean), not 1",
        ),
        (
            Distribution::Uniform {
                low: 2.0,
                high: 1.0,
            },
            "low must be less than high, not 2 with high 1",
        ),
        (
            Distribution::constant(1e300),
            "the mean must be 1e15 or less, not 1e300",
        ),
        (
            Distribution::Uniform {
                low: 1e308,
                high: 1.7e308,
            },
            "the mean must be 1e15 or less, not inf",
        ),
        (
            points(&[(0.0, 50.0), (4e20, 100.0)], Between::Linear),
            "the mean must be 1e15 or less, not 1e20",
        ),
    ] {
        assert_eq!(of.check().unwrap_err(), why);
    }
    let pause = Distribution::Uniform {
        low: 0.0,
        high: 0.05,
    };
    assert!(pause.check().is_ok());
    assert!(Distribution::constant(0.0).check().is_ok());
}

fn points(of: &[(f64, f64)], between: Between) -> Distribution {
    Distribution::Points {
        points: of.to_vec(),
        between,
    }
}

#[test]
fn points_with_straight_lines_between_them() {
    // An atom of 20 % at 100, then even parts: 50 % between 100 and 300, 30 % between 300 and 1000.
    let of = points(
        &[(100.0, 20.0), (300.0, 70.0), (1000.0, 100.0)],
        Between::Linear,
    );
    assert_eq!(of.check(), Ok(()));
    assert_eq!(of.mean(), 0.2 * 100.0 + 0.5 * 200.0 + 0.3 * 650.0);
    for (probability, value) in [
        (0.0, 100.0),
        (0.1, 100.0),
        (0.2, 100.0),
        (0.45, 200.0),
        (0.85, 650.0),
    ] {
        let found = of.quantile(probability);
        assert!(
            (found - value).abs() < 1e-9,
            "{probability}: {found}, not {value}"
        );
    }
    let squares = 0.2 * 1e4
        + 0.5 * (4e4 + 200f64.powi(2) / 12.0)
        + 0.3 * (650f64.powi(2) + 700f64.powi(2) / 12.0);
    assert_mean(&of, (squares - of.mean().powi(2)).sqrt());
    let even = points(
        &[(100.0, 0.0), (300.0, 50.0), (1000.0, 100.0)],
        Between::Linear,
    );
    assert_follows(&even, |x| match x {
        x if x < 300.0 => (x - 100.0) / 400.0,
        x => 0.5 + (x - 300.0) / 1400.0,
    });
}

#[test]
fn points_as_steps() {
    let of = points(&[(50.0, 0.0), (80.0, 25.0), (900.0, 100.0)], Between::Steps);
    assert_eq!(of.mean(), 0.25 * 80.0 + 0.75 * 900.0);
    let sample = draws(&of, 3);
    assert!(sample.iter().all(|&x| x == 80.0 || x == 900.0));
    assert_mean(&of, 820.0 * (0.25f64 * 0.75).sqrt());
}

#[test]
fn points_in_a_scenario() {
    let read = |value| serde_json::from_value::<Distribution>(value);
    let text = json!({"distribution": "points", "points": [[1.0, 50.0], [2.0, 100.0]], "between": "steps"});
    let of = points(&[(1.0, 50.0), (2.0, 100.0)], Between::Steps);
    assert_eq!(read(text.clone()).unwrap(), of);
    assert_eq!(serde_json::to_value(of).unwrap(), text);
    let short = read(json!({"distribution": "points", "points": [[2, 100]]})).unwrap();
    assert_eq!(short, points(&[(2.0, 100.0)], Between::Linear));
}

#[test]
fn points_that_are_no_distribution_are_refused() {
    let at_a_percentage = f64::NAN;
    for (of, why) in [
        (&[][..], "must be 1 to 100000 points, not 0"),
        (
            &[(1.0, 10.0), (2.0, 99.5)],
            "points[1]: rises to 99.5 %, not to 100 %",
        ),
        (
            &[(1.0, 10.0), (2.0, 9.0), (3.0, 100.0)],
            "points[1]: 9 % is less than 10 % before it",
        ),
        (
            &[(2.0, 10.0), (1.0, 100.0)],
            "points[1]: 1 is less than 2 before it",
        ),
        (&[(1.0, 101.0)], "points[0]: 101 % is more than 100 %"),
        (&[(-1.0, 100.0)], "points[0]: -1 is less than 0 before it"),
        (
            &[(1.0, at_a_percentage)],
            "points[0]: must be a value and a percentage",
        ),
    ] {
        assert_eq!(points(of, Between::Linear).check().unwrap_err(), why);
    }
}
