// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: what it takes, when it sends, what it counts.

use super::*;
use proptest::prelude::*;

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
        manager.dropped_egress(0);
        manager.transmitted(0, 0);
        assert_eq!(manager.next_event_ns(), Some(second_ns));
        let stats = manager.stats(0, 0);
        assert_eq!((stats.enqueued_pkts, stats.tx_pkts), (2, 0));
        assert_eq!(
            (stats.dropped_egress_pkts, stats.dropped_egress_bytes),
            (1, 1000)
        );
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
fn a_queue_that_waits_for_its_own_rate_lets_others_go() {
    let mut config = PortConfig {
        queues: 8,
        ..PortConfig::default()
    };
    config.queue_rate[7] = Rate::pps(1_000_000);
    let mut manager = manager(config);
    for (queue, item) in [(7, 70), (7, 71), (0, 1)] {
        manager.enqueue(0, 1, queue, item, 100).expect("room");
    }
    let mut left = Vec::new();
    while let Some(packet) = manager.poll(10_000) {
        assert_eq!(manager.transmitted(1, 100), packet.deq_ns);
        left.push((packet.item, packet.deq_ns));
        if packet.item == 71 {
            // The queue has to wait, and so has its next packet; one of another queue passes.
            manager.enqueue(1000, 1, 7, 72, 100).expect("room");
            assert!(manager.pass(1000, 1, 7, 100).is_none());
            manager.enqueue(1200, 1, 3, 30, 100).expect("room");
        }
    }
    assert_eq!(left, [(70, 0), (1, 0), (71, 1000), (30, 1200), (72, 2000)]);
    config.scheduler = SchedulerKind::Drr;
    assert_eq!(
        manager.set_config(0, 1, config),
        Err(ConfigError::QueueRate("drr"))
    );
    let unlimited = PortConfig {
        queues: 8,
        ..PortConfig::default()
    };
    manager.enqueue(2000, 1, 7, 73, 100).expect("room");
    assert_eq!(manager.next_event_ns(), Some(3000));
    manager.set_config(2000, 1, unlimited).expect("it is valid");
    assert_eq!(manager.next_event_ns(), Some(2000));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// With a port that is always free, a packet leaves when it comes or a slot of its queue after the one before it.
    #[test]
    fn each_queue_keeps_its_own_rate(
        slots in prop::array::uniform8(prop::sample::select(vec![0u64, 1, 40, 1000, 62_500])),
        packets in prop::collection::vec((0u8..8, 0u64..3000), 1..60),
    ) {
        let mut config = PortConfig { queues: 8, ..PortConfig::default() };
        for (rate, slot_ns) in config.queue_rate.iter_mut().zip(slots) {
            *rate = Rate::pps(1_000_000_000u64.checked_div(slot_ns).unwrap_or(0));
        }
        let mut manager = manager(config);
        let mut next_ns = [0; 8];
        let (mut now_ns, mut want, mut got) = (0, Vec::new(), Vec::new());
        let mut leave = |manager: &mut TrafficManager<u32>, now_ns| {
            while let Some(packet) = manager.poll(now_ns) {
                manager.transmitted(1, 100);
                got.push((packet.item, packet.deq_ns));
            }
        };
        for (item, (queue, gap_ns)) in (0..).zip(packets) {
            now_ns += gap_ns;
            leave(&mut manager, now_ns);
            manager.enqueue(now_ns, 1, queue, item, 100).expect("room");
            let at = usize::from(queue);
            let left_ns = now_ns.max(next_ns[at]);
            next_ns[at] = left_ns + slots[at];
            want.push((item, left_ns));
        }
        leave(&mut manager, u64::MAX);
        got.sort_unstable();
        prop_assert_eq!(got, want);
    }
}
