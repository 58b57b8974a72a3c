// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! DCTCP's queue beside its theory (Alizadeh et al. 2010, section 3.3; docs/schemes/dctcp.md).

use crate::common::*;
use serde_json::json;

/// Packets of 1000 bytes in a second, at 10 Mb/s.
const CAPACITY_PPS: f64 = 1250.0;

/// One setting: flows, K in packets, the round trip without the queue in seconds.
type Setting = (usize, f64, f64);

const SETTINGS: [Setting; 6] = [
    (1, 20.0, 0.05),
    (2, 20.0, 0.05),
    (4, 20.0, 0.05),
    (2, 40.0, 0.05),
    (2, 40.0, 0.1),
    (4, 40.0, 0.1),
];
const DURATION_S: f64 = 25.0;
const WARMUP_S: f64 = 10.0;

/// Measured values over those of the theory: the longest queue, its mean, its swing, the period, the share of marks.
#[derive(Debug)]
struct Ratios([f64; 5]);

fn measured((flows, k_pkts, round_trip_s): Setting, seed: u64, delayed_ack: bool) -> Ratios {
    let mut scenario = dumbbell(flows, "dctcp", DURATION_S, WARMUP_S);
    scenario["seed"] = json!(seed);
    scenario["links"][0]["delay_s"] = json!(round_trip_s / 2.0 - 0.004);
    scenario["links"][0]["ab"]["buffer_bytes"] = json!(1_000_000);
    scenario["stacks"]["tcp"] = json!({"preset": "modern", "algorithm": "dctcp", "segment_bytes": 960,
                                       "delayed_ack": delayed_ack, "max_window_pkts": 1000});
    let mut simulation = start_dumbbell(&scenario, None, false);
    add_step(&mut simulation, k_pkts, 10_000_000);
    let results = run(simulation);
    let direction = &results.directions[0];
    assert_eq!(direction.loss, Some(0.0));
    let utilisation = direction.utilisation.expect("the rate is limited");
    assert!(utilisation > 0.999, "{utilisation}");

    let n = flows as f64;
    let all_pkts = CAPACITY_PPS * round_trip_s + k_pkts;
    let swing = (2.0 * n * all_pkts).sqrt() / 2.0;
    let longest = k_pkts + n;
    let reductions: u64 = results
        .sources
        .iter()
        .map(|s| s.transport.reactions_ece)
        .sum();
    let period_s = (DURATION_S - WARMUP_S) * n / reductions as f64;
    // A round trip with the queue at K.
    let trip_s = all_pkts / CAPACITY_PPS;
    let trips = (2.0 * all_pkts / n).sqrt() / 2.0;
    let marked = direction.marked_pkts.expect("they are counted") as f64;
    Ratios([
        direction.queue.max_pkts as f64 / longest,
        direction.queue.mean_pkts / (longest - swing / 2.0),
        // A sawtooth's standard deviation is its height over the root of 12.
        direction.queue.sd_pkts * 12f64.sqrt() / swing,
        period_s / (trips * trip_s),
        marked / direction.crossing.data_pkts as f64 / (2.0 * n / all_pkts).sqrt(),
    ])
}

/// Over the settings each ratio is 1 within its bounds, at a significance of 0.001: the interval of its mean, by Student's
/// t with 5 degrees of freedom, lies within them. Two seeds of a setting differ less than two settings do.
#[test]
fn the_queue_is_that_of_the_theory_over_flows_and_k() {
    const T_999: f64 = 6.869;
    let runs = SETTINGS.map(|setting| measured(setting, 1, false));
    let n = runs.len() as f64;
    for (place, name, bound) in [
        (0, "longest queue", 0.1),
        (1, "mean queue", 0.1),
        (2, "swing", 0.15),
        (3, "period", 0.2),
        (4, "share of marks", 0.25),
    ] {
        let values: Vec<f64> = runs.iter().map(|ratios| ratios.0[place]).collect();
        let mean = values.iter().sum::<f64>() / n;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / (n - 1.0);
        let error = T_999 * (variance / n).sqrt();
        assert!(
            (mean - 1.0).abs() + error < bound,
            "{name}: {mean:.3} +- {error:.3} of the theory, {values:.2?}"
        );
    }
}

#[test]
fn delayed_acks_change_little() {
    let Ratios(ratios) = measured(SETTINGS[1], 1, true);
    assert!(
        ratios[..3].iter().all(|ratio| (ratio - 1.0).abs() < 0.25),
        "{ratios:?}"
    );
}
