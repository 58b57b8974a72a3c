// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The traffic manager allocates when a port is configured and while its queues grow to a depth
//! that they never had, and never again.

use quench_dataplane::tm::{PortConfig, Rate, SchedulerKind, TrafficManager, MAX_QUEUES};

use super::allocations;

/// Fill all queues and empty them again.
fn round(manager: &mut TrafficManager<u64>, now_ns: &mut u64) {
    for item in 0..400 {
        let queue = (item % u64::from(MAX_QUEUES)) as u8;
        let len_bytes = 60 + (item * 37 % 1440) as u32;
        let queued = manager.enqueue(*now_ns, 1, queue, item, len_bytes);
        assert!(queued.is_ok());
    }
    *now_ns += 1_000_000_000;
    let mut sent = 0;
    while let Some(packet) = manager.poll(*now_ns) {
        manager.transmitted(packet.port, packet.len_bytes);
        sent += 1;
    }
    assert_eq!(sent, 400);
}

#[test]
fn no_scheduler_allocates_for_packets() {
    for scheduler in SchedulerKind::ALL {
        let mut manager = TrafficManager::new(PortConfig {
            rate: Rate::bps(1_000_000_000),
            queues: MAX_QUEUES,
            scheduler,
            ..PortConfig::default()
        })
        .expect("the configuration is valid");
        let mut now_ns = 0;
        let before = allocations();
        round(&mut manager, &mut now_ns);
        assert!(allocations() > before, "queues grow the first time");
        let before = allocations();
        for _ in 0..20 {
            round(&mut manager, &mut now_ns);
        }
        assert_eq!(allocations(), before, "{scheduler:?}");
    }
}
