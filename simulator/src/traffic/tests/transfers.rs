// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `ftp` and `files`.

use serde_json::json;

use super::harness::{source, Act, Hosts, Network, DELAY_NS};
use crate::time::{from_s, NS_PER_S};
use crate::traffic::*;

#[test]
fn ftp_sends_without_end_from_its_start() {
    let ftp = source(json!({
        "kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "start_s": 2.5, "group": "ecn",
    }));
    let network = Network::new(1).run(&ftp, 10.0);
    let id = ConnectionId(0);
    let at = from_s(2.5);
    assert_eq!(
        network.acts,
        [
            (at, Act::Connect(id, NodeId(1), NodeId(11), StackId(0))),
            (at, Act::Send(id, Side::Opener, u64::MAX)),
        ]
    );
    assert_eq!(network.records, []);
    assert_eq!((ftp.name(), ftp.group()), ("f", Some("ecn")));
}

#[test]
fn only_a_transfer_with_an_end_wants_progress() {
    let progress = |size: serde_json::Value| {
        let mut ftp = json!({"kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn"});
        ftp["bytes"] = size;
        let app = source(ftp).build(&Hosts).expect("a source");
        app.progress()
    };
    assert_eq!(progress(json!(5000)), Progress::Each);
    assert_eq!(progress(json!(null)), Progress::None);
}

#[test]
fn ftp_stops_at_its_stop_time() {
    let ftp = source(json!({
        "kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "stop_s": 4.0,
    }));
    let network = Network::new(1).run(&ftp, 10.0);
    let closed = (from_s(4.0), Act::Close(ConnectionId(0), Side::Opener));
    assert!(network.acts.contains(&closed));
}

#[test]
fn a_start_is_spread_evenly() {
    let ftp = source(json!({
        "kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "start_s": 1.0, "start_spread_s": 0.5,
    }));
    let starts: Vec<_> = (0..400)
        .map(|seed| Network::new(seed).run(&ftp, 2.0).acts[0].0)
        .collect();
    let range = from_s(1.0)..from_s(1.5);
    assert!(starts.iter().all(|start| range.contains(start)));
    // The mean of 400 draws of that width lies within 3.3 standard errors (0.024 s) but once in 1000 sets of seeds.
    let mean = starts.iter().sum::<u64>() / 400;
    assert!(mean.abs_diff(from_s(1.25)) < from_s(0.024), "{mean}");
}

#[test]
fn ftp_of_a_size_is_one_file() {
    let ftp = source(json!({
        "kind": "ftp", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "bytes": 5000,
    }));
    let network = Network::new(1).run(&ftp, 10.0);
    let file = File {
        bytes: 5000,
        started_ns: 0,
        acked_ns: Some(2 * DELAY_NS),
    };
    assert_eq!(network.records, [Record::File(file)]);
    for side in [Side::Opener, Side::Acceptor] {
        let close = |(_, act): &&_| *act == Act::Close(ConnectionId(0), side);
        assert_eq!(network.acts.iter().filter(close).count(), 1);
    }
}

fn sessions() -> SourceConfig {
    source(json!({
        "kind": "files", "name": "f", "from": "s1", "to": "c1", "stack": "ecn", "start_spread_s": 0.5,
        "file_bytes": 10000, "pause_s": {"distribution": "uniform", "low": 0.0, "high": 0.05},
    }))
}

#[test]
fn every_file_has_a_connection_and_a_pause_before_the_next() {
    let network = Network::new(3).run(&sessions(), 60.0);
    let connects = network.connects();
    let files = network.files();
    assert!(connects.len() > 1000);
    let pauses: Vec<_> = files
        .iter()
        .filter_map(|file| file.acked_ns)
        .zip(&connects[1..])
        .map(|(acked, next)| next.0 - acked)
        .collect();
    assert!(pauses.iter().all(|&pause| pause < from_s(0.05)));
    assert!(pauses.iter().any(|&pause| pause > from_s(0.049)));
    assert!(pauses.iter().any(|&pause| pause < from_s(0.001)));
    for (file, connect) in files.iter().zip(&connects) {
        assert_eq!((file.bytes, file.started_ns), (10_000, connect.0));
    }
    let last_start = from_s(60.0) - 2 * DELAY_NS;
    assert!(files
        .iter()
        .all(|file| file.acked_ns == Some(file.started_ns + 2 * DELAY_NS)
            || (file.acked_ns.is_none() && file.started_ns > last_start)));
}

#[test]
fn a_failed_connection_is_recorded_and_the_next_file_comes() {
    let mut network = Network::new(3);
    network.failing.insert(1);
    let network = network.run(&sessions(), 10.0);
    let files = network.files();
    assert!(files[0].acked_ns.is_some());
    assert_eq!(files[1].acked_ns, None);
    assert!(files[2].started_ns >= files[1].started_ns + NS_PER_S);
    assert!(files[2].acked_ns.is_some());
}

#[test]
fn the_seed_decides_about_the_files() {
    let records = |seed| Network::new(seed).run(&sessions(), 10.0).records;
    assert_eq!(records(1), records(1));
    assert_ne!(records(1), records(2));
}
