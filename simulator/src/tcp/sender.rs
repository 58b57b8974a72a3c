// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state of the sending half of a connection.

use super::ranges::Ranges;
use super::rtt::Estimator;
use crate::cc::{QuenchKind, Window};
use crate::time::Ns;

/// The end of a stream without end. The sum of two such positions does not overflow.
pub(super) const ENDLESS: u64 = u64::MAX / 2;

/// The reason for the last reduction of the window, on which ns-2's next reaction depends.
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

/// The sending half of a connection. Positions count the bytes of the stream, its SYN and FIN included, so they are not
/// modulo 2^32. Names are those of RFC 9293 section 3.3.1 without "SND.".
#[derive(Debug, Clone)]
pub(super) struct Sender {
    // The stream.
    /// Initial sequence number.
    pub iss: u32,
    /// Payload of a full segment: the setting, or the peer's MSS if that is less.
    pub segment_bytes: u32,
    /// Position of the first byte of data.
    pub start: u64,
    /// Position of the first byte that is not acknowledged.
    pub una: u64,
    /// Position of the next byte to send. After a timeout it is less than `max`.
    pub next: u64,
    /// The end of everything sent so far.
    pub max: u64,
    /// The end of the data to send.
    pub end: u64,
    /// The application has closed the stream, so `end` is final.
    pub closing: bool,
    /// A FIN follows the data.
    pub has_fin: bool,
    pub last_sent: Ns,

    // Windows.
    /// The peer's receive window, in bytes.
    pub peer_window: u64,
    /// The congestion window.
    pub window: Window,
    /// Packets that duplicate ACKs add to the congestion window during fast recovery.
    pub inflation: u32,
    pub usage: Usage,

    // Signals of congestion.
    /// An accepted ISQ that takes effect with the next ACK: kind and level.
    pub pending_isq: Option<(QuenchKind, u8)>,
    /// The next new segment carries CWR.
    pub cwr_due: bool,
    pub last_cut: LastCut,
    /// ns-2: the last mark came at a window of one packet. A second one makes the RTO longer.
    pub ecn_backed_off: bool,

    // Loss recovery (RFC 6582, RFC 6675).
    pub dupacks: u32,
    pub in_recovery: bool,
    /// Position up to which losses belong to the last reduction; none before the first.
    pub recover: Option<u64>,
    pub had_partial_ack: bool,
    /// Packets that duplicate ACKs have already counted as delivered.
    pub counted_delivered: u32,
    /// SACK: bytes that have arrived beyond a gap.
    pub sacked: Ranges,
    /// SACK: the end of the retransmissions of this recovery.
    pub resent: u64,

    // The retransmission timer (RFC 6298).
    /// The segment whose round trip is measured: its end, and when it was sent.
    pub timed: Option<(u64, Ns)>,
    pub estimator: Estimator,
    pub rto_at: Option<Ns>,
    /// The number of times that the SYN or SYN-ACK was sent again.
    pub syns_resent: u32,
    /// Timeouts since the last progress.
    pub timeouts_in_row: u32,
}

/// Whether the window or the application limits what is sent (RFC 7661). It is determined once per window of data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// The window has held back a segment in this window of data.
    limited: bool,
    /// Most packets in flight in this window of data.
    most_pkts: u64,
    /// Position at which this window of data ends.
    until: u64,
}

impl Usage {
    /// To be called after sending. `stopped`: the window held back a segment.
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

    /// The end of the stream, its FIN included.
    pub fn total_end(&self) -> u64 {
        self.end + u64::from(self.has_fin)
    }

    /// All data is acknowledged.
    pub fn is_drained(&self) -> bool {
        self.una >= self.end
    }

    /// The sequence number of a position.
    pub fn seq(&self, position: u64) -> u32 {
        self.iss.wrapping_add(position as u32)
    }

    /// The position of a sequence number near `una`.
    pub fn position(&self, seq: u32) -> Option<u64> {
        let distance = seq.wrapping_sub(self.seq(self.una)) as i32;

        self.una.checked_add_signed(distance.into())
    }

    /// Bytes sent since the last timeout that are neither acknowledged nor sacked.
    pub fn in_network(&self) -> u64 {
        let next = self.next.max(self.una);

        next - self.una - self.sacked.covered(self.una, next)
    }
}
