// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The link out of a host, packet by packet.

use quench_dataplane::tm::Rate;
use quench_dataplane::PacketBytes;
use rand_xoshiro::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::wire::{Wire, WireConfig};
use crate::time::Ns;

const MS: Ns = 1_000_000;

/// A packet of 1000 bytes takes a millisecond, and ten more to the other end.
const CONFIG: WireConfig = WireConfig {
    rate: Rate::Unlimited,
    delay_ns: 10 * MS,
    loss: 0.0,
    buffer_pkts: 0,
    buffer_bytes: 0,
    urgent_dscp: None,
    turns: false,
};

fn wire(config: WireConfig) -> Wire {
    let rate = Rate::bps(8_000_000);
    Wire::new(
        WireConfig { rate, ..config },
        Xoshiro256PlusPlus::seed_from_u64(1),
    )
}

/// A frame with an IP packet of this size, whose first byte is `number`.
fn frame(number: u8, ip_bytes: usize) -> PacketBytes {
    PacketBytes::new(vec![number], 13 + ip_bytes)
}

/// All arrivals: the time, and the number of the packet (none if it was lost).
fn arrivals(wire: &mut Wire) -> Vec<(Ns, Option<u8>)> {
    let mut arrivals = Vec::new();
    while let Some(at) = wire.arm() {
        let frame = wire.arrive(at).expect("a packet is due");
        arrivals.push((at, frame.real().first().copied()));
    }
    arrivals
}

#[test]
fn packets_take_the_time_of_their_ip_bytes_one_after_another() {
    let mut wire = wire(CONFIG);
    for (at, number, bytes) in [(0, 1, 1000), (0, 2, 500), (5 * MS, 3, 1000)] {
        assert_eq!(wire.send(at, frame(number, bytes)), Ok(()));
    }
    let half = MS / 2;
    assert_eq!(
        arrivals(&mut wire),
        [
            (11 * MS, Some(1)),
            (11 * MS + half, Some(2)),
            (16 * MS, Some(3))
        ]
    );
}

#[test]
fn the_first_arrival_is_scheduled_once() {
    let mut wire = wire(CONFIG);
    assert_eq!(wire.arm(), None);
    wire.send(0, frame(1, 1000)).expect("room");
    assert_eq!((wire.arm(), wire.arm()), (Some(11 * MS), None));
    wire.send(0, frame(2, 1000)).expect("room");
    assert_eq!(wire.arm(), None);
}

#[test]
fn a_full_queue_gives_the_packet_back_and_the_packet_being_sent_is_not_in_it() {
    let by_pkts = WireConfig {
        buffer_pkts: 2,
        ..CONFIG
    };
    let by_bytes = WireConfig {
        buffer_bytes: 2999,
        ..CONFIG
    };
    for config in [by_pkts, by_bytes] {
        let mut wire = wire(config);
        for number in 1..=3 {
            assert_eq!(wire.send(0, frame(number, 1000)), Ok(()), "{config:?}");
        }
        assert_eq!(wire.send(0, frame(4, 1000)), Err(frame(4, 1000)));
        // At one millisecond the second starts and makes room.
        assert_eq!(wire.send(MS - 1, frame(5, 1000)), Err(frame(5, 1000)));
        assert_eq!(wire.send(MS, frame(6, 1000)), Ok(()));
        let (stats, _) = wire.stats(MS);
        assert_eq!((stats.enqueued_pkts, stats.dropped_full_pkts), (4, 2));
        assert_eq!(
            (stats.enqueued_bytes, stats.dropped_full_bytes),
            (4000, 2000)
        );
        let numbers: Vec<_> = arrivals(&mut wire).into_iter().map(|(_, n)| n).collect();
        assert_eq!(numbers, [Some(1), Some(2), Some(3), Some(6)]);
    }
}

/// A frame as [`frame`] makes it, with a DSCP.
fn marked(number: u8, ip_bytes: usize, dscp: u8) -> PacketBytes {
    let mut real = vec![number; 16];
    real[15] = dscp << 2 | 1;
    PacketBytes::new(real, ip_bytes - 2)
}

#[test]
fn urgent_packets_wait_before_all_others_in_their_order() {
    let mut wire = wire(WireConfig {
        urgent_dscp: Some(46),
        ..CONFIG
    });
    let sent = [(1, 0), (2, 0), (3, 46), (4, 47), (5, 46)];
    for (number, dscp) in sent {
        wire.send(0, marked(number, 1000, dscp)).expect("room");
    }
    // The third packet starts at one millisecond, after which another urgent one comes.
    wire.send(MS, marked(6, 500, 46)).expect("room");
    assert_eq!(wire.depth(MS), (4, 3500));
    let numbers: Vec<_> = arrivals(&mut wire).into_iter().map(|(_, n)| n).collect();
    assert_eq!(numbers, [1, 3, 5, 6, 2, 4].map(Some));
    assert_eq!(wire.depth(20 * MS), (0, 0));
}

#[test]
fn urgent_packets_and_the_others_have_the_same_limit_each() {
    let limits = [(2, 0), (0, 2000)];
    for (buffer_pkts, buffer_bytes) in limits {
        let mut wire = wire(WireConfig {
            urgent_dscp: Some(46),
            buffer_pkts,
            buffer_bytes,
            ..CONFIG
        });
        let mut kept = Vec::new();
        for (number, dscp) in [(1, 0), (2, 0), (3, 0), (4, 0), (5, 46), (6, 46), (7, 46)] {
            if wire.send(0, marked(number, 1000, dscp)).is_ok() {
                kept.push(number);
            }
        }
        assert_eq!(kept, [1, 2, 3, 5, 6]);
        assert_eq!(wire.stats(0).0.dropped_full_pkts, 2);
    }
}

#[test]
fn moments_of_the_queue_are_those_computed_by_hand() {
    let mut wire = wire(CONFIG);
    for number in 1..=3 {
        wire.send(0, frame(number, 1000)).expect("room");
    }
    assert_eq!(wire.depth(0), (2, 2000));
    assert_eq!(wire.depth(MS), (1, 1000));
    // Two for 1 ms, one for 1 ms, none for 2 ms.
    let (stats, lost_pkts) = wire.stats(4 * MS);
    assert_eq!(stats.queue_pkts.mean, 0.75);
    assert_eq!(stats.queue_pkts.sd, f64::sqrt(5.0 / 4.0 - 0.75 * 0.75));
    assert_eq!((stats.tx_pkts, stats.tx_bytes, lost_pkts), (3, 3000, 0));
    wire.reset_stats(4 * MS);
    assert_eq!(wire.stats(5 * MS).0.tx_pkts, 0);
}

#[test]
fn a_lost_packet_takes_transmission_time_and_does_not_arrive() {
    let mut wire = wire(WireConfig {
        loss: 1.0,
        ..CONFIG
    });
    wire.send(0, frame(1, 1000)).expect("room");
    wire.set_config(0, wire.config());
    wire.send(0, frame(2, 1000)).expect("room");
    let lossless = WireConfig {
        loss: 0.0,
        ..wire.config()
    };
    wire.set_config(0, lossless);
    assert_eq!(arrivals(&mut wire), [(11 * MS, None), (12 * MS, Some(2))]);
    assert_eq!(wire.stats(12 * MS).1, 1);
}

#[test]
fn a_loss_of_a_tenth_loses_about_a_tenth() {
    let mut wire = wire(WireConfig {
        loss: 0.1,
        ..CONFIG
    });
    for number in 0..10_000u32 {
        wire.send(Ns::from(number) * MS, frame(1, 1000))
            .expect("room");
    }
    let (_, lost_pkts) = wire.stats(10_000 * MS);
    // Three standard deviations are 90.
    assert!(lost_pkts.abs_diff(1000) <= 90, "{lost_pkts}");
}

#[test]
fn another_rate_is_for_packets_that_have_not_started() {
    let mut wire = wire(CONFIG);
    for number in 1..=3 {
        wire.send(0, frame(number, 1000)).expect("room");
    }
    let faster = WireConfig {
        rate: Rate::bps(80_000_000),
        ..wire.config()
    };
    wire.set_config(MS + MS / 2, faster);
    assert_eq!(
        arrivals(&mut wire),
        [
            (11 * MS, Some(1)),
            (12 * MS, Some(2)),
            (12 * MS + MS / 10, Some(3))
        ]
    );
}

#[test]
fn after_a_shorter_delay_no_packet_overtakes_another() {
    let mut wire = wire(CONFIG);
    wire.send(0, frame(1, 1000)).expect("room");
    let shorter = WireConfig {
        delay_ns: 0,
        ..wire.config()
    };
    wire.set_config(MS, shorter);
    wire.send(MS, frame(2, 1000)).expect("room");
    assert_eq!(
        arrivals(&mut wire),
        [(11 * MS, Some(1)), (11 * MS, Some(2))]
    );
}
