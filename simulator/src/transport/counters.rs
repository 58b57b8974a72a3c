// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The counts of a connection's end. A transport counts what it has.

use crate::counts::counts;
use crate::packet::QuenchCounters;

counts! {
    /// Counts of one end, as a sender and as a receiver, or sums of them. Names that `quench-host status` also has
    /// mean the same.
    pub struct Counters {
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
        /// ACKs that say that packets are missing.
        pub nacks_sent: u64,
        pub nacks_received: u64,
        /// Signals of routers in the transport's own form, which are no ISQs.
        pub signals_received: u64,
        /// Those, and ACKs, that are malformed or fit nothing in flight.
        pub signals_refused: u64,
        /// RoCEv2's congestion notifications: those that this end sent about marked packets, and those of its peer. The
        /// switches' are signals.
        pub cnps_sent: u64,
        pub cnps_received: u64,
        pub ce_received: u64,
        pub ece_received: u64,
        pub cwr_sent: u64,
        #[serde(flatten)]
        pub quench: QuenchCounters,
        pub reactions_isq_marked: u64,
        pub reactions_isq_dropped: u64,
        pub reactions_ece: u64,
        pub reactions_signal: u64,
        /// Reductions because of what ACKs say besides a mark: a delay, or telemetry.
        pub reactions_ack: u64,
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
        pub accecn_negotiated: u64,
        pub accecn_fallback_rfc3168: u64,
        pub accecn_fallback_plain: u64,
        pub cwr_queued: u64,
        /// ecn-mod: packets acknowledged without and with a mark.
        pub pkts_unmarked: u64,
        pub pkts_marked: u64,
    }
}
