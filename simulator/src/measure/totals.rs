// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Sums of the counts of connections.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::tcp::TcpCounters;

macro_rules! totals {
    ($($($part:ident).+ => $name:ident,)*) => {
        /// Counts of one end of a connection, or sums of them. The names are those of [`TcpCounters`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Totals {
            $(pub $name: u64,)*
        }

        impl Totals {
            pub fn of(counters: &TcpCounters) -> Self {
                Self { $($name: counters.$($part).+,)* }
            }

            /// Adds the counts since `before`.
            pub fn add_since(&mut self, before: &Self, now: &Self) {
                $(self.$name += now.$name.wrapping_sub(before.$name);)*
            }

            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

totals! {
    data_pkts_sent => data_pkts_sent,
    data_bytes_sent => data_bytes_sent,
    retransmitted_pkts => retransmitted_pkts,
    retransmitted_bytes => retransmitted_bytes,
    acks_sent => acks_sent,
    acked_bytes => acked_bytes,
    data_pkts_received => data_pkts_received,
    received_bytes => received_bytes,
    duplicate_pkts_received => duplicate_pkts_received,
    duplicate_acks_received => duplicate_acks_received,
    timeouts => timeouts,
    fast_retransmits => fast_retransmits,
    ce_received => ce_received,
    ece_received => ece_received,
    cwr_sent => cwr_sent,
    quench.isq_received => isq_received,
    quench.isq_accepted_marked => isq_accepted_marked,
    quench.isq_accepted_dropped => isq_accepted_dropped,
    quench.isq_refused_truncated => isq_refused_truncated,
    quench.isq_refused_too_long => isq_refused_too_long,
    quench.isq_refused_fragment => isq_refused_fragment,
    quench.isq_refused_bad_checksum => isq_refused_bad_checksum,
    quench.isq_refused_bad_code => isq_refused_bad_code,
    quench.isq_refused_bad_quote => isq_refused_bad_quote,
    quench.isq_refused_not_tcp => isq_refused_not_tcp,
    quench.isq_refused_wrong_source => isq_refused_wrong_source,
    quench.isq_refused_no_socket => isq_refused_no_socket,
    quench.isq_refused_not_listening => isq_refused_not_listening,
    quench.isq_refused_not_in_flight => isq_refused_not_in_flight,
    reactions_isq_marked => reactions_isq_marked,
    reactions_isq_dropped => reactions_isq_dropped,
    reactions_ece => reactions_ece,
    reactions_loss => reactions_loss,
    reactions_rto => reactions_rto,
    reactions_incipient => reactions_incipient,
    reactions_moderate => reactions_moderate,
    suppressed_isq => suppressed_isq,
    suppressed_ece => suppressed_ece,
    suppressed_loss => suppressed_loss,
    suppressed_incipient => suppressed_incipient,
    suppressed_moderate => suppressed_moderate,
    marks_incipient_received => marks_incipient_received,
    marks_moderate_received => marks_moderate_received,
    echoes_incipient_received => echoes_incipient_received,
    echoes_moderate_received => echoes_moderate_received,
    mecn_negotiated => mecn_negotiated,
    mecn_fallback_rfc3168 => mecn_fallback_rfc3168,
    mecn_fallback_plain => mecn_fallback_plain,
    mecn_peer_silent => mecn_peer_silent,
    cwr_queued => cwr_queued,
    pkts_unmarked => pkts_unmarked,
    pkts_marked => pkts_marked,
}

impl Serialize for Totals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let list = self.list();
        let mut map = serializer.serialize_map(Some(list.len()))?;
        for (name, value) in list {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_since_before_are_added() {
        let mut counters = TcpCounters {
            acked_bytes: 10,
            ..TcpCounters::default()
        };
        let before = Totals::of(&counters);
        counters.acked_bytes = 25;
        counters.quench.isq_received = 2;
        let mut totals = Totals::default();
        totals.add_since(&before, &Totals::of(&counters));
        totals.add_since(&Totals::default(), &before);
        assert_eq!((totals.acked_bytes, totals.isq_received), (25, 2));
        assert!(totals.list().contains(&("acked_bytes", 25)));
    }

    #[test]
    fn every_counter_of_a_connection_has_a_total() {
        let counters = serde_json::to_value(TcpCounters::default()).expect("plain numbers");
        let numbers = |value: &serde_json::Value| value.as_object().map_or(0, |map| map.len());
        let nested = numbers(&counters["quench"]);
        assert_eq!(
            Totals::default().list().len(),
            numbers(&counters) - 1 + nested
        );
    }
}
