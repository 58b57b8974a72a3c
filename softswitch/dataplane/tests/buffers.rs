// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets that are handed over in buffers of their own.

use crate::common::{assign, field, forward, header, hex, packets, prim, send, Program};
use serde_json::json;

/// Forwards to port 2.
fn program() -> Program {
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    program
}

fn packet() -> Vec<u8> {
    (0..100).collect()
}

#[test]
fn a_packet_leaves_in_the_buffer_that_it_came_in() {
    let mut switch = program().switch();
    let bytes = packet();
    let place = bytes.as_ptr();
    switch.receive(0, 1, bytes);
    let out = packets(&mut switch, 0);
    assert_eq!(out, [(2, packet())]);
    assert_eq!(out[0].1.as_ptr(), place);
}

#[test]
fn owned_and_borrowed_packets_are_treated_alike() {
    let mut program = program();
    program.egress(vec![prim("truncate", vec![hex(60)])]);
    let want = send(&mut program.switch(), packet());
    let mut switch = program.switch();
    switch.receive(0, 1, packet());
    assert_eq!(packets(&mut switch, 0), want);
    assert_eq!(want, [(2, packet()[..60].to_vec())]);
}

#[test]
fn headers_that_come_or_go_move_the_payload() {
    let mut longer = program();
    longer.header("n", json!([["x", 24, false]]));
    longer.egress(vec![
        prim("add_header", vec![header("n")]),
        assign(field("n", "x"), hex(0x0a0b0c)),
    ]);
    let mut shorter = program();
    shorter.egress(vec![prim("remove_header", vec![header("h")])]);
    let packet = packet();
    let grown = [&packet[..4], &[10, 11, 12], &packet[4..]].concat();
    for (program, want) in [(longer, grown), (shorter, packet[4..].to_vec())] {
        for mut switch in [program.switch(), program.interpreted()] {
            switch.receive(0, 1, packet.clone());
            assert_eq!(packets(&mut switch, 0), [(2, want.clone())]);
            assert_eq!(send(&mut switch, &packet), [(2, want.clone())]);
        }
    }
}
