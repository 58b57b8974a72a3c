// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Opening, sending and closing on a path without losses.

use super::lab::{End, Fate, Lab, MS, S};
use crate::packet::Flags;
use crate::transport::ConnectionEvent;

const NS2: &str = r#"{"preset": "ns2-2001"}"#;
const MODERN: &str = r#"{"preset": "modern"}"#;

#[test]
fn ns2_sends_at_once_and_doubles_its_window() {
    let mut lab = Lab::new(NS2, |_| Fate::Pass);
    lab.send(End::Opener, 7 * 960);
    lab.run_until(10 * S);

    assert_eq!(
        lab.data_log(End::Opener),
        [
            (0, 0),
            (100, 1),
            (100, 2),
            (200, 3),
            (200, 4),
            (200, 5),
            (200, 6)
        ]
    );
    assert_eq!(lab.received(End::Acceptor), 7 * 960);
    assert_eq!(lab.acked(End::Opener), 7 * 960);
    // One ACK of 40 bytes for each packet, and nothing else.
    assert_eq!(lab.log.len(), 14);
    assert!(lab
        .log
        .iter()
        .all(|sent| sent.segment.options == Default::default()));
    assert_eq!(lab.opener().timer_ns(), None);
}

#[test]
fn ns2_ends_without_a_fin() {
    let mut lab = Lab::new(NS2, |_| Fate::Pass);
    lab.send(End::Opener, 960);
    lab.close(End::Opener);
    lab.run_until(10 * S);

    assert_eq!(lab.log.len(), 2);
    assert_eq!(
        lab.events.last(),
        Some(&(100 * MS, End::Opener, ConnectionEvent::Closed))
    );
    assert!(lab.opener().is_finished());
}

#[test]
fn a_modern_host_shakes_hands_and_closes() {
    let mut lab = Lab::new(MODERN, |_| Fate::Pass);
    lab.send(End::Opener, 20_000);
    lab.close(End::Opener);
    lab.run_until(S);
    lab.close(End::Acceptor);
    lab.run_until(100 * S);

    assert_eq!(lab.log[0].segment.flags, Flags::SYN);
    assert_eq!(lab.log[0].segment.options.mss, Some(1448));
    assert!(lab.log[0].segment.options.sack_permitted);
    assert_eq!(lab.log[1].segment.flags, Flags::SYN | Flags::ACK);
    assert_eq!(
        (lab.log[2].segment.flags, lab.log[2].segment.payload_bytes),
        (Flags::ACK, 0)
    );
    assert_eq!(lab.received(End::Acceptor), 20_000);
    for end in [End::Opener, End::Acceptor] {
        assert!(lab.has(end, ConnectionEvent::Established), "{end:?}");
        assert!(lab.has(end, ConnectionEvent::PeerClosed), "{end:?}");
        assert!(lab.has(end, ConnectionEvent::Closed), "{end:?}");
    }
    assert!(lab.opener().is_finished() && lab.acceptor().is_finished());
    // The FIN travels with the last of the data.
    let fins = lab
        .log
        .iter()
        .filter(|sent| sent.segment.flags.has(Flags::FIN));
    assert_eq!(
        fins.map(|sent| sent.segment.payload_bytes > 0)
            .collect::<Vec<_>>(),
        [true, false]
    );
}

#[test]
fn both_ends_send_at_the_same_time() {
    let mut lab = Lab::new(MODERN, |_| Fate::Pass);
    lab.answer(300_000);
    lab.send(End::Opener, 200_000);
    lab.run_until(60 * S);

    assert_eq!(lab.received(End::Acceptor), 200_000);
    assert_eq!(lab.received(End::Opener), 300_000);
    assert_eq!(lab.opener().counters().retransmitted_pkts, 0);
    assert_eq!(lab.acceptor().counters().retransmitted_pkts, 0);
}

#[test]
fn a_delayed_ack_covers_two_segments() {
    let mut lab = Lab::new(r#"{"delayed_ack": true, "initial_window_pkts": 3}"#, |_| {
        Fate::Pass
    });
    lab.send(End::Opener, 3 * 1448);
    lab.run_until(S);

    let acks: Vec<_> = lab
        .log
        .iter()
        .filter(|sent| sent.from == End::Acceptor && !sent.segment.flags.has(Flags::SYN))
        .map(|sent| (sent.at / MS, sent.segment.ack.wrapping_sub(0xffff_f001)))
        .collect();
    assert_eq!(acks, [(150, 2 * 1448), (190, 3 * 1448)]);
}

#[test]
fn a_connection_without_an_answer_fails() {
    let mut lab = Lab::new(r#"{"max_timeouts": 3}"#, |_| Fate::Lose);
    lab.run_until(100 * S);

    let times: Vec<_> = lab.log.iter().map(|sent| sent.at / S).collect();
    assert_eq!(times, [0, 1, 3, 7]);
    assert_eq!(lab.events, [(15 * S, End::Opener, ConnectionEvent::Failed)]);
    assert!(lab.opener().is_finished());
}
