// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets that need not wait go through a queue as if it were not there.

use proptest::prelude::*;

use super::*;

fn limited(capacity_bytes: u64, hold: bool) -> TrafficManager<u32> {
    let mut manager = manager(PortConfig::default());
    let config = PortConfig {
        rate: Rate::bps(8_000_000_000),
        capacity_bytes,
        hold,
        ..PortConfig::default()
    };
    manager.set_config(0, 1, config).expect("valid");
    manager
}

#[test]
fn an_idle_port_lets_a_packet_pass_and_is_busy_with_it() {
    let mut manager = limited(0, false);
    let passed = manager.pass(500, 1, 0, 100).expect("an idle port");
    assert_eq!((passed.enq_ns, passed.deq_ns), (500, 500));
    assert_eq!((passed.port, passed.queue, passed.len_bytes), (1, 0, 100));
    assert_eq!(manager.pass(500, 1, 0, 100), None, "one is in egress");
    assert_eq!(manager.transmitted(1, 100), 600);
    assert_eq!(manager.pass(599, 1, 0, 100), None, "it is still being sent");
    assert!(manager.pass(600, 1, 0, 100).is_some());
    let stats = manager.stats(600, 1);
    assert_eq!((stats.enqueued_pkts, stats.enqueued_bytes), (2, 200));
    assert_eq!(
        stats.max_depth,
        Depth {
            pkts: 1,
            bytes: 100
        }
    );
    assert_eq!(stats.queue_pkts, Moments::default());
}

#[test]
fn what_a_queue_would_keep_or_refuse_does_not_pass() {
    assert_eq!(limited(0, true).pass(0, 1, 0, 100), None, "held");
    assert_eq!(limited(99, false).pass(0, 1, 0, 100), None, "too long");
    assert_eq!(limited(0, false).pass(0, 1, 1, 100), None, "no such queue");
    let mut manager = limited(0, false);
    manager.enqueue(0, 2, 0, 1, 100).expect("room");
    assert_eq!(manager.pass(0, 1, 0, 100), None, "port 2 goes first");
    assert_eq!(manager.stats(0, 1).enqueued_pkts, 0);
    assert_eq!(items(&drain(&mut manager, 0)), [1]);
    assert!(manager.pass(0, 1, 0, 100).is_some());
}

/// A packet that passed, as `poll` would have given it.
fn of(item: u32, from: &Dequeued<()>) -> Dequeued<u32> {
    Dequeued {
        item,
        port: from.port,
        queue: from.queue,
        len_bytes: from.len_bytes,
        enq_ns: from.enq_ns,
        enq_depth: from.enq_depth,
        deq_ns: from.deq_ns,
        deq_depth: from.deq_depth,
        enq_cells: from.enq_cells,
        deq_cells: from.deq_cells,
    }
}

fn configs() -> impl Strategy<Value = PortConfig> {
    let rates = prop_oneof![
        Just(Rate::Unlimited),
        Just(Rate::bps(8_000_000_000)),
        Just(Rate::pps(1_000_000)),
    ];
    let schedulers = prop::sample::select(SchedulerKind::ALL.to_vec());
    (rates, schedulers, 1u8..4, 0u64..4).prop_map(|(rate, scheduler, queues, capacity_pkts)| {
        PortConfig {
            rate,
            scheduler,
            queues,
            capacity_pkts,
            ..PortConfig::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    /// One of two managers passes packets at once where it may; afterwards both have the same state.
    #[test]
    fn passing_is_queueing_for_no_time(
        configs in prop::collection::vec(configs(), 2),
        arrivals in prop::collection::vec((0u64..3_000, 0u32..2, 0u8..3, 1u32..2_000, any::<bool>()), 1..120),
    ) {
        let (mut queueing, mut passing) = (manager(PortConfig::default()), manager(PortConfig::default()));
        for manager in [&mut queueing, &mut passing] {
            for (port, config) in (0..).zip(&configs) {
                manager.set_config(0, port, *config).expect("valid");
            }
        }
        let (mut want, mut got, mut passed) = (Vec::new(), Vec::new(), 0);
        let mut now_ns = 0;
        for (item, (gap_ns, port, queue, len_bytes, dropped_in_egress)) in (0..).zip(&arrivals) {
            now_ns += gap_ns;
            let sent_bytes = if *dropped_in_egress { 0 } else { *len_bytes };
            let take = |manager: &mut TrafficManager<u32>, out: &mut Vec<_>| {
                while let Some(dequeued) = manager.poll(now_ns) {
                    let left_ns = manager.transmitted(dequeued.port, sent_bytes);
                    out.push((dequeued, left_ns));
                }
            };
            take(&mut queueing, &mut want);
            take(&mut passing, &mut got);
            let enqueued = queueing.enqueue(now_ns, *port, *queue, item, *len_bytes);
            match passing.pass(now_ns, *port, *queue, *len_bytes) {
                Some(from) => {
                    passed += 1;
                    prop_assert!(enqueued.is_ok());
                    let left_ns = passing.transmitted(*port, sent_bytes);
                    got.push((of(item, &from), left_ns));
                }
                None => prop_assert_eq!(passing.enqueue(now_ns, *port, *queue, item, *len_bytes), enqueued),
            }
            take(&mut queueing, &mut want);
            take(&mut passing, &mut got);
            prop_assert_eq!(&got, &want);
            prop_assert_eq!(passing.next_event_ns(), queueing.next_event_ns());
        }
        prop_assert!(passed > 0 || arrivals.iter().all(|(_, port, queue, ..)| *queue >= configs[*port as usize].queues));
        for port in 0..2 {
            prop_assert_eq!(passing.stats(now_ns, port), queueing.stats(now_ns, port));
            for queue in 0..3 {
                prop_assert_eq!(passing.queue_stats(now_ns, port, queue), queueing.queue_stats(now_ns, port, queue));
            }
        }
    }
}
