// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The engine: pace, going back, small windows, the end of a stream.

use super::lab::{config, give, stack, Lab, LOCAL, REMOTE};
use crate::paced::message::{Form, Kind, Message};
use crate::packet::ecn;
use crate::transport::{ConnectionEvent, Io, Opening, Socket};
use serde_json::{json, Value};

const MS: u64 = 1_000_000;

#[test]
fn packets_are_paced_at_the_rate_and_fractions_are_carried() {
    let mut lab = Lab::new(
        "swift",
        json!({"rate_bps": 400e9, "segment_bytes": 24, "base_rtt_s": 1e-8, "initial_window_bytes": 240}),
    );
    lab.send(240, 5);
    assert_eq!(lab.sent, [], "packets leave at the timer");
    lab.run(100);
    // 64 bytes at 400 Gb/s take 1.28 ns.
    let times: Vec<_> = lab.sent.iter().map(|(at, _)| at - 5).collect();
    assert_eq!(times, [0, 1, 2, 3, 5, 6, 7, 8, 10, 11]);
}

#[test]
fn a_window_is_sent_and_a_part_of_a_packet_counts_as_one_before_the_first_sample() {
    let mut lab = Lab::new("bolt", json!({}));
    lab.send(u64::MAX, 0);
    lab.run(9_000);
    // The window is 100000 bytes, 68.5 packets, each of 1500 bytes or 120 ns.
    assert_eq!(lab.sent.len(), 69);
    assert_eq!(lab.sent[68].0, 68 * 120);
    assert_eq!(lab.socket.flight_bytes(), 69 * 1459);
    assert_eq!(lab.socket.timer_ns(), Some(10 * MS));
}

#[test]
fn the_last_packet_has_fin_and_its_echo_ends_the_stream() {
    let mut lab = Lab::new("swift", json!({}));
    lab.send(2000, 0);
    lab.close(0);
    lab.run(1_000);
    let sent: Vec<_> = lab
        .sent
        .iter()
        .map(|(_, m)| (m.seq, m.payload_bytes, m.fin))
        .collect();
    assert_eq!(sent, [(0, 1460, false), (1460, 540, true)]);
    assert!(!lab.socket.is_finished());
    let ack = |seq, time_ns, fin| Message {
        kind: Kind::Ack,
        seq,
        time_ns,
        fin,
        ..Message::default()
    };
    lab.give(ack(1460, 0, false), 8_000);
    lab.give(ack(2000, 120, true), 8_120);
    assert!(lab.socket.is_finished());
    assert_eq!(lab.socket.timer_ns(), None);
    let expected = [
        ConnectionEvent::Established,
        ConnectionEvent::Acked { bytes: 1460 },
        ConnectionEvent::Acked { bytes: 540 },
        ConnectionEvent::Closed,
    ];
    assert_eq!(lab.events, expected);
}

#[test]
fn a_stream_that_ends_after_its_data_was_sent_gets_a_fin_without_data() {
    let mut lab = Lab::new("bolt", json!({}));
    lab.send(1459, 0);
    lab.run(100);
    lab.close(500);
    lab.run(600);
    let sent: Vec<_> = lab
        .sent
        .iter()
        .map(|(at, m)| (*at, m.seq, m.payload_bytes, m.fin))
        .collect();
    assert_eq!(sent, [(0, 0, 1459, false), (500, 1459, 0, true)]);
    lab.ack(8_000, 1, Message::default());
    assert!(!lab.socket.is_finished(), "FIN is not acknowledged");
    // It is lost, and sent again after the timeout.
    lab.run(8_000 + 10 * MS);
    assert_eq!(lab.times(2), [(8_000 + 10 * MS, 1459)]);
    lab.ack(
        11 * MS,
        1,
        Message {
            fin: true,
            ..Message::default()
        },
    );
    assert!(lab.socket.is_finished());
    assert_eq!(lab.counters().data_pkts_sent, 1);
}

#[test]
fn an_endless_stream_is_cut_where_it_is_and_an_empty_one_ends_at_once() {
    let mut lab = Lab::new("bolt", json!({}));
    lab.send(u64::MAX, 0);
    lab.run(239);
    lab.close(239);
    lab.run(5_000);
    assert_eq!(lab.times(0), [(0, 0), (120, 1459), (240, 2918)]);
    assert!(lab.sent[2].1.fin && lab.sent[2].1.payload_bytes == 0);
    let mut empty = Lab::new("bolt", json!({}));
    empty.close(0);
    assert!(empty.socket.is_finished() && empty.sent.is_empty());
    assert_eq!(
        empty.events,
        [ConnectionEvent::Established, ConnectionEvent::Closed]
    );
}

#[test]
fn a_nack_sends_everything_from_there_on_again_once() {
    let mut lab = Lab::started("hpcc", json!({"initial_window_bytes": 10_000}));
    let before = lab.sent.len();
    assert_eq!((before, lab.socket.flight_bytes()), (11, 10_000));
    // The second packet is lost: those behind it, sent until 780 ns, bring NACKs.
    for now in [8_240, 8_360, 8_480] {
        lab.answer(Kind::Nack, now, 1, Message::default());
    }
    assert_eq!(
        lab.times(before),
        [(8_240, 1000), (8_326, 2000), (8_413, 3000)]
    );
    let counters = lab.counters();
    assert_eq!((counters.nacks_received, counters.fast_retransmits), (3, 1));
    // A packet that was sent since is answered by a NACK, so it was lost again.
    lab.answer(Kind::Nack, 16_250, 1, Message::default());
    assert_eq!(lab.counters().fast_retransmits, 2);
    assert_eq!(lab.times(lab.sent.len() - 1), [(16_250, 1000)]);
}

#[test]
fn without_progress_everything_is_sent_again_after_the_timeout() {
    let mut lab = Lab::new(
        "bolt",
        json!({"initial_window_bytes": 1459, "timeout_s": 1e-3}),
    );
    lab.send(1459, 0);
    lab.close(0);
    lab.run(2 * MS);
    assert_eq!(lab.times(0), [(0, 0), (MS, 0), (2 * MS, 0)]);
    assert!(lab.sent.iter().all(|(_, message)| message.fin));
    let counters = lab.counters();
    assert_eq!((counters.timeouts, counters.retransmitted_pkts), (2, 2));
    assert_eq!(counters.retransmitted_bytes, 2 * 1459);
}

#[test]
fn an_acknowledgement_of_new_data_starts_the_timeout_again() {
    let mut lab = Lab::new(
        "swift",
        json!({"initial_window_bytes": 2920, "timeout_s": 1e-3}),
    );
    lab.send(2920, 0);
    lab.run(1_000);
    lab.ack(500_000, 1, Message::default());
    assert_eq!(lab.socket.timer_ns(), Some(500_000 + MS));
    lab.ack(600_000, 1, Message::default());
    assert_eq!(lab.socket.timer_ns(), Some(500_000 + MS));
    lab.ack(700_000, 2, Message::default());
    assert_eq!(lab.socket.timer_ns(), None);
}

#[test]
fn a_window_below_a_packet_sends_one_packet_per_longer_time() {
    let mut lab = Lab::new(
        "becn",
        json!({"rule": "halve", "initial_window_bytes": 1460, "increase_pkts": 0}),
    );
    lab.send(u64::MAX, 0);
    lab.run(1_000);
    lab.quench(1_000, 0, true, 0);
    assert_eq!((lab.sent.len(), lab.window()), (1, 730.0));
    lab.ack(8_000, 1, Message::default());
    // A window of half a packet: one packet in two RTTs, wherever ACKs come in between.
    lab.ack(20_000, 1, Message::default());
    lab.run(23_999);
    assert_eq!(lab.sent.len(), 1);
    lab.run(24_000);
    assert_eq!(lab.times(1), [(24_000, 1460)]);
    lab.ack(32_000, 2, Message::default());
    lab.run(50_000);
    assert_eq!(lab.times(2), [(40_000, 2920)]);
}

#[test]
fn a_packet_that_does_not_fit_waits_for_its_share_of_the_round_trip() {
    let mut lab = Lab::new(
        "becn",
        json!({"rule": "halve", "initial_window_bytes": 2190, "increase_pkts": 0}),
    );
    lab.send(u64::MAX, 0);
    lab.run(1_000);
    assert_eq!(lab.times(0), [(0, 0), (120, 1460)]);
    lab.ack(8_000, 1, Message::default());
    // 730 bytes of the window are left. The pause is 8000 ns * 1460 / 2190.
    lab.run(13_332);
    assert_eq!(lab.sent.len(), 2);
    lab.run(13_333);
    assert_eq!(lab.times(2), [(13_333, 2920)]);
}

#[test]
fn an_end_that_does_not_react_keeps_its_window() {
    for transport in ["bolt", "swift", "hpcc", "dctcp", "becn"] {
        let mut changes = json!({"reacts": false});
        if transport == "becn" {
            changes["rule"] = json!("halve");
        }
        let mut lab = Lab::started(transport, changes);
        let window = lab.window();
        lab.answer(Kind::Nack, 9_000, 1, Message::default());
        lab.ack(
            1_000_000,
            2,
            Message {
                marked: true,
                ..Message::default()
            },
        );
        lab.quench(1_000_001, 3, true, 127);
        assert_eq!(lab.window(), window, "{transport}");
        assert!(lab.counters().retransmitted_pkts > 0, "{transport}");
    }
}

#[test]
fn the_receiver_takes_what_is_next_and_answers_all() {
    for transport in ["bolt", "swift", "hpcc", "dctcp"] {
        let mut lab = Lab::new(transport, json!({}));
        let data = |seq, payload_bytes, fin| Message {
            seq,
            payload_bytes,
            fin,
            time_ns: seq + 1,
            marked: seq == 0,
            ..Message::default()
        };
        for (message, kind, expected) in [
            (data(100, 100, false), Kind::Nack, 0),
            (data(0, 100, false), Kind::Ack, 100),
            (data(0, 100, false), Kind::Ack, 100),
            (data(100, 50, true), Kind::Ack, 150),
            (data(100, 50, true), Kind::Ack, 150),
            (data(150, 10, false), Kind::Ack, 150),
        ] {
            lab.give(message, 500);
            let (_, answer) = lab.sent.pop().expect("each packet is answered");
            assert_eq!(
                (answer.kind, answer.seq, answer.payload_bytes),
                (kind, expected, 0)
            );
            assert_eq!((answer.time_ns, answer.fin), (message.time_ns, message.fin));
            assert_eq!(
                answer.marked,
                message.marked && matches!(transport, "swift" | "dctcp")
            );
        }
        let received = |bytes| ConnectionEvent::Received { bytes };
        assert_eq!(
            lab.events[1..],
            [received(100), received(50), ConnectionEvent::PeerClosed]
        );
        assert!(!lab.socket.is_finished());
        lab.close(600);
        assert!(lab.socket.is_finished());
    }
}

#[test]
fn sequence_numbers_and_times_wrap_around() {
    let mut lab = Lab::new(
        "bolt",
        json!({"segment_bytes": 65_000, "max_window_bytes": 1 << 24, "initial_window_bytes": 1 << 24}),
    );
    let begin = (1 << 32) - 5_000;
    lab.send(u64::MAX, begin);
    let mut acked = 0_u64;
    let mut now = begin;
    while acked < 1 << 33 {
        lab.run(now);
        acked += lab.socket.flight_bytes();
        now += 3_000_000;
        let message = Message {
            kind: Kind::Ack,
            seq: acked as u32,
            time_ns: (now - 8_000) as u32,
            ..Message::default()
        };
        lab.sent.clear();
        lab.give(message, now);
    }
    assert_eq!(lab.counters().acked_bytes, acked);
    assert_eq!(lab.counters().signals_refused, 0);
    assert_eq!(lab.socket.srtt_ns(), Some(8_000));
}

#[test]
fn a_fin_that_comes_with_data_that_has_arrived_ends_the_stream() {
    let mut lab = Lab::new("bolt", json!({}));
    let data = |fin| Message {
        fin,
        payload_bytes: 1000,
        ..Message::default()
    };
    lab.give(data(false), 1_000);
    // FIN of a packet that is missing one before it is not echoed.
    lab.give(
        Message {
            seq: 2000,
            ..data(true)
        },
        2_000,
    );
    lab.give(data(true), 3_000);
    lab.give(data(true), 4_000);
    let answers: Vec<_> = lab.sent.iter().map(|(_, m)| (m.kind, m.fin)).collect();
    let ack = |fin| (Kind::Ack, fin);
    assert_eq!(
        answers,
        [ack(false), (Kind::Nack, false), ack(true), ack(true)]
    );
    let ends = lab.events.iter();
    let ends = ends.filter(|&&event| event == ConnectionEvent::PeerClosed);
    assert_eq!(ends.count(), 1);
    assert_eq!(lab.counters().received_bytes, 1000);
}

#[test]
fn a_window_of_less_than_a_byte_still_sends() {
    for transport in ["dctcp", "hpcc"] {
        let settings = json!({"min_rate_bps": 1e3, "initial_window_bytes": 2000});
        let mut lab = Lab::started(transport, settings);
        for timeout in 1..200u64 {
            lab.run(timeout * 10 * MS);
        }
        assert!(lab.socket.cwnd_pkts() > 0.0, "{transport}");
    }
}

fn opened(transport: &str, changes: Value) -> (Box<dyn Socket>, Io) {
    let transport = stack(config(transport, changes)).expect("the settings are right");
    let opening = Opening {
        local: LOCAL,
        remote: REMOTE,
        first_number: 7,
    };
    let mut io = Io::default();
    (transport.open(opening, 0, &mut io), io)
}

#[test]
fn acks_are_ecn_capable_where_data_is() {
    for (transport, changes, expected) in [
        ("dctcp", json!({}), ecn::ECT0),
        ("becn", json!({"rule": "halve"}), ecn::ECT0),
        ("swift", json!({}), ecn::NOT_ECT),
    ] {
        let (mut socket, mut io) = opened(transport, changes);
        let data = Message {
            payload_bytes: 100,
            ..Message::default()
        };
        give(&mut *socket, Form::Tcp, &data, 5, &mut io);
        let [ack] = &io.segments[..] else {
            panic!("{transport}: {:?}", io.segments);
        };
        assert_eq!((ack.ecn, ack.payload_bytes), (expected, 0), "{transport}");
    }
}

#[test]
fn an_end_that_may_not_send_stays_due_and_sends_one_packet_in_its_turn() {
    let (mut socket, mut io) = opened("dctcp", json!({}));
    socket.send(10_000, 0, &mut io);
    io.may_send = false;
    socket.on_timer(3, &mut io);
    assert!(io.segments.is_empty());
    assert_eq!(socket.timer_ns(), Some(0));
    io.may_send = true;
    socket.on_timer(500, &mut io);
    assert_eq!(io.segments.len(), 1);
    // A packet of 1500 bytes takes 120 ns.
    assert_eq!(socket.timer_ns(), Some(620));
    io.may_send = false;
    let data = Message {
        payload_bytes: 100,
        ..Message::default()
    };
    give(&mut *socket, Form::Tcp, &data, 700, &mut io);
    assert_eq!(io.segments.len(), 2, "an ACK needs no turn");
}

#[test]
fn a_packet_that_does_not_fit_pauses_once_however_late_its_turn_comes() {
    for transport in ["swift", "becn", "bolt"] {
        let mut changes = json!({"initial_window_bytes": 2190, "reacts": false});
        if transport == "becn" {
            changes["rule"] = json!("halve");
        }
        let mut lab = Lab::new(transport, changes);
        lab.send(u64::MAX, 0);
        lab.run(1_000);
        assert_eq!(lab.sent.len(), 2);
        // The ACK finds the link busy, as does the end of the pause.
        lab.set_may_send(false);
        lab.ack(8_000, 1, Message::default());
        let pause_end = lab.socket.timer_ns().expect("it pauses");
        assert!((13_329..=13_333).contains(&pause_end), "{pause_end}");
        lab.tick(pause_end);
        assert_eq!(lab.socket.timer_ns(), Some(pause_end), "it waits");
        lab.set_may_send(true);
        lab.tick(14_000);
        assert_eq!(lab.sent.len(), 3, "{transport}");
        assert_eq!(lab.sent[2].0, 14_000);
    }
}
