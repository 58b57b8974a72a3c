// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Settings that change one rule each, with and without.

use super::lab::{End, Fate, Lab, Sent, MS, S};
use crate::packet::{ecn, Flags};

const MODERN: &str = r#""preset": "modern", "delayed_ack": false"#;
const NEWRENO: &str = r#""preset": "modern", "delayed_ack": false, "recovery": "newreno""#;

/// Runs an endless transfer with `field` on and off.
fn both(settings: &str, field: &str, script: fn(&Sent) -> Fate, until: u64) -> [Lab; 2] {
    [true, false].map(|value| {
        let mut lab = Lab::new(&format!(r#"{{{settings}, "{field}": {value}}}"#), script);
        lab.send(End::Opener, u64::MAX);
        lab.run_until(until);
        lab
    })
}

fn sent_between(lab: &Lab, from_ms: u64, to_ms: u64) -> usize {
    let log = lab.data_log(End::Opener);
    log.iter()
        .filter(|sent| (from_ms..to_ms).contains(&sent.0))
        .count()
}

/// Loses every other packet of the first sixteen.
fn lose_eight(sent: &Sent) -> Fate {
    if sent.is_opener_data() && sent.number < 16 && sent.number % 2 == 1 {
        Fate::Lose
    } else {
        Fate::Pass
    }
}

#[test]
fn an_impatient_sender_does_not_restart_its_timer_with_each_partial_ack() {
    let settings = format!(r#"{NEWRENO}, "initial_window_pkts": 20"#);
    let [impatient, patient] = both(&settings, "impatient", lose_eight, 3 * S);

    assert!(impatient.opener().counters().timeouts > 0);
    assert_eq!(patient.opener().counters().timeouts, 0);
}

#[test]
fn a_partial_ack_takes_what_it_acknowledges_or_all_inflation() {
    let settings = format!(r#"{NEWRENO}, "initial_window_pkts": 20, "impatient": false"#);
    let [partly, wholly] = both(&settings, "partial_deflation", lose_eight, 900 * MS);

    // One retransmission for each round trip, and new data only while the window stays inflated.
    let new = |lab: &Lab| sent_between(lab, 300, 900) - 6;
    assert!(
        new(&partly) > new(&wholly),
        "{} {}",
        new(&partly),
        new(&wholly)
    );
}

/// Loses the second packet, and the ACKs for the last of the first ten.
fn lose_late_acks(sent: &Sent) -> Fate {
    let is_late_ack = sent.from == End::Acceptor
        && (150 * MS..155 * MS).contains(&sent.at)
        && sent.number == 0
        && LATE.with(|count| {
            count.set(count.get() + 1);
            count.get() > 5
        });
    if is_late_ack || sent.is_opener_data() && sent.number == 1 {
        Fate::Lose
    } else {
        Fate::Pass
    }
}

thread_local! {
    static LATE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[test]
fn recovery_ends_without_a_burst_if_the_exit_is_bounded() {
    let run = |bounded: bool| {
        LATE.with(|count| count.set(0));
        let settings =
            format!(r#"{{{NEWRENO}, "limited_transmit": false, "bounded_exit": {bounded}}}"#);
        let mut lab = Lab::new(&settings, lose_late_acks);
        lab.send(End::Opener, 13 * 1448);
        lab.run_until(290 * MS);
        lab.send(End::Opener, u64::MAX);
        lab.run_until(310 * MS);
        (
            lab.opener().counters().fast_retransmits,
            sent_between(&lab, 300, 301),
        )
    };

    let (with, without) = (run(true), run(false));
    assert_eq!((with.0, without.0), (1, 1));
    assert!(with.1 < without.1, "{with:?} {without:?}");
}

#[test]
fn cwr_may_travel_with_a_retransmission() {
    let settings = r#""preset": "ns2-2001", "algorithm": "ecn""#;
    let lose_one = |sent: &Sent| {
        if sent.is_opener_data() && sent.number == 7 {
            Fate::Lose
        } else {
            Fate::Pass
        }
    };
    let labs = both(settings, "cwr_on_retransmissions", lose_one, 600 * MS);

    let cwr = labs.map(|lab| {
        let first = lab.log[0].segment.seq;
        let with_cwr = lab
            .log
            .iter()
            .find(|sent| sent.segment.flags.has(Flags::CWR));
        with_cwr
            .expect("a segment with CWR")
            .segment
            .seq
            .wrapping_sub(first)
            / 960
    });
    assert_eq!(cwr, [7, 15]);
}

#[test]
fn the_window_grows_by_packets_or_by_acks() {
    let cwnd = ["packet", "ack"].map(|growth| {
        let settings =
            format!(r#"{{"preset": "modern", "delayed_ack": true, "growth": "{growth}"}}"#);
        let mut lab = Lab::new(&settings, |_| Fate::Pass);
        lab.send(End::Opener, u64::MAX);
        lab.run_until(201 * MS);
        lab.opener().cwnd_pkts()
    });
    assert_eq!(cwnd, [20.0, 15.0]);
}

#[test]
fn the_window_may_grow_while_the_application_is_the_limit() {
    let cwnd = [true, false].map(|grows| {
        let settings =
            format!(r#"{{{MODERN}, "restart_after_idle": false, "grow_when_idle": {grows}}}"#);
        let mut lab = Lab::new(&settings, |_| Fate::Pass);
        for round in 1..=30u64 {
            lab.run_until(round * 200 * MS);
            lab.send(End::Opener, 1448);
        }
        lab.run_until(10 * S);
        lab.opener().cwnd_pkts()
    });
    assert_eq!(cwnd, [40.0, 10.0]);
}

#[test]
fn the_window_closes_or_keeps_one_packet() {
    let settings = r#""preset": "ns2-2001", "algorithm": "ecn""#;
    let script = |sent: &Sent| match sent.number {
        1 | 3..6 if sent.is_opener_data() => Fate::Mark(ecn::CE),
        _ => Fate::Pass,
    };
    let labs = both(settings, "window_may_close", script, 5 * S);

    // Closed, it opens when the timer fires, after one second.
    assert_eq!(
        labs.map(|lab| lab.opener().counters().timeouts > 0),
        [true, false]
    );
}

#[test]
fn the_receivers_segment_size_binds_the_sender() {
    let small = super::lab::stack(r#"{"segment_bytes": 500}"#);
    let large = super::lab::stack(r#"{"segment_bytes": 1448}"#);
    let mut lab = Lab::of(large, small, |_| Fate::Pass);
    lab.answer(5000);
    lab.send(End::Opener, 5000);
    lab.run_until(10 * S);

    assert_eq!(
        (lab.received(End::Acceptor), lab.received(End::Opener)),
        (5000, 5000)
    );
    assert!(lab.log.iter().all(|sent| sent.segment.payload_bytes <= 500));
}
