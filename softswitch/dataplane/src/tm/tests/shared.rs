// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A buffer that all ports share.

use super::*;

/// Queues of 8 Gb/s that are held until the first call of `release`, and the buffer's limit.
fn held(shared_bytes: u64) -> TrafficManager<u32> {
    let mut manager = manager(PortConfig {
        rate: Rate::bps(8_000_000_000),
        capacity_pkts: 0,
        hold: true,
        ..PortConfig::default()
    });
    manager.set_shared_capacity(shared_bytes);
    manager
}

fn release(manager: &mut TrafficManager<u32>, now_ns: u64, port: PortId) {
    let config = PortConfig {
        hold: false,
        ..manager.config(port)
    };
    manager.set_config(now_ns, port, config).expect("valid");
}

fn is_taken(manager: &mut TrafficManager<u32>, port: PortId, len_bytes: u32) -> bool {
    manager.enqueue(0, port, 0, 0, len_bytes).is_ok()
}

#[test]
fn packets_of_all_ports_count_and_one_that_finds_no_room_is_dropped() {
    let mut manager = held(1000);
    assert!(is_taken(&mut manager, 1, 600));
    assert!(is_taken(&mut manager, 2, 400));
    let refused = manager.enqueue(0, 3, 0, 7, 1).expect_err("it is full");
    assert_eq!((refused.item, refused.reason), (7, Refusal::Full));
    assert_eq!(manager.stats(0, 3).dropped_full_pkts, 1);
    assert_eq!(manager.stats(0, 1).dropped_full_pkts, 0);
    release(&mut manager, 0, 1);
    assert_eq!(drain(&mut manager, 0).len(), 1);
    assert!(is_taken(&mut manager, 3, 600), "what left makes room");
    assert!(!is_taken(&mut manager, 3, 1));
    assert_eq!(manager.clear(0), 2);
    assert!(is_taken(&mut manager, 3, 1000), "nothing waits any more");
}

#[test]
fn a_packet_passes_only_if_it_would_have_room() {
    let mut manager = held(1000);
    release(&mut manager, 0, 1);
    assert!(is_taken(&mut manager, 2, 950));
    assert_eq!(manager.pass(0, 1, 0, 51), None);
    assert!(manager.pass(0, 1, 0, 50).is_some());
    manager.transmitted(1, 50);
    assert!(
        is_taken(&mut manager, 3, 50),
        "one that passed took no room"
    );
}

#[test]
fn the_limit_counts_bytes_as_the_port_does() {
    let mut manager = held(1000);
    let config = PortConfig {
        overhead_bytes: -14,
        ..manager.config(1)
    };
    manager.set_config(0, 1, config).expect("valid");
    assert!(is_taken(&mut manager, 1, 1014));
    assert!(!is_taken(&mut manager, 2, 1));
    manager.set_shared_capacity(0);
    assert!(is_taken(&mut manager, 2, 1_000_000), "there is no limit");
}
