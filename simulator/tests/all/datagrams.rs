// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Datagrams through two routers that run the Quench pipeline: times, statistics, changes.

use crate::common::*;
use quench_simulator::measure::DirectionResults;
use quench_simulator::{NoController, Results};
use serde_json::{json, Value};

/// A chain with a source of IP packets of 1000 bytes.
fn with_cbr(rate_bps: f64, stop_s: f64) -> Value {
    let mut scenario = chain();
    scenario["sources"] = json!([{"name": "u", "kind": "cbr", "from": "s", "to": "c",
                                  "rate_bps": rate_bps, "packet_bytes": 1000, "stop_s": stop_s}]);
    scenario
}

fn direction<'a>(results: &'a Results, name: &str) -> &'a DirectionResults {
    let mut directions = results.directions.iter();
    let found = directions.find(|direction| direction.name == name);
    found.unwrap_or_else(|| panic!("no direction {name}"))
}

#[test]
fn a_datagram_takes_the_time_that_the_links_need_for_its_ip_packet() {
    let results = run(start_chain(&with_cbr(1e5, 1.0)));
    let source = &results.sources[0];
    // 80 us + 2 ms, 800 us + 40 ms, 80 us + 2 ms.
    assert_eq!(source.delay_mean_s, Some(0.04496));
    assert_eq!(source.jitter_s, Some(0.0));
    assert!(source.datagrams_sent >= 12);
    assert_eq!(source.datagrams_received, source.datagrams_sent);
    let payload = 972 * source.datagrams_received;
    assert_eq!(source.datagram_bytes_received, payload);
    for name in ["left.ab", "middle.ab", "right.ab"] {
        let direction = direction(&results, name);
        assert_eq!(direction.tx_pkts, source.datagrams_sent, "{name}");
        assert_eq!(direction.tx_bytes, 1000 * source.datagrams_sent, "{name}");
        assert_eq!(
            direction.crossing.udp_bits,
            8 * direction.tx_bytes,
            "{name}"
        );
        assert_eq!(direction.loss, Some(0.0), "{name}");
    }
    assert_eq!(direction(&results, "middle.ba").offered_pkts, 0);
    assert_eq!(direction(&results, "middle.ba").loss, None);
    assert!(results.hosts.iter().all(|host| host.stray_pkts == 0));
}

#[test]
fn a_link_sends_no_more_than_its_rate_allows() {
    // A packet takes 8 s, on a router's link and on a host's.
    for link in [0, 1] {
        for (warmup_s, duration_s) in [(0.0, 1.0), (0.0, 8.5), (3.0, 5.0), (3.0, 12.0), (8.0, 41.0)]
        {
            let mut scenario = with_cbr(1e5, 20.0);
            scenario["duration_s"] = json!(duration_s);
            scenario["warmup_s"] = json!(warmup_s);
            scenario["links"][link]["ab"] = json!({"rate_bps": 1e3});
            let results = run(start_chain(&scenario));
            let slow = &results.directions[2 * link];
            let utilisation = slow.utilisation.expect("the rate is limited");
            // The first packet arrives within a second.
            let least = if warmup_s == 0.0 { 0.85 } else { 0.999_999 };
            assert!((least..=1.0).contains(&utilisation), "{utilisation}");
            let measured_bits = 1e3 * (duration_s - warmup_s);
            assert!(slow.sent_bits <= measured_bits, "{}", slow.sent_bits);
        }
    }
}

#[test]
fn a_packet_in_transmission_keeps_its_rate_when_that_changes() {
    for (link, rate) in [(0, 10.0), (1, 10.0), (0, 1e6), (1, 1e6)] {
        let mut scenario = with_cbr(1e5, 20.0);
        scenario["duration_s"] = json!(9.0);
        scenario["links"][link]["ab"] = json!({"rate_bps": 1e3});
        let name = scenario["links"][link]["name"].clone();
        scenario["changes"] =
            json!([{"at_s": 4.0, "link": name, "direction": "ab", "rate_bps": rate}]);
        let results = run(start_chain(&scenario));
        let utilisation = results.directions[2 * link].utilisation;
        let utilisation = utilisation.expect("the rate is limited");
        assert!(utilisation <= 1.0, "{utilisation}");
        if rate < 1e3 {
            assert!(utilisation > 0.98, "{utilisation}");
        }
    }
}

#[test]
fn a_port_with_half_the_rate_drops_half_and_its_queue_is_full() {
    let mut scenario = with_cbr(2e6, 20.0);
    scenario["duration_s"] = json!(12.0);
    scenario["warmup_s"] = json!(2.0);
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6, "buffer_pkts": 5});
    let results = run(start_chain(&scenario));
    assert_eq!(results.measured_s, 10.0);
    let middle = direction(&results, "middle.ab");
    // A packet comes every 4 ms; every 8 ms one leaves, at the time when one comes: five wait all the time.
    assert_eq!(middle.offered_pkts, 2500);
    assert_eq!((middle.dropped_full_pkts, middle.tx_pkts), (1250, 1250));
    assert_eq!(middle.offered_bytes, 2_500_000);
    assert_eq!(middle.loss, Some(0.5));
    assert_eq!(middle.utilisation, Some(1.0));
    assert_eq!(middle.capacity_bits, Some(1e7));
    assert_eq!((middle.queue.mean_pkts, middle.queue.sd_pkts), (5.0, 0.0));
    assert_eq!(
        (middle.queue.mean_bytes, middle.queue.max_bytes),
        (5000.0, 5000)
    );
    assert_eq!(
        middle.queue.average_mean_pkts,
        Some(0.0),
        "there is no profile"
    );
    let seen = middle
        .program
        .iter()
        .find(|counter| counter.name == "port_seen");
    assert_eq!(seen.map(|counter| counter.packets), Some(2500));
    assert_eq!(middle.crossing.udp_pkts, 1250);
}

#[test]
fn without_limits_nothing_is_dropped_and_there_is_no_capacity() {
    let mut scenario = with_cbr(2e6, 5.0);
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6});
    scenario["links"][2]["ab"] = json!({});
    let results = run(start_chain(&scenario));
    let (middle, right) = (
        direction(&results, "middle.ab"),
        direction(&results, "right.ab"),
    );
    assert!(middle.queue.max_pkts > 500, "{}", middle.queue.max_pkts);
    assert_eq!(middle.loss, Some(0.0));
    assert_eq!((right.capacity_bits, right.utilisation), (None, None));
}

#[test]
fn changes_take_effect_at_their_times() {
    let mut scenario = with_cbr(2e6, 20.0);
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6, "buffer_pkts": 1});
    scenario["changes"] = json!([
        {"at_s": 4.0, "link": "middle", "direction": "ab", "rate_bps": 2e6},
        {"at_s": 6.0, "link": "left", "direction": "ab", "loss": 1.0},
        {"at_s": 8.0, "link": "left", "direction": "ab", "loss": 0.0, "rate_bps": 1e6, "buffer_pkts": 1},
    ]);
    let results = run(start_chain(&scenario));
    let (left, middle) = (
        direction(&results, "left.ab"),
        direction(&results, "middle.ab"),
    );
    // The packet that is being sent when the rate changes keeps the old one, for at most 8 ms.
    let capacity_bits = middle.capacity_bits.expect("the link has a rate");
    assert!(
        (16e6 - 8e3..=16e6).contains(&capacity_bits),
        "{capacity_bits}"
    );
    // Half of 1000, all of 500, none, and as many as the slower first link carries.
    assert!(
        middle.tx_pkts.abs_diff(500 + 500 + 250) <= 3,
        "{}",
        middle.tx_pkts
    );
    assert_eq!(left.lost_pkts, 500);
    assert!(
        left.dropped_full_pkts.abs_diff(250) <= 2,
        "{}",
        left.dropped_full_pkts
    );
    assert_eq!(left.capacity_bits, Some(8e8 + 2e6));
}

#[test]
fn statistics_and_series_of_a_direction_agree() {
    let mut scenario = with_cbr(2e6, 20.0);
    scenario["warmup_s"] = json!(5.0);
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6, "buffer_pkts": 5});
    scenario["measure"] = json!({"series": ["middle.ab", "left.ab"], "series_interval_s": 0.5});
    let results = run(start_chain(&scenario));
    let names: Vec<&str> = results
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    assert_eq!(names, ["left.ab", "middle.ab"]);
    let series = &results.series[1];
    let column = |name: &str| {
        let columns = series.columns.iter();
        let place = columns
            .clone()
            .position(|column| column == name)
            .expect("a column");
        let values = series
            .values
            .iter()
            .skip(place)
            .step_by(series.columns.len());
        values.copied().collect::<Vec<f64>>()
    };
    // From 0 to 10 s, both included.
    assert_eq!(series.samples, (0..=20).collect::<Vec<u64>>());
    assert_eq!(column("queue_pkts")[0], 0.0);
    assert!(column("queue_pkts")[2..].iter().all(|pkts| *pkts == 5.0));
    let (sent, dropped) = (column("tx_bytes"), column("dropped_pkts"));
    let middle = direction(&results, "middle.ab");
    // The warm-up does not set series back.
    assert_eq!(sent[20] - sent[10], middle.tx_bytes as f64);
    assert_eq!(dropped[20] - dropped[10], middle.dropped_full_pkts as f64);
    assert!(sent[10] > 600_000.0 && dropped[10] > 500.0);
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let mut scenario = with_cbr(2e6, 8.0);
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6, "buffer_pkts": 5, "loss": 0.1});
    scenario["measure"] = json!({"series": ["middle.ab"]});
    let whole = run(start_chain(&scenario));
    let mut simulation = start_chain(&scenario);
    for until in [0, 1, 7 * MS, 3 * S + 1, 3 * S, 99 * S] {
        simulation
            .run_until(until, &mut NoController)
            .expect("no captures");
    }
    assert_eq!(simulation.now_ns(), 10 * S);
    assert_eq!(
        serde_json::to_string(&simulation.results()).expect("numbers"),
        serde_json::to_string(&whole).expect("numbers")
    );
}
