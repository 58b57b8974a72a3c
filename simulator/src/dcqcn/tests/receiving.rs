// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The receiver: ACKs, NAKs and CNPs, and the end of the peer's stream.

use super::lab::Lab;
use crate::packet::ecn;
use crate::packet::roce::RoceContent;
use crate::transport::ConnectionEvent;
use serde_json::json;

const ACK: fn(u32) -> RoceContent = |psn| RoceContent::Ack { psn, msn: 0 };

#[test]
fn each_packet_in_order_is_acknowledged_and_so_is_an_old_one() {
    let mut lab = Lab::new(json!({"ack_dscp": 40}));
    for psn in [0, 1, 1] {
        lab.data((psn, psn == 0, false, 1000), ecn::ECT0, 10);
    }
    assert_eq!(lab.answers(), [ACK(0), ACK(1), ACK(1)]);
    let (_, ack) = lab.sent[0];
    assert_eq!((ack.ecn, ack.dscp), (ecn::NOT_ECT, 40));
    assert_eq!((ack.source.port, ack.destination.port), (1024, 4791));
    let counters = lab.counters();
    assert_eq!(
        (counters.received_bytes, counters.duplicate_pkts_received),
        (2_000, 1)
    );
}

#[test]
fn the_last_packet_ends_the_stream_once() {
    let mut lab = Lab::new(json!({}));
    lab.data((0, true, false, 1000), ecn::ECT0, 10);
    lab.data((1, false, true, 7), ecn::ECT0, 20);
    lab.data((1, false, true, 7), ecn::ECT0, 30);
    let events = [
        ConnectionEvent::Established,
        ConnectionEvent::Received { bytes: 1000 },
        ConnectionEvent::Received { bytes: 7 },
        ConnectionEvent::PeerClosed,
    ];
    assert_eq!(lab.events, events);
    let last = RoceContent::Ack { psn: 1, msn: 1 };
    assert_eq!(lab.answers(), [ACK(0), last, last]);
    lab.close(40);
    assert!(lab.socket.is_finished());
    lab.data((1, false, true, 7), ecn::ECT0, 50);
    assert_eq!(lab.answers().len(), 4, "one that is finished answers still");
}

#[test]
fn a_gap_gets_one_nak() {
    let mut lab = Lab::new(json!({}));
    lab.data((0, true, false, 1000), ecn::ECT0, 10);
    for psn in 2..6 {
        lab.data((psn, false, false, 1000), ecn::ECT0, 20);
    }
    let nak = RoceContent::Nak { psn: 1, msn: 0 };
    assert_eq!(lab.answers(), [ACK(0), nak]);
    // 500 us later it is still missing.
    lab.data((6, false, false, 1000), ecn::ECT0, 500_019);
    lab.data((7, false, false, 1000), ecn::ECT0, 500_020);
    assert_eq!(lab.answers(), [ACK(0), nak, nak]);
    lab.data((1, false, false, 1000), ecn::ECT0, 500_021);
    assert_eq!(lab.answers()[3..], [ACK(1)]);
    assert_eq!(lab.counters().nacks_sent, 2);
    assert_eq!(lab.counters().received_bytes, 2_000);
}

#[test]
fn the_time_to_the_next_nak_is_a_round_trip_at_least() {
    let mut lab = Lab::new(json!({"base_rtt_s": 0.1}));
    lab.data((3, false, false, 1000), ecn::ECT0, 0);
    lab.data((4, false, false, 1000), ecn::ECT0, 99_999_999);
    assert_eq!(lab.counters().nacks_sent, 1);
    lab.data((4, false, false, 1000), ecn::ECT0, 100_000_000);
    assert_eq!(lab.counters().nacks_sent, 2);
}

#[test]
fn every_mark_is_told_or_one_in_an_interval() {
    let mut each = Lab::new(json!({}));
    let mut one = Lab::new(json!({"cnp_interval_s": 50e-6, "cnp_dscp": 20}));
    for psn in 0..10 {
        let ecn = if psn % 2 == 0 { ecn::CE } else { ecn::ECT0 };
        for lab in [&mut each, &mut one] {
            lab.data((psn, psn == 0, false, 1000), ecn, 1_000 + u64::from(psn));
        }
    }
    assert_eq!(
        (each.counters().cnps_sent, each.counters().ce_received),
        (5, 5)
    );
    assert_eq!(one.counters().cnps_sent, 1);
    // The first mark causes a CNP at once; those within the interval after it cause one at its end.
    let (_, cnp) = one.sent[0];
    assert_eq!((cnp.content, cnp.ecn, cnp.dscp), (RoceContent::Cnp, 0, 20));
    one.run(51_000);
    let (at, last) = one.sent[one.sent.len() - 1];
    assert_eq!((at, last.content), (51_000, RoceContent::Cnp));
    one.run(1_000_000);
    assert_eq!(one.counters().cnps_sent, 2);
}

#[test]
fn a_mark_on_a_packet_that_is_not_taken_counts_too() {
    let mut lab = Lab::new(json!({}));
    lab.data((5, false, false, 1000), ecn::CE, 10);
    lab.data((6, false, false, 1000), ecn::CE, 11);
    assert_eq!(lab.counters().cnps_sent, 2);
    assert_eq!(lab.counters().nacks_sent, 1);
}

#[test]
fn both_directions_of_a_connection_are_their_own() {
    let mut lab = Lab::new(json!({}));
    lab.send(300, 0);
    lab.run(1);
    lab.data((0, true, false, 1000), ecn::ECT0, 100);
    lab.ack(110, 1);
    lab.data((1, false, true, 1000), ecn::ECT0, 120);
    assert!(!lab.socket.is_finished());
    lab.close(130);
    lab.run(200);
    assert_eq!(lab.data_from(0)[1].1, (1, false, true, 0));
    lab.ack(300, 2);
    assert!(lab.socket.is_finished());
}
