// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! DCTCP over a rate, by hand: 100 Gb/s and 8 us, so a window of 100000 bytes at the full rate. 67 packets are
//! sent before the first ACK.

use super::lab::Lab;
use crate::paced::message::{Kind, Message};
use serde_json::json;

const MARKED: Message = Message {
    kind: Kind::Ack,
    seq: 0,
    time_ns: 0,
    payload_bytes: 0,
    fin: false,
    marked: true,
    hops: 0,
    flags: 0,
    queue_bytes: 0,
    telemetry: crate::paced::telemetry::Telemetry {
        hops: 0,
        records: [crate::paced::telemetry::Record(0); 5],
    },
    tag: None,
};

fn plain() -> Message {
    Message::default()
}

/// Acknowledges packets up to one, each with its own ACK.
fn acks(lab: &mut Lab, now: &mut u64, pkts: std::ops::RangeInclusive<u32>, message: Message) {
    for pkt in pkts {
        *now += 120;
        lab.ack(*now, pkt, message);
    }
}

#[test]
fn alpha_starts_at_one_so_the_first_mark_halves_the_rate() {
    let mut lab = Lab::started("dctcp", json!({}));
    assert_eq!(lab.window(), 100_000.0, "the rate is bounded by the link's");
    lab.ack(8_120, 2, MARKED);
    assert_eq!(lab.window(), 50_000.0);
    lab.ack(8_240, 3, MARKED);
    assert_eq!(lab.window(), 50_000.0, "once per round trip");
    let counters = lab.counters();
    assert_eq!((counters.reactions_ece, counters.ece_received), (1, 2));
}

#[test]
fn a_batch_of_acks_moves_alpha_and_its_end_adds_to_the_rate() {
    let mut lab = Lab::started("dctcp", json!({}));
    let mut now = 8_000;
    // 67 packets were sent at the first ACK, so the batch counts as 68. 14 of its packets are marked.
    lab.ack(8_120, 2, MARKED);
    now += 120;
    acks(&mut lab, &mut now, 3..=15, MARKED);
    acks(&mut lab, &mut now, 16..=67, plain());
    assert_eq!(lab.window(), 50_000.0);
    // The cut was at the second ACK, when 68 packets were sent: only beyond them is there another.
    acks(&mut lab, &mut now, 68..=68, plain());
    assert_eq!(
        lab.window(),
        50_000.0,
        "a new batch, but the cut still holds"
    );
    acks(&mut lab, &mut now, 69..=69, MARKED);
    // Alpha is 1 + (14/68 - 1) / 16 = 0.950368.
    assert_eq!(
        lab.window(),
        f64::floor(100_000.0 * 0.5 * (1.0 - 0.475_184))
    );
}

#[test]
fn a_batch_without_marks_adds_the_increase() {
    let mut lab = Lab::started("dctcp", json!({"increase_bps": 1e9}));
    let mut now = 8_000;
    acks(&mut lab, &mut now, 2..=2, MARKED);
    acks(&mut lab, &mut now, 3..=68, plain());
    assert_eq!(lab.window(), 50_000.0);
    let end = lab.sent.len() as u32;
    acks(&mut lab, &mut now, 69..=end, plain());
    let window = lab.window();
    let more = lab.sent.len() as u32;
    acks(&mut lab, &mut now, end + 1..=more, plain());
    assert_eq!(lab.window(), window + 1_000.0);
}

#[test]
fn the_rate_has_a_floor_and_a_loss_halves_it_once() {
    let mut lab = Lab::started("dctcp", json!({"min_rate_bps": 40e9}));
    lab.answer(Kind::Nack, 8_120, 1, plain());
    assert_eq!((lab.window(), lab.counters().reactions_loss), (50_000.0, 1));
    lab.run(8_120 + 10_000_000);
    assert_eq!(lab.window(), 50_000.0, "nothing beyond is acknowledged");
    lab.ack(10_100_000, 66, plain());
    assert_eq!(lab.window(), 50_000.0);
    lab.ack(10_100_120, 67, MARKED);
    lab.ack(10_200_000, 68, MARKED);
    lab.ack(10_200_120, 69, MARKED);
    assert_eq!(lab.window(), 40_000.0);
}
