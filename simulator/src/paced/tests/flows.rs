// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages that share a flow, or its window. Bolt's segments are of 1459 bytes, packets of 1500 or 120 ns.

use super::lab::Lab;
use crate::paced::message::{flag, Kind, Message};
use crate::transport::{ConnectionEvent, Turn};
use serde_json::json;

/// A flow with a message of `bytes`, which is closed.
fn flow(transport: &str, bytes: u64) -> Lab {
    let mut lab = Lab::new(transport, json!({"share_flows": true}));
    lab.send(bytes, 0);
    lab.close(0);
    lab
}

#[test]
fn a_long_message_joins_a_flow_that_has_more_to_send() {
    let mut lab = flow("bolt", 145_900);
    lab.run(7_999);
    assert_eq!(lab.sent.len(), 67);
    assert_eq!(lab.socket.join(145_900, 7_999), Turn::Joins);
    for pkts in 1..=200 {
        let pkts = pkts.min(lab.sent.len() as u32);
        lab.ack(7_880 + 120 * u64::from(pkts), pkts, Message::default());
    }
    assert_eq!(lab.sent.len(), 200);
    let with = |wanted: fn(&Message) -> bool| {
        let sent = lab.sent.iter().enumerate();
        let those = sent.filter(|(_, (_, message))| wanted(message));
        those.map(|(number, _)| number).collect::<Vec<_>>()
    };
    // Packets 32 to 66 were sent when the flow was to end with the first message. It ends with the second one, so those that
    // follow have neither LAST nor FIN, and ask for more.
    let last: Vec<_> = (32..67).chain(132..200).collect();
    assert_eq!(with(|m| m.flags & flag::LAST != 0), last);
    let asking: Vec<_> = (67..132).collect();
    assert_eq!(with(|m| m.flags & flag::INC != 0), asking);
    assert_eq!(with(|m| m.fin), [199]);
    // Its packets follow at the pace of the ACKs: the messages meet without a gap.
    assert_eq!(lab.sent[100].0 - lab.sent[99].0, 120);
    let fin = Message {
        fin: true,
        ..Message::default()
    };
    lab.ack(40_000, 200, fin);
    assert!(lab.socket.is_finished());
    assert_eq!(lab.counters().acked_bytes, 2 * 145_900);
    assert_eq!(lab.events.last(), Some(&ConnectionEvent::Closed));
}

#[test]
fn a_message_of_one_window_does_not_wait_behind_others() {
    for transport in ["bolt", "hpcc", "swift", "dctcp"] {
        let mut lab = flow(transport, 300_000);
        lab.run(1_000);
        assert_eq!(lab.socket.join(100_000, 1_000), Turn::Beside, "{transport}");
        assert_eq!(lab.socket.join(100_001, 1_000), Turn::Joins, "{transport}");
    }
}

#[test]
fn nothing_joins_once_all_was_sent_even_if_it_is_sent_again() {
    let mut lab = flow("bolt", 14_590);
    lab.run(1_079);
    assert_eq!(lab.socket.join(1_000_000, 1_079), Turn::Joins);
    let mut lab = flow("bolt", 14_590);
    lab.run(1_080);
    assert!(lab.sent.last().is_some_and(|(_, message)| message.fin));
    assert_eq!(lab.socket.join(1_000_000, 1_080), Turn::After);
    lab.answer(Kind::Nack, 8_120, 1, Message::default());
    assert_eq!(lab.sent.len(), 11, "the second packet is sent again");
    assert_eq!(lab.socket.join(1_000_000, 8_130), Turn::After);
    assert_eq!(lab.socket.join(1, 8_130), Turn::After);
}

#[test]
fn a_flow_begins_with_the_window_of_another() {
    for transport in ["bolt", "swift"] {
        let mut lab = Lab::new(transport, json!({"share_flows": true}));
        lab.socket.begin_with(3_000);
        lab.send(100_000, 0);
        lab.close(0);
        lab.run(7_999);
        // Two packets and a part of one, which counts as one before the first RTT.
        let times: Vec<_> = lab.sent.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [0, 120, 240], "{transport}");
        assert_eq!(lab.window(), 3_000.0);
        assert_eq!(lab.socket.window_bytes(), Some(3_000));
    }
    // A rate goes with the window: half of 100 Gb/s. Packets have 1083 bytes, and 1500.
    for (transport, gaps) in [("hpcc", [173, 346]), ("dctcp", [240, 480])] {
        let mut lab = Lab::new(transport, json!({"share_flows": true}));
        lab.socket.begin_with(50_000);
        lab.send(u64::MAX, 0);
        lab.run(500);
        let times: Vec<_> = lab.sent[..3].iter().map(|(at, _)| *at).collect();
        assert_eq!(times[1..], gaps, "{transport}");
        assert_eq!(lab.window(), 50_000.0);
    }
}

#[test]
fn the_last_acknowledgement_leaves_the_window_as_it_is() {
    let echo = |flags| Message {
        flags,
        fin: true,
        ..Message::default()
    };
    // A message of one packet, which has AI: its window would grow by a packet for each such message.
    let mut lab = flow("bolt", 1_000);
    lab.run(100);
    assert_eq!(lab.sent[0].1.flags & flag::AI, flag::AI);
    let ack = Message {
        kind: Kind::Ack,
        seq: 1_000,
        time_ns: 0,
        ..echo(flag::AI)
    };
    lab.give(ack, 8_000);
    assert!(lab.socket.is_finished());
    assert_eq!(lab.socket.window_bytes(), Some(100_000));
    let mut longer = flow("bolt", 2_918);
    longer.run(200);
    longer.ack(8_000, 1, echo(flag::AI));
    assert_eq!(longer.socket.window_bytes(), Some(101_459));
}
