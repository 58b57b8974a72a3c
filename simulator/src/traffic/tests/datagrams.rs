// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `cbr` and `on_off`.

use serde_json::{json, Value};

use super::harness::{source, Network};
use crate::time::{from_s, to_s, Ns, NS_PER_S};
use crate::traffic::*;

fn stream(kind: &str, changes: Value) -> SourceConfig {
    let mut value = json!({
        "kind": kind, "name": "u", "from": "s1", "to": "c1", "rate_bps": 80000, "packet_bytes": 100,
    });
    for (name, change) in changes.as_object().expect("an object") {
        value[name] = change.clone();
    }
    source(value)
}

fn times(network: &Network) -> Vec<Ns> {
    network
        .datagrams
        .iter()
        .map(|datagram| datagram.0)
        .collect()
}

#[test]
fn cbr_is_even_and_counts_ip_bytes() {
    let cbr = stream(
        "cbr",
        json!({"start_s": 1.0, "stop_s": 3.0, "dscp": 46, "ecn": 2}),
    );
    let network = Network::new(1).run(&cbr, 10.0);
    // 100 bytes every 10 ms are 80 kb/s.
    let expected: Vec<Ns> = (0..200).map(|i| NS_PER_S + i * from_s(0.01)).collect();
    assert_eq!(times(&network), expected);
    for (i, (_, datagram)) in network.datagrams.iter().enumerate() {
        assert_eq!((datagram.payload_bytes, datagram.number), (72, i as u64));
        assert_eq!((datagram.dscp, datagram.ecn), (46, 2));
        assert_eq!(
            (datagram.source.address, datagram.destination.address),
            (1, 11)
        );
    }
}

#[test]
fn cbr_with_periods_is_silent_in_between() {
    let cbr = stream("cbr", json!({"on_s": 10, "off_s": 10}));
    let network = Network::new(1).run(&cbr, 39.9);
    let on = |at: &Ns| (at / from_s(10.0)) % 2 == 0;
    assert!(times(&network).iter().all(on));
    assert_eq!(times(&network).len(), 2000);
}

/// Bursts of 1.5 packets: rounding them would give 1 or 2 packets each, keeping the rest gives 3 in two bursts.
#[test]
fn short_bursts_keep_the_mean_rate() {
    let cbr = stream("cbr", json!({"on_s": 0.015, "off_s": 0.005}));
    let network = Network::new(1).run(&cbr, 99.999);
    assert_eq!(times(&network).len(), 7500);
}

/// The share of the time in bursts is a ratio of means of exponentials; its standard deviation over n cycles with equal
/// means is 0.5/sqrt(2n): 0.0063 for 3160 cycles, here 3.3 of them (missed by chance in 1 of 1000 seeds).
#[test]
fn exponential_bursts() {
    let of = json!({"distribution": "exponential", "mean": 0.5});
    let network = Network::new(5).run(&stream("on_off", json!({"on_s": of, "off_s": of})), 3160.0);
    let share = times(&network).len() as f64 / 100.0 / 3160.0;
    assert!((share - 0.5).abs() < 3.3 * 0.0063, "{share}");
}

#[test]
fn pareto_bursts_have_a_least_length() {
    let of = json!({"distribution": "pareto", "mean": 0.5, "shape": 1.4});
    let network = Network::new(5).run(&stream("on_off", json!({"on_s": of, "off_s": of})), 2000.0);
    let times = times(&network);
    // The least silence is 0.5 * 0.4/1.4 s = 0.1429 s; P(silence > 1 s) = 0.1429^1.4 = 0.0656.
    let gaps: Vec<f64> = times
        .windows(2)
        .map(|pair| to_s(pair[1] - pair[0]))
        .filter(|&gap| gap > 0.0101)
        .collect();
    assert!(gaps.iter().all(|&gap| gap > 0.1428));
    let long = gaps.iter().filter(|&&gap| gap > 1.01).count() as f64;
    let n = gaps.len() as f64;
    // The gap between packets is the silence and up to one interval of the bursts around it: 1 % of the silences of
    // about 1 s lie within that, which the bound includes (3.3 standard deviations).
    let expected = 0.0656;
    let error = 3.3 * (expected * (1.0 - expected) / n).sqrt() + 0.0015;
    assert!((long / n - expected).abs() < error, "{} of {n}", long / n);
}

#[test]
fn the_seed_decides_about_bursts() {
    let of = json!({"distribution": "exponential", "mean": 0.5});
    let run = |seed| {
        times(&Network::new(seed).run(&stream("on_off", json!({"on_s": of, "off_s": of})), 60.0))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
