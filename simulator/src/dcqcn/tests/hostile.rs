// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets that an end cannot have got from its peer or from a switch: they are counted, and change nothing.

use super::lab::{stack, Lab, LOCAL, OPENING, REMOTE};
use crate::packet::roce::{RoceContent, RocePacket};
use crate::packet::{ecn, IpVersion, Segment};
use crate::transport::Io;
use serde_json::json;

fn packet(content: RoceContent) -> RocePacket {
    RocePacket {
        version: IpVersion::V6,
        source: REMOTE,
        destination: LOCAL,
        content,
        ecn: 0,
        dscp: 0,
        hops: 0,
    }
}

#[test]
fn only_data_opens_a_connection() {
    for content in [
        RoceContent::Ack { psn: 0, msn: 0 },
        RoceContent::Nak { psn: 0, msn: 0 },
        RoceContent::Cnp,
    ] {
        let mut io = Io::default();
        let transport = stack(json!({})).expect("the settings are right");
        let end = transport.accept_roce(OPENING, &packet(content), 5, &mut io);
        assert!(end.is_none() && io.roce_packets.is_empty() && io.events.is_empty());
    }
    let transport = stack(json!({})).expect("the settings are right");
    let opened = transport
        .clone()
        .accept(OPENING, &Segment::default(), 5, &mut Io::default());
    assert!(opened.is_none());
    let first = RoceContent::Data {
        psn: 0,
        first: true,
        last: false,
        payload_bytes: 9,
    };
    let mut io = Io::default();
    assert!(transport
        .accept_roce(OPENING, &packet(first), 5, &mut io)
        .is_some());
    assert_eq!(io.roce_packets.len(), 1);
}

#[test]
fn answers_about_what_was_not_sent_are_refused() {
    let mut lab = Lab::started(json!({}));
    let sent = lab.sent.len() as u32;
    let flight = lab.socket.flight_bytes();
    lab.ack(8_000, sent + 2);
    lab.nak(8_000, sent + 2);
    lab.ack(8_000, 1 << 22);
    assert_eq!(lab.counters().signals_refused, 3);
    assert_eq!(
        (lab.counters().acked_bytes, lab.counters().fast_retransmits),
        (0, 0)
    );
    assert!(lab.socket.flight_bytes() >= flight);
    // The number before all that was sent: an old one, or none.
    lab.ack(8_000, 0);
    assert_eq!(lab.counters().duplicate_acks_received, 1);
    let mut idle = Lab::new(json!({}));
    idle.ack(8_000, 0);
    idle.nak(8_000, 0);
    assert_eq!((idle.counters().signals_refused, idle.sent.len()), (2, 0));
}

#[test]
fn an_old_answer_acknowledges_nothing_and_asks_for_nothing() {
    let mut lab = Lab::started(json!({}));
    lab.ack(8_000, 50);
    lab.ack(8_010, 20);
    lab.nak(8_020, 30);
    let counters = lab.counters();
    assert_eq!(
        (counters.acked_bytes, counters.fast_retransmits),
        (50_000, 0)
    );
    assert_eq!(
        (counters.duplicate_acks_received, counters.signals_refused),
        (2, 0)
    );
}

#[test]
fn notifications_before_the_first_packet_and_after_the_last_are_refused() {
    let mut lab = Lab::new(json!({}));
    lab.cnp(5);
    lab.switch_cnp(6);
    assert_eq!(lab.counters().signals_refused, 2);
    lab.send(1_000, 10);
    lab.close(10);
    lab.run(20);
    lab.ack(8_000, 1);
    lab.cnp(8_001);
    lab.switch_cnp(8_002);
    assert_eq!(lab.counters().signals_refused, 4);
    assert_eq!(
        (
            lab.counters().reactions_ece,
            lab.counters().reactions_signal
        ),
        (0, 0)
    );
    // The receiver may tell of the last packet when its ACK is there, but the stream has not ended.
    let mut open = Lab::new(json!({}));
    open.send(1_000, 10);
    open.run(20);
    open.ack(8_000, 1);
    open.cnp(8_001);
    open.switch_cnp(8_002);
    let counters = open.counters();
    assert_eq!((counters.cnps_received, counters.signals_refused), (1, 1));
}

#[test]
fn data_that_the_peer_cannot_have_sent_is_refused() {
    let mut lab = Lab::new(json!({}));
    lab.data((0, false, false, 10), ecn::CE, 1);
    lab.data((4, true, false, 10), ecn::CE, 2);
    assert_eq!(lab.counters().signals_refused, 2);
    lab.data((0, true, true, 10), ecn::ECT0, 3);
    lab.data((1, false, false, 10), ecn::CE, 4);
    lab.data((1, true, false, 10), ecn::CE, 5);
    let counters = lab.counters();
    assert_eq!((counters.signals_refused, counters.received_bytes), (4, 10));
    assert_eq!(
        (
            counters.cnps_sent,
            counters.ce_received,
            counters.nacks_sent
        ),
        (0, 0, 0)
    );
    assert_eq!(lab.answers().len(), 1);
    lab.socket
        .on_segment(&Segment::default(), 6, &mut Io::default());
    assert_eq!(lab.counters().signals_refused, 5);
}
