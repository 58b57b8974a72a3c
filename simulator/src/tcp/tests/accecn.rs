// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The counts of Accurate ECN: what the sender makes of the ACE field beside what arrived.

use proptest::prelude::*;

use super::lab::{is_data, End, Fate, Lab, Sent, MS, S};
use crate::packet::{ecn, Flags, Segment};
use crate::tcp::accecn::{ecn_bits, flags_of, AccEcn};

const PRAGUE: &str = r#"{"preset": "modern", "algorithm": "prague"}"#;

fn arriving(codepoint: u8, payload_bytes: u32) -> Segment {
    Segment {
        ecn: codepoint,
        payload_bytes,
        flags: Flags::ACK,
        ..Segment::default()
    }
}

fn ack_of(ace: Flags) -> Segment {
    Segment {
        flags: Flags::ACK | ace,
        ..Segment::default()
    }
}

/// An ACK on its way: the packets that have arrived, those of them with CE, and the ACE field.
#[derive(Debug, Clone, Copy)]
struct Feedback {
    arrived: u32,
    marked: u32,
    ace: Flags,
}

/// A receiver's ACKs, one for each of these packets.
fn feedback(marks: &[bool]) -> Vec<Feedback> {
    let mut receiver = AccEcn::new();
    let mut marked = 0;
    let mut sent = Vec::new();

    for (place, &mark) in marks.iter().enumerate() {
        let codepoint = if mark { ecn::CE } else { ecn::ECT1 };
        marked += u32::from(mark);
        receiver.on_arrival(&arriving(codepoint, 1000), false, true);
        sent.push(Feedback {
            arrived: place as u32 + 1,
            marked,
            ace: receiver.ace(),
        });
    }
    sent
}

/// The sender's reading of ACKs in this order, of which those that report nothing new are superseded: for each of the
/// others, its count and the ACK.
fn readings(acks: &[Feedback]) -> Vec<(u32, Feedback)> {
    let mut sender = AccEcn::new();
    let (mut acked, mut count) = (0, 0);

    acks.iter()
        .filter_map(|ack| {
            let newly = ack.arrived.saturating_sub(acked);
            acked += newly;
            count += sender.read(&ack_of(ack.ace), newly);
            (newly > 0).then_some((count, *ack))
        })
        .collect()
}

proptest! {
    #[test]
    fn the_count_is_the_receivers_while_fewer_than_eight_packets_are_hidden(
        marks in prop::collection::vec(any::<bool>(), 1..400),
        steps in prop::collection::vec((1usize..8, any::<prop::sample::Index>()), 1..400),
    ) {
        // One of up to seven ACKs in a row arrives, and older ones may come late, after it.
        let sent = feedback(&marks);
        let mut arrivals = Vec::new();
        let mut place = 0;
        for (step, late) in steps {
            place += step;
            if place > sent.len() {
                break;
            }
            arrivals.push(sent[place - 1]);
            arrivals.push(sent[late.index(place)]);
        }
        for (count, ack) in readings(&arrivals) {
            prop_assert_eq!(count, ack.marked);
        }
    }

    #[test]
    fn a_count_after_a_gap_is_the_highest_that_the_field_allows(
        marks in prop::collection::vec(any::<bool>(), 200),
        gap in 8usize..100,
    ) {
        let sent = feedback(&marks);
        let (before, after) = (sent[99], sent[99 + gap]);
        // ACKs are for one packet each, until the gap.
        let mut arrivals = sent[..100].to_vec();
        arrivals.push(after);
        let count = readings(&arrivals).last().expect("a reading").0;
        let (guess, real) = (count - before.marked, after.marked - before.marked);

        prop_assert!(guess >= real);
        prop_assert_eq!(guess % 8, real % 8);
        prop_assert!(guess <= gap as u32 && guess + 8 > gap as u32);
    }

    #[test]
    fn whatever_the_field_says_a_reading_is_bounded(
        acks in prop::collection::vec((0u8..8, prop_oneof![0u32..40, any::<u32>()]), 1..300),
    ) {
        let mut sender = AccEcn::new();
        let mut usual = true;

        for (bits, pkts) in acks {
            let marks = sender.read(&ack_of(flags_of(bits)), pkts);
            prop_assert!(marks <= pkts.clamp(7, 1 << 20));
            prop_assert!(pkts > 0 || marks == 0);
            usual &= pkts < 8;
            // Nothing can have cycled: the field stands for itself.
            if usual {
                prop_assert!(marks < 8);
            }
        }
    }

    #[test]
    fn a_connection_counts_each_mark(
        (odds, seed) in (1u32..1000, any::<u64>()),
        (lost_acks, delayed_ack, sack) in (0u32..500, any::<bool>(), any::<bool>()),
    ) {
        let recovery = if sack { "sack" } else { "newreno" };
        let settings = format!(
            r#"{{"preset": "modern", "algorithm": "prague", "delayed_ack": {delayed_ack},
                 "recovery": "{recovery}", "parameters": {{"min_cwnd_pkts": 20}}}}"#
        );
        let mut state = seed | 1;
        let mut draw = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as u32 % 1000
        };
        // One of two ACKs in a row arrives, so that they hide few marks; the last one arrives.
        let end = 0xffff_f001_u32.wrapping_add(400_000);
        let mut lost_before = false;
        let mut lab = Lab::new(&settings, move |sent| {
            let is_ack = sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN);
            if is_ack {
                lost_before = !lost_before && draw() < lost_acks;
            }
            match is_data(sent) {
                true if draw() < odds => Fate::Mark(ecn::CE),
                false if is_ack && lost_before && sent.segment.ack != end => Fate::Lose,
                _ => Fate::Pass,
            }
        });
        lab.data_time = MS;
        lab.send(End::Opener, 400_000);
        lab.run_until(60 * S);
        prop_assert_eq!(lab.acked(End::Opener), 400_000);
        let (sender, receiver) = (lab.opener().counters(), lab.acceptor().counters());
        prop_assert_eq!(sender.retransmitted_pkts, 0);
        prop_assert_eq!(sender.pkts_marked, receiver.ce_received);
        prop_assert_eq!(sender.cwr_sent, 0);
    }
}

#[test]
fn an_ack_comes_with_the_first_mark_and_each_second_one() {
    // No ACK would come otherwise before the timer of delayed ACKs, after 40 ms.
    for (marked, ack_at) in [(false, 90), (true, 50)] {
        let codepoint = if marked { ecn::CE } else { ecn::ECT1 };
        let mut lab = Lab::new(PRAGUE, move |sent| match is_data(sent) {
            true => Fate::Mark(codepoint),
            false => Fate::Pass,
        });
        lab.run_until(S);
        lab.send(End::Opener, 1000);
        lab.run_until(3 * S);
        let ack = lab.log.last().expect("an ACK");
        assert_eq!((ack.from, ack.at), (End::Acceptor, S + ack_at * MS));
        assert_eq!(ecn_bits(ack.segment.flags), 5 + u8::from(marked));
    }
    let mut receiver = AccEcn::new();
    let mut due = |codepoint, bytes, waits| {
        let is_due = receiver.on_arrival(&arriving(codepoint, bytes), waits, true);
        if is_due {
            receiver.acked();
        }
        is_due
    };
    let packets = [
        // Data: the first mark, then each second one; a mark on an ACK is one of them.
        (ecn::CE, 1000, true),
        (ecn::CE, 1000, false),
        (ecn::CE, 1000, true),
        (ecn::CE, 0, false),
        (ecn::CE, 1000, true),
        // ACKs alone: each third mark, and none for a change.
        (ecn::ECT1, 0, false),
        (ecn::CE, 0, false),
        (ecn::CE, 0, false),
        (ecn::CE, 0, true),
    ];
    for (place, (codepoint, bytes, expected)) in packets.into_iter().enumerate() {
        assert_eq!(due(codepoint, bytes, false), expected, "packet {place}");
    }
}

#[test]
fn marked_acks_are_acknowledged_without_sack_blocks_and_the_exchange_ends() {
    let ends = |sent: &Sent| sent.segment.payload_bytes == 0 && !sent.segment.flags.has(Flags::SYN);
    let mut lab = Lab::new(PRAGUE, move |sent| match ends(sent) {
        true => Fate::Mark(ecn::CE),
        false => Fate::Pass,
    });
    lab.data_time = MS;
    lab.send(End::Opener, 100 * 1448);
    lab.run_until(20 * S);
    let acks = |from: End| {
        let of_end = lab
            .log
            .iter()
            .filter(|sent| sent.from == from && ends(sent));
        of_end
            .inspect(|sent| assert!(sent.segment.options.sack.as_slice().is_empty()))
            .count()
    };
    // The third ACK, and those of the ACKs that came after the last data.
    let (answers, acks_of_acks) = (acks(End::Acceptor), acks(End::Opener));
    assert!(answers >= 50, "{answers}");
    assert!(
        (2..=1 + answers / 3).contains(&acks_of_acks),
        "{acks_of_acks} of {answers}"
    );
    assert_eq!(lab.opener().counters().duplicate_acks_received, 0);
    // The last segment has an ACE field that counts all.
    let last = lab
        .log
        .iter()
        .rfind(|sent| sent.from == End::Opener)
        .expect("a segment");
    let arrived = lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Acceptor && ends(sent) && sent.at < last.at);
    assert_eq!(
        u32::from(ecn_bits(last.segment.flags)),
        (5 + arrived.count() as u32) % 8
    );
}

#[test]
fn a_segment_outside_of_the_window_is_not_counted() {
    let mut lab = Lab::new(PRAGUE, |_| Fate::Pass);
    lab.send(End::Opener, 10_000);
    lab.run_until(S);
    let data = lab
        .log
        .iter()
        .find(|sent| is_data(sent))
        .expect("data")
        .segment;
    for (seq, ack) in [
        // Old, too new, and one that acknowledges what was not sent.
        (data.seq, data.ack),
        (data.seq.wrapping_add(1 << 30), data.ack),
        (data.seq.wrapping_add(10_000), data.ack.wrapping_add(5)),
    ] {
        let forged = Segment {
            seq,
            ack,
            ecn: ecn::CE,
            ..data
        };
        lab.act(End::Acceptor, |connection, now, io| {
            connection.on_segment(&forged, now, io)
        });
    }
    lab.send(End::Opener, 1000);
    lab.run_until(2 * S);
    let ack = lab
        .log
        .iter()
        .rfind(|sent| sent.from == End::Acceptor)
        .expect("an ACK");
    assert_eq!(ecn_bits(ack.segment.flags), 5);
    assert_eq!(lab.opener().counters().pkts_marked, 0);
}

#[test]
fn a_late_or_forged_syn_ack_changes_no_count() {
    let mut lab = Lab::sending(PRAGUE, |_| Fate::Pass);
    lab.data_time = MS;
    lab.run_until(S);
    let syn_ack = lab
        .log
        .iter()
        .find(|sent| sent.from == End::Acceptor)
        .expect("a SYN-ACK")
        .segment;
    // Either end may get one; the ACK that answers it is also for data.
    for (to, number) in (1..20u32).flat_map(|n| [(End::Opener, n), (End::Acceptor, n)]) {
        let forged = Segment {
            seq: syn_ack.seq.wrapping_add(number),
            ecn: ecn::CE,
            ..syn_ack
        };
        lab.act(to, |connection, now, io| {
            connection.on_segment(&forged, now, io)
        });
        lab.run_until(S + u64::from(number) * 50 * MS);
    }
    lab.run_until(3 * S);
    let (sender, receiver) = (lab.opener().counters(), lab.acceptor().counters());
    assert_eq!((sender.pkts_marked, receiver.pkts_marked), (0, 0));
    assert_eq!(sender.reactions_ece, 0);
}

#[test]
fn hostile_ace_fields_neither_stop_nor_open_a_connection() {
    for seed in 1..20u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9);
        let settings = r#"{"preset": "modern", "algorithm": "prague", "delayed_ack": false}"#;
        let mut lab = Lab::sending(settings, move |sent| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN) {
                true => Fate::EcnFlags((state >> 29) as u8),
                false => Fate::Pass,
            }
        });
        lab.data_time = MS;
        lab.run_until(20 * S);
        // The marks that are reported leave two packets in each of 200 rounds.
        assert!(lab.received(End::Acceptor) > 190 * 2 * 1448);
        assert!(lab.opener().cwnd_pkts() >= 2.0);
        assert!(lab.opener().counters().pkts_marked > 0);
    }
}

/// An algorithm with its own echo and with the counter, where 30 % of the ACKs are lost and a tenth of the packets
/// is marked: the share of marks that reach the sender, and the ACKs for a packet.
fn with_both_echoes(algorithm: &str) -> [(f64, f64); 2] {
    ["", r#", "ecn": "accecn""#].map(|ecn| {
        let settings = format!(
            r#"{{"preset": "modern", "algorithm": "{algorithm}"{ecn}, "max_window_pkts": 60,
                 "parameters": {{"min_cwnd_pkts": 20}}}}"#
        );
        let mut state = 0x2545_f491_u32;
        let mut draw = move || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state % 10
        };
        let mut lab = Lab::new(&settings, move |sent| match is_data(sent) {
            true if draw() == 0 => Fate::Mark(ecn::CE),
            false if !sent.segment.flags.has(Flags::SYN) && draw() < 3 => Fate::Lose,
            _ => Fate::Pass,
        });
        lab.data_time = MS;
        lab.send(End::Opener, u64::MAX);
        lab.run_until(20 * S);
        let (sender, receiver) = (lab.opener().counters(), lab.acceptor().counters());
        (
            sender.pkts_marked as f64 / receiver.ce_received as f64,
            receiver.acks_sent as f64 / receiver.data_pkts_received as f64,
        )
    })
}

#[test]
fn other_algorithms_may_have_the_counter_in_place_of_their_echo() {
    for algorithm in ["ecn-mod", "dctcp"] {
        let [(by_echo, acks), (by_count, acks_with_count)] = with_both_echoes(algorithm);
        assert!((by_echo - 1.0).abs() < 0.1, "{algorithm}: {by_echo}");
        // A long gap counts as marked as far as it may have been: never too few.
        assert!((1.0..1.5).contains(&by_count), "{algorithm}: {by_count}");
        // An ACK may be for packets of both kinds.
        assert!(acks_with_count < acks, "{acks_with_count} beside {acks}");
    }
}
