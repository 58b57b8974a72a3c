// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2 with DCQCN over the pipeline: queues, fairness, losses, signals of switches, captures.

use std::fs::File;

use crate::common::*;
use pcap_file::pcap::PcapReader;
use quench_dataplane::PacketBytes;
use quench_pipeline::tables::{self, Row};
use quench_simulator::packet::roce::{write_switch_cnp, RoceContent, SwitchCnp};
use quench_simulator::packet::{read, Endpoint, Formats, IpVersion, Received};
use quench_simulator::traffic::Record;
use quench_simulator::{NoController, Simulation};
use serde_json::{json, Value};

const US: u64 = 1000;

/// A stack for the chain's links.
fn stack(ip: u8) -> Value {
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

/// Two hosts send to a third at 10 Gb/s over one router, which marks by the queue of the moment.
fn incast(stack: Value) -> Simulation {
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
    let parameters = [
        ("weight", 1 << 32),
        ("mean_transmission_q8_us", 205),
        ("decay_rate", (1 << 32) - 1),
        ("decay_shift", 0),
        ("count_per_byte", 4_294_967),
        ("level1_codepoint", 3),
        ("level2_codepoint", 3),
    ];
    tables::add_profile(switch, 1, &rows, &parameters);
    simulation
}

/// HPCC's thresholds at 10 Gb/s: 40 and 160 KB, of packets of 1000 bytes.
const MIN_PKTS: f64 = 40.0;
const MAX_PKTS: f64 = 160.0;

fn dcqcn(changes: Value) -> Value {
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

/// The first flow of the incast, as the network names it.
fn first_flow(version: IpVersion) -> SwitchCnp {
    SwitchCnp {
        version,
        local: Endpoint {
            address: 0x0a00_0201,
            port: 1024,
        },
        remote: Endpoint {
            address: 0x0a00_0101,
            port: 4791,
        },
    }
}

/// Runs for 100 us, gives the router notifications to the first sender, and runs on.
fn notified(ip: u8, changes: Value, cnps: &[(SwitchCnp, bool)]) -> quench_simulator::Results {
    let mut stack = dcqcn(json!({"ip": ip, "receiver_cnps": false}));
    let fields = stack.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    let mut simulation = incast(stack);
    let mut nobody = NoController;
    simulation
        .run_until(100 * US, &mut nobody)
        .expect("no captures");
    let switch = simulation.router_mut("r").expect("there is this router");
    for (cnp, fast) in cnps {
        let mut frame = PacketBytes::default();
        write_switch_cnp(&mut frame, cnp, 0x0aff_ff01, *fast);
        switch.receive(100 * US, 1, frame.real());
    }
    simulation
        .run_until(300 * US, &mut nobody)
        .expect("no captures");
    simulation.results()
}

#[test]
fn notifications_of_switches_slow_the_flow_that_they_name() {
    for (ip, version, fast) in [
        (4, IpVersion::V4, false),
        (6, IpVersion::V6, false),
        (6, IpVersion::V6, true),
    ] {
        for (signals, reactions) in [("dcqcn", 1), ("cut", 1), ("ignore", 0)] {
            let cnp = (first_flow(version), fast);
            let results = notified(ip, json!({"switch_signals": signals}), &[cnp]);
            let [first, second] = [0, 1].map(|flow| &results.sources[flow].transport);
            assert_eq!(first.signals_received, 1, "{ip} {fast} {signals}");
            assert_eq!(first.reactions_signal, reactions, "{ip} {fast} {signals}");
            assert_eq!((second.signals_received, first.signals_refused), (0, 0));
            let share = first.data_pkts_sent as f64 / second.data_pkts_sent as f64;
            let expected = if reactions == 1 {
                0.6..0.75
            } else {
                0.99..1.01
            };
            assert!(expected.contains(&share), "{ip} {fast} {signals}: {share}");
            let signals = results.directions[2].crossing;
            assert_eq!((signals.signal_pkts, results.hosts[1].stray_pkts), (1, 0));
        }
    }
}

#[test]
fn notifications_of_other_flows_are_stray_packets() {
    let right = first_flow(IpVersion::V6);
    let with = |change: fn(&mut SwitchCnp)| {
        let mut cnp = right;
        change(&mut cnp);
        cnp
    };
    let forged = [
        with(|cnp| cnp.local.port = 1025),
        with(|cnp| cnp.remote.address = 0x0a00_0301),
        // It is about what the accepting end has sent, and this host has accepted nothing.
        with(|cnp| (cnp.local.port, cnp.remote.port) = (4791, 1024)),
        with(|cnp| cnp.version = IpVersion::V4),
    ];
    let cnps: Vec<_> = forged.into_iter().map(|cnp| (cnp, false)).collect();
    let results = notified(6, json!({}), &cnps);
    assert_eq!(results.hosts[1].stray_pkts, 4);
    for source in &results.sources {
        assert_eq!(source.transport.signals_received, 0);
    }
    // The accepting end has sent nothing, so a notification about it is refused.
    let mut of_acceptor = right;
    of_acceptor.local = right.remote;
    of_acceptor.remote = right.local;
    let results = notified(6, json!({}), &[(of_acceptor, false)]);
    let counts = &results.sources[0].transport;
    assert_eq!((counts.signals_received, counts.signals_refused), (1, 1));
    assert_eq!(results.hosts[0].stray_pkts, 0);
}

#[test]
fn source_quenches_of_the_pipeline_slow_flows_over_ipv4() {
    let mut scenario = dumbbell(2, "plain", 10.0, 2.0);
    scenario["stacks"]["tcp"] = stack(4);
    scenario["stacks"]["tcp"]["switch_signals"] = json!("cut");
    scenario["stacks"]["tcp"]["window_bytes"] = json!(100_000);
    let results = run(start_dumbbell(&scenario, Some(&BECN), true));
    let counts = &results.sources[0].transport;
    assert!(counts.reactions_isq_marked > 0, "{counts:?}");
    let quench = &counts.quench;
    let accepted = quench.isq_accepted_marked + quench.isq_accepted_dropped;
    assert_eq!(quench.isq_received, accepted, "{quench:?}");
    let utilisation = results.directions[0].utilisation.expect("it is limited");
    assert!(utilisation > 0.5, "{utilisation}");
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
