// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The signals that a sender hears, and those that it does not.

use super::lab::{Lab, LOCAL, REMOTE};
use crate::packet::{Refusal, Verdict};
use serde_json::json;

/// The rate 4.001 us after a first notification: 1 - (255/256)^4 / 2 of it.
const CUT_GBPS: f64 = 50.7767;

fn is_near(rate_gbps: f64, expected: f64) -> bool {
    (rate_gbps - expected).abs() < 1e-3
}

#[test]
fn the_receivers_notification_cuts_at_the_next_tick() {
    let mut lab = Lab::started(json!({}));
    lab.cnp(8_000);
    lab.run(12_000);
    assert_eq!(lab.rate_gbps(), 100.0);
    lab.run(12_200);
    assert!(is_near(lab.rate_gbps(), CUT_GBPS), "{}", lab.rate_gbps());
    let counters = lab.counters();
    assert_eq!((counters.cnps_received, counters.reactions_ece), (1, 1));
}

#[test]
fn a_flood_of_notifications_cuts_once_a_tick() {
    let mut lab = Lab::started(json!({}));
    for now in 8_000..12_000 {
        lab.cnp(now);
    }
    lab.run(12_200);
    assert!(lab.rate_gbps() >= 50.0 - 1e-6, "{}", lab.rate_gbps());
    let counters = lab.counters();
    assert_eq!(counters.cnps_received, 4_000);
    assert_eq!(
        (counters.reactions_ece, counters.suppressed_ece),
        (1, 3_999)
    );
}

#[test]
fn a_switchs_notification_is_as_good_as_the_receivers_by_default() {
    let mut lab = Lab::started(json!({}));
    lab.switch_cnp(8_000);
    lab.run(12_200);
    assert!(is_near(lab.rate_gbps(), CUT_GBPS));
    let counters = lab.counters();
    assert_eq!(
        (counters.signals_received, counters.reactions_signal),
        (1, 1)
    );
    assert_eq!(counters.reactions_ece, 0);
}

#[test]
fn who_is_not_heard_changes_nothing() {
    let mut deaf = Lab::started(json!({"switch_signals": "ignore"}));
    deaf.switch_cnp(8_000);
    assert_eq!(
        deaf.quench(8_000, LOCAL, true),
        Verdict::Refused(Refusal::NotListening)
    );
    deaf.run(12_200);
    assert_eq!(deaf.rate_gbps(), 100.0);
    assert_eq!(deaf.counters().signals_received, 1);
    let mut switches_only = Lab::started(json!({"receiver_cnps": false}));
    switches_only.cnp(8_000);
    switches_only.run(12_200);
    assert_eq!(switches_only.rate_gbps(), 100.0);
    switches_only.switch_cnp(12_300);
    switches_only.run(16_400);
    assert!(is_near(switches_only.rate_gbps(), CUT_GBPS));
    let mut stubborn = Lab::started(json!({"reacts": false}));
    stubborn.cnp(8_000);
    stubborn.switch_cnp(8_000);
    assert_eq!(stubborn.quench(8_000, LOCAL, true), Verdict::AcceptedMarked);
    stubborn.run(20_000);
    assert_eq!(stubborn.rate_gbps(), 100.0);
    let counters = stubborn.counters();
    assert_eq!((counters.cnps_received, counters.signals_received), (1, 1));
    assert_eq!((counters.suppressed_ece, counters.suppressed_isq), (1, 1));
}

#[test]
fn a_cut_by_a_share_comes_at_once_and_once_per_round_trip() {
    let mut lab = Lab::started(json!({"switch_signals": "cut", "cut_share": 0.25}));
    // The first packet's ACK says that the round trip is 8 us.
    lab.ack(8_000, 1);
    lab.switch_cnp(8_100);
    assert!(is_near(lab.rate_gbps(), 75.0));
    lab.switch_cnp(8_200);
    lab.switch_cnp(16_099);
    assert!(is_near(lab.rate_gbps(), 75.0));
    lab.switch_cnp(16_100);
    assert!(is_near(lab.rate_gbps(), 56.25));
    assert_eq!(lab.counters().reactions_signal, 2);
    // It returns as DCQCN does: half the way to the target, which the first cut left at the full rate.
    lab.run(316_300);
    assert!(is_near(lab.rate_gbps(), 78.125), "{}", lab.rate_gbps());
}

#[test]
fn quenches_are_signals_of_switches() {
    let mut lab = Lab::started(json!({"ip": 4, "switch_signals": "cut"}));
    assert_eq!(lab.quench(8_500, LOCAL, true), Verdict::AcceptedMarked);
    assert!(is_near(lab.rate_gbps(), 50.0));
    assert_eq!(lab.quench(8_600, LOCAL, false), Verdict::AcceptedDropped);
    assert_eq!(lab.quench(16_500, LOCAL, false), Verdict::AcceptedDropped);
    assert!(is_near(lab.rate_gbps(), 25.0));
    let counters = lab.counters();
    assert_eq!(
        (
            counters.reactions_isq_marked,
            counters.reactions_isq_dropped
        ),
        (1, 1)
    );
    assert_eq!(
        (counters.suppressed_isq, counters.quench.isq_received),
        (1, 3)
    );
    let mut lab = Lab::started(json!({"ip": 4}));
    lab.quench(8_500, LOCAL, true);
    lab.run(12_700);
    assert!(is_near(lab.rate_gbps(), CUT_GBPS));
}

#[test]
fn a_quench_of_another_flow_or_of_nothing_in_flight_is_refused() {
    let mut lab = Lab::started(json!({"ip": 4}));
    let refused = lab.quench(8_500, REMOTE, true);
    assert_eq!(refused, Verdict::Refused(Refusal::NoSocket));
    let mut idle = Lab::new(json!({"ip": 4}));
    let refused = idle.quench(8_500, LOCAL, true);
    assert_eq!(refused, Verdict::Refused(Refusal::NotInFlight));
}
