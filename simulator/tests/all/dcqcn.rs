// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2 with DCQCN over the pipeline: queues, fairness, losses, captures.

use std::fs::File;

use crate::common::*;
use pcap_file::pcap::PcapReader;
use quench_pipeline::tables::{self, Row};
use quench_simulator::packet::roce::RoceContent;
use quench_simulator::packet::{read, Formats, Received};
use quench_simulator::traffic::Record;
use quench_simulator::{NoController, Simulation};
use serde_json::{json, Value};

/// A stack for the chain's links.
pub fn stack(ip: u8) -> Value {
    json!({"transport": "dcqcn", "rate_bps": 1e8, "base_rtt_s": 0.1, "segment_bytes": 960, "ip": ip,
           "min_rate_bps": 1e5, "timeout_s": 0.3, "window": "fixed", "window_bytes": 9600})
}

/// A chain with one file, where the middle link loses packets both ways.
fn lossy(ip: u8) -> Value {
    let mut scenario = chain();
    scenario["duration_s"] = json!(60.0);
    scenario["stacks"] = json!({"rdma": stack(ip)});
    scenario["sources"] = json!([
        {"name": "f", "kind": "ftp", "from": "s", "to": "c", "stack": "rdma", "bytes": 300_000},
    ]);
    for way in ["ab", "ba"] {
        scenario["links"][1][way]["loss"] = json!(0.03);
    }
    scenario
}

fn start_with_ipv6(scenario: &Value) -> Simulation {
    let mut simulation = start_chain(scenario);
    for router in ["r1", "r2"] {
        let switch = simulation.router_mut(router).expect("there is this router");
        add_ipv6_route(switch, [10, 0, 1], 1);
        add_ipv6_route(switch, [10, 0, 2], 2);
    }
    simulation
}

#[test]
fn every_byte_arrives_over_a_lossy_path() {
    for ip in [4, 6] {
        let mut simulation = start_with_ipv6(&lossy(ip));
        let end = simulation.duration_ns();
        let mut nobody = NoController;
        simulation.run_until(end, &mut nobody).expect("no captures");
        // Both ends are finished, so the connection is freed.
        assert!(simulation.snapshot().sources[0].window.is_none(), "{ip}");
        let results = simulation.results();
        let source = &results.sources[0];
        let counts = &source.transport;
        let bytes = (counts.acked_bytes, counts.received_bytes);
        assert_eq!(bytes, (300_000, 300_000), "{ip}");
        assert!(counts.nacks_received > 0 && counts.retransmitted_pkts > 0);
        let [(0, Record::File(file))] = &results.records[..] else {
            panic!("{:?}", results.records);
        };
        assert!(file.acked_ns.is_some_and(|acked| acked < 60 * S), "{ip}");
        // Payload begins with the time of sending, behind the headers of either version.
        let delay_s = source.delay_mean_s.expect("packets have arrived");
        assert!((0.044..0.1).contains(&delay_s), "{ip}: {delay_s}");
        let crossing = |name: &str| {
            let directions = &results.directions;
            let found = directions.iter().find(|each| each.name == name);
            found.expect("there is this direction").crossing
        };
        let right = crossing("right.ab");
        assert_eq!(right.data_pkts, counts.data_pkts_received, "{ip}");
        assert_eq!(
            (right.other_pkts, right.udp_pkts, right.ack_pkts),
            (0, 0, 0)
        );
        assert!(crossing("left.ba").ack_pkts > 200, "{ip}");
        let headers = if ip == 6 { 64 } else { 44 };
        assert_eq!(source.header_bytes, headers);
        assert!(right.data_bits <= right.data_pkts * 8 * (960 + u64::from(headers)));
        let strays: u64 = results.hosts.iter().map(|host| host.stray_pkts).sum();
        assert_eq!(strays, 0, "{ip}");
    }
}

#[test]
fn a_network_card_is_no_hop() {
    for ip in [4, 6] {
        let [plain, with_nics] = [false, true].map(|has_nics| {
            let mut scenario = lossy(ip);
            scenario["duration_s"] = json!(5.0);
            if has_nics {
                for (host, name) in [(0, "nic-s"), (1, "nic-c")] {
                    scenario["hosts"][host]["nic"] = json!(name);
                    let routers = scenario["routers"].as_array_mut().expect("a list");
                    routers.push(json!({"name": name}));
                }
            }
            let mut simulation = start_with_ipv6(&scenario);
            for (nic, own, other) in [("nic-s", 1, 2), ("nic-c", 2, 1)] {
                if let Some(switch) = simulation.router_mut(nic) {
                    for (net, port) in [([10, 0, own], 2), ([10, 0, other], 1)] {
                        add_route(switch, net, port);
                        add_ipv6_route(switch, net, port);
                    }
                }
            }
            run(simulation)
        });
        assert_eq!(plain.sources, with_nics.sources, "{ip}");
    }
}

/// Two hosts send to a third at 10 Gb/s over one router.
pub fn star(stack: Value) -> Simulation {
    let link = |name: &str| {
        let rate = json!({"rate_bps": 1e10});
        json!({"name": name, "a": "r", "b": name, "delay_s": 1e-6, "ab": rate, "ba": rate})
    };
    let scenario = json!({
        "duration_s": 0.02, "warmup_s": 0.01,
        "hosts": [{"name": "c", "address": "10.0.1.1"}, {"name": "s1", "address": "10.0.2.1"},
                  {"name": "s2", "address": "10.0.3.1"}],
        "routers": [{"name": "r"}],
        "links": [link("c"), link("s1"), link("s2")],
        "stacks": {"rdma": stack},
        "sources": [
            {"name": "f1", "kind": "ftp", "from": "s1", "to": "c", "stack": "rdma"},
            {"name": "f2", "kind": "ftp", "from": "s2", "to": "c", "stack": "rdma"},
        ],
    });
    let mut simulation = start(&scenario);
    let switch = simulation.router_mut("r").expect("there is this router");
    for net in 1..=3 {
        add_ipv6_route(switch, [10, 0, net], net.into());
        add_route(switch, [10, 0, net], net.into());
    }
    simulation
}

/// As [`star`], and the router marks by the queue of the moment.
pub fn incast(stack: Value) -> Simulation {
    let mut simulation = star(stack);
    let switch = simulation.router_mut("r").expect("there is this router");
    let row = |pkts, level1| Row {
        pkts,
        level1,
        level2: [0.0, 0.0],
        isq: false,
        drop: false,
        isq_level: [0.0, 0.0],
    };
    let rows = [
        row([MIN_PKTS, MAX_PKTS], [0.0, 0.2]),
        row([MAX_PKTS, f64::INFINITY], [1.0, 1.0]),
    ];
    tables::add_profile(switch, 1, &rows, &BY_QUEUE);
    simulation
}

/// A profile's parameters by which the average is the queue of the moment.
pub const BY_QUEUE: [(&str, u64); 7] = [
    ("weight", 1 << 32),
    ("mean_transmission_q8_us", 205),
    ("decay_rate", (1 << 32) - 1),
    ("decay_shift", 0),
    ("count_per_byte", 4_294_967),
    ("level1_codepoint", 3),
    ("level2_codepoint", 3),
];

/// HPCC's thresholds at 10 Gb/s: 40 and 160 KB, of packets of 1000 bytes.
pub const MIN_PKTS: f64 = 40.0;
const MAX_PKTS: f64 = 160.0;

pub fn dcqcn(changes: Value) -> Value {
    let mut stack = json!({"transport": "dcqcn", "rate_bps": 1e10, "base_rtt_s": 6e-6, "segment_bytes": 1000,
                           "min_rate_bps": 1e8});
    let fields = stack.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    stack
}

fn share_a_link(changes: Value) {
    let mut scenario = incast(dcqcn(changes.clone()));
    let end = scenario.duration_ns();
    let mut nobody = NoController;
    scenario.run_until(end, &mut nobody).expect("no captures");
    let results = scenario.results();
    let direction = &results.directions[0];
    let [one, other] = [0, 1].map(|flow| results.sources[flow].acked_pkts);
    let jain = (one + other).powi(2) / (2.0 * (one * one + other * other));
    assert!(jain > 0.98, "{changes}: {one} {other}");
    let utilisation = direction.utilisation.expect("the rate is limited");
    assert!(utilisation > 0.95, "{changes}: {utilisation}");
    assert_eq!(direction.loss, Some(0.0));
    let (mean, max) = (direction.queue.mean_pkts, direction.queue.max_pkts as f64);
    assert!(
        (MIN_PKTS / 2.0..MAX_PKTS).contains(&mean),
        "{changes}: {mean}"
    );
    assert!((MIN_PKTS..MAX_PKTS).contains(&max), "{changes}: {max}");
    for source in &results.sources {
        let counts = &source.transport;
        assert!(counts.reactions_ece > 10, "{changes}: {counts:?}");
        assert!(counts.cnps_received.abs_diff(counts.cnps_sent) <= 1);
        assert!(counts.cnps_sent <= counts.ce_received);
        assert_eq!((counts.signals_refused, counts.retransmitted_pkts), (0, 0));
    }
}

#[test]
fn two_flows_with_a_vendors_timers_share_a_link_between_the_thresholds() {
    share_a_link(json!({}));
}

#[test]
fn two_flows_with_slow_timers_share_a_link_between_the_thresholds() {
    share_a_link(json!({"preset": "hpcc-ns3-paper", "ip": 4}));
}

#[test]
fn a_window_keeps_the_queue_short_before_anything_is_marked() {
    let results = run(incast(dcqcn(json!({"window": "rate"}))));
    // Each flow has 7500 bytes in flight, which are eight packets.
    let max_pkts = results.directions[0].queue.max_pkts;
    assert!((5..=16).contains(&max_pkts), "{max_pkts}");
    let [one, other] = [0, 1].map(|flow| results.sources[flow].acked_pkts);
    assert!((one / other - 1.0).abs() < 0.01, "{one} {other}");
    assert_eq!(results.sources[0].transport.cnps_received, 0);
}

#[test]
fn what_a_full_queue_drops_is_sent_again() {
    let mut scenario = chain();
    scenario["duration_s"] = json!(8.0);
    scenario["stacks"] = json!({"rdma": stack(6)});
    scenario["stacks"]["rdma"]["window"] = json!("none");
    scenario["stacks"]["rdma"]["window_bytes"] = Value::Null;
    scenario["links"][1]["ab"]["buffer_bytes"] = json!(20_000);
    scenario["sources"] = json!([
        {"name": "f", "kind": "ftp", "from": "s", "to": "c", "stack": "rdma", "bytes": 200_000},
    ]);
    let results = run(start_with_ipv6(&scenario));
    let counts = &results.sources[0].transport;
    assert_eq!(
        (counts.acked_bytes, counts.received_bytes),
        (200_000, 200_000)
    );
    assert!(results.directions[2].dropped_full_pkts > 50);
    assert!(counts.fast_retransmits > 1, "{counts:?}");
    // One NAK for a gap, and not one for each packet behind it.
    assert!(
        counts.nacks_sent * 5 < counts.duplicate_pkts_received,
        "{counts:?}"
    );
}

#[test]
fn a_capture_has_the_invariant_crc_of_every_packet() {
    for ip in [4, 6] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("left.pcap");
        let mut scenario = lossy(ip);
        scenario["duration_s"] = json!(3.0);
        scenario["sources"][0]["bytes"] = json!(30_001);
        scenario["measure"] = json!({"pcap": [{"link": "left", "path": path}]});
        run(start_with_ipv6(&scenario));
        let file = File::open(&path).expect("it is written");
        let mut reader = PcapReader::new(file).expect("it is a capture");
        let mut sizes = Vec::new();
        while let Some(packet) = reader.next_packet() {
            let frame = packet.expect("it is whole").data.into_owned();
            assert_ne!(frame[frame.len() - 4..], [0; 4], "it is left out");
            let Received::Roce(packet) = read(&frame.clone().into(), &Formats::default()) else {
                panic!("{frame:?}");
            };
            if let RoceContent::Data { payload_bytes, .. } = packet.content {
                sizes.push(payload_bytes);
            }
            let mut wrong = frame;
            *wrong.last_mut().expect("it has bytes") ^= 1;
            assert_eq!(read(&wrong.into(), &Formats::default()), Received::Other);
        }
        assert!(sizes.contains(&960) && sizes.contains(&241), "{sizes:?}");
    }
}
