// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Several queues of a port: schedulers, capacities and statistics of each.

use proptest::prelude::*;

use super::*;

fn port(scheduler: SchedulerKind, weights: &[f64]) -> PortConfig {
    let mut config = PortConfig {
        rate: Rate::bps(8_000_000_000),
        queues: weights.len() as u8,
        scheduler,
        capacity_pkts: 0,
        ..PortConfig::default()
    };
    for (weight, value) in config.weights.iter_mut().zip(weights) {
        *weight = Weight::new(*value).expect("a valid weight");
    }
    config
}

fn manager(config: PortConfig) -> TrafficManager<u32> {
    TrafficManager::new(config).expect("the configuration is valid")
}

/// The queues of what is due by `now_ns`, each packet let through unchanged.
fn served(manager: &mut TrafficManager<u32>, now_ns: u64) -> Vec<u8> {
    let mut queues = Vec::new();
    while let Some(dequeued) = manager.poll(now_ns) {
        manager.transmitted(dequeued.port, dequeued.len_bytes);
        queues.push(dequeued.queue);
    }
    queues
}

#[test]
fn a_fair_port_shares_its_rate_by_the_weights() {
    for scheduler in [SchedulerKind::Drr, SchedulerKind::Scfq] {
        let mut manager = manager(port(scheduler, &[0.2, 0.8]));
        for item in 0..2_000 {
            manager
                .enqueue(0, 1, (item % 2) as u8, item, 1000)
                .expect("no limit");
        }
        // A thousand packets of 1 us each.
        let queues = served(&mut manager, 1_000_000 - 1);
        assert_eq!(queues.len(), 1000);
        let low = queues.iter().filter(|queue| **queue == 0).count();
        assert!(low.abs_diff(200) <= 1, "{scheduler:?}: {low}");
    }
}

#[test]
fn another_scheduler_takes_over_what_is_queued() {
    let mut config = port(SchedulerKind::Strict, &[0.2, 0.8]);
    let mut manager = manager(config);
    for item in 0..40 {
        manager
            .enqueue(0, 1, (item % 2) as u8, item, 1000)
            .expect("no limit");
    }
    assert_eq!(served(&mut manager, 1_999), [1, 1]);
    config.scheduler = SchedulerKind::Scfq;
    manager.set_config(1_999, 1, config).expect("valid");
    assert_eq!(served(&mut manager, 6_999), [1, 1, 1, 1, 0]);
    config.scheduler = SchedulerKind::Drr;
    manager.set_config(6_999, 1, config).expect("valid");
    // Quanta of 300 and 1200 bytes: queue 0 has 1000 in its fourth round.
    assert_eq!(served(&mut manager, 11_999), [1, 1, 1, 0, 1]);
    config.scheduler = SchedulerKind::Strict;
    manager.set_config(11_999, 1, config).expect("valid");
    let rest = served(&mut manager, 1_000_000);
    assert_eq!(rest, [[1; 10].as_slice(), [0; 18].as_slice()].concat());
}

#[test]
fn a_scheduler_set_while_a_packet_is_in_egress_starts_afresh() {
    let mut config = port(SchedulerKind::Drr, &[1.0, 1.0]);
    let mut manager = manager(config);
    for queue in [0, 1, 0, 1] {
        manager.enqueue(0, 1, queue, 0, 1500).expect("no limit");
    }
    assert_eq!(manager.poll(0).map(|packet| packet.queue), Some(0));
    config.scheduler = SchedulerKind::Scfq;
    manager.set_config(0, 1, config).expect("valid");
    manager.transmitted(1, 1500);
    assert_eq!(served(&mut manager, 1_000_000), [1, 0, 1]);
}

#[test]
fn weights_change_live_and_nothing_is_lost() {
    for scheduler in [SchedulerKind::Drr, SchedulerKind::Scfq] {
        let mut config = port(scheduler, &[1.0, 1.0]);
        let mut manager = manager(config);
        for item in 0..400 {
            manager
                .enqueue(0, 1, (item % 2) as u8, item, 1000)
                .expect("no limit");
        }
        let before = served(&mut manager, 99_999);
        config.weights[0] = Weight::new(4.0).expect("valid");
        manager.set_config(99_999, 1, config).expect("valid");
        let after = served(&mut manager, 199_999);
        let low = |queues: &[u8]| queues.iter().filter(|queue| **queue == 0).count();
        assert!(low(&before).abs_diff(50) <= 1, "{scheduler:?}");
        assert!(
            low(&after).abs_diff(80) <= 6,
            "{scheduler:?}: a visit of queue 0 is 6 packets"
        );
        assert_eq!(served(&mut manager, 1_000_000).len(), 200);
    }
}

#[test]
fn what_egress_drops_costs_a_queue_nothing_at_a_bit_rate_and_a_slot_at_a_packet_rate() {
    for (rate, dropped_share) in [(Rate::bps(8_000_000_000), 200), (Rate::pps(1_000_000), 100)] {
        let mut config = port(SchedulerKind::Scfq, &[1.0, 1.0]);
        config.rate = rate;
        let mut manager = manager(config);
        for item in 0..800 {
            manager
                .enqueue(0, 1, (item % 2) as u8, item, 1000)
                .expect("no limit");
        }
        // Egress drops every other packet of queue 1, until queue 0 has sent 100.
        let (mut sent, mut taken) = ([0usize; 2], [0usize; 2]);
        while sent[0] < 100 {
            let packet = manager.poll(u64::MAX / 2).expect("a backlog");
            let queue = usize::from(packet.queue);
            taken[queue] += 1;
            let dropped = queue == 1 && taken[queue] % 2 == 0;
            manager.transmitted(1, if dropped { 0 } else { packet.len_bytes });
            sent[queue] += usize::from(!dropped);
        }
        assert!(taken[1].abs_diff(dropped_share) <= 2, "{rate:?}: {taken:?}");
    }
}

#[test]
fn a_queue_may_have_a_capacity_of_its_own() {
    let mut config = PortConfig {
        capacity_pkts: 3,
        queues: 3,
        hold: true,
        ..PortConfig::default()
    };
    config.queue_capacity[1] = Some(Capacity {
        pkts: 0,
        bytes: 250,
    });
    config.queue_capacity[2] = Some(Capacity { pkts: 1, bytes: 0 });
    let mut manager = manager(config);
    let mut accepted = [0; 3];
    for queue in 0..3 {
        for item in 0..10 {
            accepted[usize::from(queue)] +=
                u8::from(manager.enqueue(0, 0, queue, item, 50).is_ok());
        }
    }
    assert_eq!(accepted, [3, 5, 1]);
    let drops = [0, 1, 2].map(|queue| manager.queue_stats(0, 0, queue).dropped_full_pkts);
    assert_eq!(drops, [7, 5, 9]);
    assert_eq!(manager.stats(0, 0).dropped_full_pkts, 21);
}

#[test]
fn every_queue_has_statistics_and_the_port_has_their_sum() {
    let mut manager = manager(PortConfig {
        queues: 2,
        hold: true,
        ..PortConfig::default()
    });
    manager.enqueue(0, 0, 0, 1, 100).expect("room");
    manager.enqueue(50, 0, 1, 2, 300).expect("room");
    let released = PortConfig {
        hold: false,
        ..manager.config(0)
    };
    manager.set_config(100, 0, released).expect("valid");
    let first = manager.poll(100).expect("due");
    assert_eq!(first.queue, 1);
    manager.transmitted(0, 280);
    manager.poll(100).expect("due");
    manager.transmitted(0, 0);
    let high = manager.queue_stats(200, 0, 1);
    assert_eq!(
        (high.enqueued_pkts, high.tx_pkts, high.tx_bytes),
        (1, 1, 280)
    );
    assert_eq!(high.queue_bytes.mean, 75.0);
    assert_eq!(
        high.max_depth,
        Depth {
            pkts: 1,
            bytes: 300
        }
    );
    let low = manager.queue_stats(200, 0, 0);
    assert_eq!((low.enqueued_pkts, low.tx_pkts, low.tx_bytes), (1, 0, 0));
    assert_eq!(low.queue_pkts, Moments { mean: 0.5, sd: 0.5 });
    let port = manager.stats(200, 0);
    assert_eq!(
        (port.enqueued_pkts, port.tx_pkts, port.tx_bytes),
        (2, 1, 280)
    );
    assert_eq!(
        port.max_depth,
        Depth {
            pkts: 2,
            bytes: 400
        }
    );
    assert_eq!(
        port.queue_pkts.mean,
        high.queue_pkts.mean + low.queue_pkts.mean
    );

    manager.reset_stats(200, 0);
    let high = manager.queue_stats(300, 0, 1);
    assert_eq!((high.enqueued_pkts, high.stats_ns), (0, 100));
    assert_eq!(high.max_depth, Depth::default());
}

fn schedulers() -> impl Strategy<Value = SchedulerKind> {
    prop::sample::select(SchedulerKind::ALL.as_slice())
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    /// A port with a packet never idles, with any scheduler and also when it changes on the way;
    /// every packet leaves once, and those of one queue in the order in which they came.
    #[test]
    fn no_scheduler_idles_or_loses_or_reorders(
        arrivals in prop::collection::vec((0u64..3_000, 0u8..4, 1u32..2_000), 1..150),
        changes in prop::collection::vec((0usize..150, schedulers(), 1u32..100), 0..6),
        first in schedulers(),
    ) {
        let mut config = port(first, &[0.1, 0.2, 0.3, 0.4]);
        let mut manager = manager(config);
        let mut left: Vec<(u64, u64, u64, u32)> = Vec::new();
        let mut last_item = [None; 4];
        let mut now_ns = 0;
        for item in 0..=arrivals.len() {
            let arrival = arrivals.get(item);
            now_ns = arrival.map_or(u64::MAX / 2, |(gap_ns, _, _)| now_ns + gap_ns);
            while let Some(packet) = manager.poll(now_ns) {
                let end_ns = manager.transmitted(packet.port, packet.len_bytes);
                let last = last_item[usize::from(packet.queue)].replace(packet.item);
                prop_assert!(last < Some(packet.item));
                left.push((packet.enq_ns, packet.deq_ns, end_ns, packet.item));
            }
            for (_, kind, weight) in changes.iter().filter(|(at, _, _)| *at == item) {
                config.scheduler = *kind;
                config.weights[1] = Weight::new(f64::from(*weight) / 10.0).expect("valid");
                manager.set_config(now_ns, 0, config).expect("valid");
            }
            if let Some((_, queue, len_bytes)) = arrival {
                manager.enqueue(now_ns, 0, *queue, item as u32, *len_bytes).expect("no limit");
            }
        }
        prop_assert_eq!(left.len(), arrivals.len());
        // 8 Gb/s: a nanosecond a byte. Busy or idle, the link starts as soon as it can.
        let mut free_ns = 0;
        for (index, (_, deq_ns, end_ns, item)) in left.iter().enumerate() {
            let first_ns = left[index..].iter().map(|(enq_ns, ..)| *enq_ns).min().expect("itself");
            prop_assert_eq!(*deq_ns, first_ns.max(free_ns));
            prop_assert_eq!(*end_ns, deq_ns + u64::from(arrivals[*item as usize].2));
            free_ns = *end_ns;
        }
    }
}

#[test]
fn the_first_queue_keeps_its_statistics_when_the_port_gets_another() {
    let mut config = port(SchedulerKind::Strict, &[1.0]);
    config.hold = true;
    let mut manager = manager(config);
    for (now_ns, item) in [(0, 1), (100, 2)] {
        manager.enqueue(now_ns, 1, 0, item, 1000).expect("no limit");
    }
    let alone = manager.queue_stats(200, 1, 0);
    assert_eq!((alone.enqueued_pkts, alone.queue_pkts.mean), (2, 1.5));
    assert_eq!(alone, manager.stats(200, 1));
    config.queues = 2;
    manager.set_config(200, 1, config).expect("valid");
    assert_eq!(manager.queue_stats(200, 1, 0), alone);
    manager.enqueue(200, 1, 1, 3, 1000).expect("no limit");
    let (first, second) = (
        manager.queue_stats(400, 1, 0),
        manager.queue_stats(400, 1, 1),
    );
    assert_eq!((first.enqueued_pkts, first.queue_pkts.mean), (2, 1.75));
    assert_eq!((second.enqueued_pkts, second.queue_pkts.mean), (1, 1.0));
    assert_eq!(manager.stats(400, 1).enqueued_pkts, 3);
}
