// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sender: the packets of a stream, their pace, windows, and what is sent again.

use super::lab::Lab;
use crate::packet::ecn;
use crate::transport::ConnectionEvent;
use serde_json::json;

#[test]
fn packets_are_paced_by_all_their_bytes() {
    let mut lab = Lab::new(json!({}));
    lab.send(101_000, 0);
    lab.close(0);
    lab.run(9_000);
    let sent = lab.data_from(0);
    assert_eq!(sent.len(), 101);
    // 40 + 8 + 12 + 1000 + 4 bytes are 85.12 ns.
    assert_eq!([sent[1].0, sent[50].0, sent[100].0], [85, 4_256, 8_512]);
    assert_eq!(sent[0].1, (0, true, false, 1000));
    assert_eq!(sent[1].1, (1, false, false, 1000));
    assert_eq!(sent[100].1, (100, false, true, 1000));
    let (_, packet) = lab.sent[0];
    assert_eq!((packet.ecn, packet.dscp), (ecn::ECT0, 0));
    assert_eq!((packet.source.port, packet.destination.port), (1024, 4791));
}

#[test]
fn a_message_of_one_packet_is_the_only_one() {
    let mut lab = Lab::new(json!({"dscp": 10}));
    lab.send(5, 100);
    lab.close(100);
    lab.run(1_000);
    assert_eq!(lab.data_from(0), [(100, (0, true, true, 5))]);
    assert_eq!(lab.sent[0].1.dscp, 10);
    lab.ack(8_000, 1);
    let events = [
        ConnectionEvent::Established,
        ConnectionEvent::Acked { bytes: 5 },
        ConnectionEvent::Closed,
    ];
    assert_eq!(lab.events, events);
    assert!(lab.socket.is_finished() && lab.socket.timer_ns().is_none());
    assert_eq!(lab.socket.srtt_ns(), Some(7_900));
}

#[test]
fn a_stream_that_is_closed_late_ends_with_an_empty_packet() {
    let mut lab = Lab::new(json!({}));
    lab.send(1_500, 0);
    lab.run(1_000);
    lab.close(1_000);
    lab.run(2_000);
    let sizes: Vec<_> = lab.data_from(0).into_iter().map(|(_, data)| data).collect();
    let expected = [
        (0, true, false, 1000),
        (1, false, false, 500),
        (2, false, true, 0),
    ];
    assert_eq!(sizes, expected);
    lab.ack(8_000, 2);
    assert!(!lab.socket.is_finished());
    lab.ack(8_001, 3);
    assert!(lab.socket.is_finished());
    assert_eq!(lab.counters().data_pkts_sent, 2);
}

#[test]
fn a_nak_sends_everything_from_there_on_again() {
    let mut lab = Lab::new(json!({}));
    lab.send(10_000, 0);
    lab.close(0);
    lab.run(1_000);
    lab.nak(8_000, 4);
    lab.run(9_000);
    let again = lab.data_from(10);
    let numbers: Vec<_> = again.iter().map(|(_, data)| data.0).collect();
    assert_eq!(numbers, [4, 5, 6, 7, 8, 9]);
    assert_eq!((again[0].0, again[1].0), (8_000, 8_085));
    assert_eq!(again[5].1, (9, false, true, 1000));
    let counters = lab.counters();
    assert_eq!(
        (counters.acked_bytes, counters.retransmitted_pkts),
        (4_000, 6)
    );
    assert_eq!((counters.nacks_received, counters.fast_retransmits), (1, 1));
    // The acknowledgement of a packet that was sent twice says nothing about the round trip.
    assert_eq!(lab.socket.srtt_ns(), Some(8_000));
    lab.ack(20_000, 10);
    assert_eq!(lab.socket.srtt_ns(), Some(8_000));
}

#[test]
fn a_second_nak_of_the_same_packet_counts_after_a_round_trip() {
    let mut lab = Lab::started(json!({}));
    lab.nak(8_000, 4);
    lab.nak(8_100, 4);
    lab.nak(15_999, 4);
    assert_eq!(lab.counters().fast_retransmits, 1);
    lab.nak(16_000, 4);
    assert_eq!(lab.counters().fast_retransmits, 2);
    lab.nak(16_001, 5);
    assert_eq!(lab.counters().fast_retransmits, 3, "another packet");
    assert_eq!(lab.counters().nacks_received, 5);
}

#[test]
fn without_progress_everything_is_sent_again_after_the_timeout() {
    let mut lab = Lab::new(json!({"timeout_s": 1e-3}));
    lab.send(3_000, 0);
    lab.close(0);
    lab.run(1_000_000);
    assert_eq!(lab.counters().timeouts, 1);
    let again = lab.data_from(3);
    assert_eq!((again[0].0, again[0].1 .0), (1_000_000, 0));
    lab.ack(1_500_000, 1);
    lab.run(2_499_999);
    assert_eq!(lab.counters().timeouts, 1, "an ACK sets the timer anew");
    lab.run(2_500_000);
    assert_eq!(lab.counters().timeouts, 2);
    lab.ack(2_600_000, 3);
    assert_eq!(lab.socket.timer_ns(), None);
}

#[test]
fn losses_leave_the_rate_as_it_is() {
    let mut lab = Lab::started(json!({"timeout_s": 1e-4}));
    lab.nak(8_000, 4);
    lab.run(300_000);
    assert!(lab.counters().timeouts > 0);
    assert_eq!(lab.rate_gbps(), 100.0);
}

#[test]
fn the_window_follows_the_rate_or_stays() {
    // 100 KB: 100 packets.
    for (window, after) in [("rate", 51.0), ("fixed", 100.0)] {
        let mut lab = Lab::new(json!({"window": window, "preset": "hpcc-ns3"}));
        lab.send(u64::MAX, 0);
        lab.run(50_000);
        assert_eq!((lab.sent.len(), lab.socket.flight_bytes()), (100, 100_000));
        lab.cnp(50_000);
        lab.ack(54_001, 100);
        lab.run(80_000);
        let in_flight = lab.socket.flight_bytes() as f64 / 1000.0;
        assert_eq!(in_flight, after, "{window}");
    }
    let mut small = Lab::new(json!({"window": "rate", "window_bytes": 2_000}));
    small.send(u64::MAX, 0);
    small.run(50_000);
    assert_eq!(small.sent.len(), 2);
}

#[test]
fn a_new_rate_counts_from_the_next_packet_on() {
    let mut lab = Lab::started(json!({}));
    lab.cnp(8_000);
    lab.run(20_000);
    let times: Vec<_> = lab.data_from(0).iter().map(|(at, _)| *at).collect();
    let gaps: Vec<_> = times.windows(2).map(|two| two[1] - two[0]).collect();
    let slow = times
        .iter()
        .position(|&at| at > 12_001)
        .expect("it goes on");
    assert!(gaps[..slow - 1].iter().all(|gap| (85..=86).contains(gap)));
    // 85.12 ns over 0.5078.
    assert!(
        gaps[slow..].iter().all(|gap| (167..=168).contains(gap)),
        "{gaps:?}"
    );
}

#[test]
fn data_waits_for_its_turn_and_answers_do_not() {
    let mut lab = Lab::new(json!({}));
    lab.send(3_000, 0);
    lab.set_may_send(false);
    lab.tick(0);
    assert_eq!((lab.sent.len(), lab.socket.timer_ns()), (0, Some(0)));
    lab.data((0, true, false, 10), ecn::CE, 0);
    assert_eq!(lab.answers().len(), 2);
    lab.set_may_send(true);
    lab.tick(50);
    assert_eq!(lab.data_from(0).len(), 1);
}
