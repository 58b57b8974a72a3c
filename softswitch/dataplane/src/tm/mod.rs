// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The traffic manager and the links behind it.
//!
//! [`TrafficManager`] holds packets between ingress and egress: per port up to eight queues, a
//! scheduler and a rate. [`Link`] carries what egress let through: serialisation has already been
//! accounted for, so it only adds propagation delay and random loss.
//!
//! Neither has a clock. The caller passes the time with every call, never going backwards, and
//! follows one discipline:
//!
//! 1. before an `enqueue` at time `t`, take everything that was due before `t` with `poll`;
//! 2. after each `poll` that returned a packet, run egress and call
//!    [`TrafficManager::transmitted`] with the length that remains (0 when egress dropped it);
//! 3. hand the packet to [`Link::send`] at the time that `transmitted` returned.
//!
//! Times are nanoseconds on a clock of the caller's choice. Fractions of a nanosecond are carried
//! from packet to packet while a port stays busy, so a rate is exact over any busy period.

mod config;
mod depths;
mod events;
mod limits;
mod link;
mod manager;
mod port;
mod queue;
mod rate;
mod scheduler;
mod stats;

pub use config::{Capacity, ConfigError, PortConfig, SchedulerKind, Weight, Weights};
pub use depths::{Depths, Weighed};
pub use limits::{PortId, DEFAULT_CAPACITY_PKTS, MAX_QUEUES};
pub use link::{Arrived, Link, LinkConfig, LinkError};
pub use manager::{Dequeued, Enqueued, Refusal, Refused, Resumed, TrafficManager};
pub use rate::{Rate, Transmitter};
pub use stats::{Moments, PortStats, Recorder};

pub use crate::model::values::Depth;

#[cfg(test)]
mod queue_tests;
#[cfg(test)]
mod tests;
