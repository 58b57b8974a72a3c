// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Copies of a packet: clones and multicast replicas.

use crate::common::*;
use quench_dataplane::control::{CloneSession, ErrorCode, MulticastGroup, Replica};
use serde_json::json;

const PACKET: [u8; 6] = [1, 2, 3, 4, 0xaa, 0xbb];

fn replica(port: u32, rid: u16) -> Replica {
    Replica { port, rid }
}

fn session(replicas: &[Replica]) -> CloneSession {
    CloneSession {
        replicas: replicas.to_vec(),
        ..CloneSession::default()
    }
}

#[test]
fn an_ingress_clone_is_the_packet_as_it_came_with_the_listed_metadata() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "kept", "elements": [
        {"type": "field", "value": ["meta", "x"]}]}),
    );
    program.ingress(vec![
        forward(2),
        assign(field("meta", "x"), hex(0x55)),
        assign(field("meta", "y"), hex(0x66)),
        assign(field("h", "a"), hex(0xff)),
        prim("clone_ingress_pkt_to_egress", vec![hex(9), hex(1)]),
    ]);
    program.egress(vec![
        assign(field("h", "b"), field("meta", "x")),
        assign(
            field("h", "c"),
            expr(
                "+",
                expr("<<", std("instance_type"), hex(8)),
                field("meta", "y"),
            ),
        ),
    ]);
    let mut switch = program.switch();
    switch
        .clone_session_set(9, session(&[replica(7, 0)]))
        .unwrap();
    let mut out = send(&mut switch, &PACKET);
    out.sort();
    assert_eq!(
        out,
        [
            (2, vec![0xff, 0x55, 0, 0x66, 0xaa, 0xbb]),
            (7, vec![1, 0x55, 1, 0, 0xaa, 0xbb])
        ]
    );
}

#[test]
fn an_egress_clone_keeps_changed_headers_even_when_the_packet_is_dropped() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 3, "name": "kept", "elements": [
        {"type": "field", "value": ["meta", "y"]}]}),
    );
    let cloned = expr("==", std("instance_type"), hex(2));
    program.ingress(vec![forward(2)]);
    program.egress(vec![
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), cloned), hex(4)],
        ),
        assign(field("h", "b"), field("meta", "y")),
        assign(field("h", "c"), std("egress_port")),
        prim("_jump", vec![hex(8)]),
        assign(field("h", "a"), hex(0x77)),
        assign(field("meta", "y"), hex(0x42)),
        prim("clone_egress_pkt_to_egress", vec![hex(1), hex(3)]),
        prim("mark_to_drop", vec![header("standard_metadata")]),
    ]);
    let mut switch = program.switch();
    assert_eq!(switch.missing_copies(), (None, None));
    assert_eq!(send(&mut switch, &PACKET), []);
    assert_eq!(stat(&switch, "dropped_clone_session"), 1);
    assert_eq!(switch.missing_copies(), (Some(1), None));
    let truncated = CloneSession {
        truncate_bytes: 5,
        ..session(&[replica(510, 0)])
    };
    switch.clone_session_set(1, truncated).unwrap();
    assert_eq!(
        send(&mut switch, &PACKET),
        [(510, vec![0x77, 0x42, 1, 254, 0xaa])]
    );
}

#[test]
fn the_last_clone_call_wins() {
    let mut program = Program::new();
    let clone = |id| prim("clone_ingress_pkt_to_egress", vec![hex(id), hex(0)]);
    program.ingress(vec![forward(511), clone(1), clone(2)]);
    let mut switch = program.switch();
    switch
        .clone_session_set(1, session(&[replica(1, 0)]))
        .unwrap();
    switch
        .clone_session_set(2, session(&[replica(2, 0), replica(3, 0)]))
        .unwrap();
    let ports: Vec<u32> = send(&mut switch, &PACKET)
        .into_iter()
        .map(|(port, _)| port)
        .collect();
    assert_eq!(ports, [2, 3]);
}

#[test]
fn multicast_copies_carry_their_rid_and_win_over_unicast() {
    let mut program = Program::new();
    program.ingress(vec![forward(2), assign(std("mcast_grp"), field("h", "c"))]);
    program.egress(vec![
        assign(field("h", "a"), std("egress_rid")),
        assign(field("h", "b"), std("instance_type")),
    ]);
    let mut switch = program.switch();
    switch
        .multicast_group_set(5, vec![replica(3, 30), replica(4, 40), replica(3, 31)])
        .unwrap();
    let mut out = send(&mut switch, &[0, 0, 0, 5]);
    out.sort();
    assert_eq!(
        out,
        [
            (3, vec![30, 5, 0, 5]),
            (3, vec![31, 5, 0, 5]),
            (4, vec![40, 5, 0, 5])
        ]
    );
    assert_eq!(send(&mut switch, &[0, 0, 0, 6]), []);
    assert_eq!(stat(&switch, "dropped_multicast_group"), 1);
    assert_eq!(switch.missing_copies(), (None, Some(6)));
    assert_eq!(send(&mut switch, &[0, 0, 0, 0])[0].0, 2);
}

#[test]
fn the_first_backup_with_a_port_that_is_up_stands_in_for_a_replica() {
    let mut program = Program::new();
    program.ingress(vec![forward(2), assign(std("mcast_grp"), field("h", "c"))]);
    program.egress(vec![assign(field("h", "a"), std("egress_rid"))]);
    let mut switch = program.switch();
    let group = MulticastGroup {
        replicas: vec![replica(3, 30), replica(4, 40)],
        backups: vec![vec![], vec![replica(5, 50), replica(6, 60)]],
    };
    switch.multicast_group_set(5, group.clone()).unwrap();
    assert_eq!(switch.multicast_groups(), [(5, group)]);
    let mut copies = |down: &[u32]| -> Vec<(u32, u8)> {
        (1..8).for_each(|port| switch.set_port_up(port, !down.contains(&port), 0));
        let sent = send(&mut switch, &[1, 2, 0, 5]);
        sent.into_iter()
            .map(|(port, data)| (port, data[0]))
            .collect()
    };
    assert_eq!(copies(&[]), [(3, 30), (4, 40)]);
    assert_eq!(copies(&[4]), [(3, 30), (5, 50)]);
    assert_eq!(copies(&[4, 5]), [(3, 30), (6, 60)]);
    assert_eq!(copies(&[5]), [(3, 30), (4, 40)]);
    // Nothing stands in: the copies are made for the ports that the group names.
    assert_eq!(copies(&[3, 4, 5, 6]), [(3, 30), (4, 40)]);
    let too_many = MulticastGroup {
        replicas: vec![replica(3, 0)],
        backups: vec![vec![], vec![replica(4, 0)]],
    };
    let refused = switch.multicast_group_set(6, too_many);
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidArgument);
}

/// A packet that is sent nowhere is counted, with any number of replicas in its group or session.
#[test]
fn packets_that_are_replicated_add_up() {
    let mut program = Program::new();
    program.push(
        "field_lists",
        json!({"id": 1, "name": "none", "elements": []}),
    );
    let first = expr("==", std("instance_type"), hex(0));
    program.ingress(vec![
        forward(2),
        prim("clone_ingress_pkt_to_egress", vec![field("h", "a"), hex(1)]),
        assign(std("mcast_grp"), field("h", "c")),
    ]);
    program.egress(vec![
        prim(
            "_jump_if_zero",
            vec![expr("b2d", json!(null), first), hex(2)],
        ),
        prim("clone_egress_pkt_to_egress", vec![field("h", "b"), hex(1)]),
    ]);
    let replicas = |count: u16| -> Vec<Replica> { (0..count).map(|rid| replica(3, rid)).collect() };
    let mut switch = program.switch();
    for count in 0..4 {
        let id = u32::from(count) + 1;
        switch.multicast_group_set(id, replicas(count)).unwrap();
        switch
            .clone_session_set(id, session(&replicas(count)))
            .unwrap();
    }
    for ingress in 0..6 {
        for egress in 0..6 {
            for group in 0..6 {
                send(&mut switch, &[ingress, egress, 0, group]);
            }
        }
    }
    let came = [
        "received_pkts",
        "clones_ingress",
        "clones_egress",
        "multicast_copies",
    ];
    let stats = switch.stats();
    let went = stats
        .iter()
        .filter(|(name, _)| *name == "sent_pkts" || name.starts_with("dropped_"));
    assert_eq!(
        came.map(|name| stat(&switch, name)).iter().sum::<u64>(),
        went.map(|(_, count)| count).sum::<u64>(),
        "{stats:?}"
    );
}
