// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `voip`.

use serde_json::{json, Value};

use super::harness::{source, Network, DELAY_NS};
use crate::time::{from_s, to_s, Ns};
use crate::traffic::*;

fn voip(changes: Value) -> SourceConfig {
    let mut value = json!({
        "kind": "voip", "name": "v", "from": "s1", "to": "c1", "calls_per_s": 0.5, "holding_s": 20,
    });
    for (name, change) in changes.as_object().expect("an object") {
        value[name] = change.clone();
    }
    source(value)
}

#[test]
fn g711_is_200_bytes_every_20_ms_during_talk() {
    let one = voip(
        json!({"calls_per_s": 1e-9, "initial_calls": 1, "holding_s": 1e9, "talk_s": 1.0, "silence_s": 3.0}),
    );
    let network = Network::new(1).run(&one, 7.9);
    let times: Vec<Ns> = network.datagrams.iter().map(|sent| sent.0).collect();
    let expected: Vec<Ns> = (0..50).chain(200..250).map(|i| i * from_s(0.02)).collect();
    assert_eq!(times, expected);
    assert!(network
        .datagrams
        .iter()
        .all(|(_, datagram)| datagram.payload_bytes == 172 && datagram.dscp == 46));
}

#[test]
fn delay_and_loss_of_a_call() {
    let mut network = Network::new(2);
    network.lost = |number| (number & 0xffff_ffff) % 4 == 3;
    let network = network.run(&voip(json!({})), 2000.0);
    let calls = network.calls();
    let complete: Vec<_> = calls
        .iter()
        .filter(|call| to_s(call.ended_ns) < 1999.0)
        .collect();
    assert!(complete.len() > 900);
    let sent: u64 = calls.iter().map(|call| call.sent_pkts).sum();
    for call in complete {
        assert_eq!(call.received_pkts, call.sent_pkts - call.sent_pkts / 4);
        let delay = call.mean_delay_s.expect("a packet that arrived");
        assert!((delay - to_s(DELAY_NS)).abs() < 1e-9);
        assert_eq!(call.max_delay_s, Some(to_s(DELAY_NS)));
        assert!(call.jitter_s.is_none_or(|jitter| jitter == 0.0));
    }
    let under_way = network.datagrams.len() as u64 - sent;
    assert!(under_way < 100, "{under_way} packets in no call");
}

/// Without a limit the number of calls is Poisson with mean arrivals x holding = 10; its time average over 20 000 s
/// has the standard deviation sqrt(2 x 10 x 20 / 20 000) = 0.141.
#[test]
fn calls_are_a_birth_death_process() {
    let network = Network::new(3).run(
        &voip(json!({"initial_calls": 10, "silence_s": 1000, "talk_s": 0.01})),
        20_000.0,
    );
    let busy: f64 = network
        .calls()
        .iter()
        .map(|call| to_s(call.ended_ns - call.started_ns))
        .sum();
    assert!(
        (busy / 20_000.0 - 10.0).abs() < 3.3 * 0.141,
        "{}",
        busy / 20_000.0
    );
    assert!(network.calls().iter().all(|call| !call.blocked));
}

/// Erlang's loss formula: offered 10 erlang, 12 lines, 11.97 % blocked. In 10 000 arrivals blocked ones come in
/// clusters; the standard deviation of the share was 0.0065 over 200 seeds, and 3.3 of them are allowed.
#[test]
fn the_admission_limit_blocks_as_erlang_says() {
    let limited =
        voip(json!({"initial_calls": 10, "max_calls": 12, "silence_s": 1000, "talk_s": 0.01}));
    let network = Network::new(4).run(&limited, 20_000.0);
    let calls = network.calls();
    let blocked = calls.iter().filter(|call| call.blocked).count() as f64 / calls.len() as f64;
    assert!((blocked - 0.1197).abs() < 3.3 * 0.0065, "{blocked}");
    for call in calls.iter().filter(|call| call.blocked) {
        assert_eq!((call.sent_pkts, call.received_pkts), (0, 0));
        assert_eq!(call.started_ns, call.ended_ns);
    }
    let mut changes: Vec<(Ns, i64)> = Vec::new();
    for call in calls.iter().filter(|call| !call.blocked) {
        changes.extend([(call.started_ns, 1), (call.ended_ns, -1)]);
    }
    changes.sort_unstable();
    let going_on = changes.iter().scan(0, |count, change| {
        *count += change.1;
        Some(*count)
    });
    assert_eq!(going_on.max(), Some(12));
}

#[test]
fn no_call_arrives_after_the_stop() {
    let network = Network::new(5).run(&voip(json!({"stop_s": 100})), 2000.0);
    let calls = network.calls();
    assert!(calls.iter().all(|call| call.started_ns < from_s(100.0)));
    assert!(calls.iter().any(|call| call.ended_ns > from_s(100.0)));
}

#[test]
fn a_call_that_the_end_cuts_off_counts_what_could_arrive() {
    let one = voip(
        json!({"calls_per_s": 1e-9, "initial_calls": 1, "holding_s": 1e9, "talk_s": 10.0, "silence_s": 3.0}),
    );
    // Packets at 0, 20, .. 1000 ms; the last one is still under way at 1005 ms.
    let network = Network::new(1).run(&one, 1.005);
    assert_eq!(network.datagrams.len(), 51);
    let call = network.calls()[0];
    assert_eq!(
        (call.sent_pkts, call.received_pkts, call.ended_ns),
        (50, 50, from_s(1.005))
    );
}

#[test]
fn the_seed_decides_about_the_calls() {
    let records = |seed| Network::new(seed).run(&voip(json!({})), 200.0).records;
    assert_eq!(records(1), records(1));
    assert_ne!(records(1), records(2));
}
