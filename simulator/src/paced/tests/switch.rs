// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The senders over switches that decide as Bolt's and HPCC's do: two flows over 100 Gb/s, from hosts
//! with 102 Gb/s, and a base RTT of 8 us.

use serde_json::json;

use super::lab::{config, stack};
use super::path::{Decision, Path, Switch};
use crate::paced::message::{flag, Kind, Message};
use crate::paced::telemetry::tests::record;
use crate::time::Ns;

const MTU: i64 = 1500;
const GBPS: i64 = 100;
/// Three links of 1272 ns each way, and the transmissions, make 8 us.
const DELAY_NS: Ns = 1_272;

/// The decisions of a switch for Bolt, by section: signals, ramp-up, supply.
struct BoltSwitch {
    threshold_bytes: u64,
    ramp_up: u32,
    supply_bits: i64,
    last_ns: Ns,
    signals: u64,
}

impl BoltSwitch {
    fn new() -> Self {
        Self {
            threshold_bytes: 3_000,
            ramp_up: 0,
            supply_bits: 0,
            last_ns: 0,
            signals: 0,
        }
    }
}

impl Switch for BoltSwitch {
    fn arrive(&mut self, now: Ns, queue_bytes: u64, message: &mut Message) -> Decision {
        let size = i64::from(message.payload_bytes) + 41;
        self.supply_bits += (now - self.last_ns) as i64 * GBPS - 8 * size;
        self.supply_bits = self.supply_bits.min(8 * MTU);
        self.last_ns = now;
        if queue_bytes >= self.threshold_bytes {
            message.flags &= !flag::INC;
            if message.flags & flag::DEC != 0 {
                return Decision::Pass;
            }
            message.flags |= flag::DEC | 1 << 14;
            message.queue_bytes = queue_bytes as u32;
            self.signals += 1;
            return Decision::Signal(Message {
                kind: Kind::Signal,
                payload_bytes: 0,
                fin: false,
                flags: flag::DEC | 1 << 14,
                ..*message
            });
        }
        if message.flags & flag::LAST != 0 {
            if message.flags & flag::FIRST == 0 {
                self.ramp_up = (self.ramp_up + 1).min(256);
            }
        } else if message.flags & flag::INC != 0 && self.ramp_up > 0 {
            self.ramp_up -= 1;
        } else if message.flags & flag::INC != 0 && self.supply_bits >= 8 * MTU {
            self.supply_bits -= 8 * MTU;
        } else {
            message.flags &= !flag::INC;
        }
        Decision::Pass
    }
}

fn bolt() -> Path<BoltSwitch> {
    let stack = stack(config(
        "bolt",
        json!({"rate_bps": 102e9, "initial_window_bytes": 100_000}),
    ))
    .expect("the settings are right");
    Path::new(stack, BoltSwitch::new(), 100_000_000_000, DELAY_NS)
}

fn windows<S: Switch>(path: &Path<S>, segment_bytes: f64) -> Vec<f64> {
    let flows = path.flows.iter();
    flows
        .map(|flow| flow.sender.cwnd_pkts() * segment_bytes)
        .collect()
}

/// The highest queue from a time on, and the first time after its peak at which it is empty, in ns since that time.
fn peak(queue: &[(Ns, u64)], from: Ns) -> (u64, Ns, Option<Ns>) {
    let since: Vec<_> = queue.iter().filter(|(at, _)| *at >= from).collect();
    let highest = since
        .iter()
        .map(|(_, bytes)| *bytes)
        .max()
        .expect("packets");
    let index = since
        .iter()
        .position(|(_, bytes)| *bytes == highest)
        .expect("it is there");
    let empty = since[index..].iter().find(|(_, bytes)| *bytes == 0);
    (
        highest,
        since[index].0 - from,
        empty.map(|(at, _)| at - from),
    )
}

/// The figures of Bolt's ns-3 code, from its plots: with a second flow the queue has its peak of 5 us after 7.3 us, and is
/// empty after 14.5 us; the windows go from 102 and 100 KB to 54 and 45 KB, and are even within 0.2 ms; then their sum is
/// 102 to 105 KB, and the queue below 0.5 us. Here only one link takes time to send, so the RTT is 7.75 us, and the sum
/// accordingly less.
#[test]
fn a_second_flow_of_bolt_takes_half_within_two_round_trips() {
    const MS: Ns = 1_000_000;
    let mut path = bolt();
    path.start(u64::MAX);
    path.run(MS);
    let alone = windows(&path, 1459.0)[0];
    assert!((97_000.0..106_000.0).contains(&alone), "{alone}");
    path.queue.clear();
    path.start(u64::MAX);
    path.run(MS + 50_000);
    let (bytes, at, empty) = peak(&path.queue, MS);
    // 5 us of the link are 62500 bytes.
    assert!((56_000..69_000).contains(&bytes), "{bytes}");
    assert!((6_500..9_000).contains(&at), "{at}");
    assert!(
        empty.is_some_and(|empty| (13_000..17_000).contains(&empty)),
        "{empty:?}"
    );
    path.run(MS + MS / 5);
    let both = windows(&path, 1459.0);
    let ratio = both[0] / both[1];
    assert!((0.85..1.18).contains(&ratio), "{both:?}");
    path.queue.clear();
    path.run(2 * MS);
    let sum: f64 = windows(&path, 1459.0).iter().sum();
    assert!((93_000.0..103_000.0).contains(&sum), "{sum}");
    let busy = path
        .queue
        .iter()
        .filter(|(_, bytes)| *bytes > 6_250)
        .count();
    assert!(
        busy * 20 < path.queue.len(),
        "{busy} of {}",
        path.queue.len()
    );
    assert!(path.switch.signals > 20);
    assert!(path
        .flows
        .iter()
        .all(|flow| flow.counters().0.retransmitted_pkts == 0));
}

#[test]
fn a_flow_of_bolt_takes_what_another_leaves_within_a_round_trip() {
    let mut path = bolt();
    path.start(u64::MAX);
    path.start(4_000_000);
    while !path.flows[1].is_finished() {
        path.run(path.now + 100);
    }
    let end = path.now;
    // One flow alone needs some 100 KB of window to fill the link. The ACK of the last byte came half an RTT after it.
    path.run(end + 8_000);
    let window = windows(&path, 1459.0)[0];
    assert!(window > 90_000.0, "{window}");
    assert_eq!(path.flows[1].acked_bytes, 4_000_000);
}

/// A switch that writes telemetry as HPCC's does, at departure.
struct Telemetry {
    sent_bytes: u64,
}

impl Switch for Telemetry {
    fn arrive(&mut self, _now: Ns, _queue_bytes: u64, _message: &mut Message) -> Decision {
        Decision::Pass
    }

    fn depart(&mut self, now: Ns, queue_bytes: u64, message: &mut Message) {
        self.sent_bytes += u64::from(message.payload_bytes) + 83;
        message.telemetry.hops = 1;
        message.telemetry.records[0] = record(
            3,
            now,
            self.sent_bytes / 512,
            (queue_bytes / 320).min(0x1_ffff),
        );
    }
}

#[test]
fn hpcc_keeps_the_link_busy_without_a_queue_and_shares_it() {
    const MS: Ns = 1_000_000;
    let stack = stack(config("hpcc", json!({"rate_bps": 102e9}))).expect("the settings are right");
    let mut path = Path::new(
        stack,
        Telemetry { sent_bytes: 0 },
        100_000_000_000,
        DELAY_NS,
    );
    path.start(u64::MAX);
    path.run(MS);
    path.queue.clear();
    path.start(u64::MAX);
    path.run(MS + 100_000);
    let (bytes, _, empty) = peak(&path.queue, MS);
    // The plots of Bolt's authors have a peak of 8 us, 100 KB, that is gone after 20 us.
    assert!((60_000..110_000).contains(&bytes), "{bytes}");
    assert!(empty.is_some_and(|empty| empty < 30_000), "{empty:?}");
    path.run(20 * MS);
    let before = path.switch.sent_bytes;
    path.queue.clear();
    path.run(25 * MS);
    let sent_gbps = (path.switch.sent_bytes - before) as f64 * 8.0 / (5 * MS) as f64;
    assert!((90.0..98.0).contains(&sent_gbps), "{sent_gbps}");
    let rates = windows(&path, 1000.0);
    assert!((0.7..1.4).contains(&(rates[0] / rates[1])), "{rates:?}");
    let longest = path.queue.iter().map(|(_, bytes)| *bytes).max();
    assert!(longest < Some(20_000), "{longest:?}");
}
