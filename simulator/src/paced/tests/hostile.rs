// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets that an end cannot have got from its peer or from a router: they are counted, and change nothing.

use super::lab::{config, give, stack, Lab, LOCAL, REMOTE};
use crate::paced::message::{flag, Form, Kind, Message};
use crate::packet::{Flags, OwnSegment, Segment, MAX_HEADER_BYTES};
use crate::transport::{Io, Opening};
use serde_json::json;

fn own(header_bytes: u8, protocol: u8, flags: u16, payload_bytes: u32) -> OwnSegment {
    let mut header = [0; MAX_HEADER_BYTES];
    header[8..10].copy_from_slice(&flags.to_be_bytes());
    OwnSegment {
        source: REMOTE,
        destination: LOCAL,
        protocol,
        header_bytes,
        header,
        payload_bytes,
        ecn: 0,
        dscp: 0,
        hops: 0,
    }
}

#[test]
fn headers_that_are_not_right_are_no_messages() {
    let bolt = |segment: OwnSegment| Message::read_own(Form::Bolt, &segment);
    assert!(bolt(own(21, 196, flag::DATA, 1)).is_some());
    assert!(bolt(own(21, 196, flag::SRC | flag::DEC, 0)).is_some());
    for (why, segment) in [
        ("no kind", own(21, 196, 0, 1)),
        ("two kinds", own(21, 196, flag::DATA | flag::ACK, 1)),
        ("a chopped packet", own(21, 196, flag::CHOP, 0)),
        ("data without any", own(21, 196, flag::DATA, 0)),
        ("an ACK with data", own(21, 196, flag::ACK, 1)),
        ("a signal with data", own(21, 196, flag::SRC, 1)),
        ("another protocol", own(21, 254, flag::DATA, 1)),
        ("another length", own(20, 196, flag::DATA, 1)),
    ] {
        assert_eq!(bolt(segment), None, "{why}");
    }
    assert_eq!(
        Message::read_own(Form::Hpcc, &own(63, 254, flag::SRC, 0)),
        None
    );
    assert_eq!(
        Message::read_own(Form::Tcp, &own(21, 196, flag::DATA, 1)),
        None
    );
    let segment = |flags, payload_bytes| Segment {
        flags,
        payload_bytes,
        ..Segment::default()
    };
    assert_eq!(
        Message::read_segment(Form::Tcp, &segment(Flags::URG, 1)),
        None
    );
    assert_eq!(
        Message::read_segment(Form::Tcp, &segment(Flags::ACK, 1)),
        None
    );
    assert_eq!(
        Message::read_segment(Form::Tcp, &segment(Flags::PSH, 0)),
        None
    );
    assert_eq!(
        Message::read_segment(Form::Bolt, &segment(Flags::PSH, 1)),
        None
    );
}

#[test]
fn only_data_opens_a_connection() {
    let opening = Opening {
        local: LOCAL,
        remote: REMOTE,
        first_number: 1,
    };
    let bolt = || stack(config("bolt", json!({}))).expect("the settings are right");
    for flags in [flag::ACK, flag::NACK, flag::SRC | flag::DEC, 0] {
        let mut io = Io::default();
        let end = bolt().accept_own(opening, &own(21, 196, flags, 0), 5, &mut io);
        assert!(end.is_none() && io.own_segments.is_empty() && io.events.is_empty());
    }
    assert!(bolt()
        .accept(opening, &Segment::default(), 5, &mut Io::default())
        .is_none());
    let mut io = Io::default();
    assert!(bolt()
        .accept_own(opening, &own(21, 196, flag::DATA, 9), 5, &mut io)
        .is_some());
    assert_eq!(io.own_segments.len(), 1);
}

#[test]
fn signals_that_fit_nothing_in_flight_are_refused() {
    let signal = Message {
        kind: Kind::Signal,
        seq: 40 * 1459,
        time_ns: 8_000,
        queue_bytes: 6_000,
        flags: flag::DEC | 1 << 14,
        ..Message::default()
    };
    for (why, message) in [
        ("it is acknowledged", Message { seq: 0, ..signal }),
        (
            "it is not sent yet",
            Message {
                seq: 400 * 1459,
                ..signal
            },
        ),
        (
            "it is from the future",
            Message {
                time_ns: 8_600,
                ..signal
            },
        ),
        (
            "it is from before the beginning",
            Message {
                time_ns: u32::MAX - 9,
                ..signal
            },
        ),
        (
            "it names no rate",
            Message {
                flags: flag::DEC,
                ..signal
            },
        ),
        (
            "it names two",
            Message {
                flags: flag::DEC | 3 << 13,
                ..signal
            },
        ),
    ] {
        let mut lab = Lab::started("bolt", json!({}));
        lab.give(message, 8_500);
        let counters = lab.counters();
        assert_eq!(
            (counters.signals_received, counters.signals_refused),
            (1, 1),
            "{why}"
        );
        assert_eq!(lab.window(), 100_000.0, "{why}");
    }
    let mut lab = Lab::started("bolt", json!({}));
    lab.give(
        Message {
            queue_bytes: u32::MAX,
            time_ns: 8_500,
            ..signal
        },
        8_500,
    );
    assert_eq!(
        lab.window(),
        98_541.0,
        "one segment for one signal, however long the queue"
    );
}

#[test]
fn acknowledgements_of_the_future_are_refused() {
    for transport in ["bolt", "swift", "hpcc", "dctcp"] {
        let mut lab = Lab::started(transport, json!({}));
        let (window, flight) = (lab.window(), lab.socket.flight_bytes());
        for kind in [Kind::Ack, Kind::Nack] {
            // The first is about what is not sent, the other echoes a time that has not come.
            lab.answer(kind, 8_100, 1_000, Message::default());
            lab.give(
                Message {
                    kind,
                    seq: 3_000,
                    time_ns: 9_000,
                    ..Message::default()
                },
                8_200,
            );
        }
        assert_eq!(lab.counters().signals_refused, 4, "{transport}");
        assert_eq!((lab.window(), lab.socket.srtt_ns()), (window, Some(8_000)));
        assert!(lab.socket.flight_bytes() >= flight);
        let mut idle = Lab::new(transport, json!({}));
        idle.answer(Kind::Nack, 9_000, 0, Message::default());
        assert_eq!((idle.counters().signals_refused, idle.sent.len()), (1, 0));
    }
}

#[test]
fn an_old_acknowledgement_acknowledges_nothing() {
    let mut lab = Lab::started("bolt", json!({}));
    lab.ack(8_120, 5, Message::default());
    lab.answer(Kind::Nack, 8_240, 2, Message::default());
    assert_eq!(lab.counters().acked_bytes, 5 * 1459);
    assert_eq!(lab.counters().fast_retransmits, 0);
    assert_eq!(lab.counters().duplicate_acks_received, 1);
}

#[test]
fn an_end_of_one_header_does_not_hear_the_other() {
    let mut lab = Lab::new("swift", json!({}));
    let mut io = Io::default();
    let data = Message {
        payload_bytes: 10,
        ..Message::default()
    };
    give(&mut *lab.socket, Form::Bolt, &data, 5, &mut io);
    assert_eq!(lab.counters().signals_refused, 1);
    let mut lab = Lab::new("bolt", json!({}));
    give(&mut *lab.socket, Form::Tcp, &data, 5, &mut io);
    assert_eq!(lab.counters().signals_refused, 1);
    assert!(io.segments.is_empty() && io.own_segments.is_empty());
}
