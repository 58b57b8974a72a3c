// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Bolt's steps by hand: segments of 1459 bytes, packets of 1500, a window of 100000 bytes at first, an RTT of 8 us.

use super::lab::Lab;
use crate::paced::message::{flag, Kind, Message};
use serde_json::json;

const RATE_100G: u16 = 1 << 14;
const RATE_400G: u16 = 1 << 15;

fn flags(flags: u16) -> Message {
    Message {
        flags,
        ..Message::default()
    }
}

/// A signal about a packet that was sent `since` ns before now.
fn signal(pkt: u32, queue_bytes: u32, time_ns: u32, rate: u16) -> Message {
    Message {
        kind: Kind::Signal,
        seq: pkt * 1459,
        time_ns,
        queue_bytes,
        flags: flag::DEC | rate,
        ..Message::default()
    }
}

#[test]
fn flags_say_where_in_its_flow_a_packet_is() {
    let mut lab = Lab::new("bolt", json!({}));
    lab.send(200_000, 0);
    lab.close(0);
    lab.run(7_999);
    assert_eq!(lab.sent.len(), 67);
    // AI once, and no INC before the first RTT is over.
    assert_eq!(lab.sent[0].1.flags, flag::FIRST | flag::AI);
    assert!(lab.sent[1..].iter().all(|(_, m)| m.flags == flag::FIRST));
    for pkts in 1..138 {
        let pkts = pkts.min(lab.sent.len() as u32);
        lab.ack(7_880 + 120 * u64::from(pkts), pkts, flags(0));
    }
    // Packets 67 and 68 are more than a window before the end, at 99 KB. Those from 101 KB on are not.
    let with = |flag| {
        let sent = lab.sent.iter().enumerate();
        let with = sent.filter(|(_, (_, message))| message.flags & flag != 0);
        with.map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(with(flag::INC), [67, 68]);
    assert_eq!(with(flag::LAST), (69..138).collect::<Vec<_>>());
    let (_, end) = lab.sent.last().expect("packets");
    assert!(end.fin && end.flags & flag::LAST != 0);
}

#[test]
fn a_flow_without_end_asks_for_more_after_the_first_round_trip() {
    let mut lab = Lab::started("bolt", json!({}));
    lab.run(8_400);
    let (_, message) = lab.sent.last().expect("packets");
    assert_eq!(message.flags, flag::INC);
}

#[test]
fn without_ramp_up_no_packet_is_the_last() {
    let mut lab = Lab::new("bolt", json!({"ramp_up": false}));
    lab.send(3000, 0);
    lab.close(0);
    lab.run(1_000);
    assert_eq!(lab.sent.len(), 3);
    assert!(lab
        .sent
        .iter()
        .all(|(_, message)| message.flags & flag::LAST == 0));
    assert!(lab.sent[2].1.fin);
}

#[test]
fn ai_adds_a_segment_per_round_trip_and_inc_one_for_each_echo() {
    let mut lab = Lab::new("bolt", json!({}));
    lab.send(u64::MAX, 0);
    lab.run(7_999);
    let asked = |lab: &Lab| {
        lab.sent
            .iter()
            .filter(|(_, m)| m.flags & flag::AI != 0)
            .count()
    };
    assert_eq!(asked(&lab), 1);
    lab.ack(8_000, 1, flags(flag::AI | flag::FIRST));
    assert_eq!(lab.window(), 101_459.0);
    lab.run(8_200);
    assert_eq!(asked(&lab), 2, "the echo is back");
    lab.ack(8_240, 2, flags(flag::INC));
    assert_eq!(lab.window(), 102_918.0);
    lab.ack(8_360, 3, flags(flag::INC | flag::DEC | RATE_100G));
    assert_eq!(lab.window(), 102_918.0, "DEC takes INC away");
    let mut full = Lab::started("bolt", json!({"max_window_bytes": 100_001}));
    full.ack(8_120, 2, flags(flag::INC));
    assert_eq!(full.window(), 100_001.0);
}

#[test]
fn a_signal_takes_a_segment_as_often_as_the_share_of_the_queue_asks() {
    // The flow's rate is 100000 * 8 / 8000 = 100 bits per ns, its share of the link 1. A queue of 6000 bytes is 4 packets.
    // The packet was sent 4000 ns ago, so there is a cut each 1000 ns.
    let mut lab = Lab::started("bolt", json!({}));
    lab.give(signal(40, 6_000, 4_500, RATE_100G), 8_500);
    assert_eq!(lab.window(), 98_541.0, "the last cut is long ago");
    // Now the share is 0.98541: 1014 ns.
    lab.give(signal(41, 6_000, 5_513, RATE_100G), 9_513);
    assert_eq!(
        (lab.window(), lab.counters().reactions_signal),
        (98_541.0, 1)
    );
    lab.give(signal(42, 6_000, 5_514, RATE_100G), 9_514);
    assert_eq!(
        (lab.window(), lab.counters().reactions_signal),
        (97_082.0, 2)
    );
    // At 400 Gb/s the share is a quarter: 4120 ns.
    lab.give(signal(43, 6_000, 9_633, RATE_400G), 13_633);
    assert_eq!(lab.window(), 97_082.0);
    lab.give(signal(44, 6_000, 9_634, RATE_400G), 13_634);
    assert_eq!(lab.window(), 95_623.0);
    lab.give(signal(45, 0, 30_000, RATE_100G), 34_000);
    assert_eq!(lab.window(), 95_623.0, "an empty queue asks for nothing");
    let counters = lab.counters();
    assert_eq!(
        (counters.signals_received, counters.signals_refused),
        (6, 0)
    );
}

#[test]
fn before_the_first_round_trip_the_share_is_that_of_the_hosts_link() {
    let mut lab = Lab::new("bolt", json!({"rate_bps": 50e9, "base_rtt_s": 16e-6}));
    lab.send(u64::MAX, 0);
    // Share 0.5, 4 packets, 2000 ns ago: 1000 ns since the flow began.
    lab.give(signal(0, 6_000, 0, RATE_100G), 999);
    assert_eq!(lab.window(), 98_541.0, "999 / (4 * 0.5) is 499 ns");
    let mut lab = Lab::new("bolt", json!({"rate_bps": 50e9, "base_rtt_s": 16e-6}));
    lab.send(u64::MAX, 0);
    lab.give(signal(0, 1_500, 0, RATE_100G), 999);
    assert_eq!(lab.window(), 100_000.0, "999 / (1 * 0.5) is 1998 ns");
}

#[test]
fn a_window_of_a_segment_or_less_is_halved_by_each_signal() {
    let mut lab = Lab::new("bolt", json!({"initial_window_bytes": 1459}));
    lab.send(u64::MAX, 0);
    lab.run(1_000);
    let mut windows = Vec::new();
    for now in 1_001..1_010 {
        lab.give(signal(0, 3_000, 0, RATE_100G), now);
        windows.push(lab.window().round() as u64);
    }
    assert_eq!(windows, [729, 364, 182, 91, 45, 22, 15, 15, 15]);
}

#[test]
fn a_queue_in_an_ack_counts_until_the_first_signal_comes() {
    let told = Message {
        queue_bytes: 6_000,
        flags: flag::DEC | RATE_100G,
        ..Message::default()
    };
    let mut lab = Lab::started("bolt", json!({}));
    // r is the whole RTT: 8000 / 4 = 2000 ns.
    lab.ack(8_120, 2, told);
    assert_eq!((lab.window(), lab.counters().reactions_ack), (98_541.0, 1));
    lab.give(signal(40, 0, 5_000, RATE_100G), 9_000);
    lab.ack(30_000, 3, told);
    assert_eq!(
        lab.window(),
        98_541.0,
        "a signal came, so ACKs say nothing new"
    );
    let mut deaf = Lab::started("bolt", json!({"source_notification": false}));
    deaf.give(signal(40, 6_000, 4_500, RATE_100G), 8_500);
    assert_eq!(
        (deaf.window(), deaf.counters().signals_received),
        (100_000.0, 1)
    );
    deaf.ack(8_620, 2, told);
    assert_eq!(deaf.window(), 98_541.0);
}

#[test]
fn a_loss_halves_once_per_round_trip_and_asks_for_ai_again() {
    let mut lab = Lab::started("bolt", json!({}));
    lab.answer(Kind::Nack, 8_240, 1, Message::default());
    assert_eq!(lab.window(), 50_000.0);
    lab.run(8_300);
    let (_, again) = lab.sent.last().expect("packets");
    assert_eq!((again.seq, again.flags), (1459, flag::INC | flag::AI));
    lab.answer(Kind::Nack, 16_239, 1, Message::default());
    assert_eq!(lab.window(), 50_000.0, "that packet was sent before");
    lab.answer(Kind::Nack, 16_240, 1, Message::default());
    assert_eq!(lab.window(), 25_000.0);
}

#[test]
fn one_packet_of_a_round_trip_has_ai_after_losses_too() {
    let mut lab = Lab::started("bolt", json!({}));
    let with_ai = |lab: &Lab| {
        let sent = lab.sent.iter();
        sent.filter(|(_, m)| m.flags & flag::AI != 0).count()
    };
    assert_eq!(with_ai(&lab), 1);
    // The first packet, with AI, is on its way when a loss makes another one take its place.
    lab.answer(Kind::Nack, 9_000, 1, Message::default());
    lab.run(9_100);
    assert_eq!(with_ai(&lab), 2);
    let window = lab.window();
    lab.ack(9_200, 2, flags(flag::AI));
    assert_eq!(lab.window(), window, "the echo of the first one is late");
    lab.run(10_000);
    assert_eq!(with_ai(&lab), 2);
    lab.ack(17_100, 3, flags(flag::AI));
    assert_eq!(lab.window(), window + 1459.0);
    lab.run(18_000);
    assert_eq!(with_ai(&lab), 3);
}
