// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Whatever a network does to packets, every byte arrives once, windows stay in their bounds, and both ends finish.

use proptest::prelude::*;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;

use super::lab::{config, stack};
use super::path::{Decision, Path, Switch};
use crate::paced::message::{flag, Kind, Message};
use crate::paced::telemetry::Record;
use crate::time::Ns;

const TRANSPORTS: [&str; 7] = [
    "bolt",
    "hpcc",
    "swift",
    "dctcp",
    "becn-halve",
    "becn-level",
    "becn-queue",
];

/// Loses, marks, signals and writes at random.
struct Chaos {
    rng: Xoshiro256PlusPlus,
    /// Signals are source quenches: the transport has TCP's header.
    quenches: bool,
    /// Losses of 1000, each way.
    losses: u64,
    /// Signals of 1000 packets.
    signals: u64,
    /// ACKs overtake each other within this time.
    disorder_ns: Ns,
}

impl Chaos {
    fn one_in_1000(&mut self, times: u64) -> bool {
        self.rng.next_u64() % 1000 < times
    }
}

impl Switch for Chaos {
    fn arrive(&mut self, now: Ns, _queue_bytes: u64, message: &mut Message) -> Decision {
        if self.one_in_1000(self.losses) {
            return Decision::Drop;
        }
        message.marked = self.one_in_1000(self.signals);
        message.queue_bytes = self.rng.next_u64() as u32;
        if self.one_in_1000(self.signals) {
            message.flags |= (self.rng.next_u64() as u16) & !(flag::KINDS | flag::FIN);
        }
        message.telemetry.hops = (self.rng.next_u64() % 7) as u16;
        for record in &mut message.telemetry.records {
            *record = Record(self.rng.next_u64());
        }
        if !self.one_in_1000(self.signals) {
            return Decision::Pass;
        }
        if self.quenches {
            return Decision::Quench((self.rng.next_u64() % 128) as u8);
        }
        let rate = 1 << (11 + self.rng.next_u64() % 5);
        // Some are about another packet, or from another time.
        let seq = message
            .seq
            .wrapping_add((self.rng.next_u64() % 3 * 1459) as u32);
        let time_ns = (now as u32).wrapping_sub((self.rng.next_u64() % 20_000) as u32);
        Decision::Signal(Message {
            kind: Kind::Signal,
            seq,
            time_ns,
            payload_bytes: 0,
            flags: flag::DEC | rate,
            queue_bytes: (self.rng.next_u64() % 1_000_000) as u32,
            ..Message::default()
        })
    }

    fn back(&mut self) -> Option<Ns> {
        if self.one_in_1000(self.losses) {
            return None;
        }
        Some(self.rng.next_u64() % (self.disorder_ns + 1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_once_and_both_ends_finish(
        transport in 0..TRANSPORTS.len(),
        seed in any::<u64>(),
        sizes in proptest::collection::vec(1_u64..120_000, 1..4),
        losses in prop_oneof![Just(0_u64), 0_u64..150],
        signals in prop_oneof![Just(0_u64), 0_u64..500],
        disorder_ns in prop_oneof![Just(0_u64), 0_u64..20_000],
        initial_pkts in prop_oneof![Just(1_u64), 1_u64..60],
        later in proptest::collection::vec((0_u64..30_000, 1_u64..300_000), 0..4),
    ) {
        let (transport, rule) = TRANSPORTS[transport].split_once('-').unwrap_or((TRANSPORTS[transport], ""));
        let mut changes = json!({"initial_window_bytes": initial_pkts * 1460, "timeout_s": 1e-3});
        if transport == "becn" {
            changes["rule"] = json!(rule);
        }
        if rule == "queue" {
            changes["level_bytes"] = json!(1500);
        }
        let stack = stack(config(transport, changes)).expect("the settings are right");
        let segment_bytes = f64::from(stack.segment_bytes());
        let quenches = stack.header().is_none();
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut path = Path::new(stack, Chaos { rng, quenches, losses, signals, disorder_ns }, 100_000_000_000, 1_272);
        for &bytes in &sizes {
            path.start(bytes);
            path.run(path.now + 3_000);
        }
        // Messages that join a flow, before or after losses.
        let mut sizes = sizes;
        for (wait_ns, bytes) in later {
            path.run(path.now + wait_ns);
            let flow = (bytes % sizes.len() as u64) as usize;
            if path.join(flow, bytes) {
                sizes[flow] += bytes;
            }
        }
        // The least rate is a hundredth of the link's.
        let initial = initial_pkts as f64 * 1460.0;
        let (least, most) = match transport {
            "bolt" | "swift" | "becn" => (15.0, 373_760.0),
            _ => ((initial / 100.0).floor(), initial),
        };
        let mut ms = 0;
        while !path.flows.iter().all(|flow| flow.is_finished()) {
            ms += 1;
            prop_assert!(ms < 20_000, "it does not end");
            path.run(path.now + 1_000_000);
            for flow in &path.flows {
                let window = flow.sender.cwnd_pkts() * segment_bytes;
                prop_assert!((least - 0.1..=most + 0.1).contains(&window), "{}", window);
                let flight = flow.sender.flight_bytes() as f64;
                prop_assert!(flight <= most + segment_bytes, "{} in flight", flight);
            }
        }
        for (flow, &bytes) in path.flows.iter().zip(&sizes) {
            prop_assert_eq!((flow.received_bytes, flow.acked_bytes), (bytes, bytes));
            prop_assert_eq!(flow.closed, [true, true]);
            prop_assert_eq!(flow.sender.timer_ns(), None);
            let (sender, receiver) = flow.counters();
            prop_assert_eq!((sender.acked_bytes, receiver.received_bytes), (bytes, bytes));
            if losses == 0 && disorder_ns == 0 {
                prop_assert_eq!(sender.retransmitted_pkts, 0);
            }
        }
    }
}
