// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TCP across routers that run the Quench pipeline: flows, captures, determinism, the controller.

use std::fs::File;

use crate::common::*;
use pcap_file::pcap::PcapReader;
use quench_simulator::packet::Formats;
use quench_simulator::traffic::Record;
use quench_simulator::{Controller, NoController};
use serde_json::json;

fn json_of(results: &quench_simulator::Results) -> String {
    serde_json::to_string(results).expect("plain numbers")
}

#[test]
fn flows_share_a_bottleneck_with_ecn() {
    let scenario = dumbbell(10, "ecn", 60.0, 20.0);
    let results = run(start_dumbbell(&scenario, Some(&ECN), false));
    let bottleneck = &results.directions[0];
    assert_eq!(bottleneck.name, "bottleneck.ab");
    let utilisation = bottleneck.utilisation.expect("the rate is limited");
    assert!((0.9..=1.0).contains(&utilisation), "{utilisation}");
    let marked_pkts = bottleneck.marked_pkts.expect("they are counted");
    assert!(marked_pkts > 100, "{marked_pkts}");
    let average = bottleneck.queue.average_mean_pkts.expect("it is sampled");
    let gap = (average - bottleneck.queue.mean_pkts).abs();
    assert!(
        gap < 0.1 * average,
        "{average} {}",
        bottleneck.queue.mean_pkts
    );
    let acked: f64 = results.sources.iter().map(|source| source.acked_pkts).sum();
    let crossed = bottleneck.crossing.data_pkts as f64;
    let resent: u64 = results
        .sources
        .iter()
        .map(|s| s.transport.retransmitted_pkts)
        .sum();
    assert!(
        (acked + resent as f64 - crossed).abs() < 100.0,
        "{acked} {resent} {crossed}"
    );
    for source in &results.sources {
        assert_eq!(source.connections, 0, "opened before statistics began");
        assert!(source.transport.reactions_ece > 0, "{}", source.name);
        let delay = source.delay_mean_s.expect("data arrived");
        assert!((0.0449..0.12).contains(&delay), "{delay}");
    }
}

#[test]
fn the_switchs_own_quenches_reach_the_senders() {
    let scenario = dumbbell(10, "becn", 30.0, 5.0);
    let results = run(start_dumbbell(&scenario, Some(&BECN), true));
    let bottleneck = &results.directions[0];
    let accepted: u64 = results
        .sources
        .iter()
        .map(|s| s.transport.quench.isq_accepted_marked)
        .sum();
    let marked_pkts = bottleneck.marked_pkts.expect("they are counted");
    assert!(marked_pkts > 50);
    // One for each mark; a few are on their way at either end.
    assert!(accepted.abs_diff(marked_pkts) <= 3, "{accepted}");
    let arrived: u64 = results.directions.iter().map(|d| d.crossing.isq_pkts).sum();
    assert!(arrived.abs_diff(accepted) <= 3, "{arrived}");
    // A source quench is 20 bytes of IP, 8 of ICMP, and 28 that it quotes.
    for crossing in results.directions.iter().map(|d| d.crossing) {
        let expected = (crossing.isq_pkts, crossing.isq_pkts * 56 * 8);
        assert_eq!((crossing.signal_pkts, crossing.signal_bits), expected);
    }
    assert!(results
        .hosts
        .iter()
        .all(|host| host.quench.isq_received == 0));
    assert!(results
        .sources
        .iter()
        .all(|s| s.transport.reactions_isq_marked > 0));
}

/// Answers every packet-in with a packet for the first host, by the CPU header's egress port.
struct Answers {
    packet_in_ns: Vec<u64>,
}

impl Controller for Answers {
    fn packet_in(&mut self, router: usize, now: u64, bytes: &[u8]) -> Option<Vec<u8>> {
        assert_eq!(router, 0);
        assert!(bytes.len() <= 130);
        self.packet_in_ns.push(now);
        let port = 2u16;
        let mut answer = (port << 7).to_be_bytes().to_vec();
        answer.extend_from_slice(&[0; 60]);
        Some(answer)
    }
}

#[test]
fn the_controller_gets_packet_ins_at_once_and_its_answer_arrives_after_the_latency() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s1.pcap");
    let mut scenario = dumbbell(2, "becn", 10.0, 0.0);
    scenario["routers"][0]["controller_latency_s"] = json!(0.003);
    scenario["measure"] = json!({"pcap": [{"link": "s1", "path": path}]});
    let mut simulation = start_dumbbell(&scenario, Some(&BECN), false);
    let mut controller = Answers {
        packet_in_ns: Vec::new(),
    };
    simulation
        .run_until(10 * S, &mut controller)
        .expect("the capture is written");
    let results = simulation.results();
    let packet_ins = controller.packet_in_ns.len() as u64;
    assert!(packet_ins > 0);
    assert_eq!(results.routers[0].packet_ins, packet_ins);
    assert_eq!(results.routers[0].packet_outs, packet_ins);
    let stray = results.hosts.iter().find(|host| host.name == "s1");
    assert_eq!(stray.map(|host| host.stray_pkts), Some(packet_ins));
    let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
    let mut arrived = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.expect("well formed");
        if packet.data.as_ref() == [0; 60] {
            arrived.push(packet.timestamp.as_nanos() as u64);
        }
    }
    // With no ACK in the way a frame takes 46 bytes at 100 Mb/s, then 2 ms.
    let soonest = arrived
        .iter()
        .zip(&controller.packet_in_ns)
        .map(|(at, packet_in)| at - packet_in)
        .min();
    assert_eq!(soonest, Some(3 * MS + 3_680 + 2 * MS));
}

#[test]
fn a_capture_has_whole_packets_of_both_directions_in_order_of_time() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("bottleneck.pcap");
    let mut scenario = dumbbell(2, "ecn", 5.0, 0.0);
    scenario["measure"] = json!({"pcap": [{"link": "bottleneck", "path": path}]});
    let results = run(start_dumbbell(&scenario, Some(&ECN), false));
    let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
    let (mut data, mut acks, mut last) = (0, 0, std::time::Duration::ZERO);
    while let Some(packet) = reader.next_packet() {
        let packet = packet.expect("well formed");
        assert!(packet.timestamp >= last);
        last = packet.timestamp;
        let frame = packet.data.as_ref();
        let total = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
        assert_eq!(
            (frame.len(), packet.orig_len as usize),
            (14 + total, 14 + total)
        );
        assert!(matches!(
            quench_simulator::packet::read(&frame.to_vec().into(), &Formats::default()),
            quench_simulator::packet::Received::Segment(_)
        ));
        match total {
            1000 => data += 1,
            40 => acks += 1,
            _ => panic!("a packet of {total} bytes"),
        }
    }
    assert_eq!(data, results.directions[0].crossing.data_pkts);
    assert_eq!(acks, results.directions[1].crossing.ack_pkts);
    assert!(data > 1000 && acks > 1000);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let mut scenario = dumbbell(5, "ecn", 20.0, 5.0);
    scenario["measure"] = json!({"series": ["bottleneck.ab"], "cwnd": true});
    let first = json_of(&run(start_dumbbell(&scenario, Some(&ECN), false)));
    let second = json_of(&run(start_dumbbell(&scenario, Some(&ECN), false)));
    assert_eq!(first, second);
    scenario["seed"] = json!(2);
    let other = json_of(&run(start_dumbbell(&scenario, Some(&ECN), false)));
    assert_ne!(first, other);
}

#[test]
fn adding_a_source_draws_nothing_from_the_others_random_numbers() {
    let mut scenario = chain();
    let source = |name: &str, rate_bps: f64| {
        json!({"name": name, "kind": "on_off", "from": "s", "to": "c", "rate_bps": rate_bps,
               "packet_bytes": 500, "on_s": {"distribution": "exponential", "mean": 0.1},
               "off_s": {"distribution": "exponential", "mean": 0.1}})
    };
    scenario["sources"] = json!([source("b", 1e5)]);
    let alone = run(start_chain(&scenario));
    scenario["sources"] = json!([source("a", 2e5), source("b", 1e5)]);
    let both = run(start_chain(&scenario));
    assert_eq!(
        both.sources[1].datagrams_sent,
        alone.sources[0].datagrams_sent
    );
    assert_ne!(
        both.sources[0].datagrams_sent,
        2 * alone.sources[0].datagrams_sent
    );
}

#[test]
fn short_connections_come_and_go() {
    let mut scenario = chain();
    scenario["duration_s"] = json!(300.0);
    scenario["stacks"] = json!({"tcp": {"preset": "modern"}});
    scenario["sources"] = json!([{"name": "f", "kind": "files", "from": "s", "to": "c", "stack": "tcp",
                                  "file_bytes": 20_000, "pause_s": 0.05}]);
    let results = run(start_chain(&scenario));
    let source = &results.sources[0];
    assert_eq!(source.connections, results.records.len() as u64);
    assert!(source.connections > 500, "{}", source.connections);
    // All but the last are done.
    let (least, most) = (
        20_000 * (source.connections - 1),
        20_000 * source.connections,
    );
    assert!((least..=most).contains(&source.transport.acked_bytes));
    assert!(results.hosts.iter().all(|host| host.stray_pkts == 0));
}

#[test]
fn windows_of_the_first_sources_are_kept() {
    let mut scenario = dumbbell(20, "ecn", 5.0, 0.0);
    scenario["measure"] = json!({"cwnd": true, "max_points": 16});
    let results = run(start_dumbbell(&scenario, Some(&ECN), false));
    assert_eq!(results.series.len(), 16);
    for series in &results.series {
        assert!((8..=16).contains(&series.samples.len()));
        assert!(series
            .values
            .iter()
            .step_by(4)
            .all(|cwnd| (0.0..=101.0).contains(cwnd)));
    }
    let mut simulation = start_dumbbell(&scenario, None, false);
    simulation
        .run_until(S, &mut NoController)
        .expect("no captures");
    assert!(simulation.results().series.len() <= 16);
}

#[test]
fn web_objects_come_over_connections_of_their_own() {
    // Without FIN one end gets no event when the other closes.
    for preset in ["modern", "ns2-2001"] {
        let mut scenario = chain();
        scenario["duration_s"] = json!(200.0);
        scenario["stacks"] = json!({"tcp": {"preset": preset, "algorithm": "ecn"}});
        scenario["sources"] = json!([{"name": "w", "kind": "web", "servers": ["s"], "clients": ["c"],
            "stack": "tcp", "sessions": 20, "object_pkts": 8, "packet_bytes": 960}]);
        let results = run(start_chain(&scenario));
        let objects: Vec<_> = results
            .records
            .iter()
            .map(|(_, record)| match record {
                Record::Object(object) => object,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(objects.len() > 100, "{preset}: {}", objects.len());
        assert_eq!(
            results.sources[0].connections,
            objects.len() as u64,
            "{preset}"
        );
        let done = objects.iter().filter(|object| object.acked_ns.is_some());
        let acked: u64 = done.clone().map(|object| object.bytes).sum();
        assert!(done.count() + 3 >= objects.len(), "{preset}");
        // The requests are acknowledged, too.
        assert!(
            results.sources[0].transport.acked_bytes >= acked,
            "{preset}"
        );
    }
}

#[test]
fn classes_wait_in_queues_of_their_own_and_each_is_measured() {
    let mut scenario = chain();
    scenario["warmup_s"] = json!(2.0);
    for router in [0, 1] {
        scenario["routers"][router]["queues"] = json!(2);
    }
    scenario["links"][1]["ab"] = json!({"rate_bps": 1e6, "scheduler": "scfq", "weights": [0.2, 0.8],
                                        "queue_buffer_pkts": [10, 50]});
    let cbr = |name: &str, rate_bps: f64, dscp: u8| {
        json!({"name": name, "kind": "cbr", "from": "s", "to": "c", "rate_bps": rate_bps,
               "packet_bytes": 500, "dscp": dscp})
    };
    scenario["sources"] = json!([cbr("voice", 0.5e6, 46), cbr("bulk", 1e6, 0)]);
    let mut simulation = start_chain(&scenario);
    for router in ["r1", "r2"] {
        let switch = simulation.router_mut(router).expect("there is this router");
        add_class(switch, 46, 1);
    }
    let results = run(simulation);
    let middle = &results.directions[2];
    assert_eq!(middle.name, "middle.ab");
    let [bulk, voice] = &middle.queues[..] else {
        panic!("{} queues", middle.queues.len());
    };
    // Voice has less than its share: it loses nothing, and bulk has the rest.
    assert_eq!((voice.offered_pkts, voice.dropped_full_pkts), (1000, 0));
    assert!(bulk.tx_pkts.abs_diff(1000) <= 1, "{}", bulk.tx_pkts);
    assert!(
        bulk.dropped_full_pkts.abs_diff(1000) <= 1,
        "{}",
        bulk.dropped_full_pkts
    );
    assert!(bulk.queue.mean_pkts > 9.0 && bulk.queue.max_pkts == 10);
    assert!(voice.queue.mean_pkts < 1.0, "{}", voice.queue.mean_pkts);
    let both = bulk.queue.mean_pkts + voice.queue.mean_pkts;
    assert!((middle.queue.mean_pkts - both).abs() < 1e-9);
    assert_eq!(middle.tx_pkts, bulk.tx_pkts + voice.tx_pkts);
    assert!(bulk.queue.average_mean_pkts.is_some());
}
