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
        ..MeterRates::default()
    };
    meter.set(MeterSetting::new(MeterKind::Exact, Some(rates)).unwrap());
    meter
}

fn color(meter: &mut Meter, now_ns: u64, in_bytes: bool, bytes: u32) -> Color {
    meter.execute(now_ns, in_bytes, bytes, Color::Green)
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
    let colors: Vec<_> = (0..4)
        .map(|_| color(&mut meter, 3 * S, false, 60))
        .collect();
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

/// Half a packet a second: one each 3 s is green, one each second is so every other time.
#[test]
fn rates_below_one_a_second_are_kept() {
    let rates = MeterRates {
        cir_billionths: 500_000_000,
        cburst: 1,
        pir: 10,
        pburst: 1,
        ..MeterRates::default()
    };
    let mut slow = Meter::default();
    slow.set(MeterSetting::new(MeterKind::Exact, Some(rates)).expect("it is possible"));
    assert_eq!(slow.rates(), Some(rates));
    for packet in 0..6 {
        assert_eq!(color(&mut slow, packet * 3 * S, false, 1), Color::Green);
    }
    let each_second = (16..22).map(|second| color(&mut slow, second * S, false, 1));
    let [green, yellow] = [Color::Green, Color::Yellow];
    assert_eq!(
        each_second.collect::<Vec<_>>(),
        [yellow, green, yellow, green, yellow, green]
    );
}

/// Neither the largest rates nor the longest silence overflow.
#[test]
fn the_largest_rates_and_times_are_held() {
    let mut largest = meter(u64::MAX, u64::MAX, u64::MAX, u64::MAX, 0);
    for now_ns in [0, 1, u64::MAX] {
        assert_eq!(color(&mut largest, now_ns, true, u32::MAX), Color::Green);
    }
}

fn tofino(cir: u64, cburst: u64, pir: u64, pburst: u64) -> Meter {
    let rates = MeterRates {
        cir,
        cburst,
        pir,
        pburst,
        ..MeterRates::default()
    };
    let mut meter = Meter::default();
    meter.set(MeterSetting::new(MeterKind::Tofino, Some(rates)).expect("it is possible"));
    meter
}

/// 1 220 000 bytes a second are 262 bytes in 2^18 cycles of Tofino's clock, or in 214.9 us.
fn small() -> Meter {
    tofino(1_220_000, 1000, 2_440_000, 4000)
}

use Color::{Green, Red, Yellow};

#[test]
fn colours_of_tofino_lag_by_a_packet() {
    let mut meter = small();
    let colors: Vec<_> = (0..5).map(|_| color(&mut meter, 0, true, 1500)).collect();
    assert_eq!(colors, [Green, Yellow, Yellow, Red, Red]);
    // However long the rest, the first packet has the old colour.
    assert_eq!(color(&mut meter, 9 * S, true, 100), Red);
    assert_eq!(color(&mut meter, 9 * S, true, 100), Green);
}

#[test]
fn a_worse_colour_stays_and_spares_the_committed_bucket() {
    let mut meter = small();
    let mut execute = |bytes, before| meter.execute(0, true, bytes, before);
    assert_eq!(execute(1500, Yellow), Yellow);
    assert_eq!(execute(1500, Red), Red);
    assert_eq!(execute(900, Green), Green);
    // 100 are left; only now they are gone.
    assert_eq!([execute(101, Green), execute(0, Green)], [Green, Yellow]);
    assert_eq!(
        [0, 1, 2, 3, 7].map(Color::from_tna),
        [Green, Yellow, Yellow, Red, Red]
    );
    assert_eq!(Meter::default().execute(0, true, 9, Yellow), Yellow);
}

#[test]
fn refills_come_at_powers_of_two_of_cycles() {
    // The committed bucket is at -500 and gets 262 at a time; the 2^19th cycle begins at 429 744.3 ns.
    for (now_ns, third) in [(429_744, Yellow), (429_745, Green)] {
        let mut meter = small();
        assert_eq!(color(&mut meter, 0, true, 1500), Green);
        assert_eq!(color(&mut meter, now_ns, true, 10), Yellow);
        assert_eq!(color(&mut meter, now_ns, true, 10), third);
    }
}

/// 122 000 a second are 52 in 2^19 cycles, as the burst allows no more at a time: 121 002 a second.
#[test]
fn rates_of_tofino_are_rounded_down() {
    let mut meter = tofino(122_000, 100, 122_000, 100);
    for i in 0..1_000_000u64 {
        color(&mut meter, i * 1000, false, 60);
    }
    let green = meter.counts[0].packets;
    assert!((120_900..121_200).contains(&green), "{green}");
}

#[test]
fn large_bursts_are_counted_coarsely_and_evenly() {
    // 2^24 bytes are 128 * 2^17: units of 8 bytes, of which 100 bytes are 12 or, half of the time, 13.
    let mut meter = tofino(1 << 20, 1 << 24, 1 << 20, 1 << 24);
    let mut packets = 0u64;
    while color(&mut meter, packets, true, 100) == Green {
        packets += 1;
    }
    let expected = (1u64 << 24) as f64 / 100.0;
    let off = (packets as f64 - expected).abs() / expected;
    assert!(off < 0.01, "{packets} packets, {expected} expected");
}

#[test]
fn rates_of_zero_are_no_green() {
    let mut meter = tofino(0, 0, 1_220_000, 4000);
    assert_eq!(color(&mut meter, 0, true, 100), Yellow);
    assert_eq!(color(&mut meter, S, true, 100), Yellow);
    let mut meter = tofino(0, 0, 0, 0);
    assert_eq!(color(&mut meter, 0, true, 100), Red);
    assert_eq!(color(&mut meter, S, true, 100), Red);
}

/// As the driver has it: the highest rate with the largest burst.
#[test]
fn the_highest_rates_are_no_limit() {
    let (rate, burst) = (510 * 1_220_000_000, 255 << 31);
    let mut meter = tofino(rate, burst, rate, burst);
    for i in 0..1000 {
        assert_eq!(color(&mut meter, i, true, 9000), Green);
    }
}

#[test]
fn meters_take_no_more_memory_for_tofino() {
    assert_eq!(std::mem::size_of::<Meter>(), 208);
}

#[test]
fn rates_that_tofino_does_not_have_are_refused() {
    let refused = |cir, cburst, eburst| {
        let rates = MeterRates {
            cir,
            cburst,
            pir: cir,
            pburst: cburst,
            eburst,
            ..MeterRates::default()
        };
        MeterSetting::new(MeterKind::Tofino, Some(rates)).expect_err("it is impossible")
    };
    for (error, why) in [
        (refused(1, 1000, 0), "too small"),
        (refused(1000, 1 << 40, 0), "at most 547608330240"),
        (refused(1 << 60, 1000, 0), "at most 622200000000"),
        (refused(12_200_000_000, 5, 0), "a burst of 5 is too small"),
        (refused(1000, 1000, 1), "no excess burst"),
    ] {
        assert!(error.contains(why), "{error}");
    }
}
