// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The reactions of each algorithm to marks and source quenches, with windows worked out by hand.
//!
//! A round trip takes 100 ms. In slow start packet 0 leaves at 0 ms, 1 and 2 at 100, 3 to 6 at 200, 7 to 14 at 300, and
//! the window is 8 packets when the ACKs of the last four have come.

use super::lab::{is_data, on_packets, quench_of, End, Fate, Lab, MS, S};
use crate::packet::{ecn, Flags, Refusal, Verdict};
use crate::transport::Socket;

fn flags_of(lab: &Lab, from: End, number: usize) -> Flags {
    let sent = lab
        .log
        .iter()
        .find(|sent| sent.from == from && is_data(sent) && sent.number == number);
    sent.expect("it was sent").segment.flags
}

const BECN: &str = r#"{"preset": "ns2-2001", "algorithm": "becn"}"#;

#[test]
fn becn_halves_at_once_and_holds_for_a_round_trip() {
    let mut lab = Lab::sending(BECN, on_packets(&[7], Fate::MarkAndQuench { level: 0 }));

    lab.run_until(309 * MS);
    assert_eq!(lab.opener().cwnd_pkts(), 8.0);
    lab.run_until(311 * MS);
    assert_eq!(
        (lab.opener().cwnd_pkts(), lab.opener().ssthresh_pkts()),
        (4.0, 4.0)
    );
    // The hold ends at 410: eight ACKs at 400 open nothing, those at 500 do.
    lab.run_until(600 * MS);
    assert_eq!(lab.numbers_at(400), [15, 16, 17, 18]);
    assert_eq!(lab.numbers_at(500), [19, 20, 21, 22]);
    assert_eq!(lab.numbers_at(600), [23, 24, 25, 26, 27]);
    let counters = lab.opener().counters();
    assert_eq!(counters.quench.isq_accepted_marked, 1);
    assert_eq!(
        (counters.reactions_isq_marked, counters.reactions_ece),
        (1, 0)
    );
    assert_eq!(counters.cwr_queued, 1);
}

#[test]
fn becn_goes_on_growing_where_a_packet_was_dropped() {
    let mut lab = Lab::sending(BECN, on_packets(&[7], Fate::LoseAndQuench));

    lab.run_until(400 * MS);
    // The third duplicate ACK sends the packet again, without another cut; those after it open the window.
    assert_eq!(lab.numbers_at(400), [7, 15, 16, 17]);
    let counters = lab.opener().counters();
    assert_eq!(
        (counters.reactions_isq_dropped, counters.reactions_loss),
        (1, 0)
    );
    lab.run_until(500 * MS);
    // Four ACKs come: of the eight packets, and of 15, 16 and 17.
    let grown = (0..4).fold(4.0, |cwnd: f64, _| cwnd + 1.0 / cwnd);
    assert!((lab.opener().cwnd_pkts() - grown).abs() < 1e-6);
    assert_eq!(lab.opener().counters().timeouts, 0);
}

#[test]
fn becn_makes_all_data_ect_and_ignores_the_echo() {
    let mut lab = Lab::sending(
        r#"{"preset": "ns2-2001", "algorithm": "becn", "ecn": "rfc3168"}"#,
        on_packets(&[7], Fate::Mark(ecn::CE)),
    );

    lab.run_until(500 * MS);
    assert_eq!(lab.opener().counters().ece_received, 8 + 16);
    assert_eq!(lab.opener().counters().reactions_ece, 0);
    let ect: Vec<_> = lab
        .log
        .iter()
        .filter(|sent| is_data(sent))
        .map(|sent| sent.segment.ecn)
        .collect();
    // The first packet stands for a SYN.
    assert_eq!(ect[0], ecn::NOT_ECT);
    assert!(ect[1..].iter().all(|&field| field == ecn::ECT0));
}

#[test]
fn one_window_is_reduced_once_for_however_many_quenches() {
    let mut lab = Lab::sending(BECN, |sent| match sent.number {
        7..=14 if is_data(sent) => Fate::MarkAndQuench { level: 0 },
        _ => Fate::Pass,
    });

    lab.run_until(320 * MS);
    assert_eq!(lab.opener().cwnd_pkts(), 4.0);
    let counters = lab.opener().counters();
    assert_eq!(counters.quench.isq_accepted_marked, 8);
    assert_eq!(
        (counters.reactions_isq_marked, counters.suppressed_isq),
        (1, 7)
    );
}

#[test]
fn a_quench_can_wait_for_the_next_ack_as_in_the_kernel() {
    let settings = r#"{"preset": "ns2-2001", "algorithm": "becn", "quench": "next-ack"}"#;
    let mut lab = Lab::sending(settings, |sent| match sent.number {
        7 | 8 if is_data(sent) => Fate::MarkAndQuench { level: 0 },
        _ => Fate::Pass,
    });

    lab.run_until(399 * MS);
    assert_eq!(lab.opener().cwnd_pkts(), 8.0);
    assert_eq!(lab.opener().counters().suppressed_isq, 1);
    lab.run_until(400 * MS);
    assert_eq!(lab.opener().cwnd_pkts(), 4.0);
    assert_eq!(lab.opener().counters().reactions_isq_marked, 1);
}

#[test]
fn a_quench_is_accepted_by_the_kernels_rules_only() {
    let mut lab = Lab::sending(BECN, |_| Fate::Pass);
    lab.run_until(310 * MS);
    let in_flight = lab
        .log
        .iter()
        .rev()
        .find(|sent| is_data(sent))
        .expect("data")
        .segment;
    let mut acked = in_flight;
    acked.seq = acked.seq.wrapping_sub(960 * 8);
    let mut future = in_flight;
    future.seq = future.seq.wrapping_add(960);
    let mut other = in_flight;
    other.source.port += 1;
    let verdict = |connection: &mut dyn Socket, segment| {
        connection.on_source_quench(&quench_of(&segment, true, 0), 310 * MS)
    };

    let opener = lab.ends[0].as_deref_mut().expect("the opener");
    assert_eq!(
        verdict(opener, acked),
        Verdict::Refused(Refusal::NotInFlight)
    );
    assert_eq!(
        verdict(opener, future),
        Verdict::Refused(Refusal::NotInFlight)
    );
    assert_eq!(verdict(opener, other), Verdict::Refused(Refusal::NoSocket));
    assert_eq!(opener.cwnd_pkts(), 8.0);
    assert_eq!(verdict(opener, in_flight), Verdict::AcceptedMarked);
    assert_eq!(opener.cwnd_pkts(), 4.0);
    assert_eq!(opener.counters().quench.isq_received, 4);
    assert_eq!(opener.counters().quench.isq_refused_not_in_flight, 2);
}

#[test]
fn an_algorithm_without_source_quench_refuses_quenches() {
    let mut lab = Lab::sending(
        r#"{"preset": "ns2-2001", "algorithm": "ecn"}"#,
        on_packets(&[7], Fate::LoseAndQuench),
    );

    lab.run_until(320 * MS);
    assert_eq!(lab.opener().counters().quench.isq_refused_not_listening, 1);
    assert_eq!(lab.opener().cwnd_pkts(), 8.0);
}

#[test]
fn ecn_becn_sets_cwr_in_its_next_packet_and_ignores_the_echo_in_the_same_window() {
    let mut lab = Lab::sending(
        r#"{"preset": "ns2-2001", "algorithm": "ecn-becn"}"#,
        on_packets(&[7], Fate::MarkAndQuench { level: 0 }),
    );

    lab.run_until(500 * MS);
    assert!(flags_of(&lab, End::Opener, 15).has(Flags::CWR));
    assert!(!flags_of(&lab, End::Opener, 16).has(Flags::CWR));
    let counters = lab.opener().counters();
    assert_eq!(
        (counters.reactions_isq_marked, counters.reactions_ece),
        (1, 0)
    );
    assert_eq!(counters.suppressed_ece, 8);
    // The echo has stopped with CWR: it came at 450.
    assert_eq!(counters.ece_received, 8);
}

#[test]
fn the_level_of_a_quench_decides_the_share_of_the_cut() {
    let mut lab = Lab::sending(
        r#"{"preset": "ns2-2001", "algorithm": "becn", "parameters": {"isq_levels": true, "integer_cut": false}}"#,
        on_packets(&[7], Fate::MarkAndQuench { level: 0 }),
    );

    lab.run_until(320 * MS);
    assert_eq!(lab.opener().cwnd_pkts(), 7.0);
}

const MECN: &str =
    r#"{"preset": "modern", "algorithm": "mecn", "initial_window_pkts": 10, "delayed_ack": false}"#;

#[test]
fn multilevel_marks_are_echoed_once_and_cut_by_their_level() {
    for (codepoint, left) in [(ecn::ECT1, 8.0), (ecn::CE, 6.0)] {
        let mut lab = Lab::sending(MECN, on_packets(&[0], Fate::Mark(codepoint)));

        // The handshake takes 100 ms; the first ten packets leave then.
        lab.run_until(199 * MS);
        assert_eq!(lab.opener().cwnd_pkts(), 10.0);
        lab.act(End::Opener, |_, _, _| {});
        lab.run_until(200 * MS);
        let counters = lab.opener().counters();
        let incipient = u64::from(codepoint == ecn::ECT1);
        assert_eq!(counters.mecn_negotiated, 1);
        assert_eq!(counters.echoes_incipient_received, incipient);
        assert_eq!(counters.echoes_moderate_received, 1 - incipient);
        assert_eq!(
            (counters.reactions_incipient, counters.reactions_moderate),
            (incipient, 1 - incipient)
        );
        // Nine ACKs without a mark grow it again, by less than one packet and a half.
        assert!(
            (left..left + 1.5).contains(&lab.opener().cwnd_pkts()),
            "{}",
            lab.opener().cwnd_pkts()
        );
        // (CWR, ECE): "no congestion" is ECE alone; "window reduced" is neither.
        assert_eq!(
            flags_of(&lab, End::Opener, 0).only(Flags::ECE | Flags::CWR),
            Flags::ECE
        );
        assert_eq!(
            flags_of(&lab, End::Opener, 10).only(Flags::ECE | Flags::CWR),
            Flags::default()
        );
        assert_eq!(
            flags_of(&lab, End::Opener, 11).only(Flags::ECE | Flags::CWR),
            Flags::ECE
        );
    }
}

#[test]
fn multilevel_ecn_falls_back_to_the_variant_that_the_peer_knows() {
    let ecn_peer = r#"{"preset": "modern", "algorithm": "ecn", "delayed_ack": false}"#;
    let mut lab = Lab::of(
        super::lab::stack(MECN),
        super::lab::stack(ecn_peer),
        on_packets(&[0], Fate::Mark(ecn::CE)),
    );
    lab.send(End::Opener, u64::MAX);
    lab.run_until(200 * MS);
    let counters = lab.opener().counters();
    assert_eq!(
        (counters.mecn_fallback_rfc3168, counters.mecn_negotiated),
        (1, 0)
    );
    assert_eq!(
        (counters.reactions_ece, counters.reactions_moderate),
        (1, 0)
    );
    assert!(counters.ece_received > 1);

    let plain_peer = r#"{"preset": "modern"}"#;
    let mut lab = Lab::of(
        super::lab::stack(MECN),
        super::lab::stack(plain_peer),
        |_| Fate::Pass,
    );
    lab.send(End::Opener, u64::MAX);
    lab.run_until(200 * MS);
    assert_eq!(lab.opener().counters().mecn_fallback_plain, 1);
    assert!(lab.log.iter().all(|sent| sent.segment.ecn == ecn::NOT_ECT));
}

#[test]
fn ecn_mod_counts_each_mark() {
    let settings = r#"{"preset": "modern", "algorithm": "ecn-mod", "delayed_ack": false,
                       "parameters": {"initial_slow_start": false}}"#;
    let mut lab = Lab::sending(settings, on_packets(&[0, 1], Fate::Mark(ecn::CE)));

    lab.run_until(200 * MS);
    // A quarter for each mark, and 1/16 packet for each of the eight ACKs without.
    let expected = 10.0 * 0.75 * 0.75 + 8.0 / 16.0;
    assert!(
        (lab.opener().cwnd_pkts() - expected).abs() < 0.01,
        "{}",
        lab.opener().cwnd_pkts()
    );
    assert_eq!(lab.opener().counters().pkts_marked, 2);
    assert_eq!(lab.opener().counters().pkts_unmarked, 8);
}

#[test]
fn a_delayed_ack_never_covers_both_marked_and_unmarked_packets() {
    let settings = r#"{"preset": "modern", "algorithm": "ecn-mod", "initial_window_pkts": 4}"#;
    let mut lab = Lab::sending(settings, on_packets(&[1], Fate::Mark(ecn::CE)));

    lab.run_until(200 * MS);
    // Packet 0 is acknowledged without ECE before 1 is processed. 1 and 2 are acknowledged at once, since the mark of each
    // differs from that of its predecessor, and 3 after the delay.
    let acks: Vec<_> = lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN))
        .map(|sent| {
            let pkts = sent.segment.ack.wrapping_sub(0xffff_f001) / 1448;
            (pkts, sent.segment.flags.has(Flags::ECE))
        })
        .collect();
    assert_eq!(acks[0], (1, false));
    assert!(acks.contains(&(2, true)));
    assert_eq!(acks.last(), Some(&(4, false)));
    assert!(
        acks.iter().all(|&(pkts, ece)| ece == (pkts == 2)),
        "{acks:?}"
    );
}

#[test]
fn ecn_is_negotiated_and_new_data_alone_is_ect() {
    let settings = r#"{"preset": "modern", "algorithm": "ecn", "delayed_ack": false}"#;
    let mut lab = Lab::sending(settings, on_packets(&[0], Fate::Lose));

    lab.run_until(S / 2);
    assert!(lab.log[0]
        .segment
        .flags
        .has(Flags::SYN | Flags::ECE | Flags::CWR));
    assert_eq!(
        lab.log[1].segment.flags,
        Flags::SYN | Flags::ACK | Flags::ECE
    );
    let first = lab
        .log
        .iter()
        .filter(|sent| is_data(sent) && sent.segment.seq == 0xffff_f001);
    let fields: Vec<_> = first.map(|sent| sent.segment.ecn).collect();
    assert_eq!(fields, [ecn::ECT0, ecn::NOT_ECT]);
    assert!(lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Acceptor)
        .all(|sent| sent.segment.ecn == ecn::NOT_ECT));
}
