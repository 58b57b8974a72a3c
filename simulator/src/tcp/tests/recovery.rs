// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Losses under the rules of the RFCs.

use super::lab::{on_packets, End, Fate, Lab, MS, S};
use crate::packet::Flags;

fn lab(settings: &str, losses: &'static [usize]) -> Lab {
    Lab::sending(settings, on_packets(losses, Fate::Lose))
}

const SACK: &str = r#"{"preset": "modern", "delayed_ack": false}"#;
const NEWRENO: &str = r#"{"preset": "modern", "delayed_ack": false, "recovery": "newreno"}"#;

#[test]
fn sack_repairs_several_losses_in_one_round_trip() {
    let mut lab = lab(SACK, &[1, 3, 5]);

    // Ten packets leave at 100 ms. At 200 the ACKs of 0, 2, 4, 6, 7, 8, 9 come.
    lab.run_until(199 * MS);
    assert_eq!(lab.numbers_at(100), (0..10).collect::<Vec<_>>());
    lab.run_until(301 * MS);
    let again: Vec<_> = lab
        .data_log(End::Opener)
        .into_iter()
        .filter(|&(ms, number)| ms >= 200 && number < 10)
        .map(|sent| sent.1)
        .collect();
    assert_eq!(again, [1, 3, 5]);
    lab.run_until(S);
    let counters = lab.opener().counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 1));
    assert_eq!(counters.reactions_loss, 1);
    assert_eq!(counters.retransmitted_pkts, 3);
}

#[test]
fn the_newest_block_of_sack_comes_first() {
    let mut lab = lab(SACK, &[1, 3]);

    lab.run_until(160 * MS);
    let blocks: Vec<_> = lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN))
        .map(|sent| {
            let blocks = sent.segment.options.sack.as_slice().iter();
            blocks
                .map(|block| {
                    let packet = |seq: u32| seq.wrapping_sub(0xffff_f001) / 1448;
                    (packet(block.0), packet(block.1))
                })
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(blocks[0].is_empty());
    assert_eq!(blocks[1], [(2, 3)]);
    assert_eq!(blocks[2], [(4, 5), (2, 3)]);
    assert_eq!(blocks[3], [(4, 6), (2, 3)]);
}

#[test]
fn newreno_repairs_one_loss_per_round_trip() {
    let mut lab = lab(NEWRENO, &[1, 3]);

    lab.run_until(290 * MS);
    let again: Vec<_> = lab
        .numbers_at(200)
        .into_iter()
        .filter(|&number| number < 10)
        .collect();
    assert_eq!(again, [1]);
    lab.run_until(390 * MS);
    let again: Vec<_> = lab
        .numbers_at(300)
        .into_iter()
        .filter(|&number| number < 10)
        .collect();
    assert_eq!(again, [3]);
    lab.run_until(S);
    let counters = lab.opener().counters();
    assert_eq!(
        (
            counters.timeouts,
            counters.fast_retransmits,
            counters.reactions_loss
        ),
        (0, 1, 1)
    );
}

#[test]
fn limited_transmit_sends_new_data_for_the_first_duplicates() {
    let settings = |limited: bool| {
        format!(
            r#"{{"delayed_ack": false, "recovery": "newreno", "initial_window_pkts": 3, "limited_transmit": {limited}}}"#
        )
    };
    // The first of three packets is lost: two duplicate ACKs, too few for a fast retransmit without limited transmit.
    let mut with = lab(&settings(true), &[0]);
    with.run_until(290 * MS);
    assert_eq!(with.numbers_at(200), [3, 4]);
    with.run_until(S);
    assert_eq!(
        (
            with.opener().counters().timeouts,
            with.opener().counters().fast_retransmits
        ),
        (0, 1)
    );

    let mut without = lab(&settings(false), &[0]);
    without.run_until(290 * MS);
    assert!(without.numbers_at(200).is_empty());
    without.run_until(S);
    assert_eq!(
        (
            without.opener().counters().timeouts,
            without.opener().counters().fast_retransmits
        ),
        (1, 0)
    );
}

#[test]
fn the_window_does_not_grow_while_the_application_is_the_limit() {
    let mut lab = Lab::new(SACK, |_| Fate::Pass);
    for round in 0..20 {
        lab.run_until((1000 + round * 150) * MS);
        lab.send(End::Opener, 3 * 1448);
    }
    lab.run_until(20 * S);

    assert!(
        lab.opener().cwnd_pkts() <= 13.0,
        "{}",
        lab.opener().cwnd_pkts()
    );
    assert_eq!(lab.received(End::Acceptor), 60 * 1448);
}

#[test]
fn after_a_pause_the_window_is_the_initial_one() {
    let mut lab = Lab::new(SACK, |_| Fate::Pass);
    lab.send(End::Opener, 500 * 1448);
    lab.run_until(5 * S);
    assert!(lab.opener().cwnd_pkts() > 20.0);
    lab.run_until(60 * S);
    lab.send(End::Opener, 500 * 1448);

    assert_eq!(lab.opener().cwnd_pkts(), 10.0);
    assert_eq!(lab.numbers_at(60_000).len(), 10);
}

#[test]
fn a_lost_fin_and_a_lost_last_ack_are_repaired() {
    for lost in [false, true] {
        let mut seen = 0;
        let mut lab = Lab::new(SACK, move |sent| {
            let is_fin = sent.segment.flags.has(Flags::FIN) && sent.from == End::Opener;
            let is_last_ack = sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN);
            seen += usize::from(if lost { is_fin } else { is_last_ack });
            if (if lost { is_fin } else { is_last_ack }) && seen == 1 {
                Fate::Lose
            } else {
                Fate::Pass
            }
        });
        lab.run_until(500 * MS);
        lab.close(End::Opener);
        lab.close(End::Acceptor);
        lab.run_until(100 * S);

        assert!(lab.opener().is_finished() && lab.acceptor().is_finished());
        assert!(lab.has(End::Opener, crate::transport::ConnectionEvent::Closed));
        assert!(lab.has(End::Acceptor, crate::transport::ConnectionEvent::Closed));
    }
}

#[test]
fn numbers_go_on_beyond_4_gib() {
    let mut lab = Lab::new(
        r#"{"preset": "modern", "segment_bytes": 60000, "max_window_pkts": 1000, "initial_window_pkts": 1000, "delayed_ack": false}"#,
        |sent| {
            if sent.number % 997 == 5 && sent.is_opener_data() {
                Fate::Lose
            } else {
                Fate::Pass
            }
        },
    );
    let bytes = 5 << 30;
    lab.send(End::Opener, bytes);
    lab.run_until(1000 * S);

    assert_eq!(lab.received(End::Acceptor), bytes);
    assert_eq!(lab.acked(End::Opener), bytes);
}
