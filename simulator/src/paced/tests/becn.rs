// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The three rules for a source quench, by hand: a window of 100000 bytes at first, an RTT of 8 us.

use super::lab::{Lab, LOCAL, REMOTE};
use crate::paced::message::{Kind, Message};
use crate::packet::{Advice, Carrier, Quote, Refusal, SourceQuench, Verdict};
use serde_json::json;

#[test]
fn an_ack_adds_its_share_of_a_segment_per_round_trip() {
    let mut lab = Lab::started(
        "becn",
        json!({"rule": "halve", "initial_window_bytes": 14_600}),
    );
    assert_eq!(lab.window(), 14_746.0);
    lab.ack(8_120, 2, Message::default());
    assert_eq!(
        lab.window(),
        f64::floor(14_746.0 + 1460.0 / (14_746.0 / 1460.0))
    );
    let mut still = Lab::started("becn", json!({"rule": "halve", "increase_pkts": 0}));
    still.ack(8_120, 2, Message::default());
    assert_eq!(still.window(), 100_000.0);
}

#[test]
fn halving_is_once_per_round_trip() {
    let mut lab = Lab::new("becn", json!({"rule": "halve", "increase_pkts": 0}));
    lab.send(u64::MAX, 0);
    assert_eq!(lab.quench(500, 0, true, 1), Verdict::AcceptedMarked);
    assert_eq!(lab.window(), 50_000.0, "the first counts at once");
    lab.quench(8_499, 1, true, 127);
    assert_eq!(lab.window(), 50_000.0);
    lab.quench(8_500, 1, true, 0);
    assert_eq!(lab.window(), 25_000.0);
    let counters = lab.counters();
    assert_eq!(
        (counters.reactions_isq_marked, counters.suppressed_isq),
        (2, 1)
    );
}

#[test]
fn the_level_says_how_much_is_cut() {
    for (level, window) in [(127, 50_000.0), (63, 75_000.0), (0, 99_609.0)] {
        let mut lab = Lab::started("becn", json!({"rule": "level", "increase_pkts": 0}));
        lab.quench(8_500, 3, true, level);
        assert_eq!(lab.window(), window, "{level}");
        lab.quench(8_600, 4, true, 127);
        assert_eq!(lab.window(), window, "once per round trip");
    }
}

#[test]
fn the_queue_takes_segments_as_bolt_does() {
    let changes = json!({"rule": "queue", "increase_pkts": 0, "level_bytes": 1500});
    let mut lab = Lab::started("becn", changes.clone());
    // Packet 37 left at 37 * 120 = 4440 ns, so it was sent 4000 ns ago. Level 4 is 6000 bytes, or 4 packets; the share is
    // 1: a cut each 1000 ns.
    lab.quench(8_440, 37, true, 4);
    assert_eq!(lab.window(), 98_540.0);
    lab.quench(8_441, 37, true, 4);
    assert_eq!((lab.window(), lab.counters().suppressed_isq), (98_540.0, 1));
    // Packet 60 left at 7200 ns. Share 0.9854, level 127: 2254 / 127 / 0.9854 = 18 ns.
    lab.quench(9_454, 60, true, 127);
    assert_eq!(lab.window(), 97_080.0);
    lab.quench(9_460, 61, true, 0);
    assert_eq!(lab.window(), 97_080.0, "an empty queue asks for nothing");
    let mut slow = changes;
    slow["link_rate_bps"] = json!(400e9);
    let mut lab = Lab::started("becn", slow);
    lab.quench(8_440, 37, true, 1);
    // 4000 / (1 * 0.25) is 16000 ns.
    assert_eq!(lab.window(), 100_000.0);
}

#[test]
fn a_small_window_is_halved_by_each_quench_of_the_queue() {
    let mut lab = Lab::new(
        "becn",
        json!({"rule": "queue", "level_bytes": 1500, "initial_window_bytes": 1460}),
    );
    lab.send(u64::MAX, 0);
    lab.quench(100, 0, true, 1);
    lab.quench(101, 0, true, 1);
    assert_eq!(lab.window(), 365.0);
}

#[test]
fn a_packet_that_was_sent_again_counts_from_then() {
    let mut lab = Lab::started(
        "becn",
        json!({"rule": "queue", "increase_pkts": 0, "level_bytes": 1500}),
    );
    lab.answer(Kind::Nack, 8_240, 1, Message::default());
    assert_eq!(lab.window(), 50_000.0);
    // It left again at 8240 ns: 100 / (1 * 0.5) is 200 ns; from its first time, 120 ns, it would be 16 us.
    lab.quench(8_340, 1, true, 1);
    assert_eq!(lab.window(), 50_000.0);
    lab.quench(8_740, 1, true, 1);
    assert_eq!(
        lab.window(),
        50_000.0,
        "500 / (1 * 0.5) is 1000 ns, 500 have passed"
    );
    lab.quench(8_745, 1, true, 3);
    assert_eq!(lab.window(), 48_540.0, "505 / (3 * 0.5) is 336 ns");
}

#[test]
fn a_quench_of_a_dropped_packet_halves_by_every_rule() {
    for rule in ["halve", "level", "queue"] {
        let mut changes = json!({"rule": rule, "increase_pkts": 0});
        if rule == "queue" {
            changes["level_bytes"] = json!(1500);
        }
        let mut lab = Lab::started("becn", changes);
        assert_eq!(lab.quench(8_500, 3, false, 1), Verdict::AcceptedDropped);
        assert_eq!(lab.window(), 50_000.0, "{rule}");
        assert_eq!(lab.counters().reactions_isq_dropped, 1);
    }
}

#[test]
fn a_quench_of_another_flow_or_of_nothing_in_flight_is_refused() {
    let mut lab = Lab::started("becn", json!({"rule": "halve", "increase_pkts": 0}));
    let refused = |refusal| Verdict::Refused(refusal);
    for pkt in [0, 200] {
        assert_eq!(
            lab.quench(8_500, pkt, true, 1),
            refused(Refusal::NotInFlight),
            "{pkt}"
        );
    }
    let other = SourceQuench {
        destination: LOCAL.address,
        marked: true,
        level: 1,
        advice: Advice::None,
        quote: Ok(Quote {
            source: REMOTE,
            destination: LOCAL,
            carrier: Carrier::Tcp,
            seq: 2 * 1460,
        }),
    };
    assert_eq!(
        lab.socket.on_source_quench(&other, 8_600),
        refused(Refusal::NoSocket)
    );
    assert_eq!(lab.window(), 100_000.0);
    let mut deaf = Lab::started("swift", json!({}));
    let window = deaf.window();
    assert_eq!(
        deaf.quench(8_500, 3, true, 1),
        refused(Refusal::NotListening)
    );
    assert_eq!(deaf.window(), window);
}
