// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Swift's steps by hand: segments of 1460 bytes, a window of 100000 bytes at first.

use super::lab::Lab;
use crate::paced::message::{Kind, Message};
use serde_json::json;

fn ack(lab: &mut Lab, now: u64, pkts: u32, rtt: u32, hops: u8) {
    let message = Message {
        kind: Kind::Ack,
        seq: pkts * 1460,
        time_ns: now as u32 - rtt,
        hops,
        ..Message::default()
    };
    lab.give(message, now);
}

/// A window of 256 packets, for which the paper's scaling is 0.
fn wide(offset: &str) -> Lab {
    let mut lab = Lab::new(
        "swift",
        json!({"initial_window_bytes": 373_760, "scaling_offset": offset}),
    );
    lab.send(u64::MAX, 0);
    lab.run(99_999);
    lab
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * b
}

#[test]
fn the_target_has_a_part_for_each_link() {
    // 10 us and 3 links of 1 us each.
    for (hops, rtt, grows) in [(2, 12_999, true), (2, 13_001, false), (3, 13_001, true)] {
        let mut lab = wide("subtract");
        ack(&mut lab, 100_000, 1, rtt, hops);
        assert_eq!(
            lab.counters().reactions_ack,
            u64::from(!grows),
            "{hops} {rtt}"
        );
    }
}

#[test]
fn the_offset_has_the_sign_of_the_paper_or_of_the_code() {
    // a = 100000 / (1/sqrt(0.1) - 1/sqrt(256)) = 32260; a / 16 = 2016. Twice that is 4032.
    for (offset, rtt, grows) in [
        ("subtract", 13_001, false),
        ("add", 13_001, true),
        ("add", 17_031, true),
        ("add", 17_034, false),
    ] {
        let mut lab = wide(offset);
        ack(&mut lab, 100_000, 1, rtt, 2);
        assert_eq!(
            lab.counters().reactions_ack,
            u64::from(!grows),
            "{offset} {rtt}"
        );
    }
}

#[test]
fn a_smaller_window_has_a_higher_target() {
    // 4 packets: 32260 / 2 - 2016 = 14114. A tenth of a packet and less: 100 us.
    for (window, rtt, grows) in [(5_840, 27_110, true), (5_840, 27_117, false)] {
        let mut lab = Lab::new("swift", json!({"initial_window_bytes": window}));
        lab.send(u64::MAX, 0);
        lab.run(99_999);
        ack(&mut lab, 100_000, 1, rtt, 2);
        assert_eq!(
            lab.counters().reactions_ack,
            u64::from(!grows),
            "{window} {rtt}"
        );
    }
}

#[test]
fn below_the_target_an_ack_adds_its_share_of_a_segment_per_round_trip() {
    let mut lab = Lab::started("swift", json!({"initial_window_bytes": 14_600}));
    let expected: f64 = 14_600.0 + 1460.0 * 1460.0 / 14_600.0;
    assert_eq!(lab.window(), expected.trunc());
    lab.ack(8_120, 2, Message::default());
    let expected: f64 = expected + 1460.0 * 1460.0 / expected;
    assert_eq!(lab.window(), expected.trunc());
    let mut full = Lab::started("swift", json!({"max_window_bytes": 100_000}));
    full.ack(8_120, 2, Message::default());
    assert_eq!(full.window(), 100_000.0);
}

#[test]
fn above_the_target_the_window_shrinks_once_per_round_trip() {
    let mut lab = wide("subtract");
    // (20000 - 13000) / 20000 * 0.8 = 0.28.
    ack(&mut lab, 100_000, 1, 20_000, 2);
    assert!(close(lab.window(), 373_760.0 * 0.72), "{}", lab.window());
    let window = lab.window();
    ack(&mut lab, 119_999, 2, 20_000, 2);
    assert_eq!(lab.window(), window);
    // At most by half: (100000 - target) / 100000 * 0.8 is more.
    ack(&mut lab, 200_000, 3, 100_000, 2);
    assert!((lab.window() - 373_760.0 * 0.36).abs() < 1.0);
    assert_eq!(lab.counters().reactions_ack, 2);
}

#[test]
fn a_loss_halves_once_per_round_trip_down_to_the_least_window() {
    let mut lab = Lab::started(
        "swift",
        json!({"initial_window_bytes": 2920, "min_window_bytes": 1000}),
    );
    lab.answer(Kind::Nack, 8_120, 1, Message::default());
    let halved = lab.window();
    assert!(halved < 2000.0);
    lab.run(8_120 + 10_000_000);
    assert_eq!((lab.window(), lab.counters().timeouts), (1000.0, 1));
    assert_eq!(lab.counters().reactions_rto, 1);
}
