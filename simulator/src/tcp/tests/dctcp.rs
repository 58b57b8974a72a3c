// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! dctcp beside RFC 8257 in floating point, on a path that marks at random.

use super::lab::{is_data, on_packets, End, Fate, Lab, Sent, MS, S};
use crate::packet::{ecn, Flags};

const G: f64 = 1.0 / 16.0;
const SEGMENT: u32 = 1448;

/// The sender of RFC 8257, by its own text: windows in packets, positions in bytes.
struct Reference {
    cwnd: f64,
    ssthresh: f64,
    alpha: f64,
    una: u32,
    acked: f64,
    marked: f64,
    window_end: Option<u32>,
    cut_at: Option<u32>,
}

impl Reference {
    fn new(first: u32) -> Self {
        Self {
            cwnd: 10.0,
            ssthresh: f64::INFINITY,
            alpha: 1.0,
            una: first,
            acked: 0.0,
            marked: 0.0,
            window_end: None,
            cut_at: None,
        }
    }

    fn on_ack(&mut self, ack: u32, ece: bool, next: u32) {
        let bytes = f64::from(ack - self.una);
        self.una = ack;
        self.acked += bytes;
        self.marked += if ece { bytes } else { 0.0 };
        if self.window_end.is_none_or(|end| ack > end) {
            self.alpha = self.alpha * (1.0 - G) + G * self.marked / self.acked;
            (self.acked, self.marked) = (0.0, 0.0);
            self.window_end = Some(next);
        }
        if ece {
            if self.cut_at.is_none_or(|cut| ack > cut) {
                self.cwnd = (self.cwnd * (1.0 - self.alpha / 2.0)).max(2.0);
                self.ssthresh = self.cwnd;
                self.cut_at = Some(next);
            }
            return;
        }
        let pkts = bytes / f64::from(SEGMENT);
        let quick = pkts.min((self.ssthresh - self.cwnd).max(0.0));
        self.cwnd += quick;
        self.cwnd += (pkts - quick) / self.cwnd;
    }
}

/// One of `period` packets is marked, by a small random number generator.
fn mark_one_of(period: u32) -> impl FnMut(&Sent) -> Fate {
    let mut state = 0x2545_f491_u32;
    move |sent| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if sent.is_opener_data() && state % period == 0 {
            Fate::Mark(ecn::CE)
        } else {
            Fate::Pass
        }
    }
}

/// The window at the end, and what the reference makes of the ACKs that the opener got.
fn windows(delayed_ack: bool, period: u32) -> (f64, f64) {
    let settings = format!(
        r#"{{"preset": "modern", "algorithm": "dctcp", "delayed_ack": {delayed_ack},
             "delayed_ack_s": 0.005}}"#
    );
    let mut lab = Lab::new(&settings, mark_one_of(period));
    // No two ACKs arrive at the same time, so the log tells what had been sent at each.
    (lab.data_time, lab.ack_time) = (MS, 1000);
    lab.send(End::Opener, u64::MAX);
    lab.run_until(20 * S);

    let data: Vec<_> = lab
        .log
        .iter()
        .filter(|sent| sent.is_opener_data())
        .collect();
    let first = data[0].segment.seq;
    let position = |number: u32| number.wrapping_sub(first);
    let mut reference = Reference::new(0);
    let mut sent = data.iter().peekable();
    let (mut next, mut free_at) = (0, 0);
    for answer in lab.log.iter().filter(|sent| sent.from == End::Acceptor) {
        free_at = answer.at.max(free_at) + lab.ack_time;
        let arrived = free_at + lab.delay;
        let segment = answer.segment;
        if arrived > lab.now || segment.flags.has(Flags::SYN) {
            continue;
        }
        while let Some(before) = sent.next_if(|data| data.at < arrived) {
            next = position(before.segment.seq) + SEGMENT;
        }
        reference.on_ack(position(segment.ack), segment.flags.has(Flags::ECE), next);
    }
    assert!(data.len() > 3000, "{} packets", data.len());
    (lab.opener().cwnd_pkts(), reference.cwnd)
}

#[test]
fn windows_are_those_of_the_rfc() {
    for delayed_ack in [false, true] {
        for period in [10, 50, 300] {
            let (ours, theirs) = windows(delayed_ack, period);
            assert!(
                (ours / theirs - 1.0).abs() < 1e-3,
                "delayed_ack {delayed_ack}, one of {period}: {ours} beside {theirs}"
            );
        }
    }
}

#[test]
fn the_first_mark_halves_and_the_second_of_its_window_does_nothing() {
    let settings = r#"{"preset": "modern", "algorithm": "dctcp", "delayed_ack": false}"#;
    let mut lab = Lab::sending(settings, on_packets(&[0, 1], Fate::Mark(ecn::CE)));

    lab.run_until(200 * MS);
    // Eight ACKs without a mark open a window of 5 by a packet in five ACKs.
    let expected = (0..8).fold(5.0, |window, _| window + 1.0 / window);
    assert!((lab.opener().cwnd_pkts() - expected).abs() < 1e-3);
    let counters = lab.opener().counters();
    assert_eq!((counters.reactions_ece, counters.suppressed_ece), (1, 1));
    assert_eq!((counters.pkts_marked, counters.pkts_unmarked), (2, 8));
}

#[test]
fn all_packets_but_those_of_the_handshake_are_ect() {
    let settings = r#"{"preset": "modern", "algorithm": "dctcp"}"#;
    let mut lab = Lab::sending(settings, |_| Fate::Pass);

    lab.run_until(S);
    assert!(lab.log.iter().any(is_data));
    for sent in &lab.log {
        let syn = sent.segment.flags.has(Flags::SYN);
        assert_eq!(sent.segment.ecn == ecn::NOT_ECT, syn, "{sent:?}");
    }
}

#[test]
fn alpha_is_observed_also_where_the_peer_is_of_ecn_mod() {
    let of = |algorithm| {
        super::lab::stack(&format!(
            r#"{{"preset": "modern", "algorithm": "{algorithm}", "delayed_ack": false}}"#
        ))
    };
    let mut lab = Lab::of(of("dctcp"), of("ecn-mod"), mark_one_of(50));

    lab.send(End::Opener, u64::MAX);
    lab.run_until(20 * S);
    let counters = lab.opener().counters();
    assert!(counters.pkts_marked > 20, "{counters:?}");
    // An exact echo: about one of 50.
    let share = counters.pkts_marked as f64 / counters.pkts_unmarked as f64;
    assert!((0.01..0.04).contains(&share), "{share}");
}
