// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Swift with tags of CSIG, by hand: segments of 1460 bytes, a base RTT of 8 us, no scaling, three links: a target of
//! 13 us, which a delay of 5 us in a switch reaches.

use super::lab::{config, stack, Lab};
use crate::paced::message::{Kind, Message};
use crate::packet::csig::about;
use crate::packet::{Tag, TagForm};
use serde_json::{json, Value};

fn lab(csig: Value) -> Lab {
    let mut lab = Lab::new(
        "swift",
        json!({"initial_window_bytes": 100_000, "max_scaling_s": 0.0, "csig": csig}),
    );
    lab.send(u64::MAX, 0);
    lab.run(99_999);
    lab
}

fn wide() -> Lab {
    lab(json!({"form": "wide"}))
}

fn returned(about: u8, number: u32) -> Option<Tag> {
    Some(Tag {
        form: TagForm::Wide,
        about,
        number,
        locator: 3,
    })
}

fn ack(lab: &mut Lab, now: u64, pkts: u32, rtt: u32, tag: Option<Tag>) {
    let message = Message {
        kind: Kind::Ack,
        seq: pkts * 1460,
        time_ns: now as u32 - rtt,
        hops: 2,
        tag,
        ..Message::default()
    };
    lab.give(message, now);
}

#[test]
fn packets_ask_in_turn_and_begin_with_the_best_answer() {
    let tags = |lab: &Lab| -> Vec<_> {
        let tags = lab.sent.iter().map(|(_, message)| message.tag);
        tags.map(|tag| tag.map(|tag| (tag.form, tag.about, tag.number)))
            .collect()
    };
    let both = tags(&wide());
    let delay = Some((TagForm::Wide, about::HOP_DELAY, 0));
    assert_eq!(
        both[..3],
        [
            delay,
            Some((TagForm::Wide, about::BANDWIDTH, 0xf_ffff)),
            delay
        ]
    );
    let compact = lab(json!({"form": "compact", "delay_unit_s": 1e-6, "ramp_up": 0.0}));
    let delay = Some((TagForm::Compact, about::HOP_DELAY, 0));
    assert!(tags(&compact).iter().all(|tag| *tag == delay));
    let mut plain = Lab::new("swift", json!({}));
    plain.send(1460, 0);
    plain.run(0);
    assert_eq!(tags(&plain), [None]);
}

#[test]
fn a_packet_is_paced_with_its_tag() {
    // 25 packets at 100 Gb/s: 1500 bytes take 120 ns, 8 bytes more 120.64, 4 bytes more 120.32.
    let mut plain = Lab::new("swift", json!({"initial_window_bytes": 100_000}));
    plain.send(u64::MAX, 0);
    plain.run(9_999);
    let compact = lab(json!({"form": "compact", "delay_unit_s": 1e-6, "ramp_up": 0.0}));
    let times = [&plain, &wide(), &compact].map(|lab| lab.sent[25].0);
    assert_eq!(times, [3_000, 3_016, 3_008]);
}

#[test]
fn the_longest_delay_in_a_switch_takes_the_place_of_the_rtt() {
    // 39 * 128 ns are 4992, 40 are 5120.
    for (number, cuts) in [(39, 0), (40, 1)] {
        let mut lab = wide();
        ack(
            &mut lab,
            100_000,
            1,
            60_000,
            returned(about::HOP_DELAY, number),
        );
        assert_eq!(lab.counters().reactions_ack, cuts, "{number}");
    }
    let mut lab = wide();
    // (28480 - 13000) / 28480 * 0.8.
    ack(
        &mut lab,
        100_000,
        1,
        60_000,
        returned(about::HOP_DELAY, 160),
    );
    let expected = 100_000.0 * (1.0 - 15_480.0 / 28_480.0 * 0.8);
    assert!((lab.window() - expected).abs() < 1.0);
}

#[test]
fn an_ack_without_a_tag_does_not_say_that_there_is_no_congestion() {
    let mut lab = wide();
    ack(&mut lab, 100_000, 1, 60_000, returned(about::HOP_DELAY, 0));
    assert_eq!(lab.counters().reactions_ack, 0);
    ack(&mut lab, 170_000, 2, 60_000, None);
    assert_eq!(lab.counters().reactions_ack, 1);
}

#[test]
fn other_tags_and_absurd_numbers_are_no_answers() {
    let compact = Tag {
        form: TagForm::Compact,
        about: about::HOP_DELAY,
        number: 31,
        locator: 0,
    };
    for tag in [
        returned(1, 0),
        returned(3, 0xf_ffff),
        returned(15, 0xf_ffff),
        returned(about::BANDWIDTH, 0xf_ffff),
        Some(compact),
    ] {
        let mut lab = wide();
        ack(&mut lab, 100_000, 1, 9_000, tag);
        let grown = 100_000.0 + 1460.0 * 1460.0 / 100_000.0;
        assert!((lab.window() - grown).abs() < 1.0, "{tag:?}");
    }
    let mut lab = wide();
    ack(
        &mut lab,
        100_000,
        1,
        9_000,
        returned(about::HOP_DELAY, u32::MAX),
    );
    // 134 ms: the most that the window shrinks at once is a half.
    assert_eq!(lab.window(), 50_000.0);
}

#[test]
fn a_flow_takes_a_part_of_the_available_bandwidth_once_per_round_trip() {
    let mut lab = wide();
    ack(&mut lab, 100_000, 1, 8_000, returned(about::HOP_DELAY, 0));
    let before = lab.window();
    // 5000 units of 8 Mb/s are 40 Gb/s: a quarter of what they carry in 8 us is 10000 bytes.
    ack(
        &mut lab,
        109_000,
        2,
        8_000,
        returned(about::BANDWIDTH, 5000),
    );
    assert!(
        (lab.window() - before - 10_000.0).abs() < 25.0,
        "{}",
        lab.window()
    );
    let before = lab.window();
    ack(
        &mut lab,
        116_000,
        3,
        8_000,
        returned(about::BANDWIDTH, 5000),
    );
    assert!(lab.window() - before < 25.0);
    ack(
        &mut lab,
        117_000,
        4,
        8_000,
        returned(about::BANDWIDTH, 5000),
    );
    assert!(lab.window() - before > 9_000.0);
    // Not where packets wait.
    ack(&mut lab, 135_000, 5, 8_000, returned(about::HOP_DELAY, 60));
    let before = lab.window();
    ack(
        &mut lab,
        150_000,
        6,
        8_000,
        returned(about::BANDWIDTH, 5000),
    );
    assert!(lab.window() < before + 25.0);
}

#[test]
fn a_window_doubles_at_most() {
    let mut lab = Lab::new(
        "swift",
        json!({"initial_window_bytes": 1460, "csig": {"form": "wide", "ramp_up": 1.0}}),
    );
    lab.send(u64::MAX, 0);
    lab.run(99_999);
    ack(
        &mut lab,
        100_000,
        1,
        8_000,
        returned(about::BANDWIDTH, 12_500),
    );
    assert!(lab.window() <= 2.0 * 1460.0 + 1460.0);
}

#[test]
fn compact_tags_need_the_widths_of_the_buckets() {
    for (csig, place) in [
        (json!({"form": "compact"}), "csig.delay_unit_s"),
        (
            json!({"form": "compact", "delay_unit_s": 1e-6}),
            "csig.bandwidth_unit_bps",
        ),
        (
            json!({"form": "wide", "delay_unit_s": -1.0}),
            "csig.delay_unit_s",
        ),
        (json!({"form": "wide", "ramp_up": 1.5}), "csig.ramp_up"),
        (
            json!({"form": "wide", "bandwidth_unit_bps": 0.0}),
            "csig.bandwidth_unit_bps",
        ),
    ] {
        let error = stack(config("swift", json!({"csig": csig}))).expect_err("refused");
        assert!(error.contains(place), "{error}");
    }
}
