// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The advice of switches: reductions and pauses.

use super::lab::{Lab, LOCAL};
use crate::packet::{Advice, Verdict};
use crate::time::Ns;
use serde_json::{json, Value};

fn obedient(mut changes: Value) -> Lab {
    changes["switch_signals"] = json!("advice");
    Lab::started(changes)
}

fn is_near(rate_gbps: f64, expected: f64) -> bool {
    (rate_gbps - expected).abs() < 1e-3
}

/// The first packet with data that leaves after a time.
fn first_after(lab: &Lab, time: Ns) -> Option<Ns> {
    let mut times = lab.data_from(0).into_iter().map(|(at, _)| at);
    times.find(|&at| at > time)
}

#[test]
fn a_reduction_comes_at_once_and_once_per_decrease_interval() {
    let mut lab = obedient(json!({}));
    lab.advise(8_000, Advice::Reduce(30));
    assert!(is_near(lab.rate_gbps(), 70.0));
    lab.advise(11_999, Advice::Reduce(30));
    assert!(is_near(lab.rate_gbps(), 70.0));
    lab.advise(12_000, Advice::Reduce(10));
    assert!(is_near(lab.rate_gbps(), 63.0));
    assert_eq!(lab.counters().reactions_signal, 2);
    lab.advise(16_000, Advice::Reduce(100));
    assert!(is_near(lab.rate_gbps(), 1.0), "the least rate");
    lab.cnp(20_000);
    lab.run(30_000);
    assert_eq!(lab.counters().reactions_ece, 1, "it obeys its receiver");
}

#[test]
fn a_signal_without_advice_is_as_good_as_the_receivers() {
    let mut lab = obedient(json!({}));
    lab.switch_cnp(8_000);
    assert_eq!(lab.rate_gbps(), 100.0);
    lab.run(12_200);
    assert!(is_near(lab.rate_gbps(), 50.7767), "{}", lab.rate_gbps());
    assert_eq!(lab.counters().reactions_signal, 1);
}

#[test]
fn nothing_leaves_in_a_pause_and_the_rate_stays() {
    let mut lab = obedient(json!({}));
    lab.advise(8_000, Advice::Pause(50));
    lab.run(200_000);
    assert_eq!(first_after(&lab, 8_000), Some(58_000));
    assert_eq!(lab.rate_gbps(), 100.0);
    assert_eq!(lab.counters().reactions_signal, 1);
}

#[test]
fn another_pause_lengthens_the_first_and_never_shortens_it() {
    let mut lab = obedient(json!({}));
    lab.advise(8_000, Advice::Pause(50));
    lab.advise(9_000, Advice::Pause(10));
    assert_eq!(lab.socket.timer_ns(), Some(58_000));
    lab.advise(10_000, Advice::Pause(100));
    lab.run(200_000);
    assert_eq!(first_after(&lab, 8_000), Some(110_000));
    assert_eq!(lab.counters().reactions_signal, 2);
}

#[test]
fn the_rates_timers_run_on_in_a_pause() {
    let mut lab = obedient(json!({}));
    lab.advise(8_000, Advice::Reduce(30));
    lab.advise(9_000, Advice::Pause(0x7fff));
    assert!(is_near(lab.rate_gbps(), 70.0));
    lab.cnp(400_000);
    assert!(is_near(lab.rate_gbps(), 85.0), "half the way back");
    lab.run(40_000_000);
    assert_eq!(first_after(&lab, 9_000), Some(32_776_000));
}

#[test]
fn acks_open_no_window_and_nothing_is_sent_again_in_a_pause() {
    let mut lab = obedient(json!({"window": "fixed", "window_bytes": 5_000, "timeout_s": 1e-4}));
    assert_eq!(lab.sent.len(), 5);
    lab.advise(8_000, Advice::Pause(1_000));
    lab.ack(8_100, 1);
    lab.nak(8_200, 2);
    lab.run(1_007_999);
    assert_eq!((lab.sent.len(), lab.counters().timeouts), (5, 0));
    lab.run(1_008_500);
    let numbers: Vec<_> = lab.data_from(5).iter().map(|(_, data)| data.0).collect();
    assert_eq!(numbers, [2, 3, 4, 5, 6]);
    assert_eq!(lab.data_from(5)[0].0, 1_008_000);
    assert_eq!(lab.counters().timeouts, 1);
}

#[test]
fn quenches_carry_advice_over_ipv4() {
    let mut lab = obedient(json!({"ip": 4}));
    let verdict = lab.quench_with(8_000, LOCAL, true, Advice::Reduce(25));
    assert_eq!(verdict, Verdict::AcceptedMarked);
    assert!(is_near(lab.rate_gbps(), 75.0));
    lab.quench_with(8_100, LOCAL, false, Advice::Pause(20));
    lab.quench_with(8_200, LOCAL, false, Advice::Pause(10));
    lab.run(50_000);
    assert_eq!(first_after(&lab, 8_200), Some(28_100));
    let counters = lab.counters();
    assert_eq!(
        (
            counters.reactions_isq_marked,
            counters.reactions_isq_dropped,
            counters.suppressed_isq
        ),
        (1, 1, 1)
    );
}

#[test]
fn who_does_not_ask_for_advice_gets_none() {
    for signals in ["ignore", "dcqcn", "cut"] {
        let mut lab = Lab::started(json!({"switch_signals": signals}));
        lab.advise(8_000, Advice::Pause(50));
        lab.run(20_000);
        assert!(first_after(&lab, 8_200) < Some(9_000), "{signals}");
    }
    let mut stubborn = obedient(json!({"reacts": false}));
    stubborn.advise(8_000, Advice::Pause(50));
    stubborn.advise(8_000, Advice::Reduce(50));
    stubborn.run(20_000);
    assert!(first_after(&stubborn, 8_200) < Some(9_000));
    assert_eq!(stubborn.rate_gbps(), 100.0);
}
