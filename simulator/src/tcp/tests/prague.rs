// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! prague beside its rules in floating point, on a path that marks at random, and with peers that lack Accurate ECN.

use super::lab::{is_data, on_packets, stack, End, Fate, Lab, Sent, MS, S};
use crate::packet::{ecn, Flags};
use crate::tcp::accecn::ecn_bits;
use crate::time::Ns;

const G: f64 = 1.0 / 16.0;
const SEGMENT: u32 = 1448;
const PRAGUE: &str = r#"{"preset": "modern", "algorithm": "prague", "delayed_ack": false}"#;

/// The sender, by the rules of docs/signals/prague.md. Windows are in packets, positions in bytes, times in seconds.
struct Reference {
    cwnd: f64,
    ssthresh: f64,
    alpha: f64,
    una: u32,
    ace: u8,
    all: f64,
    marked: f64,
    was_marked: bool,
    rounds: u32,
    /// The end of the window of observation, and its beginning.
    window: Option<(u32, f64)>,
    /// The next sequence number at the last cut, and its time.
    cut: Option<(u32, f64)>,
    transition: u32,
}

impl Reference {
    fn new(transition: u32) -> Self {
        Self {
            cwnd: 10.0,
            ssthresh: f64::INFINITY,
            alpha: 1.0,
            una: 0,
            ace: 5,
            all: 0.0,
            marked: 0.0,
            was_marked: false,
            rounds: 0,
            window: None,
            cut: None,
            transition,
        }
    }

    fn on_ack(&mut self, ack: u32, ace: u8, next: u32, now: f64, rtt: f64) {
        let pkts = f64::from(ack - self.una) / f64::from(SEGMENT);
        let marks = f64::from((ace + 8 - self.ace) % 8);
        (self.una, self.ace) = (ack, ace);
        let slow_start = self.cwnd < self.ssthresh;
        let virtual_rtt = if slow_start || self.rounds < self.transition {
            rtt
        } else {
            rtt.max(0.025)
        };
        let since = |began: f64| virtual_rtt == rtt || now - began >= virtual_rtt;
        if marks > 0.0 && self.cut.is_none_or(|(end, at)| ack > end && since(at)) {
            self.cwnd = (self.cwnd * (1.0 - self.alpha / 2.0)).max(2.0);
            self.ssthresh = self.cwnd;
            self.cut = Some((next, now));
        }
        self.was_marked |= marks > 0.0;
        self.all += pkts;
        self.marked += marks;
        if self
            .window
            .is_none_or(|(end, began)| ack > end && since(began))
        {
            if self.was_marked {
                self.alpha += G * (self.marked / self.all - self.alpha);
            }
            self.rounds += u32::from(self.cwnd >= self.ssthresh);
            (self.all, self.marked) = (0.0, 0.0);
            self.window = Some((next, now));
        }
        let unmarked = (pkts - marks).max(0.0);
        let quick = unmarked.min((self.ssthresh - self.cwnd).max(0.0));
        self.cwnd += quick;
        self.cwnd += (unmarked - quick) / self.cwnd * (rtt / virtual_rtt).powi(2);
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

/// The window at the end, and what the reference makes of the ACKs that the opener got. `delay` is one-way.
fn windows(delayed_ack: bool, period: u32, delay: Ns, transition: u32) -> (f64, f64) {
    let settings = format!(
        r#"{{"preset": "modern", "algorithm": "prague", "delayed_ack": {delayed_ack},
             "delayed_ack_s": 0.001, "clock_s": 0,
             "parameters": {{"virtual_rtt_rounds": {transition}}}}}"#
    );
    let mut lab = Lab::new(&settings, mark_one_of(period));
    // No two ACKs arrive at the same time, so the log tells what had been sent at each.
    (lab.data_time, lab.ack_time, lab.delay) = (1000, 1000, delay);
    lab.send(End::Opener, u64::MAX);
    lab.run_until(600 * delay);

    let data: Vec<_> = lab.log.iter().filter(|s| s.is_opener_data()).collect();
    let first = data[0].segment.seq;
    let position = |number: u32| number.wrapping_sub(first);
    let mut reference = Reference::new(transition);
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
        let (ack, ace) = (position(segment.ack), ecn_bits(segment.flags));
        let now = (arrived / 1000) as f64 / 1e6;
        reference.on_ack(ack, ace, next, now, 2.0 * delay as f64 / 1e9);
    }
    assert!(data.len() > 1000, "{} packets", data.len());
    (lab.opener().cwnd_pkts(), reference.cwnd)
}

#[test]
fn windows_are_those_of_the_rules() {
    for delayed_ack in [false, true] {
        for period in [10, 50, 300] {
            for (delay, transition, tolerance) in [
                (50 * MS, 0, 1e-3),
                // The round trip of the reference is without the transmission of bursts.
                (5 * MS, 0, 0.05),
                (5 * MS, 20, 0.05),
            ] {
                let (ours, theirs) = windows(delayed_ack, period, delay, transition);
                assert!(
                    (ours / theirs - 1.0).abs() < tolerance,
                    "delayed_ack {delayed_ack}, one of {period}, {delay} ns, {transition}: \
                     {ours} beside {theirs}"
                );
            }
        }
    }
}

#[test]
fn the_first_mark_halves_and_unmarked_packets_open_the_window_all_the_same() {
    let mut lab = Lab::sending(PRAGUE, on_packets(&[0, 1], Fate::Mark(ecn::CE)));

    lab.run_until(200 * MS);
    let expected = (0..8).fold(5.0, |window, _| window + 1.0 / window);
    assert!((lab.opener().cwnd_pkts() - expected).abs() < 1e-3);
    let counters = lab.opener().counters();
    assert_eq!((counters.reactions_ece, counters.suppressed_ece), (1, 1));
    assert_eq!((counters.pkts_marked, counters.pkts_unmarked), (2, 8));
    assert_eq!((counters.cwr_queued, counters.cwr_sent), (0, 0));
}

#[test]
fn all_packets_but_those_of_the_handshake_are_ect_1() {
    // A packet is lost and sent again, as ECT(1) too.
    let mut lab = Lab::sending(PRAGUE, on_packets(&[20], Fate::Lose));

    lab.run_until(3 * S);
    assert_eq!(lab.opener().counters().retransmitted_pkts, 1);
    for sent in &lab.log {
        let expected = if sent.segment.flags.has(Flags::SYN) {
            ecn::NOT_ECT
        } else {
            ecn::ECT1
        };
        assert_eq!(sent.segment.ecn, expected, "{sent:?}");
    }
}

#[test]
fn a_loss_halves_also_after_a_mark_of_the_same_window() {
    let mut lab = Lab::sending(PRAGUE, |sent| match (is_data(sent), sent.number) {
        (true, 10) => Fate::Mark(ecn::CE),
        (true, 12) => Fate::Lose,
        _ => Fate::Pass,
    });
    lab.run_until(S);
    let counters = lab.opener().counters();
    assert_eq!((counters.reactions_ece, counters.reactions_loss), (1, 1));
    assert_eq!((counters.suppressed_loss, counters.timeouts), (0, 0));
}

/// Marks every 20th packet that is ECN-capable, and loses every 100th.
fn mark_and_lose(sent: &Sent) -> Fate {
    match sent.number {
        _ if !sent.is_opener_data() => Fate::Pass,
        number if number % 100 == 99 => Fate::Lose,
        number if number % 20 == 19 && sent.segment.ecn != ecn::NOT_ECT => Fate::Mark(ecn::CE),
        _ => Fate::Pass,
    }
}

#[test]
fn without_accurate_ecn_it_is_ecn_and_without_ecn_it_is_plain() {
    let of = |algorithm: &str| {
        stack(&format!(
            r#"{{"preset": "modern", "algorithm": "{algorithm}"}}"#
        ))
    };
    for (peer, like) in [("ecn", "ecn"), ("dctcp", "ecn"), ("plain", "plain")] {
        let run = |algorithm: &str| {
            let mut lab = Lab::of(of(algorithm), of(peer), mark_and_lose);
            lab.data_time = MS;
            lab.send(End::Opener, u64::MAX);
            lab.run_until(20 * S);
            lab
        };
        let (ours, theirs) = (run("prague"), run(like));
        let segments = |lab: &Lab| -> Vec<_> {
            let sent = lab
                .log
                .iter()
                .filter(|sent| !sent.segment.flags.has(Flags::SYN));
            sent.map(|sent| (sent.at, sent.from, sent.segment))
                .collect()
        };
        assert_eq!(segments(&ours), segments(&theirs), "{peer}");
        assert!(ours.opener().counters().reactions_loss > 3);
    }
}
