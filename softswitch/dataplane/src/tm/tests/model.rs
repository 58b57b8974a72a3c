// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Any load against a plain model, and against Little's law.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
struct Arrival {
    gap_ns: u64,
    port: PortId,
    queue: u8,
    len_bytes: u32,
    dropped_in_egress: bool,
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let arrival = (
        0u64..4_000,
        0u32..3,
        0u8..3,
        1u32..2_000,
        prop::bool::weighted(0.2),
    )
        .prop_map(
            |(gap_ns, port, queue, len_bytes, dropped_in_egress)| Arrival {
                gap_ns,
                port,
                queue,
                len_bytes,
                dropped_in_egress,
            },
        );
    prop::collection::vec(arrival, 1..150)
}

fn rates() -> impl Strategy<Value = Rate> {
    prop_oneof![
        Just(Rate::Unlimited),
        (1_000_000_000u64..50_000_000_000).prop_map(Rate::bps),
        (200_000u64..5_000_000).prop_map(Rate::pps),
    ]
}

/// One port in the plainest form: times are exact fractions over `rate`.
struct Model {
    config: PortConfig,
    waiting: Vec<(u8, u32)>,
    /// End of the last slot in units of `1 / rate` nanoseconds.
    free: u128,
}

impl Model {
    fn units(&self) -> u128 {
        match self.config.rate {
            Rate::Unlimited => 1,
            Rate::Bps(rate) | Rate::Pps(rate) => u128::from(rate.get()),
        }
    }

    fn depth(&self, arrivals: &[Arrival], queue: u8) -> Depth {
        let lens = self
            .waiting
            .iter()
            .filter(|(q, _)| *q == queue)
            .map(|(_, i)| arrivals[*i as usize].len_bytes);
        lens.fold(Depth::default(), |d, len| Depth {
            pkts: d.pkts + 1,
            bytes: d.bytes + u64::from(len),
        })
    }

    /// Packets that start before or at `until_ns`, as (item, start).
    fn run(&mut self, arrivals: &[Arrival], times: &[u64], until_ns: u64) -> Vec<(u32, u64)> {
        let mut started = Vec::new();
        while let Some(queue) = self.waiting.iter().map(|(queue, _)| *queue).max() {
            let index = self
                .waiting
                .iter()
                .position(|(q, _)| *q == queue)
                .expect("it was just found");
            let item = self.waiting[index].1;
            let arrived = u128::from(times[item as usize]) * self.units();
            let busy = self.free / self.units() * self.units() >= arrived;
            let start = if busy { self.free } else { arrived };
            let start_ns = (start / self.units()) as u64;
            if start_ns > until_ns {
                break;
            }
            self.waiting.remove(index);
            let arrival = &arrivals[item as usize];
            self.free = start
                + match self.config.rate {
                    Rate::Unlimited => 0,
                    Rate::Bps(_) if arrival.dropped_in_egress => 0,
                    Rate::Bps(_) => u128::from(arrival.len_bytes) * 8_000_000_000,
                    Rate::Pps(_) => 1_000_000_000,
                };
            started.push((item, start_ns));
        }
        started
    }
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    /// Work conservation, order, exact times and drops, all at once against the model.
    #[test]
    fn behaves_as_the_model(
        arrivals in arrivals(),
        rates in prop::collection::vec(rates(), 3),
        capacity_pkts in 0u64..6,
        capacity_bytes in prop_oneof![Just(0u64), 1_000u64..6_000],
    ) {
        let mut times = Vec::new();
        let mut manager = manager(PortConfig::default());
        let mut models: Vec<Model> = rates
            .iter()
            .map(|rate| {
                let config =
                    PortConfig { rate: *rate, capacity_pkts, capacity_bytes, queues: 3, ..PortConfig::default() };
                Model { config, waiting: Vec::new(), free: 0 }
            })
            .collect();
        for (port, model) in (0..).zip(&models) {
            manager.set_config(0, port, model.config).expect("valid");
        }
        let mut got: Vec<Vec<(u32, u64)>> = vec![Vec::new(); 3];
        let mut expected = got.clone();
        let mut last_deq_ns = 0;
        let mut now_ns = 0;
        let end = arrivals.len();
        for item in 0..=end {
            now_ns = if item < end { now_ns + arrivals[item].gap_ns } else { u64::MAX / 2 };
            times.push(now_ns);
            while let Some(dequeued) = manager.poll(now_ns) {
                prop_assert!(dequeued.deq_ns >= last_deq_ns && dequeued.deq_ns <= now_ns);
                last_deq_ns = dequeued.deq_ns;
                prop_assert_eq!(dequeued.deq_depth, manager.depth(dequeued.port, dequeued.queue));
                let arrival = &arrivals[dequeued.item as usize];
                prop_assert_eq!(dequeued.len_bytes, arrival.len_bytes);
                prop_assert_eq!(dequeued.enq_ns, times[dequeued.item as usize]);
                manager.transmitted(dequeued.port, if arrival.dropped_in_egress { 0 } else { arrival.len_bytes });
                got[dequeued.port as usize].push((dequeued.item, dequeued.deq_ns));
            }
            for (model, expected) in models.iter_mut().zip(&mut expected) {
                expected.extend(model.run(&arrivals, &times, now_ns));
            }
            let Some(arrival) = arrivals.get(item) else { break };
            let model = &mut models[arrival.port as usize];
            let depth = model.depth(&arrivals, arrival.queue);
            let fits = (capacity_pkts == 0 || depth.pkts < capacity_pkts)
                && (capacity_bytes == 0 || depth.bytes + u64::from(arrival.len_bytes) <= capacity_bytes);
            let result = manager.enqueue(now_ns, arrival.port, arrival.queue, item as u32, arrival.len_bytes);
            match result {
                Ok(found) => {
                    prop_assert!(fits);
                    prop_assert_eq!((found.depth_pkts_before, found.depth_bytes_before), (depth.pkts, depth.bytes));
                    model.waiting.push((arrival.queue, item as u32));
                }
                Err(refused) => {
                    prop_assert!(!fits);
                    prop_assert_eq!(refused, Refused { item: item as u32, reason: Refusal::Full });
                }
            }
        }
        prop_assert_eq!(got, expected);
        prop_assert_eq!(manager.next_event_ns(), None);
    }

    /// The mean queue is the time that all packets together spent waiting, over the time that passed.
    #[test]
    fn the_mean_depth_obeys_littles_law(arrivals in arrivals(), rate in rates()) {
        let mut manager = manager(PortConfig { rate, queues: 3, capacity_pkts: 0, ..PortConfig::default() });
        let mut waited_ns = 0;
        let mut now_ns = 0;
        let mut take = |manager: &mut TrafficManager<u32>, now_ns| {
            for dequeued in drain(manager, now_ns) {
                waited_ns += dequeued.deq_ns - dequeued.enq_ns;
            }
            waited_ns
        };
        manager.reset_stats(0, 0);
        for arrival in &arrivals {
            now_ns += arrival.gap_ns;
            take(&mut manager, now_ns);
            manager.enqueue(now_ns, 0, arrival.queue, 0, arrival.len_bytes).expect("no limit");
        }
        let end_ns = now_ns + 1_000_000_000;
        let waited_ns = take(&mut manager, end_ns);
        let mean = manager.stats(end_ns, 0).queue_pkts.mean;
        prop_assert!((mean - waited_ns as f64 / end_ns as f64).abs() < 1e-9 * (1.0 + mean));
    }
}
