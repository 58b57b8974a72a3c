// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Prague at a queue that marks from a depth on: the link is in use, the queue stays near the step, and flows share
//! alike, whatever their round trips below the virtual one (docs/signals/prague.md).

use crate::common::*;
use quench_simulator::Results;
use serde_json::{json, Value};

const K_PKTS: f64 = 20.0;
/// The round trip of the links beside the bottleneck, both ways.
const ACCESS_S: f64 = 0.008;

/// One flow for each round trip in seconds. Flows that differ have an access link of their own length.
fn scenario(round_trips_s: &[f64], duration_s: f64, parameters: &Value) -> Value {
    let mut scenario = dumbbell(round_trips_s.len(), "prague", duration_s, duration_s / 2.0);
    scenario["links"][0]["delay_s"] = json!(0.0);
    scenario["links"][0]["ab"] = json!({"rate_bps": 2e7, "buffer_bytes": 1_000_000});
    scenario["links"][0]["ba"] = json!({"rate_bps": 2e7});
    scenario["stacks"]["tcp"] = json!({"preset": "modern", "algorithm": "prague", "segment_bytes": 960,
                                       "parameters": parameters});
    for (flow, round_trip_s) in round_trips_s.iter().enumerate() {
        scenario["links"][1 + 2 * flow]["delay_s"] = json!(round_trip_s / 2.0 - ACCESS_S / 4.0);
        scenario["links"][2 + 2 * flow]["delay_s"] = json!(ACCESS_S / 4.0);
    }
    scenario
}

fn measured(scenario: &Value) -> Results {
    let mut simulation = start_dumbbell(scenario, None, false);
    add_step(&mut simulation, K_PKTS, 20_000_000);
    run(simulation)
}

/// Bytes that each flow has delivered, as a share of all.
fn shares(results: &Results) -> Vec<f64> {
    let bytes: Vec<f64> = results
        .sources
        .iter()
        .map(|source| source.transport.received_bytes as f64)
        .collect();
    let all: f64 = bytes.iter().sum();
    bytes.iter().map(|one| one / all).collect()
}

#[test]
fn a_link_is_in_use_with_a_queue_near_the_step() {
    for (round_trips_s, duration_s, least_pkts) in [
        (vec![0.005], 4.0, 18.0),
        (vec![0.02], 6.0, 16.0),
        (vec![0.05], 20.0, 14.0),
        (vec![0.01; 4], 6.0, 17.0),
    ] {
        let results = measured(&scenario(&round_trips_s, duration_s, &json!({})));
        let direction = &results.directions[0];
        let utilisation = direction.utilisation.expect("the rate is limited");
        assert!(utilisation > 0.98, "{round_trips_s:?}: {utilisation}");
        assert_eq!(direction.loss, Some(0.0));
        let queue = &direction.queue;
        assert!(
            queue.mean_pkts > least_pkts && queue.mean_pkts < K_PKTS,
            "{round_trips_s:?}: {}",
            queue.mean_pkts
        );
        assert!(queue.max_pkts <= 30, "{}", queue.max_pkts);
    }
}

/// The share of the first of two flows.
fn first_share(round_trips_s: [f64; 2], virtual_rtt_us: u32) -> f64 {
    let parameters = json!({"virtual_rtt_us": virtual_rtt_us, "virtual_rtt_rounds": 0});
    shares(&measured(&scenario(&round_trips_s, 12.0, &parameters)))[0]
}

#[test]
fn flows_share_alike_also_where_their_round_trips_differ() {
    let alike = first_share([0.02, 0.02], 25_000);
    assert!((alike - 0.5).abs() < 0.1, "{alike}");
    let apart = first_share([0.005, 0.05], 25_000);
    assert!((apart - 0.5).abs() < 0.1, "{apart}");
    // The virtual round trip is for this.
    let real = first_share([0.005, 0.05], 0);
    assert!(real > 0.65, "{real}");
}
