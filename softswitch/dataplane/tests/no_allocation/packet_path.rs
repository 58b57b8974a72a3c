// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parser, ingress, egress and deparser allocate nothing for a packet that is forwarded, resubmitted, recirculated or
//! dropped. A copy allocates the buffer that it leaves in, a second one where its headers grow on the way (as by the
//! header of a packet-in), and the first copy of a packet the budget that they share. A digest allocates its list of
//! values and each value.

use quench_dataplane::control::{CloneSession, EntryData, Replica};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::json;

use super::allocations;
use crate::common::router::{self, Copy, CPU_PORT};
use crate::common::units;
use crate::common::{assign, call, exact, expr, field, forward, hex, prim, stat, std, Program};

const PACKETS: u64 = 1000;
/// Packets of 1000 bytes are a little more than the busy port sends.
const GAP_NS: u64 = 78_000;
/// They fill its queue.
const BURST_GAP_NS: u64 = 1000;

/// A switch whose packets come in buffers that left it before.
struct Path {
    switch: Switch,
    now_ns: u64,
    buffers: Vec<Vec<u8>>,
}

impl Path {
    fn new(switch: Switch) -> Self {
        Self {
            switch,
            now_ns: 0,
            buffers: Vec::with_capacity(4096),
        }
    }

    /// Gives what the switch allocates for packets of one kind, once it has seen as many of them.
    fn measured(&mut self, packet: &[u8]) -> u64 {
        self.pass(packet, BURST_GAP_NS);
        self.pass(packet, GAP_NS)
    }

    fn pass(&mut self, packet: &[u8], gap_ns: u64) -> u64 {
        let mut allocated = 0;
        for _ in 0..PACKETS {
            let mut buffer = self.buffers.pop().unwrap_or_default();
            buffer.clear();
            buffer.extend_from_slice(packet);
            self.now_ns += gap_ns;
            let before = allocations();
            self.switch.receive(self.now_ns, 3, buffer);
            self.switch.advance(self.now_ns, &mut |output| {
                if let Output::Packet { bytes, .. } = output {
                    // Buffers beyond the capacity are freed.
                    if self.buffers.len() < self.buffers.capacity() {
                        self.buffers.push(bytes.into_vec());
                    }
                }
            });
            allocated += allocations() - before;
        }
        allocated
    }

    fn copies(&self) -> u64 {
        let names = ["clones_ingress", "clones_egress", "multicast_copies"];
        names.map(|name| stat(&self.switch, name)).iter().sum()
    }
}

/// The router, as machine code and interpreted.
fn routers(copy: Copy) -> [Path; 2] {
    [false, true].map(|interpreted| {
        let mut switch = Switch::new(SwitchConfig {
            cpu_port: Some(CPU_PORT),
            interpreted,
            ..SwitchConfig::default()
        });
        router::fill(&mut switch, copy);
        Path::new(switch)
    })
}

#[test]
fn forwarded_and_dropped_packets_allocate_nothing() {
    let mut expired = router::narrow(2, 2, 0, 900);
    expired[3] = 1;
    router::set_checksum(&mut expired);
    for mut path in routers(Copy::Report) {
        for (kind, packet) in [
            ("long", router::narrow(2, 2, 0, 1000)),
            ("short", router::narrow(2, 0, 0, 40)),
            ("wide", router::wide(2, 2, 0, 900)),
            ("without a route", router::narrow(77, 2, 0, 900)),
            ("of an expired hop limit", expired.clone()),
            ("shorter than its headers", vec![0; 9]),
        ] {
            assert_eq!(path.measured(&packet), 0, "{kind}");
        }
        assert_eq!(path.copies(), 0);
    }
}

/// Queue, average, marks, drops; a packet that is drawn has a copy, for the CPU or recirculated as an answer.
#[test]
fn packets_of_a_congested_queue_allocate_only_for_their_copies() {
    for copy in [Copy::None, Copy::Report, Copy::Answer] {
        for mut path in routers(copy) {
            for mark in [0, 2] {
                let packet = router::narrow(1, mark, 0, 1000);
                // The queue reaches the depth that it never exceeds.
                for gap_ns in [BURST_GAP_NS, GAP_NS, GAP_NS, GAP_NS] {
                    path.pass(&packet, gap_ns);
                }
                let before = path.copies();
                let allocated = path.pass(&packet, GAP_NS);
                let copies = path.copies() - before;
                assert!(copies > 0, "at least the reports of the queue");
                assert!(
                    allocated <= 3 * copies,
                    "{copy:?}: {allocated} for {copies} copies"
                );
            }
            assert_eq!(stat(&path.switch, "recirculated") > 0, copy == Copy::Answer);
        }
    }
}

fn replicas(ports: &[u32]) -> Vec<Replica> {
    let replica = |&port| Replica { port, rid: 0 };
    ports.iter().map(replica).collect()
}

/// A program without tables, as machine code and interpreted.
fn paths(program: &Program, prepare: impl Fn(&mut Switch)) -> [Path; 2] {
    [program.switch(), program.interpreted()].map(|mut switch| {
        prepare(&mut switch);
        Path::new(switch)
    })
}

/// All metadata that the copies keep: a narrow field and one of more than 64 bits.
fn with_kept_fields() -> Program {
    let mut program = Program::new();
    program.json["header_types"][2]["fields"]
        .as_array_mut()
        .expect("a list")
        .extend([json!(["wide", 93, false]), json!(["_padding", 3, false])]);
    program.push(
        "field_lists",
        json!({"id": 1, "name": "kept", "elements": [
            {"type": "field", "value": ["meta", "x"]}, {"type": "field", "value": ["meta", "wide"]}]}),
    );
    program
}

#[test]
fn packets_that_come_again_allocate_nothing() {
    let mut resubmits = with_kept_fields();
    let first = expr("==", field("meta", "x"), hex(0));
    resubmits.ingress(vec![
        forward(2),
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), first), hex(4)],
        ),
        assign(field("meta", "x"), hex(1)),
        prim("resubmit", vec![hex(1)]),
        assign(field("h", "b"), std("instance_type")),
    ]);
    let mut recirculates = with_kept_fields();
    let more = expr("<", field("h", "a"), hex(4));
    recirculates.ingress(vec![forward(2)]);
    recirculates.egress(vec![
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), more), hex(3)],
        ),
        assign(field("h", "a"), expr("+", field("h", "a"), hex(1))),
        prim("recirculate", vec![hex(1)]),
        assign(field("h", "b"), std("instance_type")),
    ]);
    for (program, count, times) in [
        (resubmits, "resubmitted", 1),
        (recirculates, "recirculated", 3),
    ] {
        for mut path in paths(&program, |_| ()) {
            assert_eq!(path.measured(&[1, 2, 3, 4, 5]), 0, "{count}");
            assert_eq!(stat(&path.switch, count), 2 * times * PACKETS);
        }
    }
}

#[test]
fn copies_allocate_a_buffer_each_and_one_budget() {
    let mut clones = with_kept_fields();
    clones.ingress(vec![
        forward(2),
        prim("clone_ingress_pkt_to_egress", vec![hex(9), hex(1)]),
    ]);
    let mut multicast = Program::new();
    multicast.ingress(vec![assign(std("mcast_grp"), hex(5))]);
    for (program, copies_of_each) in [(clones, 2), (multicast, 1)] {
        let prepare = |switch: &mut Switch| {
            let session = CloneSession {
                replicas: replicas(&[3, 4]),
                ..CloneSession::default()
            };
            let set = switch.clone_session_set(9, session);
            set.expect("a valid session");
            let set = switch.multicast_group_set(5, replicas(&[3, 4]));
            set.expect("a valid group");
        };
        for mut path in paths(&program, prepare) {
            let allocated = path.measured(&[1, 2, 3, 4, 5]);
            assert_eq!(allocated, (copies_of_each + 1) * PACKETS);
            assert_eq!(path.copies(), copies_of_each * 2 * PACKETS);
        }
    }
}

/// Filters, math unit, hashes, meters, logs and cells of entries.
#[test]
fn units_of_tna_allocate_nothing() {
    let prepare = |switch: &mut Switch| {
        let data = EntryData::from(call("hit", &[1]));
        let inserted = switch.table_insert("t", &[exact(1)], 0, data, 0);
        inserted.expect("a valid entry");
    };
    let packet: Vec<u8> = (1..).take(4 + units::U_BYTES).collect();
    for mut path in paths(&units::program(), prepare) {
        assert_eq!(path.measured(&packet), 0);
        let count = path.switch.counter_read("c", 1).expect("a counter");
        assert_eq!(count.packets, 2 * PACKETS);
    }
}

#[test]
fn a_digest_allocates_its_list_and_its_values() {
    let mut program = Program::new();
    program.push("learn_lists", json!({"id": 1, "name": "learn", "elements": [
        {"type": "field", "value": ["h", "c"]}, {"type": "field", "value": ["standard_metadata", "ingress_port"]}]}));
    program.ingress(vec![
        forward(2),
        prim("generate_digest", vec![hex(0), hex(1)]),
    ]);
    for mut path in paths(&program, |_| ()) {
        assert_eq!(path.measured(&[1, 2, 3, 4, 5]), (1 + 2) * PACKETS);
        assert_eq!(stat(&path.switch, "digests"), 2 * PACKETS);
    }
}
