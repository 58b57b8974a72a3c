// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `web`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{json, Value};

use super::harness::{source, Act, Network, DELAY_NS};
use crate::time::{from_s, to_s, Ns, NS_PER_S};
use crate::traffic::*;

fn web(changes: Value) -> SourceConfig {
    let mut value = json!({
        "kind": "web", "name": "w", "servers": ["s1", "s2", "s3"], "clients": ["c1", "c2"], "stack": "ecn",
        "object_pkts": 8, "packet_bytes": 960,
    });
    for (name, change) in changes.as_object().expect("an object") {
        value[name] = change.clone();
    }
    source(value)
}

#[test]
fn an_object_takes_a_request_and_a_connection_of_its_own() {
    let one = web(
        json!({"sessions": 1, "pages": 1, "objects_per_page": 1, "start_s": 50, "request_bytes": 300}),
    );
    let network = Network::new(1).run(&one, 100.0);
    let start = from_s(50.0);
    let id = ConnectionId(0);
    let (_, client, server) = network.connects()[0];
    assert_eq!(
        network.acts,
        [
            (start, Act::Connect(id, client, server, StackId(0))),
            (start, Act::Send(id, Side::Opener, 300)),
            (start + DELAY_NS, Act::Send(id, Side::Acceptor, 8 * 960)),
            (start + DELAY_NS, Act::Close(id, Side::Acceptor)),
            (start + 2 * DELAY_NS, Act::Close(id, Side::Opener)),
        ]
    );
    assert!((11..=12).contains(&client.0) && (1..=3).contains(&server.0));
    let object = Object {
        session: 0,
        page: 0,
        bytes: 8 * 960,
        requested_ns: start,
        acked_ns: Some(start + 3 * DELAY_NS),
    };
    assert_eq!(network.records, [Record::Object(object)]);
}

#[test]
fn a_request_is_one_full_packet_unless_it_is_configured() {
    let one = web(json!({"sessions": 1, "pages": 1, "objects_per_page": 1}));
    let network = Network::new(1).run(&one, 1.0);
    assert_eq!(
        network.acts[1].1,
        Act::Send(ConnectionId(0), Side::Opener, 960)
    );
}

/// The table of the papers, over many sessions: counts by their expectations.
#[test]
fn the_table_of_the_papers() {
    let network = Network::new(7).run(
        &web(json!({"object_pkts": {
        "distribution": "pareto_ii", "mean": 12, "shape": 1.2}})),
        100_000.0,
    );
    let objects = network.objects();
    let mut pages: BTreeMap<(u64, u64), Vec<&Object>> = BTreeMap::new();
    for object in &objects {
        pages
            .entry((object.session, object.page))
            .or_default()
            .push(object);
    }
    let sessions: BTreeSet<_> = pages.keys().map(|page| page.0).collect();
    assert_eq!(sessions.len(), 1000);
    assert_eq!(pages.len(), 10_000);
    assert!(objects
        .iter()
        .all(|object| object.acked_ns.is_some() && object.bytes % 960 == 0));
    // P(N > k) of the rounded-up number is P(X > k) = (1 + k/1.5)^-1.5. Of 10000 pages, k = 1: 4648 +- 50 (one
    // standard deviation), k = 3: 1925 +- 39; the bounds are 3.3 deviations, missed by chance in 1 of 1000 seeds.
    let more_than = |k: usize| pages.values().filter(|page| page.len() > k).count();
    assert!(more_than(1).abs_diff(4648) < 165, "{}", more_than(1));
    assert!(more_than(3).abs_diff(1925) < 130, "{}", more_than(3));
    // Sizes alike: P(packets > 12) = (1 + 12/2.4)^-1.2 = 0.1165.
    let large = objects
        .iter()
        .filter(|object| object.bytes > 12 * 960)
        .count() as f64;
    let n = objects.len() as f64;
    let error = 3.3 * (0.1165 * 0.8835 / n).sqrt();
    assert!((large / n - 0.1165).abs() < error, "{}", large / n);
    // Starts of 1000 sessions 0.5 s apart: 499.5 s in all, standard deviation 15.8 s.
    let last = objects
        .iter()
        .filter(|object| object.page == 0)
        .map(|object| object.requested_ns)
        .max();
    assert!((to_s(last.unwrap()) - 499.5).abs() < 3.3 * 15.8, "{last:?}");
}

fn page_times(network: &Network) -> Vec<(Ns, Ns)> {
    let mut pages: BTreeMap<u64, (Ns, Ns)> = BTreeMap::new();
    for object in network.objects() {
        let page = pages.entry(object.page).or_insert((Ns::MAX, 0));
        page.0 = page.0.min(object.requested_ns);
        page.1 = page.1.max(object.acked_ns.expect("an object that arrived"));
    }
    pages.into_values().collect()
}

#[test]
fn the_next_page_waits_for_the_end_of_the_last() {
    let fixed = json!({"sessions": 1, "pages": 4, "objects_per_page": 5, "inter_object_s": 0.3, "inter_page_s": 1.0});
    let pages = page_times(&Network::new(1).run(&web(fixed.clone()), 100.0));
    assert_eq!(pages.len(), 4);
    for pair in pages.windows(2) {
        assert_eq!(pair[1].0, pair[0].1 + NS_PER_S);
    }
    let mut overlapping = fixed;
    overlapping["inter_page_from"] = json!("start");
    let pages = page_times(&Network::new(1).run(&web(overlapping), 100.0));
    assert_eq!(pages.len(), 4);
    for pair in pages.windows(2) {
        assert_eq!(pair[1].0, pair[0].0 + NS_PER_S);
    }
}

#[test]
fn a_page_comes_from_one_server_and_a_session_belongs_to_one_client() {
    let network = Network::new(4).run(
        &web(json!({"sessions": 1, "pages": 40, "objects_per_page": 3})),
        1e5,
    );
    let connects = network.connects();
    assert_eq!(connects.len(), 120);
    assert!(connects.iter().all(|connect| connect.1 == connects[0].1));
    assert!(connects
        .chunks(3)
        .all(|page| page.iter().all(|connect| connect.2 == page[0].2)));
    let servers: BTreeSet<_> = connects.iter().map(|connect| connect.2).collect();
    assert_eq!(servers.len(), 3);
}

#[test]
fn a_failed_object_is_recorded_and_the_page_goes_on() {
    let mut network = Network::new(1);
    network.failing.insert(0);
    let network = network.run(
        &web(json!({"sessions": 1, "pages": 2, "objects_per_page": 1})),
        1e4,
    );
    let arrived: Vec<_> = network
        .objects()
        .iter()
        .map(|object| object.acked_ns.is_some())
        .collect();
    assert_eq!(arrived, [false, true]);
}

#[test]
fn objects_under_way_at_the_end_are_recorded_as_such() {
    let one = web(json!({"sessions": 1, "pages": 1, "objects_per_page": 1}));
    let network = Network::new(1).run(&one, 0.025);
    assert_eq!(network.objects()[0].acked_ns, None);
}

#[test]
fn the_seed_decides_about_the_web() {
    let records = |seed| {
        Network::new(seed)
            .run(&web(json!({"sessions": 20})), 200.0)
            .records
    };
    assert_eq!(records(1), records(1));
    assert_ne!(records(1), records(2));
}
