// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The choice of the queue of a port that sends next.
//!
//! A scheduler sees the lengths that enter and leave, never the packets, and is asked once per
//! transmission, when the port is free: nothing is decided earlier than it must be. It keeps what
//! it needs to answer in arrays of [`MAX_QUEUES`]; the queues stay with the port.
//!
//! The fair schedulers charge a queue for what the link carried, which is known after egress:
//! a packet that egress drops costs its queue nothing where it cost the link nothing.

mod discipline;
mod drr;
mod heads;
mod scfq;
mod strict;

use super::config::{SchedulerKind, Weights};
pub(super) use discipline::Scheduler;
use drr::DeficitRoundRobin;
use scfq::SelfClocked;
use strict::StrictPriority;

#[cfg(doc)]
use super::limits::MAX_QUEUES;

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
