// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Units from machine code and from the interpreter.

use proptest::prelude::*;
use quench_dataplane::control::MeterRates;
use quench_dataplane::{Output, SwitchConfig};

use super::*;

/// Units for hostile packets, at any times, with settings that change meanwhile.
#[derive(Clone, Debug)]
enum Step {
    Packet(u64, u8, u8, u16),
    Lpf(u64, u32, u32),
    Wred(u64, u32, u32, u8),
    Meter(u64, u64),
    Insert(u64),
    Delete(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![4 => 0u64..10_000, 2 => 0u64..3_000_000, 1 => 0u64..3_000_000_000];
    let packet = (gap, 0u8..6, any::<u8>(), any::<u16>())
        .prop_map(|(gap, a, b, c)| Step::Packet(gap, a, b, c));
    prop_oneof![
        12 => packet,
        1 => (0u64..6, 0u32..32, 0u32..4).prop_map(|(at, log, down)| Step::Lpf(at, log, down)),
        1 => (0u64..6, 0u32..30_000, 0u32..40_000, 1u8..101)
            .prop_map(|(at, low, more, percent)| Step::Wred(at, low, low + more, percent)),
        1 => (0u64..6, 1u64..1_000_000).prop_map(|(at, rate)| Step::Meter(at, rate)),
        1 => (0u64..6).prop_map(Step::Insert),
        1 => (0u64..6).prop_map(Step::Delete),
    ]
}

/// Everything that comes out and stays.
fn run(switch: &mut Switch, steps: &[Step]) -> (Vec<Output>, Vec<String>) {
    let (mut now_ns, mut out, mut seen) = (0, Vec::new(), Vec::new());
    for step in steps.iter().cloned() {
        let answer = match step {
            Step::Packet(gap, a, b, c) => {
                now_ns += gap;
                switch.receive(now_ns, 1, packet(a, b, c));
                out.extend(outputs(switch, now_ns));
                Ok(())
            }
            Step::Lpf(index, log, down) => {
                let ns = f64::from(log).exp2();
                switch.set_filter_config("smooth", index, Some(lpf(ns, 2.0 * ns, down)), now_ns)
            }
            Step::Wred(index, min, max, percent) => {
                let config = wred(min, max, f64::from(percent) / 100.0);
                switch.set_filter_config("red", index, Some(config), now_ns)
            }
            Step::Meter(index, rate) => {
                let rates = MeterRates {
                    cir: rate,
                    cburst: 2000,
                    pir: 2 * rate,
                    pburst: 5000,
                    ..MeterRates::default()
                };
                switch.meter_write("m", index, Some(rates))
            }
            Step::Insert(key) => {
                let data = EntryData::from(call("hit", &[key + 1]));
                switch.table_insert("t", &[exact(key)], 0, data, now_ns)
            }
            Step::Delete(key) => switch.table_delete("t", &[exact(key)], 0),
        };
        seen.push(format!("{answer:?}"));
    }
    for name in ["smooth", "red"] {
        seen.extend((0..6).map(|at| format!("{:?}", switch.filter_value(name, at))));
    }
    for name in ["log", "per_entry"] {
        seen.push(format!("{:?}", switch.register_read_all(name)));
    }
    seen.push(format!("{:?}", switch.counter_read_all("c")));
    seen.push(format!("{:?}", Switch::stats(switch)));
    (out, seen)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn units_do_the_same_from_machine_code(
        steps in prop::collection::vec(steps(), 1..120),
        seed in any::<u64>(),
    ) {
        let program = units::program().json.to_string();
        let config = SwitchConfig { seed, ..SwitchConfig::default() };
        let mut switches = [Switch::new(config.clone()), Switch::new_interpreted(config)];
        let [got, want] = switches.each_mut().map(|switch| {
            switch.load_json(&program).expect("the program loads");
            run(switch, &steps)
        });
        prop_assert_eq!(got, want);
    }
}
