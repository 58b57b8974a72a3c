// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The beginning of data transmission after SYNs that were lost, or whose answers were late.

use proptest::prelude::*;

use super::lab::{is_data, End, Fate, Lab, Sent, MS, S};
use crate::packet::Flags;
use crate::time::Ns;

const MODERN: &str = r#"{"preset": "modern", "delayed_ack": false}"#;
const LINUX_PAPER: &str =
    r#"{"preset": "linux-paper", "initial_window_pkts": 10, "fin": true, "segment_bytes": 1448}"#;

/// A path that loses the first SYNs of an end.
fn without_syns(of: End, lost: usize) -> impl FnMut(&Sent) -> Fate {
    let mut left = lost;
    move |sent| {
        let loses = left > 0 && sent.from == of && sent.segment.flags.has(Flags::SYN);
        left -= usize::from(loses);
        if loses {
            Fate::Lose
        } else {
            Fate::Pass
        }
    }
}

/// Data segments that an end has sent in its first burst.
fn first_burst(lab: &Lab, of: End) -> usize {
    let sent = lab.data_log(of);
    sent.iter().filter(|each| each.0 == sent[0].0).count()
}

fn resent(lab: &Lab) -> u64 {
    lab.opener().counters().retransmitted_pkts + lab.acceptor().counters().retransmitted_pkts
}

#[test]
fn the_initial_window_is_one_segment_after_the_syn_was_sent_again() {
    let rto_of_3_s = r#"{"preset": "modern", "delayed_ack": false, "initial_rto_s": 3}"#;
    for (settings, lost, segments) in [
        (MODERN, 0, 10),
        // RFC 6928 section 2, and Linux: with an RTO of one second, twice.
        (MODERN, 1, 10),
        (MODERN, 2, 1),
        (MODERN, 3, 1),
        (LINUX_PAPER, 1, 10),
        (LINUX_PAPER, 2, 1),
        // RFC 5681 section 3.1.
        (rto_of_3_s, 0, 10),
        (rto_of_3_s, 1, 1),
    ] {
        let mut lab = Lab::new(settings, without_syns(End::Opener, lost));
        lab.send(End::Opener, 20 * 1448);
        lab.run_until(20 * S);
        assert_eq!(
            first_burst(&lab, End::Opener),
            segments,
            "{settings} {lost}"
        );

        let mut lab = Lab::new(settings, without_syns(End::Acceptor, lost));
        lab.answer(20 * 1448);
        lab.run_until(20 * S);
        assert_eq!(
            first_burst(&lab, End::Acceptor),
            segments,
            "SYN-ACK: {settings} {lost}"
        );
    }
}

#[test]
fn data_begin_with_an_rto_of_three_seconds() {
    // A SYN is lost, and then all data: the times at which the first segment is sent.
    for (settings, begin, rto) in [
        (MODERN, S, 3 * S),
        (LINUX_PAPER, S, 3 * S),
        // The SYN's timeout was long already: its back-off holds until there is a sample (RFC 6298 section 5.5).
        (r#"{"preset": "modern", "initial_rto_s": 4}"#, 4 * S, 8 * S),
        (r#"{"preset": "modern", "max_rto_s": 2}"#, S, 2 * S),
    ] {
        let mut lose_syn = without_syns(End::Opener, 1);
        let mut lab = Lab::sending(settings, move |sent| match is_data(sent) {
            true => Fate::Lose,
            false => lose_syn(sent),
        });
        lab.run_until(20 * S);
        let sent = lab.data_log(End::Opener);
        let times: Vec<Ns> = sent
            .iter()
            .filter(|each| each.1 == 0)
            .map(|each| each.0)
            .collect();
        let begin = begin / MS + 100;
        assert_eq!(times[..2], [begin, begin + rto / MS], "{settings}");
    }
}

#[test]
fn a_path_of_five_seconds_begins_with_one_segment_from_each_end() {
    let mut lab = Lab::new(MODERN, |_| Fate::Delay(2450 * MS));
    lab.answer(20 * 1448);
    lab.send(End::Opener, 20 * 1448);
    lab.run_until(20 * S);

    assert_eq!(first_burst(&lab, End::Opener), 1);
    assert_eq!(first_burst(&lab, End::Acceptor), 1);
}

proptest! {
    #[test]
    fn nothing_is_sent_twice_on_a_path_of_up_to_three_seconds(
        more_ms in 0u64..1440,
        settings in prop::sample::select(vec![MODERN, LINUX_PAPER]),
    ) {
        let mut lab = Lab::new(settings, move |_| Fate::Delay(more_ms * MS));
        lab.answer(100_000);
        lab.send(End::Opener, 100_000);
        lab.run_until(60 * S);

        prop_assert_eq!(lab.received(End::Acceptor), 100_000);
        prop_assert_eq!(lab.received(End::Opener), 100_000);
        prop_assert_eq!(resent(&lab), 0);
    }
}
