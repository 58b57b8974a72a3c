// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Whatever a network does to packets, every byte arrives once, rates stay in their bounds, and both ends finish.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use proptest::prelude::*;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;

use super::lab::{stack, OPENING};
use crate::packet::roce::RocePacket;
use crate::packet::{ecn, Advice};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Io, Opening, Socket, Transport};

/// The troubles of a network, each in 1000 packets, and the longest time by which a packet is late.
#[derive(Debug, Clone)]
struct Troubles {
    losses: u64,
    doubles: u64,
    marks: u64,
    signals: u64,
    /// The advice in all signals.
    advice: Advice,
    late_ns: Ns,
}

fn troubles() -> impl Strategy<Value = Troubles> {
    let advice = prop_oneof![
        Just(Advice::None),
        (1u8..=100).prop_map(Advice::Reduce),
        (1u16..=500).prop_map(Advice::Pause),
    ];
    let of_1000 = (0u64..300, 0u64..100, 0u64..1000, 0u64..200);
    (of_1000, advice, 0u64..5_000).prop_map(
        |((losses, doubles, marks, signals), advice, late_ns)| Troubles {
            losses,
            doubles,
            marks,
            signals,
            advice,
            late_ns,
        },
    )
}

struct Network {
    transport: Arc<dyn Transport>,
    ends: [Option<Box<dyn Socket>>; 2],
    packets: Vec<RocePacket>,
    /// Arrivals: time, order, the end, the packet's index.
    arrivals: BinaryHeap<Reverse<(Ns, usize, usize)>>,
    rng: Xoshiro256PlusPlus,
    troubles: Troubles,
    /// Bytes received and acknowledged, and ends reported, by end.
    received: [u64; 2],
    acked: [u64; 2],
    closed: [bool; 2],
}

impl Network {
    fn draws(&mut self, of_1000: u64) -> bool {
        self.rng.next_u64() % 1000 < of_1000
    }

    fn flush(&mut self, from: usize, now: Ns, io: &mut Io) {
        for event in io.events.drain(..) {
            match event {
                ConnectionEvent::Received { bytes } => self.received[from] += bytes,
                ConnectionEvent::Acked { bytes } => self.acked[from] += bytes,
                ConnectionEvent::Closed => self.closed[from] = true,
                _ => {}
            }
        }
        for mut packet in io.roce_packets.drain(..) {
            if self.draws(self.troubles.losses) {
                continue;
            }
            if packet.ecn == ecn::ECT0 && self.draws(self.troubles.marks) {
                packet.ecn = ecn::CE;
            }
            let copies = 1 + u64::from(self.draws(self.troubles.doubles));
            for _ in 0..copies {
                let late = self.rng.next_u64() % (self.troubles.late_ns + 1);
                let index = self.packets.len();
                self.packets.push(packet);
                self.arrivals
                    .push(Reverse((now + 4_000 + late, index, 1 - from)));
            }
            if self.draws(self.troubles.signals) {
                if let Some(end) = &mut self.ends[from] {
                    end.on_switch_cnp(self.troubles.advice, now);
                }
            }
        }
    }

    fn arrive(&mut self, now: Ns, index: usize, to: usize, io: &mut Io) {
        let packet = self.packets[index];
        match &mut self.ends[to] {
            Some(end) => end.on_roce_packet(&packet, now, io),
            none => {
                let opening = Opening {
                    local: OPENING.remote,
                    remote: OPENING.local,
                    first_number: 3,
                };
                *none = Arc::clone(&self.transport).accept_roce(opening, &packet, now, io);
            }
        }
        self.flush(to, now, io);
    }

    /// Runs until both ends are finished and nothing is on its way.
    fn run(&mut self, back_bytes: u64) {
        let mut answers = false;
        let mut now = 0;
        for _ in 0..200_000 {
            let timers = [0, 1].map(|side| {
                let at = self.ends[side].as_ref().and_then(|end| end.timer_ns());
                at.map_or((Ns::MAX, side), |at| (at.max(now), side))
            });
            let timer = timers[0].min(timers[1]);
            let arrival = self.arrivals.peek().map(|Reverse((at, ..))| *at);
            let mut io = Io::default();
            if arrival.is_some_and(|at| at <= timer.0) {
                if let Some(Reverse((at, index, to))) = self.arrivals.pop() {
                    now = at;
                    self.arrive(now, index, to, &mut io);
                }
            } else if timer.0 < Ns::MAX {
                now = timer.0;
                if let Some(end) = &mut self.ends[timer.1] {
                    end.on_timer(now, &mut io);
                }
                self.flush(timer.1, now, &mut io);
            } else {
                return;
            }
            // The other end's stream begins with the first packet that it gets.
            if let (Some(end), false) = (&mut self.ends[1], answers) {
                answers = true;
                end.send(back_bytes, now, &mut io);
                end.close(now, &mut io);
                self.flush(1, now, &mut io);
            }
            for end in self.ends.iter().flatten() {
                let pkts = end.cwnd_pkts();
                assert!((0.0..=100.0 + 1e-9).contains(&pkts), "{pkts}");
            }
        }
        panic!("it goes on for ever");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_byte_arrives_once(
        preset in prop::sample::select(vec!["hpcc-ns3", "hpcc-ns3-paper", "vendor", "paper"]),
        window in prop::sample::select(vec!["none", "fixed", "rate"]),
        switch_signals in prop::sample::select(vec!["ignore", "dcqcn", "cut", "advice"]),
        bytes in 1u64..60_000,
        back_bytes in 0u64..20_000,
        troubles in troubles(),
        seed in any::<u64>(),
    ) {
        let transport = stack(json!({
            "preset": preset, "window": window, "switch_signals": switch_signals, "timeout_s": 1e-4,
            "nak_interval_s": 2e-5,
        })).expect("the settings are right");
        let mut io = Io::default();
        let mut opener = Arc::clone(&transport).open(OPENING, 0, &mut io);
        opener.send(bytes, 0, &mut io);
        opener.close(0, &mut io);
        let mut network = Network {
            transport,
            ends: [Some(opener), None],
            packets: Vec::new(),
            arrivals: BinaryHeap::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            troubles,
            received: [0; 2],
            acked: [0; 2],
            closed: [false; 2],
        };
        network.flush(0, 0, &mut io);
        network.run(back_bytes);
        prop_assert_eq!(network.received, [back_bytes, bytes]);
        prop_assert_eq!(network.acked, [bytes, back_bytes]);
        prop_assert_eq!(network.closed, [true; 2]);
        for end in network.ends.iter().flatten() {
            prop_assert!(end.is_finished() && end.flight_bytes() == 0);
        }
    }
}
