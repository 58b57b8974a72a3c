// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Configuration of the traffic manager on one port.

use super::limits::{DEFAULT_CAPACITY_PKTS, MAX_QUEUES};
use super::rate::Rate;

/// The rule by which a queue of a port sends next. A larger queue number is a larger `priority` of the v1model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchedulerKind {
    /// The highest queue that has a packet, as in BMv2.
    #[default]
    Strict,
    /// Deficit round robin (Shreedhar and Varghese 1995): a weight of 1 is a quantum of 1500 bytes a round.
    Drr,
    /// Self-clocked fair queuing (Golestani 1994).
    Scfq,
}

impl SchedulerKind {
    pub const ALL: [Self; 3] = [Self::Strict, Self::Drr, Self::Scfq];

    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Drr => "drr",
            Self::Scfq => "scfq",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The share of a queue in what a fair scheduler gives out, relative to the other queues' weights.
///
/// Kept in millionths, so that schedulers compute with whole numbers and shares never drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight(u32);

impl Weight {
    pub const MIN: f64 = 0.001;
    pub const MAX: f64 = 1000.0;
    pub const ONE: Self = Self(Self::SCALE as u32);

    const SCALE: f64 = 1e6;

    /// `None` when the weight does not lie between [`Weight::MIN`] and [`Weight::MAX`].
    pub fn new(weight: f64) -> Option<Self> {
        (Self::MIN..=Self::MAX)
            .contains(&weight)
            .then(|| Self((weight * Self::SCALE).round() as u32))
    }

    pub fn get(self) -> f64 {
        f64::from(self.0) / Self::SCALE
    }

    pub(super) fn millionths(self) -> u32 {
        self.0
    }
}

/// A weight for every queue that a port can have.
pub type Weights = [Weight; MAX_QUEUES as usize];

/// The capacity of a queue; 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    pub pkts: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConfig {
    pub rate: Rate,
    /// Packets per queue, 0 for no limit.
    pub capacity_pkts: u64,
    /// Bytes per queue, 0 for no limit.
    pub capacity_bytes: u64,
    /// Capacities of queues that have one of their own.
    pub queue_capacity: [Option<Capacity>; MAX_QUEUES as usize],
    /// Rates of single queues, beside the port's. Only a strict scheduler leaves a queue out that has to wait.
    pub queue_rate: [Rate; MAX_QUEUES as usize],
    /// Number of queues, 1 to [`MAX_QUEUES`].
    pub queues: u8,
    pub scheduler: SchedulerKind,
    /// Strict priority has no use for them and keeps them.
    pub weights: Weights,
    /// While true nothing leaves the queues.
    pub hold: bool,
    /// Added to the length of each packet where rate, capacity in bytes, fair shares and statistics in bytes are
    /// concerned, as `overhead` of tc-stab is: -14 counts IP packets without their Ethernet header.
    pub overhead_bytes: i32,
}

impl Default for PortConfig {
    fn default() -> Self {
        Self {
            rate: Rate::Unlimited,
            capacity_pkts: DEFAULT_CAPACITY_PKTS,
            capacity_bytes: 0,
            queue_capacity: [None; MAX_QUEUES as usize],
            queue_rate: [Rate::Unlimited; MAX_QUEUES as usize],
            queues: 1,
            scheduler: SchedulerKind::default(),
            weights: [Weight::ONE; MAX_QUEUES as usize],
            hold: false,
            overhead_bytes: 0,
        }
    }
}

impl PortConfig {
    /// The capacity of one queue.
    pub fn capacity(&self, queue: u8) -> Capacity {
        self.queue_capacity[usize::from(queue)].unwrap_or(Capacity {
            pkts: self.capacity_pkts,
            bytes: self.capacity_bytes,
        })
    }

    pub(super) fn has_queue_rates(&self) -> bool {
        self.queue_rate.iter().any(|rate| *rate != Rate::Unlimited)
    }

    /// The length that counts for a packet of `len_bytes`: at least one byte, and 0 where nothing is sent.
    pub(super) fn counted_bytes(&self, len_bytes: u32) -> u32 {
        match len_bytes {
            0 => 0,
            _ => len_bytes.saturating_add_signed(self.overhead_bytes).max(1),
        }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self.queues {
            1..=MAX_QUEUES => (),
            queues => return Err(ConfigError::Queues(queues)),
        }
        if self.has_queue_rates() && self.scheduler != SchedulerKind::Strict {
            return Err(ConfigError::QueueRate(self.scheduler.name()));
        }
        Ok(())
    }
}

/// A configuration that makes no sense; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("a port has 1 to {MAX_QUEUES} queues, not {0}")]
    Queues(u8),
    #[error("a queue has no rate of its own under the scheduler {0}: choose strict, or give the port a rate")]
    QueueRate(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_lie_between_a_thousandth_and_a_thousand() {
        for weight in [0.001, 0.2, 0.8, 1.0, 1000.0] {
            assert_eq!(Weight::new(weight).map(Weight::get), Some(weight));
        }
        for weight in [0.0, 0.000_9, -1.0, 1000.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Weight::new(weight), None, "{weight}");
        }
    }

    #[test]
    fn overhead_never_makes_a_packet_vanish_or_a_dropped_one_count() {
        let mut config = PortConfig::default();
        for (overhead_bytes, len_bytes, counted) in [
            (0, 1014, 1014),
            (-14, 1014, 1000),
            (24, 60, 84),
            (-14, 10, 1),
            (24, 0, 0),
            (i32::MIN, u32::MAX, i32::MAX as u32),
            (i32::MAX, u32::MAX, u32::MAX),
        ] {
            config.overhead_bytes = overhead_bytes;
            assert_eq!(
                config.counted_bytes(len_bytes),
                counted,
                "{overhead_bytes} {len_bytes}"
            );
        }
    }

    #[test]
    fn schedulers_are_known_by_their_names() {
        for kind in SchedulerKind::ALL {
            assert_eq!(SchedulerKind::named(kind.name()), Some(kind));
        }
        assert_eq!(SchedulerKind::named("wfq"), None);
    }
}
