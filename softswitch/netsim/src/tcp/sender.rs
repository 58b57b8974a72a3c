// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sending half of a connection: its state.

use super::ranges::Ranges;
use super::rtt::Estimator;
use crate::cc::{QuenchKind, Window};
use crate::time::Ns;

/// The end of a stream that has none. Twice as much still fits.
pub(super) const ENDLESS: u64 = u64::MAX / 2;

/// What the window was last reduced for; by this ns-2 judges what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LastCut {
    #[default]
    None,
    Loss,
    /// A mark or a source quench.
    Signal,
    Timeout,
    /// A loss that has been recovered from.
    Recovered,
}

/// The sending half of a connection. Positions are bytes of the stream, the SYN included.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    pub iss: u32,
    /// Data of a full segment: ours, or less if the peer wants less.
    pub segment_bytes: u32,
    /// Where data begins.
    pub start: u64,
    /// The first byte that is not acknowledged.
    pub una: u64,
    /// What is sent next; after a timeout less than `max`.
    pub next: u64,
    /// The end of all that was ever sent.
    pub max: u64,
    /// The end of the data that there is to send.
    pub end: u64,
    /// The stream ends at `end`.
    pub closing: bool,
    /// A FIN follows it.
    pub has_fin: bool,
    /// The peer's receive window, in bytes.
    pub peer_window: u64,
    pub window: Window,
    pub dupacks: u32,
    /// Packets that duplicate ACKs add to the window.
    pub inflation: u32,
    /// Losses before this have been reacted to; none: there was no reaction yet.
    pub recover: Option<u64>,
    pub in_recovery: bool,
    pub had_partial_ack: bool,
    pub last_cut: LastCut,
    /// SACK: what the peer has beyond a gap.
    pub sacked: Ranges,
    /// SACK: the end of what was sent again in this recovery.
    pub resent: u64,
    /// Packets that duplicate ACKs have already counted as delivered.
    pub counted_delivered: u32,
    /// The end of the segment whose round trip is measured, and when it was sent.
    pub timed: Option<(u64, Ns)>,
    pub estimator: Estimator,
    pub rto_at: Option<Ns>,
    /// Timeouts since the last progress.
    pub timeouts_in_row: u32,
    pub last_sent: Ns,
    /// A reduction at a window of one packet has once been answered by a longer RTO (ns-2).
    pub ecn_backed_off: bool,
    /// The next new segment is to say that the window has been reduced.
    pub cwr_due: bool,
    /// A source quench that waits for the next ACK.
    pub mailbox: Option<(QuenchKind, u8)>,
    pub usage: Usage,
}

/// Whether the window or the application limits what is sent (RFC 7661), judged once per window of data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// The window has stopped a segment since the last judgement.
    limited: bool,
    /// The most that was in flight since then, in packets.
    most_pkts: u64,
    until: u64,
}

impl Usage {
    /// After sending: `stopped` by the window, with so much in flight.
    pub fn note(&mut self, stopped: bool, flight_pkts: u64, una: u64, max: u64) {
        if una >= self.until {
            *self = Self {
                limited: false,
                most_pkts: 0,
                until: max,
            };
        }
        self.limited |= stopped;
        self.most_pkts = self.most_pkts.max(flight_pkts);
    }

    pub fn is_limited(&self, window: &Window) -> bool {
        self.limited
            || window.in_slow_start() && u64::from(window.whole_pkts()) < 2 * self.most_pkts
    }
}

impl Sender {
    pub fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// The end of the stream with its FIN.
    pub fn total_end(&self) -> u64 {
        self.end + u64::from(self.has_fin)
    }

    /// All data that there is has been acknowledged.
    pub fn is_drained(&self) -> bool {
        self.una >= self.end
    }

    /// Sequence number of a position.
    pub fn seq(&self, position: u64) -> u32 {
        self.iss.wrapping_add(position as u32)
    }

    /// The position of a sequence number near `una`.
    pub fn position(&self, seq: u32) -> Option<u64> {
        let distance = seq.wrapping_sub(self.seq(self.una)) as i32;

        self.una.checked_add_signed(distance.into())
    }

    /// Bytes in flight that are not known to have arrived, of what was sent since the last timeout.
    pub fn in_network(&self) -> u64 {
        let next = self.next.max(self.una);

        next - self.una - self.sacked.covered(self.una, next)
    }
}
