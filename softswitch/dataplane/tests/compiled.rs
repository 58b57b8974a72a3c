// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiled code against the interpreter: the same packets give the same bytes, times, counts and state.

use std::cell::Cell;

use crate::common::quench::{self, Profile, AQM_PORT, BECN, CPU_PORT, ECN};
use crate::common::{assign, exact, field, forward, param, send, std, Program};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use quench_dataplane::control::{ActionCall, EntryData, TableAction};
use quench_dataplane::{Output, Switch, SwitchConfig};
use serde_json::{json, Value};

/// One packet and its changes.
#[derive(Clone, Debug)]
struct Arrival {
    gap_ns: u64,
    port: u32,
    bytes: Vec<u8>,
}

fn data(net: u8, ecn: u8, ip_bytes: u16) -> BoxedStrategy<Vec<u8>> {
    Just(quench::ipv4(net, ecn, ip_bytes)).boxed()
}

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let load = (1u8..3, 0u8..4, 40u16..1500)
        .prop_flat_map(|(net, ecn, ip_bytes)| data(net, ecn, ip_bytes));
    let busy = (0u8..4).prop_flat_map(|ecn| data(1, ecn, 1000));
    let odd = (
        1u8..4,
        any::<u8>(),
        40u16..200,
        0usize..34,
        any::<u8>(),
        any::<bool>(),
    );
    // One byte of the headers is another one; the checksum may be made right again.
    let odd = odd.prop_map(|(net, ecn, ip_bytes, at, byte, right)| {
        let mut packet = quench::ipv4(net, ecn, ip_bytes);
        packet[at] = byte;
        if right {
            quench::set_checksum(&mut packet);
        }
        packet
    });
    let short = (1u8..3, 0usize..60).prop_map(|(net, length)| {
        let mut packet = quench::ipv4(net, 2, 60);
        packet.truncate(length);
        packet
    });
    let v6 = (1u8..4, any::<u8>(), 0u8..3, 0u16..300)
        .prop_map(|(net, class, hops, payload)| quench::ipv6(net, class, hops, payload));
    let noise = prop::collection::vec(any::<u8>(), 0..120);
    prop_oneof![6 => busy, 4 => load, 4 => odd, 1 => short, 2 => v6, 1 => noise]
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

fn profiles() -> impl Strategy<Value = Profile> {
    let curve = prop_oneof![Just(ECN), Just(BECN)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (curve, flags).prop_map(
        |(curve, (tail, isq_in_dataplane, reports, spare_empty))| Profile {
            curve,
            mark_at_tail: tail,
            level1_codepoint: 1,
            isq_in_dataplane,
            report_interval_us: if reports { 1000 } else { 0 },
            spare_empty,
        },
    )
}

/// Everything that the control plane can see of registers, counters, meters and the switch.
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

fn run(switch: &mut Switch, program: &str, profile: &Profile, arrivals: &[Arrival]) -> Vec<Output> {
    switch.load_json(program).expect("the pipeline loads");
    quench::fill(switch, profile);
    let mut out = Vec::new();
    let mut now_ns = 1_000_000_000;
    for (number, arrival) in arrivals.iter().enumerate() {
        now_ns += arrival.gap_ns;
        if number % 20 == 0 {
            // The average is what makes the difference, and by itself it moves too slowly for a short test.
            let pkts = [6u64, 9, 12, 17, 25, 33][number / 20 % 6];
            let index = u64::from(AQM_PORT) * 8;
            let average = (pkts << 28).to_be_bytes();
            let written = switch.register_write("queue_average", index, &average);
            written.expect("a register");
        }
        switch.receive(now_ns, arrival.port, &arrival.bytes);
        switch.advance(now_ns, &mut |output| out.push(output));
    }
    switch.advance(now_ns + 1_000_000_000, &mut |output| out.push(output));
    out
}

#[test]
fn the_pipeline_does_the_same_as_machine_code() {
    let config = ProptestConfig {
        cases: 8,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let inputs = (
        profiles(),
        any::<u64>(),
        prop::collection::vec(arrivals(), 400),
    );
    let program = quench::program();
    let forced_pkts = Cell::new(0);
    let result = TestRunner::new(config).run(&inputs, |(profile, seed, arrivals)| {
        let config = SwitchConfig {
            cpu_port: Some(CPU_PORT),
            seed,
            ..SwitchConfig::default()
        };
        let mut interpreted = Switch::new_interpreted(config.clone());
        let mut compiled = Switch::new(config);
        let want = run(&mut interpreted, &program, &profile, &arrivals);
        let got = run(&mut compiled, &program, &profile, &arrivals);
        prop_assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(&want) {
            prop_assert_eq!(got, want);
        }
        for (got, want) in state(&compiled).iter().zip(&state(&interpreted)) {
            prop_assert_eq!(got, want);
        }
        let port = u64::from(AQM_PORT);
        let forced = compiled.counter_read("port_dropped_forced", port);
        forced_pkts.set(forced_pkts.get() + forced.expect("a counter").packets);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    // Guards the test itself: the loads together are such that the pipeline has much to do with them.
    assert!(forced_pkts.get() > 0, "{} packets", forced_pkts.get());
}

#[test]
fn this_machine_gets_machine_code() {
    let program = quench::program();
    let mut switch = Switch::new(SwitchConfig::default());
    switch.load_json(&program).expect("the pipeline loads");
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    assert!(switch.is_compiled() || !native);
    let mut switch = Switch::new_interpreted(SwitchConfig::default());
    switch.load_json(&program).expect("the pipeline loads");
    assert!(!switch.is_compiled());
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
            let out = send(&mut switch, &vec![0; bytes]);
            assert_eq!(out, [(2, want.clone())], "{}", switch.is_compiled());
        }
    }
}
