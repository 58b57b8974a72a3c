// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The extension of v1model: times in nanoseconds and depths of queues, by machine code and by the interpreter.

use proptest::prelude::*;
use quench_dataplane::control::PortOptions;
use quench_dataplane::tm::{Dequeued, PortConfig, Rate, SchedulerKind, TrafficManager};
use quench_dataplane::Switch;
use serde_json::{json, Value};

use crate::common::{assign, field, hex, packets, prim, send, std, Program};

const QUEUES: u8 = 3;
/// Bytes of the header `r`, which the answers are written to, behind those of `h`.
const HEADER_BYTES: usize = 4 + 44;

/// The program sends a packet to port `a` and queue `b`; `c` is the port and `x` the queue that it asks about.
fn program() -> Program {
    let mut program = Program::new();
    let answers = [
        ("queue", 16),
        ("port", 16),
        ("now", 64),
        ("pkts", 32),
        ("bytes", 32),
        ("entry", 64),
        ("found_pkts", 32),
        ("found_bytes", 32),
        ("left_pkts", 32),
        ("left_bytes", 32),
    ];
    let fields: Vec<Value> = answers
        .iter()
        .map(|(name, bits)| json!([name, bits, false]))
        .collect();
    program.header("r", json!(fields));
    let state = &mut program.json["parsers"][0]["parse_states"][0];
    let ops = state["parser_ops"].as_array_mut().expect("a list");
    ops.push(json!({"op": "extract", "parameters": [{"type": "regular", "value": "r"}]}));
    ops.push(json!({"op": "primitive", "parameters": [prim("time_ns", vec![field("r", "now")])]}));
    let asked = || vec![field("r", "port"), field("r", "queue")];
    let to = |names: [&str; 2]| names.map(|name| field("r", name)).to_vec();
    let depth = |names| prim("queue_depth", [asked(), to(names)].concat());
    program.ingress(vec![
        assign(std("egress_spec"), field("h", "a")),
        assign(std("priority"), field("h", "b")),
        depth(["pkts", "bytes"]),
    ]);
    let entry = ["entry", "found_pkts", "found_bytes"].map(|name| field("r", name));
    program.egress(vec![
        prim("enqueued", entry.to_vec()),
        depth(["left_pkts", "left_bytes"]),
    ]);
    program
}

/// A packet for a port and queue that asks about another.
fn packet(to: (u8, u8), asks: (u16, u16), len_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![to.0, to.1, 0, 0];
    bytes.extend(asks.1.to_be_bytes());
    bytes.extend(asks.0.to_be_bytes());
    bytes.resize(len_bytes, 0);
    bytes
}

/// The answers that a packet brings along.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answers {
    now_ns: u64,
    depth: (u64, u64),
    entry_ns: u64,
    found: (u64, u64),
    left: (u64, u64),
}

fn answers(packet: &[u8]) -> Answers {
    let number = |at: usize, bytes: usize| {
        packet[at..at + bytes]
            .iter()
            .fold(0, |n, &b| n << 8 | u64::from(b))
    };
    let pair = |at| (number(at, 4), number(at + 4, 4));
    Answers {
        now_ns: number(8, 8),
        depth: pair(16),
        entry_ns: number(24, 8),
        found: pair(32),
        left: pair(40),
    }
}

fn both(program: &Program) -> [Switch; 2] {
    let both = [program.switch(), program.interpreted()];
    assert_eq!(both.each_ref().map(Switch::is_compiled), [true, false]);
    both
}

/// One packet of 1000 bytes takes a millisecond.
fn slow() -> PortOptions {
    PortOptions {
        rate_bps: Some(8_000_000),
        queues: Some(QUEUES),
        ..PortOptions::default()
    }
}

#[test]
fn depths_are_without_the_packet_that_asks_and_without_the_one_on_its_way() {
    for mut switch in both(&program()) {
        switch.port_set(2, &slow(), 0).expect("options of a port");
        for (at_ns, queue) in [(0, 0), (10, 0), (20, 0), (30, 1)] {
            switch.receive(at_ns, 1, packet((2, queue), (2, 0), 1000));
        }
        let got = packets(&mut switch, 5_000_000);
        let got: Vec<Answers> = got.iter().map(|(_, bytes)| answers(bytes)).collect();
        let of = |now_ns, pkts, found: (u64, u64), left: (u64, u64)| Answers {
            now_ns,
            depth: (pkts, 1000 * pkts),
            entry_ns: now_ns,
            found,
            left,
        };
        // The queue that serves first has the larger number.
        let want = [
            of(0, 0, (0, 0), (0, 0)),
            of(30, 2, (0, 0), (2, 2000)),
            of(10, 0, (0, 0), (1, 1000)),
            of(20, 1, (1, 1000), (0, 0)),
        ];
        assert_eq!(got, want);
    }
}

#[test]
fn there_is_nothing_in_what_does_not_exist() {
    for mut switch in both(&program()) {
        switch
            .port_set(
                2,
                &PortOptions {
                    hold: Some(true),
                    ..slow()
                },
                0,
            )
            .expect("options of a port");
        switch.receive(0, 1, packet((2, 2), (2, 2), 1000));
        let asked = [
            ((2, 2), 1),
            ((2, 1), 0),
            ((2, 3), 0),
            ((2, 7), 0),
            ((2, 300), 0),
            ((3, 0), 0),
            ((65535, 0), 0),
        ];
        for (asks, pkts) in asked {
            let got = send(&mut switch, packet((3, 0), asks, 100));
            assert_eq!(answers(&got[0].1).depth, (pkts, 1000 * pkts), "{asks:?}");
        }
    }
}

#[test]
fn a_depth_that_does_not_fit_is_the_largest_number() {
    let overhead_bytes = 1 << 30;
    for mut switch in both(&program()) {
        let options = PortOptions {
            hold: Some(true),
            overhead_bytes: Some(overhead_bytes),
            ..slow()
        };
        switch.port_set(2, &options, 0).expect("options of a port");
        for pkts in 0..6 {
            let got = send(&mut switch, packet((3, 0), (2, 0), 100));
            let bytes = pkts * (100 + overhead_bytes as u64);
            assert_eq!(answers(&got[0].1).depth, (pkts, bytes.min(u32::MAX.into())));
            switch.receive(0, 1, packet((2, 0), (2, 0), 100));
        }
    }
}

#[test]
fn before_a_queue_there_is_no_entry() {
    let mut program = Program::new();
    let fields = json!([["ns", 64, false], ["pkts", 32, false], ["bytes", 32, false]]);
    program.header("e", fields);
    let entry = ["ns", "pkts", "bytes"].map(|name| field("e", name));
    let valid = prim("add_header", vec![json!({"type": "header", "value": "e"})]);
    program.ingress(vec![
        valid,
        assign(field("e", "ns"), hex(7)),
        prim("enqueued", entry.to_vec()),
    ]);
    for mut switch in both(&program) {
        switch.settle(1_000);
        let got = send(&mut switch, &[0u8; 4]);
        assert_eq!(got[0].1[4..], [0; 16]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// All that packets are told is what a traffic manager of its own has at that time.
    #[test]
    fn answers_are_those_of_the_traffic_manager(
        arrivals in prop::collection::vec(
            (0u64..40_000, (0u8..3, 0u8..QUEUES), (0u16..4, 0u16..4), HEADER_BYTES..1500), 1..80),
        rate in prop_oneof![
            Just(Rate::Unlimited),
            (10_000_000u64..1_000_000_000).prop_map(Rate::bps),
        ],
        overhead_bytes in prop_oneof![Just(0), Just(24), Just(-14)],
        drr in any::<bool>(),
    ) {
        let scheduler = if drr { SchedulerKind::Drr } else { SchedulerKind::Strict };
        let config = PortConfig {
            rate,
            queues: QUEUES,
            capacity_pkts: 5,
            overhead_bytes,
            scheduler,
            ..PortConfig::default()
        };
        let options = PortOptions {
            rate_bps: match rate { Rate::Bps(bps) => Some(bps.get()), _ => None },
            queues: Some(QUEUES),
            capacity_pkts: Some(5),
            overhead_bytes: Some(overhead_bytes),
            scheduler: Some(scheduler),
            ..PortOptions::default()
        };
        let mut model = TrafficManager::new(PortConfig::default()).expect("a configuration");
        let mut switches = both(&program());
        for port in 0..3 {
            model.set_config(0, port, config).expect("a configuration");
            for switch in &mut switches {
                switch.port_set(port, &options, 0).expect("options of a port");
            }
        }
        let mut want = Vec::new();
        let mut now_ns = 0;
        let mut asked = Vec::new();
        let times = arrivals.iter().map(Some).chain([None]);
        for (item, arrival) in times.enumerate() {
            now_ns = arrival.map_or(now_ns + 1_000_000_000, |&(gap_ns, ..)| now_ns + gap_ns);
            while let Some(dequeued) = model.poll(now_ns) {
                let (of, from): (usize, Dequeued<()>) = dequeued.split();
                let (mut answers, port, queue): (Answers, u32, u8) = std::mem::take(&mut asked[of]);
                let left = model.depth(port, queue);
                answers.entry_ns = from.enq_ns;
                answers.found = (from.enq_depth.pkts, from.enq_depth.bytes);
                answers.left = (left.pkts, left.bytes);
                want.push((from.port, answers));
                model.transmitted(from.port, from.len_bytes);
            }
            let Some(&(_, to, asks, len_bytes)) = arrival else { break };
            let (port, queue) = (u32::from(asks.0), asks.1 as u8);
            let depth = model.depth(port, queue);
            let answers = Answers { now_ns, depth: (depth.pkts, depth.bytes), ..Answers::default() };
            asked.push((answers, port, queue));
            // A packet that finds no room is gone.
            let _ = model.enqueue(now_ns, to.0.into(), to.1, item, len_bytes as u32);
            for switch in &mut switches {
                switch.receive(now_ns, 1, packet(to, asks, len_bytes));
            }
        }
        want.sort_by_key(|(port, _)| *port);
        for switch in &mut switches {
            let mut got = packets(switch, now_ns);
            got.sort_by_key(|(port, _)| *port);
            let got: Vec<(u32, Answers)> = got.iter().map(|(port, bytes)| (*port, answers(bytes))).collect();
            prop_assert_eq!(&got, &want);
        }
    }
}
