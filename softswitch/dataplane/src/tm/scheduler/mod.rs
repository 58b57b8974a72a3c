// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Which queue of a port sends next.
//!
//! A scheduler sees the lengths that enter and leave, never the packets, and is asked once per
//! transmission, when the port is free: nothing is decided earlier than it must be. It keeps what
//! it needs to answer in arrays of [`MAX_QUEUES`]; the queues stay with the port.
//!
//! The fair schedulers charge a queue for what the link carried, which is known after egress:
//! a packet that egress drops costs its queue nothing where it cost the link nothing.

mod drr;
mod heads;
mod scfq;
mod strict;

use std::fmt::Debug;

use super::config::{SchedulerKind, Weights};
use drr::DeficitRoundRobin;
use scfq::SelfClocked;
use strict::StrictPriority;

#[cfg(doc)]
use super::MAX_QUEUES;

/// The calls come in this order for each packet: `enqueued`, `select`, `dequeued`, `sent`; packets
/// may be enqueued between any two of them.
pub(super) trait Scheduler: Debug + Send {
    /// A packet of `len_bytes` was appended to `queue`.
    fn enqueued(&mut self, queue: u8, len_bytes: u32);

    /// The queue to take a packet from; `None` when all are empty. Strict priority takes one of those whose bit is set
    /// in `free`; under the others no queue has a rate of its own.
    fn select(&mut self, free: u8) -> Option<u8>;

    /// The head of `queue` was taken; `next_len_bytes` is the length of the packet behind it.
    fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>);

    /// The packet that was dequeued last is through egress and occupies the link as `len_bytes` do.
    /// Says nothing to a scheduler that did not see it dequeued.
    fn sent(&mut self, len_bytes: u32);

    /// Shares from now on.
    fn set_weights(&mut self, weights: &Weights);
}

/// A scheduler of empty queues.
pub(super) fn scheduler(kind: SchedulerKind, weights: &Weights) -> Box<dyn Scheduler> {
    match kind {
        SchedulerKind::Strict => Box::new(StrictPriority::default()),
        SchedulerKind::Drr => Box::new(DeficitRoundRobin::new(weights)),
        SchedulerKind::Scfq => Box::new(SelfClocked::new(weights)),
    }
}

#[cfg(test)]
mod paper_tests;
#[cfg(test)]
mod tests;
