// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A packet's life in TNA: what ingress's metadata does, copies of every kind, and what egress sees.

mod generator;
mod multicast;
mod ports;

use std::path::Path;
use std::sync::LazyLock;

use quench_dataplane::control::{CloneSession, ErrorCode, PortOptions, Replica};
use quench_dataplane::{Output, Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::{Arch, Options};
use serde_json::{json, Value};

const SEND: u8 = 1;
const NOTHING: u8 = 2;
const GROUP: u8 = 3;
const MIRROR: u8 = 4;
const RESUBMIT: u8 = 5;
const TO_CPU: u8 = 6;
const BYPASS: u8 = 7;
const DROP_MIRRORED: u8 = 8;
const EXCLUDE: u8 = 9;
const PORT_ZERO: u8 = 10;
const RESUBMIT_ALWAYS: u8 = 11;
const DEFLECT: u8 = 12;

const EGRESS_DROP: u8 = 1;
const EGRESS_MIRROR: u8 = 2;
const EGRESS_DROP_MIRRORED: u8 = 3;
const EGRESS_TOO_MUCH: u8 = 4;

const FROM_INGRESS: u8 = 0xb1;
const FROM_MIRROR: u8 = 0xb2;
const CPU_PORT: u32 = 320;
const RECIRCULATION_PORT: u16 = 68;

static JSON: LazyLock<String> = LazyLock::new(|| {
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    let compiled = compile_text(Path::new("life.p4"), include_str!("life.p4"), &options);
    compiled.unwrap_or_else(|error| panic!("{error}")).json
});
/// Switches that interpret and that run machine code, which have to do the same.
fn switches() -> [Switch; 2] {
    [true, false].map(|interpreted| {
        let mut switch = Switch::new(SwitchConfig {
            cpu_port: Some(CPU_PORT),
            priority_queues: 8,
            interpreted,
            ..SwitchConfig::default()
        });
        switch
            .load_json(&JSON)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(switch.is_compiled(), !interpreted);
        switch
    })
}

fn packet(ingress: u8, egress: u8, argument: u16) -> Vec<u8> {
    let [high, low] = argument.to_be_bytes();
    vec![ingress, egress, high, low, 0xaa, 0xbb, 0xcc]
}

/// The fields that egress puts in front of a packet that found an empty queue.
#[derive(Clone, Copy)]
struct Seen {
    kind: u8,
    port: u16,
    rid: u16,
    rid_first: u8,
    queue: u8,
    pkt_length: u16,
}

impl Seen {
    /// On a unicast packet of 7 bytes and its check sequence.
    fn unicast(port: u16) -> Self {
        Self {
            kind: FROM_INGRESS,
            port,
            rid: 0,
            rid_first: 0,
            queue: 0,
            pkt_length: 7 + 4,
        }
    }

    fn before(self, packet: &[u8]) -> Vec<u8> {
        let mut bytes = vec![self.kind];
        bytes.extend(self.port.to_be_bytes());
        bytes.extend(self.rid.to_be_bytes());
        bytes.extend([self.rid_first, self.queue]);
        bytes.extend(self.pkt_length.to_be_bytes());
        bytes.extend([0; 6]);
        bytes.extend(packet);
        bytes
    }
}

fn send(switch: &mut Switch, port: u32, bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut sent = Vec::new();
    switch.pass(1_000, port, bytes, &mut |output| {
        if let Output::Packet { port, bytes, .. } = output {
            sent.push((port, bytes.into_vec()));
        }
    });
    sent.sort();
    sent
}

fn stat(switch: &Switch, name: &str) -> u64 {
    let found = switch.stats().into_iter().find(|(known, _)| *known == name);
    found.expect("the switch has this count").1
}

fn session(port: u32, truncate_bytes: u32) -> CloneSession {
    CloneSession {
        replicas: vec![Replica { port, rid: 0 }],
        class_of_service: 0,
        truncate_bytes,
    }
}

#[test]
fn a_packet_goes_to_the_port_and_queue_that_ingress_sets() {
    for mut switch in switches() {
        let sent = packet(SEND, 0, 5 << 9 | 2);
        let seen = Seen {
            queue: 5,
            ..Seen::unicast(2)
        };
        assert_eq!(send(&mut switch, 1, &sent), [(2, seen.before(&sent))]);
    }
}

#[test]
fn without_a_port_a_packet_is_dropped_and_port_0_is_a_port() {
    for mut switch in switches() {
        assert_eq!(send(&mut switch, 1, &packet(NOTHING, 0, 0)), []);
        assert_eq!(stat(&switch, "dropped_ingress"), 1);
        let sent = packet(PORT_ZERO, 0, 0);
        assert_eq!(
            send(&mut switch, 1, &sent),
            [(0, Seen::unicast(0).before(&sent))]
        );
    }
}

#[test]
fn a_local_port_beyond_the_last_is_none() {
    for mut switch in switches() {
        assert_eq!(send(&mut switch, 1, &packet(SEND, 0, 72)), []);
        assert_eq!(stat(&switch, "dropped_ingress"), 1);
    }
}

#[test]
fn port_metadata_stands_before_the_packets_of_its_port() {
    for mut switch in switches() {
        switch.set_port_metadata(9, 0x33).unwrap();
        assert_eq!(switch.port_metadata(9).unwrap(), 0x33);
        let sent = packet(0, 0, 0);
        let at = |port| Seen::unicast(port).before(&sent);
        assert_eq!(send(&mut switch, 9, &sent), [(0x33, at(0x33))]);
        assert_eq!(send(&mut switch, 8, &sent), [(0, at(0))]);
        let error = switch.set_port_metadata(512, 1).unwrap_err();
        assert_eq!(error.code, ErrorCode::OutOfRange);
    }
}

#[test]
fn a_mirror_of_ingress_is_a_header_and_the_packet_as_it_came() {
    for mut switch in switches() {
        switch.clone_session_set(5, session(4, 0)).unwrap();
        let sent = packet(MIRROR, 9, 5);
        let changed = packet(MIRROR, 0, 5);
        let copied = Seen {
            kind: FROM_MIRROR,
            // The mirror's header counts.
            pkt_length: 1 + 7 + 4,
            rid_first: 1,
            ..Seen::unicast(4)
        };
        let expected = [
            (1, Seen::unicast(1).before(&changed)),
            (4, copied.before(&sent)),
        ];
        assert_eq!(send(&mut switch, 1, &sent), expected);
    }
}

#[test]
fn a_mirror_is_cut_with_its_header_and_one_without_a_session_vanishes() {
    for mut switch in switches() {
        switch.clone_session_set(5, session(4, 6)).unwrap();
        let sent = packet(DROP_MIRRORED, 0, 5);
        let copied = Seen {
            kind: FROM_MIRROR,
            pkt_length: 6 + 4,
            rid_first: 1,
            ..Seen::unicast(4)
        };
        // Also of a packet that ingress drops.
        assert_eq!(
            send(&mut switch, 1, &sent),
            [(4, copied.before(&sent[..5]))]
        );
        assert_eq!(send(&mut switch, 1, &packet(DROP_MIRRORED, 0, 6)), []);
        assert_eq!(stat(&switch, "dropped_clone_session"), 1);
    }
}

#[test]
fn a_mirror_of_egress_is_a_header_and_the_packet_as_it_leaves() {
    for mut switch in switches() {
        switch.clone_session_set(5, session(6, 0)).unwrap();
        let sent = packet(SEND, EGRESS_MIRROR, 2);
        let left = Seen::unicast(2).before(&sent);
        let out = send(&mut switch, 1, &sent);
        assert_eq!(out[0], (2, left.clone()));
        // Egress takes the first bytes of what left for an order.
        let copied = Seen {
            kind: FROM_MIRROR,
            pkt_length: 1 + 22 + 4,
            rid_first: 1,
            ..Seen::unicast(6)
        };
        assert_eq!(out[1], (6, copied.before(&left)));
        assert_eq!(out.len(), 2);
    }
}

#[test]
fn egress_drops_and_still_mirrors() {
    for mut switch in switches() {
        switch.clone_session_set(5, session(6, 0)).unwrap();
        assert_eq!(send(&mut switch, 1, &packet(SEND, EGRESS_DROP, 2)), []);
        let out = send(&mut switch, 1, &packet(SEND, EGRESS_DROP_MIRRORED, 2));
        assert_eq!(out.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [6]);
        assert_eq!(stat(&switch, "dropped_egress"), 2);
    }
}

#[test]
fn a_resubmitted_packet_comes_as_it_was_with_its_data_and_only_once() {
    for mut switch in switches() {
        let sent = packet(RESUBMIT, 7, 3);
        assert_eq!(
            send(&mut switch, 1, &sent),
            [(3, Seen::unicast(3).before(&sent))]
        );
        assert_eq!(stat(&switch, "resubmitted"), 1);
        assert_eq!(send(&mut switch, 1, &packet(RESUBMIT_ALWAYS, 0, 3)), []);
        assert_eq!(stat(&switch, "dropped_passes"), 1);
    }
}

#[test]
fn a_program_with_more_than_8_bytes_of_resubmit_data_is_refused() {
    let mut json: Value = serde_json::from_str(&JSON).unwrap();
    let name = "pipe.IngressDeparser.resubmit";
    let of_resubmit = |list: &&mut Value| list["name"] == name;
    let lists = json["field_lists"].as_array_mut().unwrap();
    let list = lists.iter_mut().find(of_resubmit).unwrap();
    let elements = list["elements"].as_array_mut().unwrap();
    assert_eq!(elements.len(), 2);
    let refusal = |json: &Value| {
        let mut switch = Switch::new(SwitchConfig::default());
        let loaded = switch.load_json(&json.to_string());
        loaded.err().map(|error| error.message)
    };
    elements.push(json!({"type": "hexstr", "value": "0x1", "bitwidth": 1}));
    let message = refusal(&json).expect("65 bits are refused");
    assert!(message.contains("resubmit"), "{message}");
    assert!(message.contains("more than 64 bits"), "{message}");
    // A list that is only known at run time could be any.
    let mut json: Value = serde_json::from_str(&JSON).unwrap();
    assert_eq!(refusal(&json), None);
    let deparser = json["deparsers"][0]["primitives"].as_array_mut().unwrap();
    let resubmit = |primitive: &&mut Value| primitive["op"] == "resubmit";
    let resubmit = deparser.iter_mut().find(resubmit).unwrap();
    resubmit["parameters"][0] =
        json!({"type": "field", "value": ["scalars", "ingress_metadata.resubmitted"]});
    let message = refusal(&json).expect("it is refused");
    assert!(message.contains("no constant"), "{message}");
}

#[test]
fn a_copy_goes_to_the_cpu_beside_the_packet() {
    for mut switch in switches() {
        let sent = packet(TO_CPU, 0, 2);
        let at = |port| (u32::from(port), Seen::unicast(port).before(&sent));
        assert_eq!(send(&mut switch, 1, &sent), [at(2), at(CPU_PORT as u16)]);
    }
}

#[test]
fn a_packet_that_bypasses_egress_leaves_as_ingress_made_it() {
    for mut switch in switches() {
        let sent = packet(BYPASS, EGRESS_DROP, 2);
        let mut expected = vec![FROM_INGRESS];
        expected.extend(&sent);
        assert_eq!(send(&mut switch, 1, &sent), [(2, expected)]);
        assert_eq!(stat(&switch, "egress_pkts"), 0);
    }
}

#[test]
fn a_packet_for_a_recirculation_port_comes_to_ingress_again() {
    for mut switch in switches() {
        let sent = packet(SEND, 0, RECIRCULATION_PORT);
        let again = packet(SEND, 0, 3);
        assert_eq!(
            send(&mut switch, 1, &sent),
            [(3, Seen::unicast(3).before(&again))]
        );
        assert_eq!(stat(&switch, "recirculated"), 1);
    }
}

#[test]
fn ingress_drops_what_its_parser_cannot_read_and_egress_sends_its_headers_alone() {
    for mut switch in switches() {
        assert_eq!(send(&mut switch, 1, &[SEND, 0]), []);
        assert_eq!(stat(&switch, "dropped_ingress"), 1);
        // The egress parser wants more bytes than there are: no payload is left.
        let sent = packet(SEND, EGRESS_TOO_MUCH, 2);
        let out = send(&mut switch, 1, &sent);
        assert_eq!(out, [(2, Seen::unicast(2).before(&sent[..4]))]);
        assert_eq!(stat(&switch, "parser_errors"), 2);
    }
}

#[test]
fn depths_are_in_cells_of_80_bytes() {
    for mut switch in switches() {
        let options = PortOptions {
            rate_bps: Some(8_000),
            ..PortOptions::default()
        };
        switch.port_set(2, &options, 0).unwrap();
        // With ingress's byte: 1, 2 and 1 cells.
        let padded = |length: usize| {
            let mut bytes = packet(SEND, 0, 2);
            bytes.resize(length, 0);
            bytes
        };
        for length in [7, 79, 80, 60] {
            switch.receive(0, 1, padded(length));
        }
        let mut depths = Vec::new();
        switch.advance(u64::MAX / 2, &mut |output| {
            if let Output::Packet { bytes, .. } = output {
                let bytes = bytes.real();
                let number =
                    |at: usize| u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]]);
                depths.push((number(9), number(12)));
            }
        });
        // The first never waited. Each found those that still waited, and left those behind it.
        assert_eq!(depths, [(0, 0), (0, 3), (1, 1), (3, 0)]);
    }
}

#[test]
fn a_packet_that_its_queue_has_no_room_for_is_deflected_if_it_asks_for_it() {
    for mut switch in switches() {
        let options = PortOptions {
            rate_bps: Some(8_000),
            capacity_pkts: Some(1),
            ..PortOptions::default()
        };
        switch.port_set(2, &options, 0).unwrap();
        // The first is sent, the second waits.
        for _ in 0..2 {
            assert_eq!(send(&mut switch, 1, &packet(SEND, 0, 2)), []);
        }
        assert_eq!(send(&mut switch, 1, &packet(DEFLECT, 0, 2)), []);
        assert_eq!(stat(&switch, "dropped_queue_full"), 1);

        switch.set_deflection(Some((5, 3))).unwrap();
        let sent = packet(DEFLECT, 0, 2);
        let seen = Seen {
            queue: 0x80 | 3,
            ..Seen::unicast(5)
        };
        assert_eq!(send(&mut switch, 1, &sent), [(5, seen.before(&sent))]);
        assert_eq!(send(&mut switch, 1, &packet(SEND, 0, 2)), []);
        assert_eq!(stat(&switch, "dropped_queue_full"), 2);
        let other = packet(DEFLECT, 0, 6);
        let room = Seen::unicast(6).before(&other);
        assert_eq!(send(&mut switch, 1, &other), [(6, room)]);

        // No room there either.
        switch.set_deflection(Some((2, 0))).unwrap();
        assert_eq!(send(&mut switch, 1, &sent), []);
        assert_eq!(stat(&switch, "dropped_queue_full"), 3);
        assert!(switch.set_deflection(Some((512, 0))).is_err());
        assert!(switch.set_deflection(Some((1, 32))).is_err());
    }
}

#[test]
fn another_architecture_has_no_port_metadata() {
    let mut switch = Switch::new(SwitchConfig::default());
    let error = switch.set_port_metadata(1, 1).unwrap_err();
    assert_eq!(error.code, ErrorCode::FailedPrecondition);
}

#[test]
fn the_primitives_of_v1models_extension_are_not_known() {
    for (op, count) in [("time_ns", 1), ("enqueued", 3), ("queue_depth", 4)] {
        let mut program: Value = serde_json::from_str(&JSON).expect("a program");
        let target = json!({"type": "field", "value": ["scalars", "none"]});
        let primitives = program["actions"][0]["primitives"].as_array_mut();
        let primitive = json!({"op": op, "parameters": vec![target; count]});
        primitives.expect("a list").push(primitive);
        let loaded = Switch::new(SwitchConfig::default()).load_json(&program.to_string());
        let message = loaded.expect_err("it is refused").message;
        let expected = format!("is not known with {count} parameters");
        assert!(message.contains(&expected), "{message}");
    }
}
