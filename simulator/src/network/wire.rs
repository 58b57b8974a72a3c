// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The link out of a host: a drop-tail queue, a transmitter and a wire. Packets with a DSCP may be urgent: they wait
//! before all others, with the same limit for themselves.
//!
//! A packet costs one event, its arrival. When its transmission starts follows from the packets before it, so the start
//! of each transmission is worked out later, at the next call.

use std::collections::VecDeque;

use quench_dataplane::tm::{Depths, PortStats, Rate, Recorder, Transmitter};
use quench_dataplane::PacketBytes;
use rand_xoshiro::rand_core::RngCore;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::turns::Turns;
use crate::packet::csig::{self, TagForm};
use crate::packet::layout::{counted_bytes, traffic_class};
use crate::time::Ns;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WireConfig {
    pub rate: Rate,
    pub delay_ns: Ns,
    /// Probability that a packet gets lost.
    pub loss: f64,
    /// The limit of the queue, without the packet that is being sent; 0: no limit.
    pub buffer_pkts: u64,
    pub buffer_bytes: u64,
    /// The DSCP of urgent packets.
    pub urgent_dscp: Option<u8>,
    /// The host's connections take turns.
    pub turns: bool,
}

#[derive(Debug)]
pub struct Wire {
    config: WireConfig,
    /// The host's connections that wait for their turn; none: they take no turns.
    pub turns: Option<Turns>,
    /// The urgent ones first.
    waiting: VecDeque<PacketBytes>,
    waiting_bytes: u64,
    urgent_pkts: usize,
    urgent_bytes: u64,
    /// Packets in transmission or on the wire in the order of arrival, with the time of arrival. A lost one has no
    /// bytes.
    in_flight: VecDeque<(Ns, PacketBytes)>,
    last_arrival_ns: Ns,
    transmitter: Transmitter,
    rng: Xoshiro256PlusPlus,
    recorder: Recorder,
    lost_pkts: u64,
    /// Packets are handed over when their transmission begins, to a cell that carries them over the link.
    hands_over: bool,
    /// An event is scheduled for the arrival of the first packet in flight; where packets are handed over, for the start
    /// of the first one that waits.
    armed: bool,
}

impl Wire {
    pub fn new(config: WireConfig, rng: Xoshiro256PlusPlus) -> Self {
        Self {
            config,
            turns: config.turns.then(Turns::default),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            urgent_pkts: 0,
            urgent_bytes: 0,
            in_flight: VecDeque::new(),
            last_arrival_ns: 0,
            transmitter: Transmitter::default(),
            rng,
            recorder: Recorder::default(),
            lost_pkts: 0,
            hands_over: false,
            armed: false,
        }
    }

    pub fn config(&self) -> WireConfig {
        self.config
    }

    /// Applies to packets whose transmission starts from now on.
    pub fn set_config(&mut self, now: Ns, config: WireConfig) {
        self.start_due(now);
        self.config = config;
    }

    /// Queues a packet that the host sends; gives it back if the queue is full.
    #[inline(always)]
    pub fn send(&mut self, now: Ns, frame: PacketBytes) -> Result<(), PacketBytes> {
        self.start_due(now);
        let bytes = counted_bytes(frame.len());
        if self.waiting.is_empty() && self.transmitter.free_ns() <= now {
            // As in the traffic manager, a packet that need not wait counts as one that was queued for no time.
            self.recorder.enqueued(now, bytes);
            self.start(now, frame);
            return Ok(());
        }
        if self.config.urgent_dscp.is_some() && self.is_urgent(&frame) {
            return self.send_urgent(now, frame);
        }
        let waiting_pkts = self.waiting.len() - self.urgent_pkts;
        if self.is_full(waiting_pkts, self.waiting_bytes - self.urgent_bytes, bytes) {
            self.recorder.dropped_full(bytes);
            return Err(frame);
        }
        self.recorder.enqueued(now, bytes);
        self.waiting_bytes += u64::from(bytes);
        self.waiting.push_back(frame);
        Ok(())
    }

    /// Is there no room beside so many packets and bytes that wait?
    fn is_full(&self, pkts: usize, waiting_bytes: u64, bytes: u32) -> bool {
        let config = &self.config;
        let full_pkts = config.buffer_pkts > 0 && pkts as u64 >= config.buffer_pkts;
        let full_bytes =
            config.buffer_bytes > 0 && waiting_bytes + u64::from(bytes) > config.buffer_bytes;
        full_pkts || full_bytes
    }

    fn is_urgent(&self, frame: &PacketBytes) -> bool {
        // Behind a tag the IP packet begins later; what is in front of it then says nothing here.
        let tag_bytes = csig::tag_form(frame).map_or(0, TagForm::bytes);
        let start = frame.array(tag_bytes);
        start.map(|start| traffic_class(&start) >> 2) == self.config.urgent_dscp
    }

    #[inline(never)]
    fn send_urgent(&mut self, now: Ns, frame: PacketBytes) -> Result<(), PacketBytes> {
        let bytes = counted_bytes(frame.len());
        if self.is_full(self.urgent_pkts, self.urgent_bytes, bytes) {
            self.recorder.dropped_full(bytes);
            return Err(frame);
        }
        self.recorder.enqueued(now, bytes);
        self.waiting_bytes += u64::from(bytes);
        self.urgent_bytes += u64::from(bytes);
        self.waiting.insert(self.urgent_pkts, frame);
        self.urgent_pkts += 1;
        Ok(())
    }

    /// Starts the transmissions that were due by `now`, each at its own time.
    fn start_due(&mut self, now: Ns) {
        while !self.waiting.is_empty() && self.transmitter.free_ns() <= now {
            if let Some(frame) = self.waiting.pop_front() {
                let bytes = u64::from(counted_bytes(frame.len()));
                self.waiting_bytes -= bytes;
                if self.urgent_pkts > 0 {
                    self.urgent_pkts -= 1;
                    self.urgent_bytes -= bytes;
                }
                self.start(self.transmitter.free_ns(), frame);
            }
        }
    }

    fn start(&mut self, at: Ns, mut frame: PacketBytes) {
        let bytes = counted_bytes(frame.len());
        self.recorder.dequeued(at, bytes);
        self.recorder.sent(bytes);
        let left = self.transmitter.occupy(at, self.config.rate, bytes);
        let arrival = left
            .saturating_add(self.config.delay_ns)
            .max(self.last_arrival_ns);
        self.last_arrival_ns = arrival;
        if self.config.loss > 0.0 && self.draws_loss() {
            self.lost_pkts += 1;
            frame.clear();
        }
        self.in_flight.push_back((arrival, frame));
    }

    fn draws_loss(&mut self) -> bool {
        // 53 random bits over 2^53: uniform in [0, 1), so a loss of 1 loses everything.
        ((self.rng.next_u64() >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < self.config.loss
    }

    /// From now on packets are handed over ([`Self::departed`]) and do not arrive here.
    pub fn hand_over(&mut self) {
        self.hands_over = true;
    }

    pub fn hands_over(&self) -> bool {
        self.hands_over
    }

    /// The event that was scheduled is handled.
    pub fn disarm(&mut self) {
        self.armed = false;
    }

    /// The next packet whose transmission has begun, with the time of its arrival; a lost one has no bytes.
    pub fn departed(&mut self, now: Ns) -> Option<(Ns, PacketBytes)> {
        self.start_due(now);
        self.in_flight.pop_front()
    }

    /// The time for which the next packet's arrival has to be scheduled, if it is not yet; where packets are handed over,
    /// the next packet's start.
    pub fn arm(&mut self) -> Option<Ns> {
        let at = match self.hands_over {
            false => self.in_flight.front()?.0,
            true if self.waiting.is_empty() => return None,
            true => self.transmitter.free_ns(),
        };
        if self.armed {
            return None;
        }
        self.armed = true;
        Some(at)
    }

    /// Takes out the packet whose arrival is due; a lost one has no bytes.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ns) -> Option<PacketBytes> {
        self.armed = false;
        self.start_due(now);
        self.in_flight.pop_front().map(|(_, frame)| frame)
    }

    /// The time at which the packet in transmission ends; none: the link is free.
    pub fn busy_until(&mut self, now: Ns) -> Option<Ns> {
        self.start_due(now);
        let free_ns = self.transmitter.free_ns();
        (free_ns > now).then_some(free_ns)
    }

    /// Packets and bytes that wait.
    pub fn depth(&mut self, now: Ns) -> (u64, u64) {
        self.start_due(now);
        (self.waiting.len() as u64, self.waiting_bytes)
    }

    /// Counts since the last reset, and the packets lost on the wire.
    pub fn stats(&mut self, now: Ns) -> (PortStats, u64) {
        self.start_due(now);
        (self.recorder.stats(now), self.lost_pkts)
    }

    /// The part of the packet in transmission that has not left yet, in bits times the nanoseconds of a second.
    pub fn unsent_bit_ns(&mut self, now: Ns) -> u128 {
        self.start_due(now);
        self.transmitter.unsent_bit_ns(now)
    }

    pub fn reset_stats(&mut self, now: Ns) {
        self.start_due(now);
        self.recorder.reset(now);
        self.lost_pkts = 0;
    }

    /// The distribution of what waits is kept.
    pub fn keep_depths(&mut self) {
        self.recorder.keep_depths(0);
    }

    pub fn depths(&mut self, now: Ns) -> Option<Depths> {
        self.start_due(now);
        self.recorder.depths(now)
    }
}
