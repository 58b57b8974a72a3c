// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Forwarding, drops, resubmission, recirculation, queue metadata.

use crate::common::*;
use quench_dataplane::control::{CloneSession, PortOptions, PortState, Replica};
use quench_dataplane::{Output, SwitchConfig};
use serde_json::json;

const PACKET: [u8; 6] = [1, 2, 3, 4, 0xaa, 0xbb];

fn depths_pkts(port: &PortState) -> Vec<u64> {
    let queues = port.per_queue.iter();
    queues.map(|queue| queue.depth.pkts).collect()
}

#[test]
fn a_packet_is_parsed_changed_and_sent() {
    let mut program = Program::new();
    let sum = expr("&", expr("+", field("h", "a"), hex(255)), hex(0xff));
    program.ingress(vec![
        forward(5),
        assign(field("h", "a"), sum),
        assign(field("h", "c"), std("ingress_port")),
    ]);
    let mut switch = program.switch();
    assert_eq!(
        send(&mut switch, &PACKET),
        [(5, vec![0, 2, 0, 1, 0xaa, 0xbb])]
    );
}

#[test]
fn egress_spec_decides_and_the_drop_port_drops() {
    let mut program = Program::new();
    program.ingress(vec![assign(std("egress_spec"), field("h", "c"))]);
    let mut switch = program.switch_with(SwitchConfig {
        drop_port: 511,
        ..SwitchConfig::default()
    });
    assert_eq!(send(&mut switch, &[0, 0, 0, 7])[0].0, 7);
    assert_eq!(send(&mut switch, &[0, 0, 1, 255]), []);
    assert_eq!(stat(&switch, "dropped_ingress"), 1);

    let mut program = Program::new();
    program.ingress(vec![forward(3)]).egress(vec![prim(
        "mark_to_drop",
        vec![header("standard_metadata")],
    )]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &PACKET), []);
    assert_eq!(stat(&switch, "dropped_egress"), 1);
}

#[test]
fn without_a_program_packets_are_dropped() {
    let mut switch = quench_dataplane::Switch::new(SwitchConfig::default());
    assert_eq!(send(&mut switch, &PACKET), []);
    assert_eq!(stat(&switch, "dropped_no_program"), 1);
}

#[test]
fn a_packet_that_is_too_short_goes_on_with_an_error() {
    let mut program = Program::new();
    program.ingress(vec![
        forward(2),
        prim("add_header", vec![header("h")]),
        assign(field("h", "a"), std("parser_error")),
    ]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &[9, 9]), [(2, vec![1, 0, 0, 0, 9, 9])]);
    assert_eq!(stat(&switch, "parser_errors"), 1);
}

#[test]
fn a_resubmitted_packet_is_the_original_with_the_listed_metadata() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "kept", "elements": [
        {"type": "field", "value": ["meta", "x"]}]}),
    );
    let first = expr("==", std("instance_type"), hex(0));
    program.ingress(vec![
        forward(2),
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), first), hex(5)],
        ),
        assign(field("meta", "x"), hex(0x33)),
        assign(field("h", "a"), hex(0xee)),
        prim("resubmit", vec![hex(1)]),
        assign(field("h", "b"), field("meta", "x")),
        assign(field("h", "c"), std("packet_length")),
    ]);
    let mut switch = program.switch();
    assert_eq!(
        send(&mut switch, &PACKET),
        [(2, vec![1, 0x33, 0, 6, 0xaa, 0xbb])]
    );
    assert_eq!(stat(&switch, "resubmitted"), 1);
}

#[test]
fn a_recirculated_packet_is_parsed_as_it_was_deparsed() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "none", "elements": []}),
    );
    program.ingress(vec![forward(2)]);
    let more = expr("<", field("h", "a"), hex(4));
    program.egress(vec![
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), more), hex(3)],
        ),
        assign(field("h", "a"), expr("+", field("h", "a"), hex(1))),
        prim("recirculate", vec![hex(1)]),
        assign(field("h", "b"), std("instance_type")),
    ]);
    let mut switch = program.switch();
    assert_eq!(
        send(&mut switch, &PACKET),
        [(2, vec![4, 0, 3, 4, 0xaa, 0xbb])]
    );
    assert_eq!(stat(&switch, "recirculated"), 3);
}

#[test]
fn a_packet_cannot_go_round_for_ever() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "none", "elements": []}),
    );
    program.ingress(vec![forward(2), prim("resubmit", vec![hex(1)])]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &PACKET), []);
    assert_eq!(stat(&switch, "dropped_passes"), 1);
}

#[test]
fn truncation_cuts_what_is_sent() {
    let mut program = Program::new();
    program.ingress(vec![
        forward(2),
        prim("truncate", vec![hex(5)]),
        prim("truncate", vec![hex(9)]),
    ]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &PACKET), [(2, vec![1, 2, 3, 4, 0xaa])]);
}

#[test]
fn a_digest_samples_its_fields() {
    let mut program = Program::new();
    program.push("learn_lists", json!({"id": 1, "name": "learn", "elements": [
        {"type": "field", "value": ["h", "c"]}, {"type": "field", "value": ["standard_metadata", "ingress_port"]}]}));
    program.ingress(vec![
        forward(511),
        prim("generate_digest", vec![hex(0), hex(1)]),
    ]);
    let mut switch = program.switch();
    switch.receive(5, 1, &PACKET);
    assert_eq!(switch.next_event_ns(), Some(5));
    let digest = Output::Digest {
        id: 1,
        fields: vec![vec![3, 4], vec![0, 1]],
        time_ns: 5,
    };
    assert_eq!(outputs(&mut switch, 5), [digest]);
    let info = &switch.program().unwrap().digests[0];
    assert_eq!((info.name.as_str(), info.fields[1].bits), ("learn", 9));
}

#[test]
fn queue_metadata_and_depths_follow_the_queue() {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    program.egress(vec![
        assign(field("h", "a"), std("enq_qdepth")),
        assign(field("h", "b"), std("deq_qdepth")),
        assign(field("h", "c"), std("deq_timedelta")),
    ]);
    let mut switch = program.switch();
    // 100 packets per second: a slot is 10 ms.
    let options = PortOptions {
        rate_pps: Some(100),
        capacity_pkts: Some(2),
        ..PortOptions::default()
    };
    switch.port_set(2, &options, 0).unwrap();
    for i in 0..4 {
        switch.receive(i * MS, 1, &PACKET);
    }
    let out = packets(&mut switch, 100 * MS);
    let fields: Vec<&[u8]> = out.iter().map(|(_, bytes)| &bytes[..4]).collect();
    // The first leaves at once, the fourth finds the queue full.
    assert_eq!(
        fields,
        [[0, 0, 0, 0], [0, 1, 0x23, 0x28], [1, 0, 0x46, 0x50]]
    );
    let port = switch.port_get(2, 100 * MS).unwrap();
    assert_eq!((port.stats.dropped_full_pkts, port.stats.tx_pkts), (1, 3));
    assert_eq!(stat(&switch, "dropped_queue_full"), 1);
}

#[test]
fn higher_priorities_leave_first_and_unknown_ones_are_dropped() {
    let mut program = Program::new();
    program.ingress(vec![forward(2), assign(std("priority"), field("h", "a"))]);
    let mut switch = program.switch_with(SwitchConfig {
        priority_queues: 3,
        ..SwitchConfig::default()
    });
    let hold = |hold| PortOptions {
        hold: Some(hold),
        ..PortOptions::default()
    };
    switch.port_set(2, &hold(true), 0).unwrap();
    for priority in [0, 2, 1, 5, 2] {
        switch.receive(0, 1, &[priority, 0, 0, 0]);
    }
    assert_eq!(depths_pkts(&switch.port_get(2, 0).unwrap()), [1, 1, 2]);
    switch.port_set(2, &hold(false), MS).unwrap();
    let order: Vec<u8> = packets(&mut switch, MS)
        .iter()
        .map(|(_, bytes)| bytes[0])
        .collect();
    assert_eq!(order, [2, 2, 1, 0]);
    assert_eq!(stat(&switch, "dropped_priority"), 1);
}

#[test]
fn a_bit_rate_and_a_delay_give_the_time_of_arrival() {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    let mut switch = program.switch();
    // 6 bytes at 48 kb/s take 1 ms.
    let options = PortOptions {
        rate_bps: Some(48_000),
        delay_ns: Some(5 * MS),
        ..PortOptions::default()
    };
    switch.port_set(2, &options, 0).unwrap();
    switch.receive(0, 1, &PACKET);
    switch.receive(0, 1, &PACKET);
    let times: Vec<u64> = outputs(&mut switch, 100 * MS)
        .iter()
        .map(|output| match output {
            Output::Packet { time_ns, .. } | Output::Digest { time_ns, .. } => *time_ns,
        })
        .collect();
    assert_eq!(times, [6 * MS, 7 * MS]);
}

#[test]
fn packet_length_follows_added_headers_into_egress() {
    let mut program = Program::new();
    program.header("extra", json!([["v", 32, false]]));
    program.ingress(vec![forward(2), prim("add_header", vec![header("extra")])]);
    program.egress(vec![assign(field("extra", "v"), std("packet_length"))]);
    let mut switch = program.switch();
    assert_eq!(
        send(&mut switch, &PACKET),
        [(2, vec![1, 2, 3, 4, 0, 0, 0, 10, 0xaa, 0xbb])]
    );
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let mut program = Program::new();
    program.ingress(vec![
        forward(2),
        prim(
            "modify_field_rng_uniform",
            vec![field("h", "c"), hex(0), hex(0xffff)],
        ),
    ]);
    let run = |seed| {
        let mut switch = program.switch_with(SwitchConfig {
            seed,
            ..SwitchConfig::default()
        });
        (0..20)
            .flat_map(|_| send(&mut switch, &PACKET))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_failed_assertion_drops_the_packet() {
    let mut program = Program::new();
    let small = expr("<", field("h", "a"), hex(5));
    program.ingress(vec![
        forward(2),
        prim("assert", vec![expr("b2d", json!(null), small)]),
    ]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &PACKET).len(), 1);
    assert_eq!(send(&mut switch, &[9, 0, 0, 0]), []);
    assert_eq!(stat(&switch, "dropped_assertion"), 1);
}

#[test]
fn a_packet_whose_egress_an_assertion_ends_counts_at_its_port() {
    let mut program = Program::new();
    let small = expr("<", field("h", "a"), hex(5));
    program
        .ingress(vec![forward(2)])
        .egress(vec![prim("assert", vec![expr("b2d", json!(null), small)])]);
    let mut switch = program.switch();
    switch.port_set(2, &PortOptions::default(), 0).unwrap();
    assert_eq!(send(&mut switch, &PACKET).len(), 1);
    assert_eq!(send(&mut switch, &[9, 0, 0, 0]), []);
    assert_eq!(stat(&switch, "dropped_assertion"), 1);
    let stats = switch.port_get(2, 0).expect("there is this port").stats;
    assert_eq!((stats.enqueued_pkts, stats.tx_pkts), (2, 1));
    assert_eq!((stats.dropped_egress_pkts, stats.given_up_pkts), (0, 1));
}

#[test]
fn a_new_program_starts_clean() {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    let mut switch = program.switch();
    let hold = PortOptions {
        hold: Some(true),
        ..PortOptions::default()
    };
    switch.port_set(2, &hold, 0).unwrap();
    switch
        .clone_session_set(
            1,
            CloneSession {
                replicas: vec![Replica { port: 1, rid: 0 }],
                ..CloneSession::default()
            },
        )
        .unwrap();
    switch.receive(0, 1, &PACKET);
    assert!(switch.load_json("{\"pipelines\": 3}").is_err());
    assert_eq!(depths_pkts(&switch.port_get(2, 0).unwrap()), [1]);
    assert_eq!(switch.clone_sessions().len(), 1);
    switch.load_json(&program.json.to_string()).unwrap();
    let port = switch.port_get(2, 0).unwrap();
    assert_eq!((depths_pkts(&port), port.hold), (vec![0], true));
    assert!(switch.clone_sessions().is_empty());
}

/// All counts of packets that went no further than a queue.
fn dropped(switch: &quench_dataplane::Switch) -> u64 {
    let counts = switch.stats();
    let dropped = counts
        .iter()
        .filter(|(name, _)| name.starts_with("dropped_") && *name != "dropped_on_link");
    dropped.map(|(_, count)| count).sum()
}

#[test]
fn every_packet_is_accounted_for_over_a_thousand_reloads() {
    let mut program = Program::new();
    program.ingress(vec![
        prim("clone_ingress_pkt_to_egress", vec![hex(1), hex(0)]),
        assign(std("egress_spec"), field("h", "a")),
    ]);
    let json = program.json.to_string();
    let mut switch = program.switch();
    let slow = PortOptions {
        rate_pps: Some(1000),
        capacity_pkts: Some(20),
        delay_ns: Some(7 * MS),
        loss: Some(0.1),
        ..PortOptions::default()
    };
    let (mut now_ns, mut left, mut draw) = (0, 0u64, 1u64);
    let mut drops_of_reloads = (0, 0);
    for port in 1..4 {
        switch.port_set(port, &slow, now_ns).expect("a port");
    }
    for reload in 0..1000 {
        let session = CloneSession {
            replicas: vec![Replica { port: 3, rid: 0 }],
            ..CloneSession::default()
        };
        switch.clone_session_set(1, session).expect("a session");
        for _ in 0..reload % 40 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now_ns += (draw >> 33) % (2 * MS);
            switch.advance(now_ns, &mut |_| left += 1);
            switch.receive(now_ns, 1, &[(draw >> 40) as u8 % 4, 0, 0, 0]);
        }
        let before = (
            stat(&switch, "dropped_reload"),
            stat(&switch, "dropped_on_link"),
        );
        switch.load_json(&json).expect("a program");
        drops_of_reloads.0 += stat(&switch, "dropped_reload") - before.0;
        drops_of_reloads.1 += stat(&switch, "dropped_on_link") - before.1;
        // Nothing is in queues or on links now.
        let copied = stat(&switch, "clones_ingress");
        let received = stat(&switch, "received_pkts");
        let sent = stat(&switch, "sent_pkts");
        assert_eq!(
            received + copied,
            sent + dropped(&switch),
            "reload {reload}"
        );
        assert_eq!(
            sent,
            left + stat(&switch, "dropped_on_link"),
            "reload {reload}"
        );
    }
    assert!(
        drops_of_reloads.0 > 1000 && drops_of_reloads.1 > 1000,
        "{drops_of_reloads:?}"
    );
}

#[test]
fn marking_a_copy_of_the_metadata_drops_nothing_until_it_is_copied_back() {
    let run = |copy_back: bool| {
        let mut program = Program::new();
        program.push(
            "headers",
            json!({"name": "copy", "id": 9, "header_type": "standard_metadata", "metadata": true}),
        );
        let copy = field("copy", "egress_spec");
        let mut primitives = vec![
            forward(2),
            assign(copy.clone(), std("egress_spec")),
            prim("mark_to_drop", vec![header("copy")]),
        ];
        if copy_back {
            primitives.push(assign(std("egress_spec"), copy));
        }
        program.ingress(primitives);
        send(&mut program.switch(), &PACKET)
    };
    assert_eq!(run(false), [(2, PACKET.to_vec())]);
    assert_eq!(run(true), []);
}

#[test]
fn a_packet_of_which_nothing_is_left_is_sent() {
    let mut program = Program::new();
    program.ingress(vec![forward(2), prim("remove_header", vec![header("h")])]);
    let mut switch = program.switch();
    assert_eq!(send(&mut switch, &PACKET[..4]), [(2, vec![])]);
    assert_eq!(stat(&switch, "sent_pkts"), 1);
}
