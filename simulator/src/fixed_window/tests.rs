// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end at a time: what it sends for what it gets.

use super::*;
use crate::packet::Endpoint;
use crate::time::NS_PER_S;

const SETTINGS: &str = r#"{"window_pkts": 4, "segment_bytes": 100, "timeout_s": 1}"#;

fn transport(json: &str) -> Result<FixedWindow, String> {
    let config = serde_json::from_str(json).map_err(|error| error.to_string())?;
    FixedWindow::new(&config).map_err(|error| error.to_string())
}

/// The opener's end, and its output so far.
fn opened() -> (Box<dyn Socket>, Io) {
    let end = |address| Endpoint { address, port: 5 };
    let opening = Opening {
        local: end(1),
        remote: end(2),
        first_number: 77,
    };
    let mut io = Io::default();
    let transport = Arc::new(transport(SETTINGS).expect("they are right"));
    (transport.open(opening, 0, &mut io), io)
}

/// Positions and sizes of the segments that were sent since the last call.
fn sent(io: &mut Io) -> Vec<(u32, u32)> {
    let segments = io.segments.drain(..);
    segments
        .map(|segment| (segment.seq, segment.payload_bytes))
        .collect()
}

fn segment(seq: u32, payload_bytes: u32, ack: u32) -> Segment {
    Segment {
        seq,
        ack,
        payload_bytes,
        ..Segment::default()
    }
}

#[test]
fn the_window_is_kept_and_moves_with_acknowledgements() {
    let (mut end, mut io) = opened();
    end.send(u64::MAX, 0, &mut io);
    assert_eq!(
        sent(&mut io),
        [(0, 100), (100, 100), (200, 100), (300, 100)]
    );
    end.on_segment(&segment(0, 0, 200), 5, &mut io);
    assert_eq!(sent(&mut io), [(400, 100), (500, 100)]);
    assert_eq!((end.flight_bytes(), end.cwnd_pkts()), (400, 4.0));
    for of_nothing_in_flight in [200, 100, 700] {
        end.on_segment(&segment(0, 0, of_nothing_in_flight), 6, &mut io);
        assert_eq!(sent(&mut io), []);
    }
}

#[test]
fn after_the_timeout_everything_in_flight_is_sent_again() {
    let (mut end, mut io) = opened();
    end.send(250, 0, &mut io);
    sent(&mut io);
    end.on_segment(&segment(0, 0, 100), 7, &mut io);
    assert_eq!(end.timer_ns(), Some(NS_PER_S + 7));
    end.on_timer(NS_PER_S, &mut io);
    assert_eq!(sent(&mut io), [], "it is not due");
    end.on_timer(NS_PER_S + 7, &mut io);
    assert_eq!(sent(&mut io), [(100, 100), (200, 50)]);
    assert_eq!(end.timer_ns(), Some(2 * NS_PER_S + 7));
    let counters = end.counters();
    assert_eq!((counters.timeouts, counters.retransmitted_pkts), (1, 2));
}

#[test]
fn only_the_segment_that_is_next_is_taken() {
    let (mut end, mut io) = opened();
    io.clear();
    for (seq, acked) in [(100, 0), (0, 100), (0, 100), (100, 200)] {
        end.on_segment(&segment(seq, 100, 0), 0, &mut io);
        let ack = io.segments.pop().expect("each segment is answered");
        assert_eq!((ack.ack, ack.payload_bytes), (acked, 0));
    }
    assert_eq!(io.events, [ConnectionEvent::Received { bytes: 100 }; 2]);
    assert_eq!(end.counters().duplicate_pkts_received, 2);
}

#[test]
fn an_end_that_has_closed_is_finished_with_its_last_acknowledgement() {
    let (mut end, mut io) = opened();
    end.send(50, 0, &mut io);
    end.close(0, &mut io);
    assert!(!end.is_finished());
    end.on_segment(&segment(0, 0, 50), 9, &mut io);
    assert!(end.is_finished());
    let events = [
        ConnectionEvent::Established,
        ConnectionEvent::Acked { bytes: 50 },
        ConnectionEvent::Closed,
    ];
    assert_eq!((io.events.as_slice(), end.timer_ns()), (&events[..], None));
}

#[test]
fn a_wrong_setting_gets_an_error_of_one_line() {
    for (json, expected) in [
        ("{}", "missing field `window_pkts`"),
        (r#"{"window_pkts": 4, "ecn": 1}"#, "unknown field `ecn`"),
        (
            r#"{"window_pkts": 0, "segment_bytes": 100, "timeout_s": 1}"#,
            "window_pkts: must be from 1 to 65536, not 0",
        ),
        (
            r#"{"window_pkts": 4, "segment_bytes": 100, "timeout_s": 0}"#,
            "timeout_s: must be a time from 1e-9 to 3600 seconds, not 0",
        ),
    ] {
        let problem = transport(json).expect_err(json);
        assert!(problem.starts_with(expected), "{problem}");
    }
}
