// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The peer's ACKs and NAKs: what they acknowledge, and what is sent again for them.

use super::end::End;
use crate::packet::roce::NUMBER_MASK;
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Io};

impl End {
    /// `before` is the number, of 24 bits, of the first packet that is not said to have arrived.
    pub(super) fn on_answer(&mut self, before: u32, is_nak: bool, now: Ns, io: &mut Io) {
        let ahead = before.wrapping_sub(self.stream.acked() as u32) & NUMBER_MASK;
        // An old one cannot be told from one that is too far ahead.
        let is_old = ahead > NUMBER_MASK / 2;
        if !self.stream.has_begun() || (!is_old && u64::from(ahead) > self.stream.flight_pkts()) {
            self.counters.signals_refused += 1;
            return;
        }
        self.counters.nacks_received += u64::from(is_nak);
        if is_old || ahead == 0 {
            self.counters.duplicate_acks_received += 1;
        } else {
            self.acknowledge(self.stream.acked() + u64::from(ahead), now, io);
        }
        if is_nak && !is_old && self.stream.flight_pkts() > 0 {
            self.on_nak(ahead > 0, now);
        }
        self.report_closing(io);
        self.transmit(now, io);
    }

    fn acknowledge(&mut self, number: u64, now: Ns, io: &mut Io) {
        if let Some((_, sent_ns)) = self.timed.filter(|&(timed, _)| timed < number) {
            self.rtt_ns = Some(now.saturating_sub(sent_ns).max(1));
            self.timed = None;
        }
        let bytes = self.stream.acknowledge(number);
        self.counters.acked_bytes += bytes;
        if bytes > 0 {
            io.events.push(ConnectionEvent::Acked { bytes });
        }
        let is_all = self.stream.flight_pkts() == 0;
        self.timeout_at = (!is_all).then(|| now.saturating_add(self.settings.timeout_ns));
    }

    /// The peer misses a packet. What asks again for the same one within a round trip has crossed it, or is forged.
    fn on_nak(&mut self, is_news: bool, now: Ns) {
        let since = self.went_back_ns.map(|at| now.saturating_sub(at));
        if !is_news && since.is_some_and(|since| since < self.settings.base_rtt_ns) {
            return;
        }
        self.counters.fast_retransmits += 1;
        self.went_back_ns = Some(now);
        self.go_back(now);
    }

    /// Everything in flight is to be sent again.
    pub(super) fn go_back(&mut self, now: Ns) {
        self.stream.go_back();
        self.timed = None;
        self.timeout_at = Some(now.saturating_add(self.settings.timeout_ns));
    }
}
