// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of packets: received, dropped by reason, copied, sent.

use crate::exec::packet::Abort;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Switch-wide counts since the switch was made.
        #[derive(Debug, Clone, Default)]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Stats {
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

counters! {
    received_pkts,
    ingress_pkts,
    egress_pkts,
    sent_pkts,
    clones_ingress,
    clones_egress,
    resubmitted,
    recirculated,
    /// Packets of TNA's packet generator.
    generated,
    /// Copies beside the packet itself, for the other replicas of a multicast group or clone session.
    multicast_copies,
    digests,
    /// Packets whose parser ended with an error; they go on.
    parser_errors,
    checksum_errors,
    dropped_no_program,
    dropped_ingress,
    dropped_egress,
    dropped_queue_full,
    /// The switch held as many bytes of packets as it may.
    dropped_memory,
    /// The program asked for a priority that the port has no queue for.
    dropped_priority,
    /// Lost by the link, or on it when the program was replaced.
    dropped_on_link,
    /// In a queue when the program was replaced.
    dropped_reload,
    /// Cloned, resubmitted or recirculated more often than the switch allows.
    dropped_passes,
    /// Sent to a port number beyond those that exist, or come from one where the architecture has no link.
    dropped_port,
    /// Clones for a session that is not configured, or has no replicas.
    dropped_clone_session,
    /// Packets for a multicast group that is not configured, or has no replicas.
    dropped_multicast_group,
    dropped_assertion,
    /// It spent its budget (`exec::budget`) on loops, passes and copies.
    dropped_endless_loop,
}

impl Stats {
    /// Counts a packet that went no further.
    pub fn count_abort(&mut self, abort: Abort) {
        match abort {
            Abort::Assertion => self.dropped_assertion += 1,
            Abort::EndlessLoop => self.dropped_endless_loop += 1,
        }
    }
}
