// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `messages` and `incast`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{json, Value};

use super::harness::{source, Act, Hosts, Network, DELAY_NS};
use crate::time::{from_s, to_s, Ns};
use crate::traffic::*;

/// Messages between "s0" to "s7" over links of 100 Gb/s.
fn messages(fields: Value) -> Value {
    let senders: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    let mut all = json!({
        "kind": "messages", "name": "m", "stack": "ecn", "senders": senders, "message_bytes": 100_000, "load": 0.4,
    });
    for (key, value) in fields.as_object().expect("fields") {
        all[key] = value.clone();
    }
    all
}

fn fault(value: Value) -> String {
    match source(value).build(&Hosts) {
        Ok(_) => "no fault".to_owned(),
        Err(error) => format!("{}: {}", error.field, error.problem),
    }
}

/// Chi-square of counts that are expected to be even.
fn unevenness<K>(counts: &BTreeMap<K, u32>, kinds: usize) -> f64 {
    let all: u32 = counts.values().sum();
    let expected = f64::from(all) / kinds as f64;
    let missing = (kinds - counts.len()) as f64 * expected;
    let each = counts
        .values()
        .map(|&count| (f64::from(count) - expected).powi(2) / expected);
    each.sum::<f64>() + missing
}

#[test]
fn arrivals_are_poisson_at_the_load_and_pairs_are_drawn_evenly() {
    let run = Network::new(5).run(&source(messages(json!({"stop_s": 0.02}))), 0.02);
    let connects = run.connects();
    // 8 hosts at 40 Gb/s of 100 KB each: 400 a millisecond; 3.29 standard deviations are 1 chance in 1000.
    let expected = 8.0 * 0.4 * 100e9 / 8e5 * 0.02;
    let count = connects.len() as f64;
    assert!(
        (count - expected).abs() < 3.29 * expected.sqrt(),
        "{count}, not {expected}"
    );
    // Kolmogorov-Smirnov of the gaps, as in distribution_tests.rs.
    let mut gaps: Vec<f64> = connects
        .windows(2)
        .map(|two| (two[1].0 - two[0].0) as f64)
        .collect();
    gaps.sort_by(f64::total_cmp);
    let below = |gap: f64| 1.0 - (-gap / 2500.0).exp();
    let steps = gaps.iter().zip(0..).map(|(&gap, index)| {
        let share = f64::from(index) / gaps.len() as f64;
        (below(gap) - share).abs()
    });
    let distance = steps.fold(0.0, f64::max);
    assert!(
        distance < 1.95 / count.sqrt() + 1.0 / count,
        "distance {distance}"
    );
    let mut pairs = BTreeMap::new();
    for (_, from, to) in &connects {
        assert_ne!(from, to);
        *pairs.entry((*from, *to)).or_insert(0) += 1;
    }
    // 56 pairs, so 55 degrees of freedom: 93.2 is passed by 1 chance in 1000.
    assert!(unevenness(&pairs, 56) < 93.2, "{}", unevenness(&pairs, 56));
}

#[test]
fn gaps_shorter_than_the_clocks_step_keep_the_load() {
    // 8 hosts at 80 Gb/s of 40 B each: a message each 0.5 ns would be too many, one of 120 B each 1.5 ns is not.
    let short = messages(json!({"message_bytes": 40, "load": 0.8}));
    assert_eq!(
        fault(short),
        "load: makes more than a message in each nanosecond"
    );
    let run = source(messages(json!({"message_bytes": 120, "load": 0.8})));
    let count = Network::new(2).run(&run, 1e-4).connects().len() as f64;
    let expected = 1e5 / 1.5;
    assert!(
        (count - expected).abs() < 3.29 * expected.sqrt(),
        "{count}, not {expected}"
    );
}

#[test]
fn a_message_has_a_connection_and_ends_with_its_last_acknowledgement() {
    let only = messages(
        json!({"senders": ["s1"], "receivers": ["c2"], "stop_s": 2e-5, "message_bytes": 9_000_000}),
    );
    let find = |seed| Network::new(seed).run(&source(only.clone()), 1.0);
    // A gap of 1800 us on average: most seeds have no message before 20 us.
    let run = (0..1000)
        .map(find)
        .find(|run| !run.acts.is_empty())
        .expect("a message");
    let at = run.acts[0].0;
    let id = ConnectionId(0);
    let [opener, acceptor] = [Side::Opener, Side::Acceptor];
    let expected = [
        (at, Act::Connect(id, NodeId(1), NodeId(12), StackId(0))),
        (at, Act::Send(id, opener, 9_000_000)),
        (at, Act::Close(id, opener)),
        (at + DELAY_NS, Act::Close(id, acceptor)),
        (at + 2 * DELAY_NS, Act::Close(id, acceptor)),
    ];
    assert_eq!(run.acts, expected);
    let message = Message {
        from: NodeId(1),
        to: NodeId(12),
        bytes: 9_000_000,
        started_ns: at,
        acked_ns: Some(at + 2 * DELAY_NS),
    };
    assert_eq!(run.messages, [message]);
}

#[test]
fn messages_that_fail_or_do_not_end_are_recorded_without_a_time() {
    let mut network = Network::new(1);
    network.failing.insert(0);
    let run = network.run(&source(messages(json!({"message_bytes": 1e9}))), 1.1);
    let unfinished = run
        .messages
        .iter()
        .filter(|message| message.acked_ns.is_none())
        .count();
    let late = run
        .connects()
        .iter()
        .filter(|(at, ..)| at + 2 * DELAY_NS > from_s(1.1))
        .count();
    assert_eq!(unfinished, late + 1);
    assert_eq!(run.messages.len(), run.connects().len());
}

#[test]
fn a_load_of_the_receivers() {
    let fields = json!({
        "senders": ["s1", "s2", "s3", "s4"], "receivers": ["c1"], "load_of": "receivers", "load": 0.6,
        "message_bytes": 30_000, "start_s": 0.001,
    });
    let connects = Network::new(3)
        .run(&source(messages(fields)), 0.011)
        .connects();
    let expected = 0.6 * 100e9 / 240e3 * 0.01;
    assert!((connects.len() as f64 - expected).abs() < 3.29 * f64::sqrt(expected));
    assert!(connects
        .iter()
        .all(|&(at, _, to)| at > from_s(0.001) && to == NodeId(11)));
}

#[test]
fn an_incast_is_of_different_hosts_at_one_moment() {
    let senders: Vec<String> = (0..9).map(|number| format!("s{number}")).collect();
    let incast = source(json!({
        "kind": "incast", "name": "i", "stack": "ecn", "senders": senders, "degree": 5, "messages": 2,
        "message_bytes": 500_000, "start_s": 0.5, "period_s": 0.001, "stop_s": 1.5,
    }));
    let run = Network::new(7).run(&incast, 2.0);
    let mut bursts: BTreeMap<Ns, Vec<(NodeId, NodeId)>> = BTreeMap::new();
    for (at, from, to) in run.connects() {
        bursts.entry(at).or_default().push((from, to));
    }
    assert_eq!(bursts.len(), 1000);
    let (mut froms, mut tos) = (BTreeMap::new(), BTreeMap::new());
    for (number, (at, burst)) in (0..).zip(&bursts) {
        assert!((to_s(*at) - (0.5 + 0.001 * f64::from(number))).abs() < 1e-9);
        let receivers: BTreeSet<_> = burst.iter().map(|(_, to)| to).collect();
        let senders: BTreeSet<_> = burst.iter().map(|(from, _)| from).collect();
        assert_eq!((burst.len(), senders.len(), receivers.len()), (10, 5, 1));
        assert!(senders.is_disjoint(&receivers));
        *tos.entry(burst[0].1).or_insert(0) += 1;
        for from in senders {
            *froms.entry(*from).or_insert(0) += 1;
        }
    }
    // 8 degrees of freedom: 26.1 is passed by 1 chance in 1000; senders, drawn without repetition, are more even.
    assert!(unevenness(&tos, 9) < 26.1 && unevenness(&froms, 9) < 26.1);
    assert!(run
        .messages
        .iter()
        .all(|message| message.acked_ns == Some(message.started_ns + 2 * DELAY_NS)));
}

#[test]
fn an_incast_without_a_period_happens_once() {
    let incast = source(json!({
        "kind": "incast", "name": "i", "stack": "ecn", "senders": ["s1", "s2"], "receivers": ["c1"], "degree": 2,
        "message_bytes": 1000,
    }));
    let connects = Network::new(1).run(&incast, 1.0).connects();
    assert_eq!(connects.len(), 2);
    assert!(connects
        .iter()
        .all(|&(at, _, to)| (at, to) == (0, NodeId(11))));
}

#[test]
fn the_faults_of_messages() {
    for (fields, expected) in [
        (
            json!({"load": 1.2}),
            "load: is 1.2000 of the rate of the senders' links: must be 1 or less",
        ),
        (
            json!({"load": 0.5, "receivers": ["c1"]}),
            "load: is 4.0000 of the rate of the receivers' links: must be 1 or less",
        ),
        (json!({"load": 0}), "load: must be greater than 0, not 0"),
        (
            json!({"senders": ["s1"]}),
            "senders: \"s1\" cannot send to itself",
        ),
        (
            json!({"receivers": ["s3"]}),
            "receivers: \"s3\" cannot send to itself",
        ),
        (
            json!({"senders": []}),
            "senders: at least one host is needed",
        ),
        (
            json!({"senders": ["s1", "s2", "s1"]}),
            "senders: \"s1\" is named twice",
        ),
        (
            json!({"senders": ["s1", "t2"]}),
            "senders: there is no host \"t2\"",
        ),
        (
            json!({"senders": ["s1", "s9"]}),
            "senders: the links of \"s1\" and \"s9\" have different rates: give a source for each",
        ),
        (json!({"stack": "x"}), "stack: there is no stack \"x\""),
        (
            json!({"message_bytes": 0}),
            "message_bytes: must be greater than 0, not 0",
        ),
        (
            json!({"message_bytes": {"distribution": "points", "points": [[1, 0], [9, 90]]}}),
            "message_bytes: points[1]: rises to 90 %, not to 100 %",
        ),
        (
            json!({"start_s": 2, "stop_s": 1}),
            "stop_s: must be later than start_s (2), not 1",
        ),
    ] {
        assert_eq!(fault(messages(fields)), expected);
    }
}

#[test]
fn the_faults_of_an_incast() {
    let incast = |fields: Value| {
        let mut all = json!({
            "kind": "incast", "name": "i", "stack": "ecn", "senders": ["s1", "s2", "s3"], "degree": 2,
            "message_bytes": 1000,
        });
        for (key, value) in fields.as_object().expect("fields") {
            all[key] = value.clone();
        }
        fault(all)
    };
    assert_eq!(incast(json!({"degree": 2})), "no fault");
    assert_eq!(
        incast(json!({"degree": 3, "receivers": ["c1"]})),
        "no fault"
    );
    for (fields, expected) in [
        (
            json!({"degree": 3}),
            "degree: must be 2 or less, the hosts that can send to one, not 3",
        ),
        (json!({"degree": 0}), "degree: must be 1 or more, not 0"),
        (
            json!({"receivers": ["s1", "c1"], "degree": 3}),
            "degree: must be 2 or less, the hosts that can send to one, not 3",
        ),
        (json!({"messages": 0}), "messages: must be 1 or more, not 0"),
        (
            json!({"messages": 100_000}),
            "messages: must be 10000 or less, not 100000",
        ),
        (
            json!({"period_s": 0}),
            "period_s: must be greater than 0, not 0",
        ),
    ] {
        assert_eq!(incast(fields), expected);
    }
}
