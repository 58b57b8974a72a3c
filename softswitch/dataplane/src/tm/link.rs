// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The wire behind a port: propagation delay and random loss.

use std::collections::VecDeque;

use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::events::EventQueue;
use super::limits::PortId;

/// Delay and loss of the link behind one port.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkConfig {
    pub delay_ns: u64,
    /// Probability that a packet is lost, 0 to 1.
    pub loss: f64,
}

/// A link configuration that makes no sense; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LinkError {
    #[error("loss {0} is not a probability between 0 and 1")]
    Loss(f64),
    #[error("a delay of {0} ns; at most {MAX_DELAY_NS} ns are supported")]
    Delay(u64),
}

/// An hour.
pub const MAX_DELAY_NS: u64 = 3_600_000_000_000;

/// A packet that reached the far end of a port's link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived<P> {
    pub port: PortId,
    pub packet: P,
    pub at_ns: u64,
}

/// The links of all ports. Packets of one port never overtake one another.
///
/// Whether a packet is lost depends only on the seed, its port and how many packets that port sent
/// since it was given a loss probability: other ports do not disturb it.
#[derive(Debug)]
pub struct Link<P> {
    seed: u64,
    wires: Vec<Option<Box<Wire<P>>>>,
    events: EventQueue,
}

#[derive(Debug)]
struct Wire<P> {
    config: LinkConfig,
    /// Packets come out at once, with the time at which they arrive.
    hands_over: bool,
    in_flight: VecDeque<(u64, P)>,
    last_arrival_ns: u64,
    rng: Xoshiro256PlusPlus,
    lost_pkts: u64,
}

impl<P> Link<P> {
    /// Links with neither delay nor loss; `seed` decides which packets will be lost.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            wires: Vec::new(),
            events: EventQueue::default(),
        }
    }

    /// The link of `port`; one never configured is ideal.
    pub fn config(&self, port: PortId) -> LinkConfig {
        self.existing(port)
            .map_or_else(LinkConfig::default, |wire| wire.config)
    }

    /// Applies to packets sent from now on; those in flight keep their time.
    pub fn set_config(&mut self, port: PortId, config: LinkConfig) -> Result<(), LinkError> {
        if !(0.0..=1.0).contains(&config.loss) {
            return Err(LinkError::Loss(config.loss));
        }
        if config.delay_ns > MAX_DELAY_NS {
            return Err(LinkError::Delay(config.delay_ns));
        }
        self.wire(port).config = config;
        Ok(())
    }

    /// From now on packets of this port come out of [`Self::poll`] as soon as they are sent, with the time at which they
    /// will have arrived: for a caller who carries them over the link.
    pub fn hand_over(&mut self, port: PortId) {
        self.wire(port).hands_over = true;
    }

    /// Put a packet on the link at the moment its last bit left the port; false when it gets lost.
    #[inline]
    pub fn send(&mut self, at_ns: u64, port: PortId, packet: P) -> bool {
        let wire = self.wire(port);
        if wire.config.loss > 0.0 && wire.draws_loss() {
            wire.lost_pkts += 1;
            return false;
        }
        let arrival_ns = at_ns
            .saturating_add(wire.config.delay_ns)
            .max(wire.last_arrival_ns);
        wire.last_arrival_ns = arrival_ns;
        let was_empty = wire.in_flight.is_empty();
        wire.in_flight.push_back((arrival_ns, packet));
        if was_empty {
            let due_ns = wire.due_ns(arrival_ns);
            self.events.schedule(port, due_ns);
        }
        true
    }

    /// The time at which the next packet arrives anywhere.
    #[inline]
    pub fn next_event_ns(&self) -> Option<u64> {
        self.events.next_ns()
    }

    /// The next packet that has arrived by `now_ns`, earliest first; those that are handed over come before.
    #[inline]
    pub fn poll(&mut self, now_ns: u64) -> Option<Arrived<P>> {
        let (_, port) = self.events.pop_due(now_ns)?;
        let wire = self.wire(port);
        let (at_ns, packet) = wire.in_flight.pop_front()?;
        if let Some((next_ns, _)) = wire.in_flight.front() {
            let next_ns = wire.due_ns(*next_ns);
            self.events.schedule(port, next_ns);
        }
        Some(Arrived {
            port,
            packet,
            at_ns,
        })
    }

    /// Throw away the packets in flight; how many there were. Configurations and statistics stay.
    pub fn clear(&mut self) -> u64 {
        self.events.clear();
        let mut thrown_pkts = 0;
        for wire in self.wires.iter_mut().flatten() {
            thrown_pkts += wire.in_flight.len() as u64;
            wire.in_flight.clear();
            wire.last_arrival_ns = 0;
        }
        thrown_pkts
    }

    /// Packets that the link behind `port` lost since `reset_stats`.
    pub fn lost_pkts(&self, port: PortId) -> u64 {
        self.existing(port).map_or(0, |wire| wire.lost_pkts)
    }

    pub fn reset_stats(&mut self, port: PortId) {
        if let Some(Some(wire)) = self.wires.get_mut(port as usize) {
            wire.lost_pkts = 0;
        }
    }

    fn existing(&self, port: PortId) -> Option<&Wire<P>> {
        self.wires.get(port as usize)?.as_deref()
    }

    /// The link behind a port, made if need be.
    #[inline]
    fn wire(&mut self, port: PortId) -> &mut Wire<P> {
        let index = port as usize;
        if !matches!(self.wires.get(index), Some(Some(_))) {
            self.make(port);
        }
        self.wires[index].as_mut().expect("it was made")
    }

    #[cold]
    fn make(&mut self, port: PortId) {
        let index = port as usize;
        if index >= self.wires.len() {
            self.wires.resize_with(index + 1, || None);
        }
        self.wires[index] = Some(Box::new(Wire {
            config: LinkConfig::default(),
            hands_over: false,
            in_flight: VecDeque::new(),
            last_arrival_ns: 0,
            rng: Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(u64::from(port))),
            lost_pkts: 0,
        }));
    }
}

impl<P> Wire<P> {
    /// The time at which a packet comes out that arrives at a time.
    #[inline]
    fn due_ns(&self, arrival_ns: u64) -> u64 {
        match self.hands_over {
            true => 0,
            false => arrival_ns,
        }
    }

    fn draws_loss(&mut self) -> bool {
        // 53 random bits over 2^53: uniform in [0, 1), so a loss of 1 loses everything.
        ((self.rng.next_u64() >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < self.config.loss
    }
}
