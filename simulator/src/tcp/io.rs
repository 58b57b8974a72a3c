// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The output of a connection, and its counters.

use serde::Serialize;

use crate::packet::{QuenchCounters, Segment};

/// An event for the application on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEvent {
    Established,
    /// New bytes have arrived in order. Each byte counts once.
    Received {
        bytes: u64,
    },
    /// Bytes that this end sent are acknowledged. Each byte counts once.
    Acked {
        bytes: u64,
    },
    /// The peer has closed its stream, and all of it has arrived.
    PeerClosed,
    /// Both directions are closed.
    Closed,
    /// The connection was reset, or the peer did not answer `max_timeouts` retransmissions.
    Failed,
}

impl ConnectionEvent {
    /// Is it one of the frequent events, which come with nearly every segment?
    pub fn is_progress(self) -> bool {
        matches!(self, Self::Received { .. } | Self::Acked { .. })
    }
}

/// Segments to send and events, which a connection appends. The caller takes them out and clears it, to reuse its
/// memory.
#[derive(Debug, Default)]
pub struct Io {
    pub segments: Vec<Segment>,
    pub events: Vec<ConnectionEvent>,
}

impl Io {
    pub fn clear(&mut self) {
        self.segments.clear();
        self.events.clear();
    }
}

/// Counters of one end, as a sender and as a receiver. Names that `quench-host status` also has mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TcpCounters {
    /// Segments with data, retransmissions included.
    pub data_pkts_sent: u64,
    pub data_bytes_sent: u64,
    pub retransmitted_pkts: u64,
    pub retransmitted_bytes: u64,
    /// Segments without data.
    pub acks_sent: u64,
    pub acked_bytes: u64,
    /// Segments with data that arrived, duplicates included.
    pub data_pkts_received: u64,
    /// New bytes in order.
    pub received_bytes: u64,
    /// Segments with nothing new.
    pub duplicate_pkts_received: u64,
    pub duplicate_acks_received: u64,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub ce_received: u64,
    pub ece_received: u64,
    pub cwr_sent: u64,
    pub quench: QuenchCounters,
    pub reactions_isq_marked: u64,
    pub reactions_isq_dropped: u64,
    pub reactions_ece: u64,
    pub reactions_loss: u64,
    pub reactions_rto: u64,
    pub reactions_incipient: u64,
    pub reactions_moderate: u64,
    pub suppressed_isq: u64,
    pub suppressed_ece: u64,
    pub suppressed_loss: u64,
    pub suppressed_incipient: u64,
    pub suppressed_moderate: u64,
    pub marks_incipient_received: u64,
    pub marks_moderate_received: u64,
    pub echoes_incipient_received: u64,
    pub echoes_moderate_received: u64,
    pub mecn_negotiated: u64,
    pub mecn_fallback_rfc3168: u64,
    pub mecn_fallback_plain: u64,
    pub mecn_peer_silent: u64,
    pub cwr_queued: u64,
    /// ecn-mod: packets acknowledged without and with a mark.
    pub pkts_unmarked: u64,
    pub pkts_marked: u64,
}
