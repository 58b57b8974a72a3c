// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A port whose interface does not take all that comes.

use super::*;

const PORT: PortId = 1;

fn full(config: PortConfig, queues: &[u8]) -> TrafficManager<u32> {
    let mut manager = manager(config);
    manager.pause(0, PORT);
    for (item, queue) in (0..).zip(queues) {
        manager.enqueue(0, PORT, *queue, item, 100).expect("room");
    }
    manager
}

#[test]
fn a_paused_port_keeps_its_queue_and_others_go_on() {
    let mut manager = full(PortConfig::default(), &[0, 0]);
    manager.enqueue(5, 2, 0, 9, 100).expect("room");
    assert_eq!(items(&drain(&mut manager, 10)), [9]);
    assert_eq!(manager.next_event_ns(), None);
    assert_eq!(manager.depth(PORT, 0).pkts, 2);
    assert_eq!(manager.pass(10, PORT, 0, 100), None);
}

#[test]
fn each_resumption_lets_one_packet_out_and_the_last_opens_the_port() {
    let mut manager = full(PortConfig::default(), &[0, 0]);
    for (now_ns, left) in [(50, 1), (70, 0)] {
        assert_eq!(manager.resume(now_ns, PORT), Resumed::WithOne);
        let out = drain(&mut manager, now_ns);
        assert_eq!(out.len(), 1);
        // The depth and the wait that the program sees are those in the switch.
        assert_eq!((out[0].deq_depth.pkts, out[0].deq_ns), (left, now_ns));
        assert_eq!(out[0].enq_depth.pkts, 1 - left);
    }
    manager.enqueue(80, PORT, 0, 2, 100).expect("room");
    assert_eq!(manager.next_event_ns(), None, "it is paused again");
    assert_eq!(manager.resume(90, PORT), Resumed::WithOne);
    assert_eq!(items(&drain(&mut manager, 90)), [2]);
    assert_eq!(manager.resume(90, PORT), Resumed::Freely);
    assert!(manager.pass(100, PORT, 0, 100).is_some());
    manager.transmitted(PORT, 100);
    assert!(manager.pass(100, PORT, 0, 100).is_some(), "it is open");
}

#[test]
fn a_packet_that_egress_drops_leaves_its_turn_to_the_next() {
    let mut manager = full(PortConfig::default(), &[0, 0, 0]);
    manager.resume(10, PORT);
    assert_eq!(manager.poll(10).map(|packet| packet.item), Some(0));
    manager.transmitted(PORT, 0);
    assert_eq!(items(&drain(&mut manager, 10)), [1]);
}

#[test]
fn the_highest_queue_goes_first_at_each_resumption() {
    let config = PortConfig {
        queues: 2,
        ..PortConfig::default()
    };
    let mut manager = full(config, &[0, 0, 1]);
    let mut order = Vec::new();
    for now_ns in [10, 20, 30, 40] {
        manager.resume(now_ns, PORT);
        order.extend(items(&drain(&mut manager, now_ns)));
        if now_ns == 10 {
            manager.enqueue(15, PORT, 1, 3, 100).expect("room");
        }
    }
    assert_eq!(order, [2, 3, 0, 1]);
}

#[test]
fn a_full_queue_drops_and_counts_and_a_rate_and_a_hold_stay_in_force() {
    let mut manager = manager(PortConfig {
        capacity_pkts: 2,
        rate: Rate::pps(1_000_000_000),
        ..PortConfig::default()
    });
    manager.pause(0, PORT);
    let taken = (0..5).filter(|item| manager.enqueue(0, PORT, 0, *item, 100).is_ok());
    assert_eq!(taken.count(), 2);
    assert_eq!(manager.stats(0, PORT).dropped_full_pkts, 3);
    let hold = |hold| PortConfig {
        hold,
        ..manager.config(PORT)
    };
    let (held, released) = (hold(true), hold(false));
    manager.set_config(0, PORT, held).expect("valid");
    assert_eq!(manager.resume(10, PORT), Resumed::Later);
    assert_eq!(manager.next_event_ns(), None);
    manager.set_config(20, PORT, released).expect("valid");
    assert_eq!(items(&drain(&mut manager, 20)), [0]);
    manager.set_config(30, PORT, released).expect("valid");
    assert_eq!(manager.next_event_ns(), None, "it is paused");
    for _ in 0..2 {
        assert_eq!(manager.resume(20, PORT), Resumed::Later);
    }
    assert_eq!(manager.next_event_ns(), Some(21), "its slot is one ns");
    assert_eq!(items(&drain(&mut manager, 21)), [1]);
}
