// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Machine code against the interpreter, with and without traces: the same packets give the same bytes, times, counts
//! and state.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use quench_dataplane::trace::Filter;
use quench_dataplane::{Output, Switch, SwitchConfig};
use quench_pipeline::router::{self, Profile, AQM_PORT, BECN, ECN};
use quench_pipeline::tables::CPU_PORT;

/// One packet and its changes.
#[derive(Clone, Debug)]
struct Arrival {
    gap_ns: u64,
    port: u32,
    bytes: Vec<u8>,
}

fn data(net: u8, ecn: u8, ip_bytes: u16) -> BoxedStrategy<Vec<u8>> {
    Just(router::ipv4(net, ecn, ip_bytes)).boxed()
}

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let load = (1u8..4, 0u8..4, 40u16..1500)
        .prop_flat_map(|(net, ecn, ip_bytes)| data(net, ecn, ip_bytes));
    let busy = (0u8..4).prop_flat_map(|ecn| data(1, ecn, 1000));
    let odd = (
        1u8..5,
        any::<u8>(),
        40u16..200,
        0usize..34,
        any::<u8>(),
        any::<bool>(),
    );
    // One byte of the headers is another one; the checksum may be made right again.
    let odd = odd.prop_map(|(net, ecn, ip_bytes, at, byte, right)| {
        let mut packet = router::ipv4(net, ecn, ip_bytes);
        packet[at] = byte;
        if right {
            router::set_checksum(&mut packet);
        }
        packet
    });
    let short = (1u8..3, 0usize..60).prop_map(|(net, length)| {
        let mut packet = router::ipv4(net, 2, 60);
        packet.truncate(length);
        packet
    });
    let v6 = (1u8..5, any::<u8>(), 0u8..3, 0u16..300)
        .prop_map(|(net, class, hops, payload)| router::ipv6(net, class, hops, payload));
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
    let flags = any::<[bool; 5]>();
    (curve, flags).prop_map(
        |(curve, [tail, isq_in_dataplane, reports, spare_empty, depth_now])| Profile {
            curve,
            mark_at_tail: tail,
            level1_codepoint: 1,
            isq_in_dataplane,
            report_interval_us: if reports { 1000 } else { 0 },
            spare_empty,
            depth_now,
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
    router::fill(switch, profile);
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
    let program = quench_pipeline::program();
    let forced_pkts = Cell::new(0);
    let result = TestRunner::new(config).run(&inputs, |(profile, seed, arrivals)| {
        let config = SwitchConfig {
            cpu_port: Some(CPU_PORT),
            seed,
            ..SwitchConfig::default()
        };
        let mut interpreted = Switch::new_interpreted(config.clone());
        let want = run(&mut interpreted, &program, &profile, &arrivals);
        let mut compiled = Switch::new(config.clone());
        // All its packets are interpreted.
        let mut traced = Switch::new(config);
        let session = traced.trace(Filter::default()).expect("a session");
        for switch in [&mut compiled, &mut traced] {
            let got = run(switch, &program, &profile, &arrivals);
            prop_assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(&want) {
                prop_assert_eq!(got, want);
            }
            for (got, want) in state(switch).iter().zip(&state(&interpreted)) {
                prop_assert_eq!(got, want);
            }
        }
        prop_assert!(session.take(usize::MAX).len() >= arrivals.len());
        let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        prop_assert_eq!(
            (interpreted.is_compiled(), compiled.is_compiled()),
            (false, native)
        );
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
