// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The negotiation of Accurate ECN: every combination of the flags on SYN and SYN-ACK (RFC 9768, tables 2 to 4).

use super::lab::{stack, End, Fate, Lab, Sent, MS, S};
use crate::packet::{ecn, Flags};
use crate::tcp::accecn::ecn_bits;
use crate::transport::{ConnectionEvent, Counters};

const PRAGUE: &str = r#"{"preset": "modern", "algorithm": "prague"}"#;
const ECN: &str = r#"{"preset": "modern", "algorithm": "ecn"}"#;
const PLAIN: &str = r#"{"preset": "modern"}"#;
const BYTES: u64 = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    Rfc3168,
    AccEcn,
}

use Mode::{AccEcn, Plain, Rfc3168};

/// The mode of a server by the flags of the SYN, 000 to 111.
const BY_SYN: [Mode; 8] = [
    Plain, AccEcn, AccEcn, Rfc3168, AccEcn, AccEcn, AccEcn, AccEcn,
];
/// The mode of a client by the flags of the SYN-ACK, and whether it may go on to send ECN-capable packets.
const BY_SYN_ACK: [(Mode, bool); 8] = [
    (Plain, false),
    (Rfc3168, true),
    (AccEcn, true),
    // The SYN left as not ECN-capable, and arrived as another.
    (AccEcn, false),
    (AccEcn, false),
    (AccEcn, true),
    (AccEcn, false),
    (Plain, false),
];

fn mode_of(counters: &Counters) -> Mode {
    let modes = [
        (counters.accecn_fallback_plain, Plain),
        (counters.accecn_fallback_rfc3168, Rfc3168),
        (counters.accecn_negotiated, AccEcn),
    ];
    let agreed: Vec<Mode> = modes
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(_, mode)| mode)
        .collect();
    assert_eq!(agreed.len(), 1, "{counters:?}");
    agreed[0]
}

/// The codepoint of new data in this mode.
fn codepoint(mode: Mode, capable: bool) -> u8 {
    match mode {
        _ if !capable => ecn::NOT_ECT,
        Plain => ecn::NOT_ECT,
        Rfc3168 => ecn::ECT0,
        AccEcn => ecn::ECT1,
    }
}

fn data_codepoints(lab: &Lab, from: End) -> Vec<u8> {
    let mut found: Vec<u8> = lab
        .log
        .iter()
        .filter(|sent| sent.from == from && sent.segment.payload_bytes > 0)
        .map(|sent| sent.segment.ecn)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn exchange(mut lab: Lab) -> Lab {
    lab.answer(BYTES);
    lab.send(End::Opener, BYTES);
    lab.run_until(30 * S);
    lab
}

fn is_syn(sent: &Sent) -> bool {
    sent.segment.flags.has(Flags::SYN)
}

#[test]
fn all_combinations_on_syn_and_syn_ack_are_as_in_the_tables() {
    for syn in 0..8u8 {
        for syn_ack in 0..8u8 {
            let lab = exchange(Lab::new(PRAGUE, move |sent| {
                match (is_syn(sent), sent.from) {
                    (true, End::Opener) => Fate::EcnFlags(syn),
                    (true, End::Acceptor) => Fate::EcnFlags(syn_ack),
                    _ => Fate::Pass,
                }
            }));
            let name = format!("SYN {syn:03b}, SYN-ACK {syn_ack:03b}");
            let server = BY_SYN[usize::from(syn)];
            let (client, client_sends) = BY_SYN_ACK[usize::from(syn_ack)];
            assert_eq!(mode_of(lab.acceptor().counters()), server, "{name}");
            assert_eq!(mode_of(lab.opener().counters()), client, "{name}");
            // A client without Accurate ECN clears the flags of its ACKs, from which such a server knows.
            let server_sends = server != AccEcn || client == AccEcn;
            let expected = codepoint(server, server_sends);
            assert_eq!(data_codepoints(&lab, End::Acceptor), [expected], "{name}");
            let expected = codepoint(client, client_sends);
            assert_eq!(data_codepoints(&lab, End::Opener), [expected], "{name}");
            for end in [End::Opener, End::Acceptor] {
                assert_eq!(lab.received(end), BYTES, "{name}");
            }
        }
    }
}

#[test]
fn the_syn_ack_has_what_the_syn_arrived_with_and_the_third_ack_what_that_did() {
    // RFC 9768, tables 2 and 3.
    for (codepoint, code) in [
        (ecn::NOT_ECT, 0b010),
        (ecn::ECT1, 0b011),
        (ecn::ECT0, 0b100),
        (ecn::CE, 0b110),
    ] {
        for marked in [End::Opener, End::Acceptor] {
            let mut lab = Lab::new(PRAGUE, move |sent| match is_syn(sent) {
                true if sent.from == marked => Fate::Mark(codepoint),
                _ => Fate::Pass,
            });
            lab.run_until(S);
            let first = |from: End, syn: bool| {
                let found = lab.log.iter().find(|s| s.from == from && is_syn(s) == syn);
                ecn_bits(found.expect("a segment").segment.flags)
            };
            assert_eq!(first(End::Opener, true), 0b111);
            let (answer, third) = match marked {
                End::Opener => (code, 0b010),
                End::Acceptor => (0b010, code),
            };
            assert_eq!(first(End::Acceptor, true), answer, "{codepoint}");
            assert_eq!(first(End::Opener, false), third, "{codepoint}");
        }
    }
}

#[test]
fn ce_on_syn_or_syn_ack_is_answered_by_its_sender_and_counted_as_the_rfc_says() {
    for marked in [End::Opener, End::Acceptor] {
        let lab = exchange(Lab::new(PRAGUE, move |sent| match is_syn(sent) {
            true if sent.from == marked => Fate::Mark(ecn::CE),
            _ => Fate::Pass,
        }));
        let sender = lab.ends[marked as usize].as_ref().expect("an end");
        let other = lab.ends[marked.other() as usize].as_ref().expect("an end");
        assert_eq!(sender.counters().reactions_ece, 1);
        assert_eq!(other.counters().reactions_ece, 0);
        // The field was changed on the way, so its sender leaves it alone from then on.
        assert_eq!(data_codepoints(&lab, marked), [ecn::NOT_ECT]);
        assert_eq!(data_codepoints(&lab, marked.other()), [ecn::ECT1]);
        // The client counts a SYN-ACK, the server no SYN.
        let ace = |from: End| {
            let mut data = lab.log.iter().filter(|s| s.from == from);
            let found = data.find(|s| s.segment.payload_bytes > 0);
            ecn_bits(found.expect("data").segment.flags)
        };
        let client = if marked == End::Acceptor { 6 } else { 5 };
        assert_eq!((ace(End::Opener), ace(End::Acceptor)), (client, 5));
    }
}

#[test]
fn the_highest_form_that_both_ends_know_is_used() {
    for (opener, acceptor, opener_data, acceptor_data) in [
        (PRAGUE, PRAGUE, ecn::ECT1, ecn::ECT1),
        (PRAGUE, ECN, ecn::ECT0, ecn::ECT0),
        (ECN, PRAGUE, ecn::ECT0, ecn::ECT0),
        (PRAGUE, PLAIN, ecn::NOT_ECT, ecn::NOT_ECT),
        (PLAIN, PRAGUE, ecn::NOT_ECT, ecn::NOT_ECT),
    ] {
        let lab = exchange(Lab::of(stack(opener), stack(acceptor), |_| Fate::Pass));
        assert_eq!(data_codepoints(&lab, End::Opener), [opener_data]);
        assert_eq!(data_codepoints(&lab, End::Acceptor), [acceptor_data]);
    }
}

#[test]
fn the_third_syn_asks_for_no_ecn() {
    let mut left = 3;
    let lab = exchange(Lab::new(PRAGUE, move |sent| {
        left -= i32::from(is_syn(sent));
        match left >= 0 && is_syn(sent) {
            true => Fate::Lose,
            false => Fate::Pass,
        }
    }));
    let syns: Vec<(u8, u32)> = lab
        .log
        .iter()
        .filter(|sent| is_syn(sent) && sent.from == End::Opener)
        .map(|sent| (ecn_bits(sent.segment.flags), sent.segment.seq))
        .collect();
    let number = syns[0].1;
    assert_eq!(syns, [(7, number), (7, number), (0, number), (0, number)]);
    assert_eq!(mode_of(lab.acceptor().counters()), Plain);
    assert_eq!(lab.received(End::Acceptor), BYTES);
}

#[test]
fn a_server_whose_client_gave_up_sends_no_ect_and_still_counts() {
    // All SYN-ACKs are lost until the SYN without ECN has arrived.
    let mut syns = 0;
    let lab = exchange(Lab::new(PRAGUE, move |sent| {
        syns += i32::from(is_syn(sent) && sent.from == End::Opener);
        match is_syn(sent) && sent.from == End::Acceptor && syns < 3 {
            true => Fate::Lose,
            false => Fate::Pass,
        }
    }));
    assert_eq!(mode_of(lab.acceptor().counters()), AccEcn);
    assert_eq!(mode_of(lab.opener().counters()), AccEcn);
    assert_eq!(data_codepoints(&lab, End::Acceptor), [ecn::NOT_ECT]);
    assert_eq!(data_codepoints(&lab, End::Opener), [ecn::ECT1]);
}

#[test]
fn two_kinds_of_syn_reset_the_connection() {
    for (first, second) in [(7, 3), (3, 7), (3, 5)] {
        let mut syns = 0;
        let mut lab = Lab::new(PRAGUE, move |sent| match (is_syn(sent), sent.from) {
            (true, End::Opener) => {
                syns += 1;
                Fate::EcnFlags(if syns == 1 { first } else { second })
            }
            (true, End::Acceptor) => Fate::Lose,
            _ => Fate::Pass,
        });
        lab.run_until(1500 * MS);
        assert!(
            lab.has(End::Acceptor, ConnectionEvent::Failed),
            "{first} {second}"
        );
        assert!(
            lab.has(End::Opener, ConnectionEvent::Failed),
            "{first} {second}"
        );
    }
}

#[test]
fn a_repeated_syn_ack_is_counted_once_and_answered_with_its_own_field() {
    // The third ACK is lost, so that the SYN-ACK comes again; both have CE.
    let mut third_acks = 0;
    let mut lab = Lab::new(PRAGUE, move |sent| match (is_syn(sent), sent.from) {
        (true, End::Acceptor) => Fate::Mark(ecn::CE),
        (false, End::Opener) => {
            third_acks += 1;
            if third_acks == 1 {
                Fate::Lose
            } else {
                Fate::Pass
            }
        }
        _ => Fate::Pass,
    });
    lab.run_until(3 * S);
    let acks: Vec<u8> = lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Opener && !is_syn(sent))
        .map(|sent| ecn_bits(sent.segment.flags))
        .collect();
    assert_eq!(acks, [0b110, 0b110]);
    lab.send(End::Opener, 1000);
    let data = lab.log.last().expect("data").segment;
    assert_eq!((data.payload_bytes, ecn_bits(data.flags)), (1000, 6));
}
