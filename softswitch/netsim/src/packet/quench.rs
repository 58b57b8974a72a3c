// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! ICMP source quench (RFC 792): what a host believes of one, checked as host_stack/bpf/q_isq.bpf.c does.

use super::types::Endpoint;

/// Why an ISQ is not believed; named as the kernel's counters `isq_refused_...` are (docs/hosts.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Truncated,
    TooLong,
    Fragment,
    BadChecksum,
    BadCode,
    BadQuote,
    NotTcp,
    WrongSource,
    NoSocket,
    NotListening,
    NotInFlight,
}

/// The TCP packet that an ISQ quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    /// The host that is quenched.
    pub source: Endpoint,
    pub destination: Endpoint,
    pub seq: u32,
}

/// An ISQ that reached a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceQuench {
    /// The host to which it was sent.
    pub destination: u32,
    /// The quoted packet was marked; if not, it was dropped.
    pub marked: bool,
    /// Congestion level, 0..127; 0 where the network does not use levels.
    pub level: u8,
    /// What it quotes, or why the packet itself cannot be believed.
    pub quote: Result<Quote, Refusal>,
}

/// What became of an ISQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    AcceptedMarked,
    AcceptedDropped,
    Refused(Refusal),
}

/// ISQs by what became of them; the names are those of `quench-host status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct QuenchCounters {
    pub isq_received: u64,
    pub isq_accepted_marked: u64,
    pub isq_accepted_dropped: u64,
    pub isq_refused_truncated: u64,
    pub isq_refused_too_long: u64,
    pub isq_refused_fragment: u64,
    pub isq_refused_bad_checksum: u64,
    pub isq_refused_bad_code: u64,
    pub isq_refused_bad_quote: u64,
    pub isq_refused_not_tcp: u64,
    pub isq_refused_wrong_source: u64,
    pub isq_refused_no_socket: u64,
    pub isq_refused_not_listening: u64,
    pub isq_refused_not_in_flight: u64,
}

impl QuenchCounters {
    pub fn count(&mut self, verdict: Verdict) {
        self.isq_received += 1;
        *match verdict {
            Verdict::AcceptedMarked => &mut self.isq_accepted_marked,
            Verdict::AcceptedDropped => &mut self.isq_accepted_dropped,
            Verdict::Refused(Refusal::Truncated) => &mut self.isq_refused_truncated,
            Verdict::Refused(Refusal::TooLong) => &mut self.isq_refused_too_long,
            Verdict::Refused(Refusal::Fragment) => &mut self.isq_refused_fragment,
            Verdict::Refused(Refusal::BadChecksum) => &mut self.isq_refused_bad_checksum,
            Verdict::Refused(Refusal::BadCode) => &mut self.isq_refused_bad_code,
            Verdict::Refused(Refusal::BadQuote) => &mut self.isq_refused_bad_quote,
            Verdict::Refused(Refusal::NotTcp) => &mut self.isq_refused_not_tcp,
            Verdict::Refused(Refusal::WrongSource) => &mut self.isq_refused_wrong_source,
            Verdict::Refused(Refusal::NoSocket) => &mut self.isq_refused_no_socket,
            Verdict::Refused(Refusal::NotListening) => &mut self.isq_refused_not_listening,
            Verdict::Refused(Refusal::NotInFlight) => &mut self.isq_refused_not_in_flight,
        } += 1;
    }
}
