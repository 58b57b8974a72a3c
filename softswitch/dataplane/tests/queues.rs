// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Queues and schedulers of a port, from the control interface to the packets that leave.

use crate::common::*;
use proptest::prelude::*;
use quench_dataplane::control::{ErrorCode, PortOptions};
use quench_dataplane::tm::SchedulerKind;
use quench_dataplane::{Switch, SwitchConfig};

/// Sends everything to port 2; the first byte is the priority.
fn switch() -> Switch {
    let mut program = Program::new();
    program.ingress(vec![
        assign(std("egress_spec"), hex(2)),
        assign(std("priority"), field("h", "a")),
    ]);
    program.switch()
}

/// One packet in a millisecond.
fn fair(scheduler: SchedulerKind) -> PortOptions {
    PortOptions {
        rate_bps: Some(8_000_000),
        scheduler: Some(scheduler),
        weights: vec![(1, 0.8), (0, 0.2)],
        capacity_pkts: Some(1000),
        ..PortOptions::default()
    }
}

fn packet(priority: u8) -> Vec<u8> {
    vec![priority; 1000]
}

/// The priorities of the packets that leave until `now_ns`.
fn priorities(switch: &mut Switch, now_ns: u64) -> Vec<u8> {
    let mut out = Vec::new();
    switch.advance(now_ns, &mut |output| match output {
        quench_dataplane::Output::Packet { bytes, .. } => out.push(bytes.real()[0]),
        quench_dataplane::Output::Digest { .. } => {}
    });
    out
}

#[test]
fn the_priority_of_a_packet_is_its_queue_and_weights_share_the_rate() {
    for scheduler in [SchedulerKind::Drr, SchedulerKind::Scfq] {
        let mut switch = switch();
        switch.port_set(2, &fair(scheduler), 0).unwrap();
        for priority in [0, 1].repeat(200) {
            switch.receive(0, 1, packet(priority));
        }
        let out = priorities(&mut switch, 200 * MS);
        let low = out.iter().filter(|priority| **priority == 0).count();
        assert_eq!(out.len(), 200);
        assert!(low.abs_diff(40) <= 1, "{scheduler:?}: {low}");
    }
}

#[test]
fn naming_a_queue_makes_it() {
    let mut switch = switch();
    let options = PortOptions {
        queue_capacity_pkts: vec![(3, 5)],
        ..PortOptions::default()
    };
    switch.port_set(2, &options, 0).unwrap();
    let port = switch.port_get(2, 0).unwrap();
    assert_eq!(port.queues, 4);
    let capacities: Vec<u64> = port
        .per_queue
        .iter()
        .map(|queue| queue.capacity.pkts)
        .collect();
    assert_eq!(capacities, [64, 64, 64, 5]);
}

#[test]
fn a_capacity_for_all_replaces_those_of_single_queues() {
    let mut switch = switch();
    let one = PortOptions {
        queue_capacity_bytes: vec![(1, 9000)],
        ..PortOptions::default()
    };
    switch.port_set(2, &one, 0).unwrap();
    let both = PortOptions {
        capacity_pkts: Some(10),
        queue_capacity_pkts: vec![(0, 20)],
        ..PortOptions::default()
    };
    switch.port_set(2, &both, 0).unwrap();
    let port = switch.port_get(2, 0).unwrap();
    let capacities: Vec<_> = port
        .per_queue
        .iter()
        .map(|queue| (queue.capacity.pkts, queue.capacity.bytes))
        .collect();
    assert_eq!(capacities, [(20, 0), (10, 0)]);
}

#[test]
fn what_makes_no_sense_is_refused_whole() {
    let mut switch = switch();
    switch.port_set(2, &fair(SchedulerKind::Scfq), 0).unwrap();
    let before = switch.port_get(2, 0).unwrap();
    let weight = |queue, weight| PortOptions {
        weights: vec![(queue, weight)],
        ..PortOptions::default()
    };
    let cases = [
        (
            weight(0, 0.0),
            "weight 0 of queue 0 is not between 0.001 and 1000",
        ),
        (weight(1, f64::NAN), "weight NaN of queue 1"),
        (weight(8, 1.0), "there is no queue 8: the last one is 7"),
        (
            PortOptions {
                queues: Some(1),
                ..weight(1, 1.0)
            },
            "queue 1 is named, but there are to be 1 queues",
        ),
        (
            PortOptions {
                scheduler: Some(SchedulerKind::Strict),
                ..weight(1, 1.0)
            },
            "strict priority has no weights",
        ),
        (
            PortOptions {
                queue_capacity_bytes: vec![(255, 1)],
                ..PortOptions::default()
            },
            "there is no queue 255",
        ),
    ];
    for (options, message) in cases {
        let options = PortOptions {
            rate_bps: Some(1),
            ..options
        };
        let error = switch.port_set(2, &options, 0).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.starts_with("port 2: "), "{}", error.message);
        assert!(error.message.contains(message), "{}", error.message);
        assert_eq!(switch.port_get(2, 0).unwrap(), before);
    }
}

#[test]
fn schedulers_and_weights_change_at_run_time_without_loss() {
    let mut switch = switch();
    switch.port_set(2, &fair(SchedulerKind::Scfq), 0).unwrap();
    for priority in [0, 1].repeat(100) {
        switch.receive(0, 1, packet(priority));
    }
    let mut out = priorities(&mut switch, 20 * MS);
    let steps = [
        (SchedulerKind::Strict, vec![]),
        (SchedulerKind::Drr, vec![(0, 3.0)]),
    ];
    for (step, (scheduler, weights)) in (1..).zip(steps) {
        let options = PortOptions {
            scheduler: Some(scheduler),
            weights,
            ..PortOptions::default()
        };
        switch.port_set(2, &options, step * 20 * MS).unwrap();
        out.extend(priorities(&mut switch, (step + 1) * 20 * MS));
    }
    out.extend(priorities(&mut switch, 1000 * MS));
    assert_eq!(out.len(), 200);
    let state = switch.port_get(2, 1000 * MS).unwrap();
    assert_eq!(state.per_queue[0].weight, 3.0);
    let sent: Vec<u64> = state
        .per_queue
        .iter()
        .map(|queue| queue.stats.tx_pkts)
        .collect();
    assert_eq!(sent, [100, 100]);
}

#[test]
fn overhead_bytes_change_the_rate_the_capacity_and_the_statistics_in_bytes() {
    let mut switch = switch();
    let options = PortOptions {
        rate_bps: Some(8_000_000),
        capacity_pkts: Some(0),
        capacity_bytes: Some(3 * 986),
        overhead_bytes: Some(-14),
        ..PortOptions::default()
    };
    switch.port_set(2, &options, 0).unwrap();
    for _ in 0..6 {
        switch.receive(0, 1, packet(0));
    }
    let state = switch.port_get(2, 0).unwrap();
    assert_eq!(state.overhead_bytes, -14);
    // One is being sent, three wait, and two of 1000 bytes would not have fitted with a third.
    assert_eq!(state.stats.dropped_full_pkts, 2);
    assert_eq!(state.stats.dropped_full_bytes, 2 * 986);
    assert_eq!(state.stats.enqueued_bytes, 4 * 986);
    assert_eq!(state.per_queue[0].depth.bytes, 3 * 986);
    let mut times = Vec::new();
    switch.advance(10 * MS, &mut |output| match output {
        quench_dataplane::Output::Packet { time_ns, bytes, .. } => {
            assert_eq!(bytes.len(), 1000, "the packet itself is what it was");
            times.push(time_ns);
        }
        quench_dataplane::Output::Digest { .. } => {}
    });
    assert_eq!(times, [986_000, 1_972_000, 2_958_000, 3_944_000]);
    let state = switch.port_get(2, 10 * MS).unwrap();
    assert_eq!(state.stats.tx_bytes, 4 * 986);
    assert_eq!(
        state.stats.queue_bytes.mean,
        (3.0 + 2.0 + 1.0) * 986.0 * 0.0986
    );
}

#[test]
fn packets_that_wait_keep_what_they_counted_for_when_the_overhead_changes() {
    let mut switch = switch();
    let hold = PortOptions {
        hold: Some(true),
        overhead_bytes: Some(-14),
        ..PortOptions::default()
    };
    switch.port_set(2, &hold, 0).unwrap();
    switch.receive(0, 1, packet(0));
    let change = PortOptions {
        hold: Some(false),
        overhead_bytes: Some(24),
        ..PortOptions::default()
    };
    switch.port_set(2, &change, 0).unwrap();
    assert_eq!(switch.port_get(2, 0).unwrap().per_queue[0].depth.bytes, 986);
    switch.receive(0, 1, packet(0));
    assert_eq!(priorities(&mut switch, MS).len(), 2);
    let state = switch.port_get(2, MS).unwrap();
    assert_eq!(state.per_queue[0].depth.bytes, 0);
    assert_eq!(state.stats.tx_bytes, 2 * 1024);
}

/// The memory limit of a switch bounds its queues where nothing else does; the memory is free again afterwards.
#[track_caller]
fn assert_limited(fill: &PortOptions, drain_ns: u64) {
    const MAX_HELD_BYTES: u64 = 1 << 20;
    const SENT: u64 = 4000;
    let mut program = Program::new();
    program.ingress(vec![forward(2)]);
    let mut switch = program.switch_with(SwitchConfig {
        max_held_bytes: MAX_HELD_BYTES,
        ..SwitchConfig::default()
    });
    let unlimited = PortOptions {
        capacity_pkts: Some(0),
        ..fill.clone()
    };
    switch.port_set(2, &unlimited, 0).unwrap();
    let mut send = |now_ns| {
        let mut sent = 0;
        let mut count = |_| sent += 1;
        switch.pass(now_ns, 1, vec![7; 1000], &mut count);
        let dropped = stat(&switch, "dropped_memory");
        (sent, dropped)
    };
    let mut sent = 0;
    for now_ns in 0..SENT {
        sent += send(now_ns).0;
    }
    let dropped = send(SENT).1 - 1;
    let held = SENT - dropped;
    assert_eq!(sent, 0);
    assert!(dropped > 0);
    assert!((100..MAX_HELD_BYTES / 1000).contains(&held), "{held}");

    let open = PortOptions {
        hold: Some(false),
        ..PortOptions::default()
    };
    switch.port_set(2, &open, drain_ns).unwrap();
    assert_eq!(packets(&mut switch, drain_ns).len() as u64, held);
    switch.receive(drain_ns, 1, &[7; 1000]);
    assert_eq!(stat(&switch, "dropped_memory"), dropped + 1);
}

#[test]
fn queues_cannot_take_all_memory() {
    let hold = PortOptions {
        hold: Some(true),
        ..PortOptions::default()
    };
    assert_limited(&hold, 10_000);
}

#[test]
fn links_cannot_take_all_memory() {
    const HOUR_NS: u64 = 3_600_000_000_000;
    let far = PortOptions {
        delay_ns: Some(HOUR_NS),
        ..PortOptions::default()
    };
    assert_limited(&far, 2 * HOUR_NS);
    let farther = PortOptions {
        delay_ns: Some(HOUR_NS + 1),
        ..PortOptions::default()
    };
    let mut switch = Program::new().switch();
    let refused = switch.port_set(2, &farther, 0).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
}

/// Any weight that a caller may write down, valid ones often.
fn any_weight() -> impl Strategy<Value = f64> {
    let bits = any::<u64>().prop_map(f64::from_bits);
    prop_oneof![bits, 0.001..=1000.0, Just(0.0), Just(-0.0), Just(f64::MAX)]
}

fn any_options() -> impl Strategy<Value = PortOptions> {
    let scheduler = prop::option::of(prop::sample::select(&SchedulerKind::ALL[..]));
    let queue = prop_oneof![0u8..8, any::<u8>()];
    let number = || prop_oneof![0u64..5_000, any::<u64>()];
    let queues = prop::option::of(prop_oneof![1u8..=8, any::<u8>()]);
    let weights = prop::collection::vec((queue.clone(), any_weight()), 0..4);
    let capacities = prop::collection::vec((queue.clone(), number()), 0..3);
    let rates = prop::collection::vec((queue, number()), 0..2);
    let overhead = prop::option::of(any::<i32>());
    (scheduler, queues, weights, capacities, rates, overhead).prop_map(
        |(scheduler, queues, weights, queue_capacity_bytes, queue_rate_pps, overhead_bytes)| {
            PortOptions {
                scheduler,
                queues,
                weights,
                queue_capacity_bytes,
                queue_rate_pps,
                overhead_bytes,
                ..PortOptions::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// A change is made or refused whole, and each packet that found room in a queue leaves.
    #[test]
    fn no_options_lose_a_packet_or_stop_a_port(
        steps in prop::collection::vec((any_options(), prop::collection::vec(0u8..8, 0..20)), 1..12),
    ) {
        let mut switch = switch();
        let eight = PortOptions { queues: Some(8), rate_bps: Some(8_000_000), ..PortOptions::default() };
        switch.port_set(2, &eight, 0).unwrap();
        let (mut sent, mut left, mut now_ns) = (0, 0, 0);
        for (options, arrivals) in steps {
            let before = switch.port_get(2, now_ns).unwrap();
            match switch.port_set(2, &options, now_ns) {
                Ok(()) => {
                    let weights = switch.port_get(2, now_ns).unwrap().per_queue;
                    prop_assert!(weights.iter().all(|queue| (0.001..=1000.0).contains(&queue.weight)));
                }
                Err(error) => {
                    prop_assert_eq!(error.code, ErrorCode::InvalidArgument);
                    prop_assert_eq!(switch.port_get(2, now_ns).unwrap(), before);
                }
            }
            for priority in arrivals {
                sent += 1;
                switch.receive(now_ns, 1, packet(priority));
            }
            now_ns += 5 * MS;
            left += priorities(&mut switch, now_ns).len();
        }
        // Rates of queues and overheads may be such that nothing would leave for years.
        let plain = PortOptions {
            queues: Some(8),
            queue_rate_pps: (0..8).map(|queue| (queue, 0)).collect(),
            overhead_bytes: Some(0),
            scheduler: Some(SchedulerKind::Scfq),
            ..PortOptions::default()
        };
        switch.port_set(2, &plain, now_ns).unwrap();
        left += priorities(&mut switch, u64::MAX / 2).len();
        let stats = switch.port_get(2, u64::MAX / 2).unwrap().stats;
        prop_assert_eq!(stats.tx_pkts, stats.enqueued_pkts);
        prop_assert_eq!(left as u64, stats.tx_pkts);
        prop_assert!(stats.enqueued_pkts + stats.dropped_full_pkts <= sent);
    }
}
