// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! HPCC's steps by hand: 100 Gb/s and 8 us, so a window of 100000 bytes at the full rate, and eta 0.95.

use super::lab::Lab;
use crate::paced::message::{Kind, Message};
use crate::paced::telemetry::tests::record;
use crate::paced::telemetry::{Record, Telemetry};
use serde_json::json;

/// Telemetry of links of 100 Gb/s: units are 512 bytes sent, and 320 bytes waiting.
fn path(records: &[Record]) -> Message {
    let mut telemetry = Telemetry {
        hops: records.len() as u16,
        ..Telemetry::default()
    };
    telemetry.records[..records.len()].copy_from_slice(records);
    Message {
        telemetry,
        ..Message::default()
    }
}

/// 100 bits per ns from the time before.
const FIRST: (u64, u64, u64) = (1_000, 100, 10);

fn link(time: u64, sent: u64, queue: u64) -> Record {
    record(3, time, sent, queue)
}

/// A flow that has got telemetry once.
fn measured(changes: serde_json::Value) -> Lab {
    let mut lab = Lab::started("hpcc", changes);
    let (time, sent, queue) = FIRST;
    lab.ack(8_120, 2, path(&[link(time, sent, queue)]));
    assert_eq!(lab.window(), 100_000.0);
    lab
}

#[test]
fn packets_are_paced_at_the_rate_with_their_telemetry() {
    let mut lab = Lab::new("hpcc", json!({}));
    lab.send(3_000, 0);
    lab.run(1_000);
    // 1000 + 63 + 20 bytes take 86.64 ns.
    assert_eq!(lab.times(0), [(0, 0), (86, 1000), (173, 2000)]);
}

#[test]
fn the_rate_follows_the_utilisation_averaged_over_the_base_rtt() {
    let mut lab = measured(json!({}));
    // In 1024 ns 25 units: 12800 bytes, utilisation 1. The lesser queue is 3200 bytes: 25600 bits of 800000, 0.032. The
    // weight is 1024/8000, so U = 1 + 0.032 * 0.128 = 1.004096, and the rate 100 / (1.004096 / 0.95) + 0.05.
    lab.ack(8_240, 3, path(&[link(2_024, 125, 20)]));
    let expected = 100_000.0 * (0.95 / 1.004096 + 0.0005);
    assert_eq!(lab.window(), f64::floor(expected));
    // The reference is still 100, so a second ACK of the same RTT does not multiply: nothing sent for 8 us.
    lab.ack(8_360, 4, path(&[link(10_024, 125, 20)]));
    // The queue is now 6400 bytes, 0.064 and no more, with all weight.
    assert_eq!(lab.window(), 100_000.0, "the rate is bounded by the link's");
    assert_eq!(lab.counters().reactions_ack, 1);
}

#[test]
fn the_reference_changes_once_per_round_trip() {
    let mut lab = measured(json!({"increase_bps": 1}));
    let in_flight = lab.sent.len() as u32;
    // A link at twice its rate with all weight: half of the reference times 0.95, in each ACK of the first RTT.
    let half = |number: u64| path(&[link(1_000 + 8_000 * number, 100 + 390 * number, 10)]);
    // 390 * 512 bytes in 8 us are 1.9968 of the link, and the queue adds 0.032.
    let utilisation = 1.9968 + 0.032;
    lab.ack(8_240, 3, half(1));
    lab.ack(8_360, 4, half(2));
    let once: f64 = 100_000.0 * 0.95 / utilisation;
    assert_eq!(lab.window(), once.floor());
    lab.ack(16_000, in_flight + 1, half(3));
    assert_eq!(
        lab.window(),
        once.floor(),
        "the first ACK beyond changes the reference"
    );
    lab.ack(16_120, in_flight + 1, half(4));
    let twice: f64 = once * 0.95 / utilisation;
    assert!(
        (lab.window() - twice.floor()).abs() <= 1.0,
        "{}",
        lab.window()
    );
}

#[test]
fn the_busiest_link_counts() {
    let mut lab = Lab::started("hpcc", json!({"increase_bps": 1}));
    lab.ack(
        8_120,
        2,
        path(&[link(0, 0, 0), link(0, 0, 0), record(5, 0, 0, 0)]),
    );
    // 0.512, 0.768, and 0.512 of 400 Gb/s (units of 2048 bytes), each with all weight.
    lab.ack(
        8_240,
        3,
        path(&[
            link(8_000, 100, 0),
            link(8_000, 150, 0),
            record(5, 8_000, 100, 0),
        ]),
    );
    assert_eq!(lab.window(), 100_000.0);
    lab.ack(
        8_360,
        4,
        path(&[
            link(16_000, 200, 0),
            link(16_000, 410, 0),
            record(5, 16_000, 200, 0),
        ]),
    );
    // 260 * 512 * 8 / 800000 = 1.331.
    assert_eq!(lab.window(), f64::floor(100_000.0 * 0.95 / 1.3312));
}

#[test]
fn stages_only_add_until_the_last() {
    let mut lab = measured(json!({"max_stage": 1, "increase_bps": 1e9}));
    let in_flight = lab.sent.len() as u32;
    let next = |number: u64, units: u64| path(&[link(1_000 + 8_000 * number, 100 + units, 0)]);
    // Utilisation 1.536: the rate falls, stage 0.
    lab.ack(16_000, in_flight + 1, next(1, 300));
    let fallen: f64 = 100_000.0 * (0.95 / 1.536 + 0.01);
    assert_eq!(lab.window(), fallen.floor());
    // Nothing sent: stage 1 adds 1 Gb/s, and the next RTT follows the utilisation again.
    let more = lab.sent.len() as u32;
    lab.ack(24_000, more, next(2, 300));
    assert_eq!(lab.window(), f64::floor(fallen + 1_000.0));
    lab.run(24_100);
    let more = lab.sent.len() as u32;
    lab.ack(32_000, more, next(3, 301));
    lab.run(32_100);
    assert_eq!(lab.window(), 100_000.0);
}

#[test]
fn the_rate_has_a_floor() {
    let mut lab = measured(json!({"min_rate_bps": 60e9}));
    lab.ack(8_240, 3, path(&[link(9_000, 1_000, 10)]));
    assert_eq!(lab.window(), 60_000.0);
}

#[test]
fn telemetry_that_does_not_compare_changes_nothing() {
    let wrong = [
        (
            "another number of links",
            path(&[link(9_000, 900, 9), link(9_000, 900, 9)]),
        ),
        ("another rate", path(&[record(5, 9_000, 900, 9)])),
        ("no time between", path(&[link(1_000, 900, 9)])),
        ("no rate", path(&[record(0, 9_000, 900, 9)])),
        ("no links", path(&[])),
    ];
    for (why, message) in wrong {
        let mut lab = measured(json!({}));
        lab.ack(8_240, 3, message);
        assert_eq!(lab.window(), 100_000.0, "{why}");
        assert_eq!(lab.counters().acked_bytes, 3_000, "{why}");
    }
    for hops in [6, u16::MAX] {
        let mut lab = measured(json!({}));
        let mut message = path(&[link(9_000, 900, 9)]);
        message.telemetry.hops = hops;
        lab.ack(8_240, 3, message);
        assert_eq!(lab.window(), 100_000.0);
    }
    let mut late = measured(json!({"timeout_s": 1}));
    late.ack(8_120 + (1 << 24), 3, path(&[link(9_000, 900, 9)]));
    assert_eq!(late.window(), 100_000.0, "the clock has wrapped around");
}

#[test]
fn the_receiver_echoes_the_telemetry() {
    let mut lab = Lab::new("hpcc", json!({}));
    let data = Message {
        kind: Kind::Data,
        payload_bytes: 1000,
        ..path(&[link(1, 2, 3), record(5, 4, 5, 6)])
    };
    lab.give(data, 10);
    assert_eq!(lab.sent[0].1.telemetry, data.telemetry);
}

#[test]
fn a_loss_changes_no_rate() {
    let mut lab = measured(json!({}));
    lab.answer(Kind::Nack, 8_240, 2, path(&[]));
    assert_eq!(
        (lab.window(), lab.counters().fast_retransmits),
        (100_000.0, 1)
    );
    assert_eq!(lab.counters().reactions_loss, 0);
}
