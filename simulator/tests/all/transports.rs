// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Stacks of another transport than TCP, in whole simulations.

use crate::common::*;
use quench_simulator::traffic::Record;
use quench_simulator::Scenario;
use serde_json::{json, Value};

/// A chain with one file over a fixed window, where the middle link loses packets both ways.
fn lossy() -> Value {
    let mut scenario = chain();
    scenario["duration_s"] = json!(60.0);
    scenario["stacks"] = json!({"window": {"transport": "fixed-window", "window_pkts": 8, "segment_bytes": 960, "timeout_s": 0.3}});
    scenario["sources"] = json!([
        {"name": "f", "kind": "ftp", "from": "s", "to": "c", "stack": "window", "bytes": 300_000},
    ]);
    scenario["measure"] = json!({"cwnd": true, "series_interval_s": 0.001});
    for way in ["ab", "ba"] {
        scenario["links"][1][way]["loss"] = json!(0.03);
    }
    scenario
}

#[test]
fn a_fixed_window_delivers_every_byte_over_a_lossy_path() {
    let results = run(start_chain(&lossy()));
    let counts = &results.sources[0].transport;
    assert_eq!(
        (counts.acked_bytes, counts.received_bytes),
        (300_000, 300_000)
    );
    assert!(counts.timeouts > 0 && counts.retransmitted_pkts >= counts.timeouts);
    let [(0, Record::File(file))] = &results.records[..] else {
        panic!("{:?}", results.records);
    };
    assert!(file.acked_ns.is_some_and(|acked| acked < 60 * S));
    assert!(results.sources[0].delay_mean_s.is_some());
}

#[test]
fn a_fixed_window_is_never_exceeded() {
    let results = run(start_chain(&lossy()));
    let series = &results.series[0];
    let flights = series.values.chunks(series.columns.len());
    let most = flights
        .map(|row| (row[0], row[2] as u64))
        .max_by_key(|row| row.1);
    assert_eq!(most, Some((8.0, 8 * 960)));
}

/// Packets that the first and the last of five flows get through the dumbbell's bottleneck; the last has this stack.
fn shares(last: Value) -> [f64; 2] {
    let mut scenario = dumbbell(5, "plain", 60.0, 20.0);
    scenario["stacks"]["last"] = last;
    scenario["sources"][4]["stack"] = json!("last");
    let results = run(start_dumbbell(&scenario, None, false));
    let utilisation = results.directions[0].utilisation;
    assert!(
        utilisation.is_some_and(|share| share > 0.95),
        "{utilisation:?}"
    );
    [0, 4].map(|flow| results.sources[flow].acked_pkts)
}

#[test]
fn tcp_gives_way_to_a_fixed_window() {
    let [first, last] = shares(json!({"preset": "ns2-2001"}));
    assert!((0.8..1.25).contains(&(first / last)), "{first} {last}");
    let [beside, fixed] = shares(json!(
        {"transport": "fixed-window", "window_pkts": 100, "segment_bytes": 960, "timeout_s": 1.0}
    ));
    assert!(fixed > 4.0 * beside, "{fixed} {beside}");
    assert!(beside < 0.7 * first, "{beside} {first}");
}

#[test]
fn the_fault_of_a_stack_says_where_it_is() {
    for (stack, expected) in [
        (
            json!({"transport": "udp"}),
            "stacks.x: transport: there is no \"udp\", only tcp and fixed-window",
        ),
        (
            json!({"transport": "fixed-window", "window_pkts": "four"}),
            "stacks.x: window_pkts: invalid type: string \"four\", expected u32",
        ),
        (
            json!({"segment_bytes": -1}),
            "stacks.x: segment_bytes: invalid value: integer `-1`, expected u32",
        ),
        (
            json!({"window_pkts": 4}),
            "stacks.x: window_pkts: unknown field `window_pkts`, expected",
        ),
    ] {
        let mut scenario = chain();
        scenario["stacks"] = json!({"x": stack});
        let error = Scenario::from_json(&scenario.to_string()).expect_err("a fault");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
