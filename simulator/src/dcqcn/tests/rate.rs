// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The rate machine beside values that were worked out by hand from the rules of HPCC's ns-3 code and of the paper.

use proptest::prelude::*;

use crate::dcqcn::presets::Preset;
use crate::dcqcn::rate::{Cause, RateMachine, Rules};
use crate::dcqcn::tests::lab;
use crate::time::Ns;
use serde_json::json;

const US: Ns = 1000;
const G: u64 = 1_000_000_000;

/// The rules of a preset at this rate.
fn rules(preset: &str, rate_bps: f64) -> Rules {
    let config = lab::config(json!({"preset": preset, "rate_bps": rate_bps}));
    let config: crate::dcqcn::DcqcnConfig = serde_json::from_value(config).expect("right fields");
    config.checked().expect("the settings are right").rules
}

fn machine(preset: &str, rate_bps: f64) -> RateMachine {
    RateMachine::new(&rules(preset, rate_bps))
}

/// The rate at a time, in bits per second.
fn at(machine: &mut RateMachine, now: Ns) -> u64 {
    machine.advance(now);
    machine.rate_bps()
}

/// A notification each microsecond, half of one after the tick, from a time on.
fn marked(machine: &mut RateMachine, from: Ns, to: Ns) {
    for now in (from..to).step_by(US as usize) {
        machine.on_cnp(now, Cause::Receiver);
    }
}

#[test]
fn marks_without_end_halve_the_rate_each_tick_down_to_the_floor() {
    let mut machine = machine("hpcc-ns3", 100e9);
    machine.on_cnp(0, Cause::Receiver);
    marked(&mut machine, US / 2, 28 * US);
    // A cut each 4 us and 1 ns, of a half, for alpha stays 1.
    assert_eq!(machine.take_reactions().count(), 6);
    assert_eq!(machine.rate_bps(), 1_562_500_000);
    assert_eq!(at(&mut machine, 28 * US + 1), G);
    assert_eq!((machine.target_bps(), machine.alpha()), (100 * G, 1.0));
    // The first increase, 300 us after the last cut, goes half the way to the target, which is the full rate still.
    let increases = [
        50_500_000_000,
        75_250_000_000,
        87_625_000_000,
        93_812_500_000,
        96_906_250_000,
        98_453_125_000,
        99_226_562_500,
    ];
    for (number, rate_bps) in (1..).zip(increases) {
        let due = 28 * US + 1 + number * 300 * US;
        let before = machine.rate_bps();
        assert_eq!(at(&mut machine, due - 1), before);
        assert_eq!(at(&mut machine, due), rate_bps);
    }
}

#[test]
fn the_first_notification_changes_nothing_before_the_first_tick() {
    let mut machine = machine("hpcc-ns3", 25e9);
    machine.on_cnp(1_000, Cause::Receiver);
    assert_eq!(at(&mut machine, 5_000), 25 * G);
    // Four ticks without a notification: alpha is (255/256)^4, and the cut leaves 1 - alpha / 2.
    let alpha = (255.0f64 / 256.0).powi(4);
    let rate_bps = at(&mut machine, 5_001);
    assert!((machine.alpha() - alpha).abs() < 1e-15 && (alpha - 0.984_466).abs() < 1e-6);
    assert_eq!(rate_bps, (25e9 * (1.0 - alpha / 2.0)) as u64);
    assert_eq!(rate_bps / 1_000_000, 12_694, "0.508 of 25 Gb/s");
    // Then half of the gap is left each 300 us.
    let gap = 25 * G - rate_bps;
    for number in 1..6 {
        let left = 25 * G - at(&mut machine, 5_001 + number * 300 * US);
        assert!(left.abs_diff(gap >> number) <= 2, "{number}: {left}");
    }
}

#[test]
fn alpha_fades_with_the_ticks() {
    let mut machine = machine("hpcc-ns3", 100e9);
    machine.on_cnp(0, Cause::Receiver);
    for (us, alpha) in [
        (1, 0.996_094),
        (4, 0.984_466),
        (177, 0.500_2),
        (300, 0.309_1),
    ] {
        machine.advance(us * US);
        assert!((machine.alpha() - alpha).abs() < 1e-4, "{us}");
    }
    // The notification counts at the next tick, once however many there are.
    let before = machine.alpha();
    for now in [300_100, 300_200, 300_900] {
        machine.on_cnp(now, Cause::Receiver);
    }
    assert_eq!(machine.alpha(), before);
    machine.advance(301 * US);
    let expected = before * 255.0 / 256.0 + 1.0 / 256.0;
    assert!((machine.alpha() - expected).abs() < 1e-15);
    machine.advance(303 * US);
    let expected = expected * (255.0f64 / 256.0).powi(2);
    assert!((machine.alpha() - expected).abs() < 1e-15);
}

#[test]
fn consecutive_cuts_keep_the_target_and_one_after_an_increase_lowers_it() {
    let mut machine = machine("hpcc-ns3", 100e9);
    machine.on_cnp(0, Cause::Receiver);
    marked(&mut machine, US / 2, 8 * US);
    let low = at(&mut machine, 8 * US + 1);
    assert_eq!((low, machine.target_bps()), (25 * G, 100 * G));
    // Fast recovery, then additive increase: 20 Mb/s, but the target is the full rate already.
    assert_eq!(at(&mut machine, 308 * US + 1), 62_500_000_000);
    assert_eq!(at(&mut machine, 608 * US + 1), 81_250_000_000);
    machine.on_cnp(610 * US, Cause::Receiver);
    let after = at(&mut machine, 612 * US + 1);
    assert_eq!(machine.target_bps(), 81_250_000_000);
    // Alpha has faded for 602 ticks: 0.095.
    assert!((77 * G..78 * G).contains(&after), "{after}");
    // It returns to that target, not to the full rate: recovery, 20 Mb/s, and from then on 200 Mb/s each time.
    at(&mut machine, 912 * US + 1);
    assert_eq!(machine.target_bps(), 81_250_000_000);
    at(&mut machine, 1212 * US + 1);
    assert_eq!(machine.target_bps(), 81_270_000_000);
    at(&mut machine, 1812 * US + 1);
    assert_eq!(machine.target_bps(), 81_670_000_000);
}

#[test]
fn an_increase_that_is_due_with_a_cut_comes_first() {
    let mut machine = machine("hpcc-ns3", 100e9);
    machine.on_cnp(0, Cause::Receiver);
    let cut = at(&mut machine, 4 * US + 1);
    // Both are due at 304.001 us.
    machine.on_cnp(303 * US, Cause::Receiver);
    at(&mut machine, 304 * US + 1);
    assert_eq!(machine.target_bps(), cut / 2 + 50 * G);
    let expected = machine.target_bps() as f64 * (1.0 - machine.alpha() / 2.0);
    assert_eq!(machine.rate_bps(), expected as u64);
}

#[test]
fn slow_timers_cut_the_first_time_after_their_tick() {
    let mut machine = machine("hpcc-ns3-paper", 100e9);
    machine.on_cnp(0, Cause::Receiver);
    assert_eq!(at(&mut machine, 50 * US), 100 * G);
    let alpha: f64 = 255.0 / 256.0;
    let cut = (100e9 * (1.0 - alpha / 2.0)) as u64;
    assert_eq!(at(&mut machine, 50 * US + 1), cut);
    assert_eq!(at(&mut machine, 105 * US + 1), cut / 2 + 50 * G);
}

#[test]
fn the_papers_algorithm_cuts_at_once_and_recovers_in_five_steps() {
    let mut machine = machine("paper", 40e9);
    assert!(machine.on_cnp(7 * US, Cause::Receiver));
    assert_eq!((machine.rate_bps(), machine.target_bps()), (20 * G, 40 * G));
    assert!(!machine.on_cnp(56 * US, Cause::Receiver), "within 50 us");
    assert_eq!(machine.rate_bps(), 20 * G);
    // Alpha is 1 still: it was cut first, and then averaged.
    assert!(machine.on_cnp(57 * US, Cause::Receiver));
    assert_eq!((machine.rate_bps(), machine.target_bps()), (10 * G, 20 * G));
    let steps = [
        15 * G,
        17_500_000_000,
        18_750_000_000,
        19_375_000_000,
        19_687_500_000,
    ];
    for (number, rate_bps) in (1..).zip(steps) {
        assert_eq!(at(&mut machine, (57 + 55 * number) * US), rate_bps);
        assert_eq!(machine.target_bps(), 20 * G);
    }
    // The timer alone adds 40 Mb/s at a time: the byte counter is not beyond fast recovery.
    for number in 1..5u64 {
        at(&mut machine, (57 + 55 * (5 + number)) * US);
        assert_eq!(machine.target_bps(), 20 * G + number * 40_000_000);
    }
    // Alpha fades by its own timer, which the notification has set anew.
    assert!((machine.alpha() - (255.0f64 / 256.0).powi(9)).abs() < 1e-15);
}

#[test]
fn bytes_raise_the_rate_as_time_does_and_both_make_it_hyper() {
    let mut machine = machine("vendor", 100e9);
    machine.on_sent(u32::MAX);
    machine.on_cnp(0, Cause::Receiver);
    let cut = at(&mut machine, 4 * US + 1);
    machine.on_sent(2_097_087);
    assert_eq!(
        machine.rate_bps(),
        cut,
        "what was sent before counts nothing"
    );
    machine.on_sent(1);
    assert_eq!(machine.rate_bps(), cut / 2 + 50 * G);
    machine.on_cnp(5 * US, Cause::Receiver);
    at(&mut machine, 8 * US + 1);
    let target = machine.target_bps();
    assert_eq!(target, cut / 2 + 50 * G, "the bytes had raised the rate");
    // 4 MB and 300 us: recovery and 5 Mb/s by bytes, 5 Mb/s by time.
    machine.on_sent(2 * 2_097_088);
    assert_eq!(machine.target_bps(), target + 5_000_000);
    at(&mut machine, 308 * US + 1);
    assert_eq!(machine.target_bps(), target + 10_000_000);
    // Bytes are at stage 2 and time is at 1; time is beyond it only after the next.
    at(&mut machine, 608 * US + 1);
    assert_eq!(machine.target_bps(), target + 15_000_000);
    at(&mut machine, 908 * US + 1);
    assert_eq!(machine.target_bps(), target + 65_000_000);
}

#[test]
fn causes_are_told_with_their_reactions() {
    let mut machine = machine("hpcc-ns3", 100e9);
    assert!(machine.on_cnp(0, Cause::Switch));
    assert!(
        !machine.on_cnp(1, Cause::Receiver),
        "the cut is due already"
    );
    machine.advance(8 * US);
    assert!(!machine.cut_by(9 * US, 0.25, 5 * US, Cause::Switch));
    assert!(machine.cut_by(9 * US, 0.25, 4 * US, Cause::QuenchOfDropped));
    assert!(machine.pause(20 * US, Cause::QuenchOfMarked));
    assert!(
        !machine.pause(19 * US, Cause::Switch),
        "it is as long already"
    );
    assert_eq!(machine.paused_until(), 20 * US);
    let reactions: Vec<_> = machine.take_reactions().collect();
    let expected = [Cause::Switch, Cause::QuenchOfDropped, Cause::QuenchOfMarked];
    assert_eq!(reactions, expected);
    assert_eq!(machine.take_reactions().count(), 0);
}

#[test]
fn presets_have_the_values_of_their_sources() {
    let of = |preset: &str| {
        let rules = rules(preset, 100e9);
        let times = [rules.alpha_ns, rules.decrease_ns, rules.increase_ns].map(|time| time / US);
        (
            times,
            [rules.increase_bps, rules.hyper_increase_bps, rules.min_bps]
                .map(|bps| bps / 1_000_000),
            (rules.recovery_stages, rules.byte_counter, rules.gain),
        )
    };
    let g = 1.0 / 256.0;
    assert_eq!(of("hpcc-ns3"), ([1, 4, 300], [20, 200, 1000], (1, 0, g)));
    assert_eq!(
        of("hpcc-ns3-paper"),
        ([50, 50, 55], [20, 200, 1000], (1, 0, g))
    );
    let vendor = ([1, 4, 300], [5, 50, 1], (1, 2_097_088, 5.0 / 1024.0));
    assert_eq!(of("vendor"), vendor);
    assert_eq!(
        of("paper"),
        ([55, 50, 55], [40, 200, 1], (5, 10_000_000, g))
    );
    assert_eq!(Preset::default(), Preset::HpccNs3);
}

proptest! {
    /// Steps of any length, signals of any kind: the rate stays in its bounds, and looking more often changes nothing.
    #[test]
    fn looking_changes_nothing(
        preset in prop::sample::select(vec!["hpcc-ns3", "hpcc-ns3-paper", "vendor", "paper"]),
        steps in prop::collection::vec((0u64..400_000, 0u8..4, 0u32..3_000_000), 1..60),
    ) {
        let [mut one, mut other] = [(); 2].map(|()| machine(preset, 100e9));
        let mut now = 0;
        for (after, kind, bytes) in steps {
            for part in 1..=7 {
                other.advance(now + after * part / 7);
            }
            now += after;
            for machine in [&mut one, &mut other] {
                match kind {
                    0 => { machine.on_cnp(now, Cause::Receiver); }
                    1 => { machine.cut_by(now, 0.3, 0, Cause::Switch); }
                    _ => { machine.advance(now); machine.on_sent(bytes); }
                }
            }
            // Alpha's powers are rounded otherwise, and with them a rate.
            prop_assert!(one.rate_bps().abs_diff(other.rate_bps()) < 1000);
            prop_assert!(one.target_bps().abs_diff(other.target_bps()) < 1000);
            prop_assert!((one.alpha() - other.alpha()).abs() < 1e-12);
            let floor = if preset.starts_with("hpcc") { G } else { 1_000_000 };
            prop_assert!((floor..=100 * G).contains(&one.rate_bps()));
            prop_assert!((0.0..=1.0).contains(&one.alpha()));
        }
    }
}
