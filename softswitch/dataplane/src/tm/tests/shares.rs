// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Shares of queues by bytes for any weights and lengths, and the work that no scheduler may put off.

use proptest::prelude::*;

use super::*;

const RATE_BPS: u64 = 1_000_000_000;

/// Weights from the least to the largest, as many small as large ones.
fn weights() -> impl Strategy<Value = Weights> {
    let weight = (-3.0..=3.0).prop_map(|exponent: f64| {
        Weight::new(10f64.powf(exponent).clamp(Weight::MIN, Weight::MAX)).expect("it is valid")
    });
    prop::array::uniform8(weight)
}

fn config(scheduler: SchedulerKind, weights: Weights, queues: u8) -> PortConfig {
    PortConfig {
        rate: Rate::bps(RATE_BPS),
        capacity_pkts: 0,
        queues,
        scheduler,
        weights,
        ..PortConfig::default()
    }
}

/// All that a port still has to send, in bits times ns of a second.
fn work(manager: &TrafficManager<u32>, now_ns: u64, queues: u8) -> u128 {
    let waiting = (0..queues).map(|queue| manager.depth(0, queue).bytes);
    u128::from(waiting.sum::<u64>()) * 8_000_000_000 + manager.unsent_bit_ns(now_ns, 0)
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    /// The bounds of the papers, with the link busy all the time.
    #[test]
    fn a_backlog_is_shared_by_the_weights(
        weights in weights(),
        lengths in prop::collection::vec(prop::collection::vec(64u32..9_216, 1..5), 2..=8),
        drr in any::<bool>(),
    ) {
        let scheduler = if drr { SchedulerKind::Drr } else { SchedulerKind::Scfq };
        let queues = lengths.len();
        let mut manager = manager(config(scheduler, weights, queues as u8));
        let mut endless: Vec<_> = lengths.iter().map(|lengths| lengths.iter().cycle()).collect();
        // Two packets wait in each queue, and the one that leaves is replaced.
        for (queue, endless) in endless.iter_mut().enumerate() {
            for len_bytes in endless.take(2) {
                manager.enqueue(0, 0, queue as u8, 0, *len_bytes).expect("no limit");
            }
        }
        let mut sent = vec![0.0; queues];
        let mut free_ns = 0;
        for _ in 0..100 {
            let dequeued = manager.poll(free_ns).expect("a packet waits and the link is free");
            prop_assert_eq!(dequeued.deq_ns, free_ns);
            let queue = usize::from(dequeued.queue);
            let next = endless[queue].next().expect("it is endless");
            manager.enqueue(free_ns, 0, dequeued.queue, 0, *next).expect("no limit");
            free_ns = manager.transmitted(0, dequeued.len_bytes);
            sent[queue] += f64::from(dequeued.len_bytes) / weights[queue].get();
            let longest = |queue: usize| {
                let longest = lengths[queue].iter().max().expect("there is one");
                f64::from(*longest) / weights[queue].get()
            };
            for other in 0..queues {
                let bound = longest(queue) + longest(other) + if drr { 1_500.0 } else { 0.0 };
                let apart = (sent[queue] - sent[other]).abs();
                prop_assert!(apart <= bound * (1.0 + 1e-9), "{apart} of {bound}");
            }
        }
    }

    /// Whatever the scheduler, at any time the same work is left: the link is never idle while a packet waits.
    #[test]
    fn no_scheduler_puts_work_off(
        weights in weights(),
        arrivals in prop::collection::vec((0u64..60_000, 0u8..4, 1u32..9_216), 1..150),
    ) {
        let mut managers: Vec<_> =
            SchedulerKind::ALL.iter().map(|kind| manager(config(*kind, weights, 4))).collect();
        let mut now_ns = 0;
        for (gap_ns, queue, len_bytes) in arrivals {
            now_ns += gap_ns;
            let left: Vec<u128> = managers
                .iter_mut()
                .map(|manager| {
                    drain(manager, now_ns);
                    manager.enqueue(now_ns, 0, queue, 0, len_bytes).expect("no limit");
                    drain(manager, now_ns);
                    work(manager, now_ns, 4)
                })
                .collect();
            prop_assert!(left.iter().all(|each| *each == left[0]), "{left:?}");
        }
    }
}
