// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rules for windows that several controls have.

use super::config::Common;
use super::control::Flow;
use crate::time::{Ns, NS_PER_S};

/// A rate, and a window of that rate times the base RTT.
#[derive(Debug)]
pub(super) struct RateWindow {
    pub rate_bps: f64,
    pub full_rate_bps: f64,
    /// The window at the full rate.
    full_window_bytes: u64,
}

impl RateWindow {
    /// A flow begins at the rate of its host's link.
    pub fn new(common: &Common) -> Self {
        let rate_bps = common.rate_bps as f64;
        Self {
            rate_bps,
            full_rate_bps: rate_bps,
            full_window_bytes: common.initial_window_bytes,
        }
    }

    /// The rate of this window.
    pub fn begin_with(&mut self, window_bytes: u64) {
        self.rate_bps = self.full_rate_bps * window_bytes as f64 / self.full_window_bytes as f64;
    }

    /// At least a byte: without it nothing would be sent, and no ACK could raise the rate again.
    pub fn bytes(&self) -> u64 {
        let bytes = self.full_window_bytes as f64 * self.rate_bps / self.full_rate_bps;
        (bytes as u64).max(1)
    }
}

/// A queue that a packet of the flow met.
#[derive(Debug)]
pub(super) struct QueueSignal {
    pub bytes: u64,
    pub link_bps: u64,
    /// The time since the packet was sent.
    pub since_ns: Ns,
}

impl QueueSignal {
    /// The time between two reductions by a segment: r / (n * share), where r is the time since the packet was sent, n the
    /// packets in the queue, and share the flow's part of the link's rate.
    pub fn interval_ns<S>(&self, flow: &Flow<'_, S>, window_bytes: u64) -> u128 {
        let ns_per_s = u128::from(NS_PER_S);
        // The flow's rate is its window per RTT. Before the first sample it is that of the host's link.
        let (bits, time_ns) = match flow.rtt_ns {
            Some(rtt_ns) => (u128::from(window_bytes) * 8, u128::from(rtt_ns)),
            None => (flow.common.rate_bps.into(), ns_per_s),
        };
        let weight = u128::from(self.since_ns) * u128::from(flow.common.mtu_bytes);
        let per_queue = weight
            .saturating_mul(self.link_bps.into())
            .saturating_mul(time_ns);
        let queue = u128::from(self.bytes) * bits * ns_per_s;
        per_queue.checked_div(queue).unwrap_or(u128::MAX)
    }
}

/// The increase, by an ACK of so many bytes, of a window that grows by `increase_pkts` per RTT.
pub(super) fn increase(window: f64, segment_bytes: u32, bytes: u64, increase_pkts: f64) -> f64 {
    let window_pkts = window / f64::from(segment_bytes);
    increase_pkts * bytes as f64 / window_pkts.max(1.0)
}
