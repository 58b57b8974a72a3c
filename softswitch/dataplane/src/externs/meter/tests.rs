// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::*;

const S: u64 = 1_000_000_000;

fn meter(cir: u64, cburst: u64, pir: u64, pburst: u64, eburst: u64) -> Meter {
    let mut meter = Meter::default();
    let rates = MeterRates {
        cir,
        cburst,
        pir,
        pburst,
        eburst,
    };
    meter.set(MeterSetting::new(MeterKind::Exact, Some(rates)).unwrap());
    meter
}

#[test]
fn bursts_pass_then_yellow_then_red() {
    let mut meter = meter(1, 2, 2, 4, 0);
    let colors: Vec<_> = (0..6).map(|_| color(&mut meter, 0, false, 60)).collect();
    use Color::{Green, Red, Yellow};
    assert_eq!(colors, [Green, Green, Yellow, Yellow, Red, Red]);
    assert_eq!(color(&mut meter, S, false, 60), Green);
    assert_eq!(color(&mut meter, S, false, 60), Yellow);
    assert_eq!(color(&mut meter, S, false, 60), Red);
    let counts = meter.counts.map(|count| (count.packets, count.bytes));
    assert_eq!(counts, [(3, 180), (3, 180), (3, 180)]);
    meter.set(MeterSetting::new(MeterKind::Exact, None).unwrap());
    assert_eq!(color(&mut meter, S, false, 60), Green);
    assert_eq!(meter.counts[0].packets, 4);
}

/// RFC 2697, section 3: the excess bucket earns only what the committed one has no room for.
#[test]
fn an_excess_burst_fills_from_what_the_committed_burst_leaves() {
    let mut meter = meter(1, 2, 1, 2, 3);
    use Color::{Green, Red, Yellow};
    let colors: Vec<_> = (0..6).map(|_| color(&mut meter, 0, false, 60)).collect();
    assert_eq!(colors, [Green, Green, Yellow, Yellow, Yellow, Red]);
    // Two of three seconds fill the committed burst, the third the excess burst.
    let colors: Vec<_> = (0..4).map(|_| color(&mut meter, 3 * S, false, 60)).collect();
    assert_eq!(colors, [Green, Green, Yellow, Red]);
    // A packet too long for both takes nothing.
    let mut in_bytes = self::meter(1, 100, 1, 100, 150);
    assert_eq!(color(&mut in_bytes, 0, true, 151), Red);
    assert_eq!(color(&mut in_bytes, 0, true, 150), Yellow);
    assert_eq!(color(&mut in_bytes, 0, true, 100), Green);
}

#[test]
fn long_run_rates_are_exact() {
    let mut meter = meter(1000, 10, 3000, 10, 0);
    for i in 0..100_000u64 {
        color(&mut meter, i * 100_000, false, 60);
    }
    let counts = meter.counts.map(|count| count.packets);
    assert_eq!(counts[0], 10_009);
    assert_eq!(counts[0] + counts[1], 30_009);
}

#[test]
fn unset_meters_are_green_and_red_packets_take_no_tokens() {
    assert_eq!(color(&mut Meter::default(), 5, true, 1500), Color::Green);
    let mut meter = meter(100, 100, 100, 100, 0);
    assert_eq!(color(&mut meter, 0, true, 101), Color::Red);
    assert_eq!(color(&mut meter, 0, true, 100), Color::Green);
}
