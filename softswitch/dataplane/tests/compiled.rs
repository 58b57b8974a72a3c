// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiled code against the interpreter: the same packets give the same bytes, times, counts and state. The interpreter
//! gets them whole, compiled code without the zeros at their end.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::common::router::{self, Copy, BUSY_PORT, CPU_PORT, NARROW_BYTES, WIDE_BYTES};
use crate::common::{assign, exact, field, forward, implied, param, send, stat, std, Program};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use quench_dataplane::control::{ActionCall, EntryData, TableAction};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::{json, Value};

/// One packet, and the time since the one before.
#[derive(Clone, Debug)]
struct Arrival {
    gap_ns: u64,
    port: u32,
    bytes: Vec<u8>,
}

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let header = || (1u8..4, 0u8..4, 0u8..8);
    let busy = (0u8..4).prop_map(|mark| router::narrow(1, mark, 0, 1000));
    let narrow = (header(), NARROW_BYTES..1500)
        .prop_map(|((net, mark, class), bytes)| router::narrow(net, mark, class, bytes));
    let wide = (header(), WIDE_BYTES..1500)
        .prop_map(|((net, mark, class), bytes)| router::wide(net, mark, class, bytes));
    // One byte of the headers is another one; the checksum may be made right again.
    let odd = (header(), 0..WIDE_BYTES, any::<u8>(), any::<bool>());
    let odd = odd.prop_map(|((net, mark, class), at, byte, right)| {
        let mut packet = router::wide(net, mark, class, 200);
        packet[at] = byte;
        if right {
            router::set_checksum(&mut packet);
        }
        packet
    });
    let short = (header(), 0..WIDE_BYTES).prop_map(|((net, mark, class), length)| {
        let mut packet = router::wide(net, mark, class, WIDE_BYTES);
        packet.truncate(length);
        packet
    });
    let noise = prop::collection::vec(any::<u8>(), 0..120);
    prop_oneof![6 => busy, 4 => narrow, 4 => odd, 1 => short, 2 => wide, 1 => noise]
}

fn arrivals() -> impl Strategy<Value = Arrival> {
    let gap_ns = prop_oneof![8 => 0u64..100_000, 1 => 0u64..50_000_000];
    let port = prop_oneof![6 => Just(3u32), 1 => Just(CPU_PORT)];
    (gap_ns, port, packets()).prop_map(|(gap_ns, port, bytes)| Arrival {
        gap_ns,
        port,
        bytes,
    })
}

/// Everything that the control plane can see of registers, counters, tables and the switch.
fn state(switch: &Switch) -> Vec<String> {
    let info = switch.program().expect("a program is loaded");
    let registers = info.registers.iter().map(|array| {
        let cells = switch.register_read_all(&array.name);
        format!("{} {cells:?}", array.name)
    });
    let counters = info.counters.iter().map(|array| {
        let cells = switch.counter_read_all(&array.name);
        format!("{} {cells:?}", array.name)
    });
    let tables = info.tables.iter().map(|table| {
        let entries = switch.table_entries(&table.name, u64::MAX / 2);
        format!("{} {entries:?}", table.name)
    });
    let rest = [format!("{:?}", Switch::stats(switch))];
    registers
        .chain(counters)
        .chain(tables)
        .chain(rest)
        .collect()
}

fn run(switch: &mut Switch, copy: Copy, arrivals: &[Arrival]) -> Vec<Output> {
    router::fill(switch, copy);
    let mut out = Vec::new();
    let mut now_ns = 1_000_000_000;
    for (number, arrival) in arrivals.iter().enumerate() {
        now_ns += arrival.gap_ns;
        if number % 20 == 0 {
            // The average is what makes the difference, and by itself it moves too slowly for a short test.
            let pkts = [1u64, 4, 7, 12, 19, 25][number / 20 % 6];
            let index = u64::from(BUSY_PORT) * 8;
            let average = (pkts << 16).to_be_bytes();
            let written = switch.register_write("Before.Decide.averages", index, &average);
            written.expect("a register");
        }
        match switch.is_compiled() {
            true => switch.receive(now_ns, arrival.port, implied(&arrival.bytes)),
            false => switch.receive(now_ns, arrival.port, &arrival.bytes),
        }
        switch.advance(now_ns, &mut |output| out.push(output));
    }
    switch.advance(now_ns + 1_000_000_000, &mut |output| out.push(output));
    out
}

#[test]
fn a_router_does_the_same_as_machine_code() {
    let seen = RefCell::new(BTreeMap::<&str, u64>::new());
    for copy in [Copy::None, Copy::Report, Copy::Answer] {
        compare(copy, &seen);
    }
    // Guards the test itself: the loads together are such that the router has much to do with them.
    let seen = seen.into_inner();
    assert!(seen.values().all(|&count| count > 0), "{seen:?}");
}

fn compare(copy: Copy, seen: &RefCell<BTreeMap<&str, u64>>) {
    let config = ProptestConfig {
        cases: 3,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let inputs = (any::<u64>(), prop::collection::vec(arrivals(), 400));
    let result = TestRunner::new(config).run(&inputs, |(seed, arrivals)| {
        let config = SwitchConfig {
            cpu_port: Some(CPU_PORT),
            seed,
            ..SwitchConfig::default()
        };
        let mut interpreted = Switch::new_interpreted(config.clone());
        let mut compiled = Switch::new(config);
        let want = run(&mut interpreted, copy, &arrivals);
        let got = run(&mut compiled, copy, &arrivals);
        prop_assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(&want) {
            prop_assert_eq!(got, want);
        }
        for (got, want) in state(&compiled).iter().zip(&state(&interpreted)) {
            prop_assert_eq!(got, want);
        }
        let mut seen = seen.borrow_mut();
        for array in [
            "Before.refused",
            "Before.Decide.drawn",
            "Before.Decide.forced",
        ] {
            let cells = compiled.counter_read_all(array).expect("a counter");
            *seen.entry(array).or_default() += cells.iter().map(|cell| cell.packets).sum::<u64>();
        }
        for count in ["clones_ingress", "clones_egress", "recirculated"] {
            *seen.entry(count).or_default() += stat(&compiled, count);
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn this_machine_gets_machine_code() {
    let program = Program::new();
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    assert!(program.switch().is_compiled() || !native);
    assert!(!program.interpreted().is_compiled());
}

/// Widths that fill their bytes and words in every way.
const WIDTHS: [u32; 10] = [1, 9, 19, 24, 36, 48, 64, 65, 88, 100];

#[test]
fn parameters_of_every_width_arrive_whole() {
    let names = WIDTHS.map(|bits| format!("p{bits}"));
    let mut program = Program::new();
    let mut fields: Vec<Value> = names
        .iter()
        .zip(WIDTHS)
        .map(|(name, bits)| json!([name, bits, false]))
        .collect();
    let total: u32 = WIDTHS.iter().sum();
    fields.push(json!(["pad", 8 - total % 8, false]));
    program.header("r", fields.into());
    program.json["parsers"][0]["parse_states"][0]["parser_ops"] = json!([
        {"op": "extract", "parameters": [{"type": "regular", "value": "r"}]}]);
    let mut primitives = vec![forward(2)];
    for (name, index) in names.iter().zip(0..) {
        primitives.push(assign(field("r", name), param(index)));
    }
    let params: Vec<(&str, u32)> = names.iter().map(String::as_str).zip(WIDTHS).collect();
    let action = program.action("set", &params, primitives);
    let key = [("exact", std("ingress_port"))];
    program.table("t", "exact", &key, &[action], json!({}));
    let bytes = total.div_ceil(8) as usize;
    for all in [false, true] {
        // Every other parameter has all its bits, so that none can hide in its neighbour.
        let ones = |at: usize| (at % 2 == 0) != all;
        let value = |(at, bits): (usize, u32)| match ones(at) {
            true => ((1u128 << bits) - 1).to_be_bytes().to_vec(),
            false => vec![],
        };
        let call = ActionCall {
            name: "set".to_owned(),
            params: WIDTHS.into_iter().enumerate().map(value).collect(),
        };
        let mut want = vec![0u8; bytes];
        let mut bit = 0;
        for (at, bits) in WIDTHS.into_iter().enumerate() {
            for bit in bit..bit + bits as usize {
                want[bit / 8] |= u8::from(ones(at)) << (7 - bit % 8);
            }
            bit += bits as usize;
        }
        for mut switch in [program.switch(), program.interpreted()] {
            let data = EntryData::from(TableAction::Action(call.clone()));
            let done = switch.table_insert("t", &[exact(1)], 0, data, 0);
            done.expect("the entry is valid");
            let out = send(&mut switch, vec![0; bytes]);
            assert_eq!(out, [(2, want.clone())], "{}", switch.is_compiled());
        }
    }
}
