// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The packet generator: its headers, its triggers and their order, its times, and what it refuses.

use proptest::prelude::*;
use quench_dataplane::control::{GeneratorApp, GeneratorCounts, Trigger, GENERATOR_APPS};

use super::*;

static SHOWING: LazyLock<String> = LazyLock::new(|| {
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    let compiled = compile_text(
        Path::new("generator.p4"),
        include_str!("generator.p4"),
        &options,
    );
    compiled.unwrap_or_else(|error| panic!("{error}")).json
});

fn showing(interpreted: bool, slowdown: u32) -> Switch {
    let mut switch = Switch::new(SwitchConfig {
        slowdown,
        interpreted,
        ..SwitchConfig::default()
    });
    switch.load_json(&SHOWING).unwrap();
    assert_eq!(switch.is_compiled(), !interpreted);
    switch
}

fn app(trigger: Trigger) -> GeneratorApp {
    GeneratorApp {
        trigger,
        packet: vec![0xaa, 0xbb],
        batches: 1,
        packets: 1,
        batch_gap_ns: 0,
        packet_gap_ns: 0,
        source_port: 68,
        increments_port: false,
    }
}

const ONE_SHOT: Trigger = Trigger::OneShot { after_ns: 1000 };

/// A packet at port 2: when it came, its port, and its bytes.
type Shown = (u64, u16, Vec<u8>);

fn shown(outputs: Vec<Output>) -> Vec<Shown> {
    let each = outputs.into_iter().map(|output| {
        let Output::Packet { port: 2, bytes, .. } = output else {
            panic!("{output:?}");
        };
        let number = |range: std::ops::Range<usize>| {
            let bytes = bytes.real()[range].iter();
            bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let rest = bytes.real()[10..].to_vec();
        assert_eq!(number(8..10), rest.len() as u64 + 4);
        (number(2..8), number(0..2) as u16, rest)
    });
    each.collect()
}

/// All that comes until then, with one step for each event.
fn run_until(switch: &mut Switch, end_ns: u64) -> Vec<Shown> {
    let mut outputs = Vec::new();
    while let Some(due_ns) = switch.next_event_ns().filter(|&due_ns| due_ns <= end_ns) {
        switch.advance(due_ns, &mut |output| outputs.push(output));
    }
    switch.advance(end_ns, &mut |output| outputs.push(output));
    shown(outputs)
}

fn counts(switch: &Switch, number: usize) -> GeneratorCounts {
    switch.generator(number).unwrap().expect("it was set").1
}

#[test]
fn a_timer_that_expires_once_sends_its_batches() {
    for interpreted in [true, false] {
        let mut switch = showing(interpreted, 1);
        let settings = GeneratorApp {
            batches: 2,
            packets: 3,
            batch_gap_ns: 500,
            packet_gap_ns: 10,
            source_port: 7,
            increments_port: true,
            ..app(ONE_SHOT)
        };
        let written = Some(settings.clone());
        switch.set_generator(5, written, 40).unwrap();
        assert_eq!(switch.next_event_ns(), Some(1040));
        let expected: Vec<Shown> = [1040, 1050, 1060, 1540, 1550, 1560]
            .iter()
            .zip(0..)
            .map(|(&time_ns, i): (_, u8)| {
                let header = [5, 0, 0, i / 3, 0, i % 3, 0xaa, 0xbb];
                (time_ns, u16::from(7 + i % 3), header.to_vec())
            })
            .collect();
        assert_eq!(run_until(&mut switch, 1_000_000), expected);
        assert_eq!(switch.next_event_ns(), None);
        let done = GeneratorCounts {
            triggers: 1,
            batches: 2,
            packets: 6,
            lost_triggers: 0,
        };
        assert_eq!(switch.generator(5).unwrap(), Some((settings, done)));
        assert_eq!(stat(&switch, "generated"), 6);
        assert_eq!(stat(&switch, "received_pkts"), 0);
    }
}

#[test]
fn packets_of_the_generator_and_of_the_network_come_in_the_order_of_their_times() {
    let mut switch = showing(false, 1);
    let every = Trigger::Periodic { every_ns: 100_000 };
    switch.set_generator(0, Some(app(every)), 0).unwrap();
    let mut outputs = Vec::new();
    switch.pass(250_000, 9, &[1], &mut |output| outputs.push(output));
    switch.advance(320_000, &mut |output| outputs.push(output));
    let times: Vec<u64> = shown(outputs).iter().map(|packet| packet.0).collect();
    assert_eq!(times, [100_000, 200_000, 250_000, 300_000]);
}

#[test]
fn a_port_that_goes_down_triggers_once_until_it_is_cleared() {
    let mut switch = showing(false, 1);
    switch.set_port_up(8, false, 0);
    let settings = GeneratorApp {
        packets: 2,
        packet_gap_ns: 5,
        ..app(Trigger::PortDown)
    };
    switch.set_generator(3, Some(settings), 0).unwrap();
    let header = |port: [u8; 2], packet| vec![3, 0, port[0], port[1], 0, packet, 0xaa, 0xbb];
    // A port that is down already does not go down.
    switch.set_port_up(8, false, 5);
    for (at_ns, port, bytes) in [(10, 8, [0, 8]), (100, 300, [1, 44])] {
        switch.set_port_up(port, true, at_ns);
        switch.set_port_up(port, false, at_ns);
        let packets = [
            (at_ns, 68, header(bytes, 0)),
            (at_ns + 5, 68, header(bytes, 1)),
        ];
        assert_eq!(run_until(&mut switch, at_ns + 50), packets);
    }
    switch.set_port_up(8, true, 200);
    switch.set_port_up(8, false, 200);
    assert_eq!(run_until(&mut switch, 300), []);
    switch.clear_port_down(8).unwrap();
    switch.set_port_up(8, true, 400);
    switch.set_port_up(8, false, 400);
    assert_eq!(run_until(&mut switch, 500).len(), 2);
    assert_eq!(counts(&switch, 3).triggers, 3);
    // Ports beyond the chip's have no place in the header.
    switch.set_port_up(600, false, 600);
    assert_eq!(switch.next_event_ns(), None);
    let error = switch.clear_port_down(512).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfRange);
}

#[test]
fn a_recirculated_packet_with_the_pattern_triggers_and_goes_on() {
    for interpreted in [true, false] {
        let mut switch = showing(interpreted, 1);
        let settings = GeneratorApp {
            batches: 2,
            batch_gap_ns: 50,
            ..app(Trigger::Recirculated {
                value: 0x1234_0000,
                mask: 0xffff_0000,
            })
        };
        switch.set_generator(1, Some(settings), 0).unwrap();
        for bytes in [
            &[0x12, 0x35, 0xff, 0xff][..],
            &[0x12, 0x34, 0xff],
            &[0x12, 0x34, 0xff, 0xff, 0x99],
        ] {
            switch.receive(100, 1, bytes);
        }
        assert_eq!(
            run_until(&mut switch, 1000),
            [
                (100, 68, vec![0x12, 0x35, 0xff, 0xff]),
                (100, 68, vec![0x12, 0x34, 0xff]),
                (100, 68, vec![0x12, 0x34, 0xff, 0xff, 0x99]),
                // The key's low 16 bits count batches.
                (100, 68, vec![1, 0x34, 0xff, 0xff, 0, 0, 0xaa, 0xbb]),
                (150, 68, vec![1, 0x34, 0, 0, 0, 0, 0xaa, 0xbb]),
            ]
        );
    }
}

#[test]
fn triggers_wait_while_another_one_is_served() {
    let mut switch = showing(false, 1);
    let long = GeneratorApp {
        packets: 3,
        packet_gap_ns: 1000,
        ..app(ONE_SHOT)
    };
    switch.set_generator(0, Some(long), 0).unwrap();
    let short = app(Trigger::OneShot { after_ns: 1500 });
    switch.set_generator(1, Some(short), 0).unwrap();
    let came = run_until(&mut switch, 10_000);
    let order: Vec<(u64, u8)> = came
        .iter()
        .map(|(time, _, bytes)| (*time, bytes[0]))
        .collect();
    // A packet's gap behind the last packet the generator is free.
    assert_eq!(order, [(1000, 0), (2000, 0), (3000, 0), (4000, 1)]);
}

#[test]
fn a_timer_that_expires_while_its_trigger_waits_is_lost() {
    let mut switch = showing(false, 1);
    let settings = GeneratorApp {
        packets: 10,
        packet_gap_ns: 3000,
        ..app(Trigger::Periodic { every_ns: 10_000 })
    };
    switch.set_generator(0, Some(settings), 0).unwrap();
    let came = run_until(&mut switch, 100_000);
    // One packet each 3 us without a pause, from 10 us on.
    assert_eq!(came.len(), 31);
    assert_eq!(counts(&switch, 0).triggers, 4);
    assert_eq!(counts(&switch, 0).lost_triggers, 5);
}

#[test]
fn a_generator_that_feeds_itself_is_held_at_its_most_packets_a_second() {
    let mut switch = showing(false, 1);
    let settings = GeneratorApp {
        packets: 2,
        source_port: 1,
        ..app(Trigger::Recirculated { value: 0, mask: 0 })
    };
    switch.set_generator(0, Some(settings), 0).unwrap();
    switch.receive(0, 1, &[0; 64]);
    let mut shown_pkts = 0;
    switch.advance(20_000_000, &mut |_| shown_pkts += 1);
    let counts = counts(&switch, 0);
    // 4096 at once, then one a microsecond; each comes by port 1, is recirculated and shown.
    assert!((24_000..24_100).contains(&counts.packets), "{counts:?}");
    assert!(counts.lost_triggers > 0);
    assert_eq!(shown_pkts, counts.packets + 1);
}

#[test]
fn a_new_setting_stops_what_the_old_one_was_about_to_send() {
    let mut switch = showing(false, 1);
    let settings = GeneratorApp {
        packets: 100,
        packet_gap_ns: 10,
        ..app(ONE_SHOT)
    };
    switch.set_generator(0, Some(settings), 0).unwrap();
    assert_eq!(run_until(&mut switch, 1005).len(), 1);
    switch.set_generator(0, Some(app(ONE_SHOT)), 1005).unwrap();
    assert_eq!(switch.next_event_ns(), Some(2005));
    switch.set_generator(0, None, 1006).unwrap();
    assert_eq!(switch.next_event_ns(), None);
    assert_eq!(switch.generator(0).unwrap(), None);
    assert_eq!(run_until(&mut switch, 10_000), []);
}

#[test]
fn applications_stay_when_a_program_comes_and_begin_anew() {
    let mut switch = Switch::new(SwitchConfig::default());
    switch.set_generator(0, Some(app(ONE_SHOT)), 0).unwrap();
    assert_eq!(switch.next_event_ns(), None);
    switch.load_json(&SHOWING).unwrap();
    assert_eq!(run_until(&mut switch, 5000).len(), 1);
    switch.load_json(&SHOWING).unwrap();
    assert_eq!(switch.next_event_ns(), Some(6000));
    switch.unload();
    assert_eq!(switch.next_event_ns(), None);
    let program = crate::common::Program::new();
    switch.load_json(&program.json.to_string()).unwrap();
    assert_eq!(switch.next_event_ns(), None);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut switch = showing(false, 1);
    let kept = app(Trigger::Periodic { every_ns: 2000 });
    switch.set_generator(0, Some(kept.clone()), 0).unwrap();
    let mut refused = |number, settings: GeneratorApp, part: &str| {
        let error = switch.set_generator(number, Some(settings), 0).unwrap_err();
        assert!(error.message.contains(part), "{}", error.message);
        assert!(!error.message.contains('\n'));
    };
    let ok = || app(ONE_SHOT);
    refused(GENERATOR_APPS, ok(), "the last one is 7");
    let packet = |length| GeneratorApp {
        packet: vec![0; length],
        ..ok()
    };
    refused(1, packet(0), "0 bytes");
    refused(1, packet(16385), "16385 bytes");
    // Application 0 has one place of 16 bytes.
    refused(1, packet(16369), "take 16400 bytes");
    for (batches, packets) in [(0, 1), (1, 0), (65537, 1), (1, u32::MAX)] {
        let settings = GeneratorApp {
            batches,
            packets,
            ..ok()
        };
        refused(1, settings, "1 to 65536");
    }
    let batches = GeneratorApp {
        batches: 2,
        ..app(Trigger::PortDown)
    };
    refused(1, batches, "2 batches");
    for (source_port, increments_port, last) in [(128, false, "128"), (u16::MAX, true, "65636")] {
        let settings = GeneratorApp {
            packets: 102,
            source_port,
            increments_port,
            ..ok()
        };
        refused(1, settings, last);
    }
    let fast = Trigger::Periodic { every_ns: 0 };
    refused(1, app(fast), "1000500000 packets a second");
    let many = GeneratorApp {
        batches: 65536,
        packets: 65536,
        ..app(Trigger::Periodic { every_ns: u32::MAX })
    };
    refused(0, many.clone(), "1000000000 packets a second");
    assert_eq!(switch.generator(0).unwrap().unwrap().0, kept);
    // A slow chip has the time for it.
    let mut slow = showing(false, 1000);
    slow.set_generator(0, Some(many), 0).unwrap();
    assert_eq!(slow.next_event_ns(), Some(u64::from(u32::MAX) * 1000));
}

/// The times of a trigger's packets, all on the chip's clock, by the rule in the documents.
fn times(start_ns: u64, settings: &GeneratorApp) -> Vec<u64> {
    let packet_gap_ns = u64::from(settings.packet_gap_ns.max(1));
    let batch_gap_ns = u64::from(settings.batch_gap_ns.max(1));
    let packets = u64::from(settings.packets);
    let last_ns = (packets - 1) * packet_gap_ns;
    let batch_ns = match batch_gap_ns < last_ns {
        true => packets * packet_gap_ns,
        false => batch_gap_ns,
    };
    let each = (0..u64::from(settings.batches)).flat_map(|batch| {
        (0..packets).map(move |packet| start_ns + batch * batch_ns + packet * packet_gap_ns)
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the steps of the clock.
    #[test]
    fn packets_come_at_their_times(
        every_ns in 1_000_000..2_000_000u32,
        once in any::<bool>(),
        batches in 1..6u32,
        packets in 1..6u32,
        batch_gap_ns in 0..40_000u32,
        packet_gap_ns in 0..10_000u32,
        slowdown in 1..2000u32,
        steps in prop::collection::vec(1..1_000_000u64, 1..20),
    ) {
        let trigger = match once {
            true => Trigger::OneShot { after_ns: every_ns },
            false => Trigger::Periodic { every_ns },
        };
        let settings = GeneratorApp { batches, packets, batch_gap_ns, packet_gap_ns, ..app(trigger) };
        let mut switch = showing(false, slowdown);
        switch.set_generator(0, Some(settings.clone()), 0).unwrap();
        let mut now_ns = 0;
        let mut outputs = Vec::new();
        for step_ns in steps {
            now_ns += step_ns * u64::from(slowdown);
            let next_ns = switch.advance(now_ns, &mut |output| outputs.push(output));
            prop_assert!(next_ns.is_none_or(|next_ns| next_ns > now_ns));
        }
        let came: Vec<u64> = shown(outputs).iter().map(|packet| packet.0).collect();
        let most = if once { 1 } else { u64::MAX };
        let mut expected = Vec::new();
        let mut trigger_ns = u64::from(every_ns);
        let mut triggers = 0;
        while triggers < most && trigger_ns <= now_ns / u64::from(slowdown) {
            expected.extend(times(trigger_ns, &settings));
            trigger_ns += u64::from(every_ns);
            triggers += 1;
        }
        expected.retain(|&time_ns| time_ns <= now_ns / u64::from(slowdown));
        prop_assert_eq!(came, expected);
    }
}
