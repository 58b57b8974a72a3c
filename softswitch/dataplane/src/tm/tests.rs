// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The traffic manager and the link as their users see them.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

fn manager(config: PortConfig) -> TrafficManager<u32> {
    TrafficManager::new(config).expect("the configuration is valid")
}

/// Everything due by `now_ns`, with egress letting each packet through unchanged.
fn drain(manager: &mut TrafficManager<u32>, now_ns: u64) -> Vec<Dequeued<u32>> {
    let mut out = Vec::new();
    while let Some(dequeued) = manager.poll(now_ns) {
        manager.transmitted(dequeued.port, dequeued.len_bytes);
        out.push(dequeued);
    }
    out
}

fn items(dequeued: &[Dequeued<u32>]) -> Vec<u32> {
    dequeued.iter().map(|d| d.item).collect()
}

#[test]
fn depths_are_before_adding_and_after_removing_and_exclude_the_packet_in_transmission() {
    let mut manager = manager(PortConfig {
        rate: Rate::bps(8_000_000_000),
        ..PortConfig::default()
    });
    let first = manager.enqueue(0, 1, 0, 10, 100).expect("room");
    assert_eq!(
        first,
        Enqueued {
            depth_pkts_before: 0,
            depth_bytes_before: 0
        }
    );
    let first = manager.poll(0).expect("an idle port sends at once");
    assert_eq!((first.deq_ns, first.deq_depth), (0, Depth::default()));
    assert_eq!(manager.transmitted(1, 100), 100);

    let second = manager.enqueue(10, 1, 0, 11, 200).expect("room");
    assert_eq!(
        second.depth_pkts_before, 0,
        "the packet in transmission is not in the queue"
    );
    let third = manager.enqueue(20, 1, 0, 12, 300).expect("room");
    assert_eq!(
        (third.depth_pkts_before, third.depth_bytes_before),
        (1, 200)
    );

    assert_eq!(manager.next_event_ns(), Some(100));
    let second = manager.poll(100).expect("due");
    assert_eq!(
        second.deq_depth,
        Depth {
            pkts: 1,
            bytes: 300
        }
    );
    assert_eq!(second.enq_ns, 10);
    manager.transmitted(1, 200);
    let third = manager.poll(300).expect("due");
    assert_eq!(
        third.enq_depth,
        Depth {
            pkts: 1,
            bytes: 200
        }
    );
    assert_eq!(third.deq_depth, Depth::default());
}

#[test]
fn a_late_poll_still_gives_the_exact_times() {
    let mut manager = manager(PortConfig {
        rate: Rate::bps(8_000_000),
        ..PortConfig::default()
    });
    for item in 0..3 {
        manager.enqueue(500, 0, 0, item, 1000).expect("room");
    }
    let times: Vec<u64> = drain(&mut manager, 1_000_000_000)
        .iter()
        .map(|d| d.deq_ns)
        .collect();
    assert_eq!(times, [500, 1_000_500, 2_000_500]);
}

#[test]
fn the_highest_queue_goes_first_but_does_not_interrupt() {
    let config = PortConfig {
        rate: Rate::pps(1000),
        queues: 8,
        ..PortConfig::default()
    };
    let mut manager = manager(config);
    for (item, queue) in [(1, 0), (2, 7), (3, 3), (4, 7)] {
        manager.enqueue(0, 0, queue, item, 100).expect("room");
        if item == 1 {
            assert_eq!(items(&drain(&mut manager, 0)), [1]);
        }
    }
    assert_eq!(items(&drain(&mut manager, 10_000_000)), [2, 4, 3]);
}

#[test]
fn a_queue_that_the_port_does_not_have_is_refused() {
    let mut manager = manager(PortConfig {
        queues: 2,
        ..PortConfig::default()
    });
    let refused = manager
        .enqueue(0, 0, 2, 5, 100)
        .expect_err("there are queues 0 and 1");
    assert_eq!(
        refused,
        Refused {
            item: 5,
            reason: Refusal::NoSuchQueue
        }
    );
    for queues in [0, 9] {
        let config = PortConfig {
            queues,
            ..PortConfig::default()
        };
        assert_eq!(
            manager.set_config(0, 0, config),
            Err(ConfigError::Queues(queues))
        );
    }
    assert_eq!(manager.config(0).queues, 2);
}

#[test]
fn capacity_limits_packets_and_bytes_of_each_queue() {
    let config = PortConfig {
        capacity_pkts: 2,
        capacity_bytes: 250,
        queues: 2,
        hold: true,
        ..PortConfig::default()
    };
    let mut manager = manager(config);
    manager.enqueue(0, 0, 0, 1, 200).expect("room");
    let too_long = manager.enqueue(0, 0, 0, 2, 51).expect_err("251 bytes");
    assert_eq!(
        too_long,
        Refused {
            item: 2,
            reason: Refusal::Full
        }
    );
    manager
        .enqueue(0, 0, 0, 3, 50)
        .expect("250 bytes fit exactly");
    manager
        .enqueue(0, 0, 1, 4, 1)
        .expect("the other queue is empty");
    manager.enqueue(0, 0, 1, 5, 1).expect("room");
    manager.enqueue(0, 0, 1, 6, 1).expect_err("two packets");
    let stats = manager.stats(0, 0);
    assert_eq!((stats.enqueued_pkts, stats.dropped_full_pkts), (4, 2));
}

#[test]
fn a_queue_holds_64_packets_by_default() {
    let mut manager = manager(PortConfig {
        hold: true,
        ..PortConfig::default()
    });
    let accepted = (0..100)
        .filter(|item| manager.enqueue(0, 0, 0, *item, 60).is_ok())
        .count();
    assert_eq!(accepted, 64);
    manager
        .set_config(
            0,
            1,
            PortConfig {
                capacity_pkts: 0,
                hold: true,
                ..PortConfig::default()
            },
        )
        .expect("valid");
    assert!((0..1000).all(|item| manager.enqueue(0, 1, 0, item, 60).is_ok()));
}

#[test]
fn hold_keeps_everything_and_release_sends_from_then_on() {
    let mut manager = manager(PortConfig {
        hold: true,
        rate: Rate::pps(1_000_000),
        ..PortConfig::default()
    });
    manager.enqueue(0, 3, 0, 1, 60).expect("room");
    manager.enqueue(0, 3, 0, 2, 60).expect("room");
    assert_eq!(manager.next_event_ns(), None);
    assert_eq!(manager.poll(1_000_000), None);
    let released = PortConfig {
        hold: false,
        ..manager.config(3)
    };
    manager.set_config(5_000, 3, released).expect("valid");
    let times: Vec<u64> = drain(&mut manager, 100_000)
        .iter()
        .map(|d| d.deq_ns)
        .collect();
    assert_eq!(times, [5_000, 6_000]);
}

#[test]
fn a_hold_during_transmission_lets_that_packet_finish() {
    let mut manager = manager(PortConfig {
        rate: Rate::pps(1_000_000),
        ..PortConfig::default()
    });
    manager.enqueue(0, 0, 0, 1, 60).expect("room");
    manager.enqueue(0, 0, 0, 2, 60).expect("room");
    let first = manager.poll(0).expect("due");
    let running = manager.config(0);
    manager
        .set_config(
            0,
            0,
            PortConfig {
                hold: true,
                ..running
            },
        )
        .expect("valid");
    manager.transmitted(first.port, 60);
    assert_eq!(manager.poll(10_000), None);
    manager.set_config(400, 0, running).expect("valid");
    assert_eq!(
        manager.poll(10_000).map(|d| d.deq_ns),
        Some(1_000),
        "the slot of the first is still running"
    );
}

#[test]
fn a_new_rate_applies_to_the_next_packet() {
    let mut manager = manager(PortConfig {
        rate: Rate::bps(8_000),
        ..PortConfig::default()
    });
    for item in 0..3 {
        manager.enqueue(0, 0, 0, item, 1).expect("room");
    }
    assert_eq!(drain(&mut manager, 0).len(), 1);
    let faster = PortConfig {
        rate: Rate::bps(8_000_000_000),
        ..manager.config(0)
    };
    manager.set_config(10, 0, faster).expect("valid");
    let times: Vec<u64> = drain(&mut manager, 10_000_000)
        .iter()
        .map(|d| d.deq_ns)
        .collect();
    assert_eq!(times, [1_000_000, 1_000_001]);
}

#[test]
fn a_drop_in_egress_frees_a_bit_rate_port_at_once_and_uses_a_slot_of_a_packet_rate_port() {
    for (rate, second_ns) in [(Rate::bps(8_000), 0), (Rate::pps(1_000), 1_000_000)] {
        let mut manager = manager(PortConfig {
            rate,
            ..PortConfig::default()
        });
        manager.enqueue(0, 0, 0, 1, 1000).expect("room");
        manager.enqueue(0, 0, 0, 2, 1000).expect("room");
        manager.poll(0).expect("due");
        manager.transmitted(0, 0);
        assert_eq!(manager.next_event_ns(), Some(second_ns));
        assert_eq!(manager.stats(0, 0).tx_pkts, 0);
    }
}

#[test]
fn fewer_queues_refuse_new_packets_and_send_the_old_ones() {
    let config = PortConfig {
        queues: 4,
        hold: true,
        ..PortConfig::default()
    };
    let mut manager = manager(config);
    manager.enqueue(0, 0, 3, 1, 60).expect("room");
    manager
        .set_config(
            0,
            0,
            PortConfig {
                queues: 1,
                hold: false,
                ..config
            },
        )
        .expect("valid");
    assert!(manager.enqueue(0, 0, 3, 2, 60).is_err());
    assert_eq!(items(&drain(&mut manager, 0)), [1]);
}

#[test]
fn clear_empties_the_queues_and_leaves_the_port_usable() {
    let mut manager = manager(PortConfig {
        rate: Rate::pps(1_000),
        ..PortConfig::default()
    });
    for item in 0..5 {
        manager.enqueue(0, 2, 0, item, 60).expect("room");
    }
    manager.clear(10);
    assert_eq!(manager.next_event_ns(), None);
    assert_eq!(manager.depth(2, 0), Depth::default());
    manager.enqueue(20, 2, 0, 9, 60).expect("room");
    assert_eq!(items(&drain(&mut manager, 20)), [9]);
}

#[test]
fn statistics_cover_all_queues_and_restart_on_reset() {
    let mut manager = manager(PortConfig {
        queues: 2,
        hold: true,
        ..PortConfig::default()
    });
    manager.enqueue(0, 0, 0, 1, 100).expect("room");
    manager.enqueue(50, 0, 1, 2, 300).expect("room");
    let stats = manager.stats(100, 0);
    assert_eq!(stats.queue_pkts, Moments { mean: 1.5, sd: 0.5 });
    assert_eq!(
        stats.queue_bytes,
        Moments {
            mean: 250.0,
            sd: 150.0
        }
    );
    manager.reset_stats(100, 0);
    let stats = manager.stats(200, 0);
    assert_eq!((stats.enqueued_pkts, stats.stats_ns), (0, 100));
    assert_eq!(
        stats.queue_bytes,
        Moments {
            mean: 400.0,
            sd: 0.0
        }
    );
}

#[test]
#[should_panic(expected = "no packet of port 4 is in egress")]
fn reporting_a_packet_that_was_never_dequeued_is_a_bug() {
    manager(PortConfig::default()).transmitted(4, 100);
}

#[test]
fn a_link_delays_keeps_order_and_applies_changes_to_later_packets() {
    let mut link = Link::new(1);
    link.set_config(
        1,
        LinkConfig {
            delay_ns: 1_000,
            loss: 0.0,
        },
    )
    .expect("valid");
    assert!(link.send(0, 1, "a"));
    link.set_config(
        1,
        LinkConfig {
            delay_ns: 10,
            loss: 0.0,
        },
    )
    .expect("valid");
    assert!(link.send(500, 1, "b"));
    assert!(link.send(500, 2, "c"));
    assert_eq!(link.next_event_ns(), Some(500));
    assert_eq!(link.poll(400), None);
    let arrived: Vec<_> = std::iter::from_fn(|| link.poll(2_000))
        .map(|a| (a.packet, a.at_ns))
        .collect();
    assert_eq!(arrived, [("c", 500), ("a", 1_000), ("b", 1_000)]);
}

#[test]
fn loss_is_seeded_per_port_and_has_the_frequency_asked_for() {
    let lost = |seed, port, loss| {
        let mut link = Link::new(seed);
        link.set_config(port, LinkConfig { delay_ns: 0, loss })
            .expect("valid");
        (0..100_000)
            .map(|i| !link.send(i, port, ()))
            .collect::<Vec<bool>>()
    };
    let a = lost(7, 1, 0.1);
    assert_eq!(a, lost(7, 1, 0.1));
    assert_ne!(a, lost(8, 1, 0.1));
    assert_ne!(a, lost(7, 2, 0.1));
    // Binomial: five standard deviations are 474.
    let count = a.iter().filter(|lost| **lost).count();
    assert!((9_526..=10_474).contains(&count), "{count} of 100000 lost");
    assert!(lost(7, 1, 1.0).iter().all(|lost| *lost));
    assert!(lost(7, 1, 0.0).iter().all(|lost| !*lost));
}

#[test]
fn a_loss_that_is_no_probability_is_refused() {
    let mut link = Link::<()>::new(1);
    for loss in [-0.1, 1.1, f64::NAN] {
        assert!(link
            .set_config(0, LinkConfig { delay_ns: 0, loss })
            .is_err());
    }
    assert_eq!(link.config(0), LinkConfig::default());
}

#[test]
fn clear_forgets_what_is_on_the_links() {
    let mut link = Link::new(1);
    link.send(0, 0, ());
    link.clear();
    assert_eq!((link.next_event_ns(), link.poll(u64::MAX)), (None, None));
    link.send(0, 0, ());
    assert_eq!(
        link.poll(0),
        Some(Arrived {
            port: 0,
            packet: (),
            at_ns: 0
        })
    );
}

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

/// What one port does, said as plainly as possible: times are exact fractions over `rate`.
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
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

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
