// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! ICMP source quench (ISQ, RFC 792): reading and checking, as host_stack/bpf/q_isq.bpf.c does.
//!
//! The socket makes the checks that need the connection.

use super::advice::Advice;
use super::checksum::Sum;
use super::layout::*;
use super::types::{Carrier, Endpoint, IpVersion};
use crate::counts::counts;

/// In the fifth octet of the ICMP header; the other bits are the level.
const MARKED_BIT: u8 = 0x80;

/// The reason that an ISQ is refused, named as the counters `isq_refused_...` of `quench-host status` (docs/hosts.md).
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

/// The segment that an ISQ quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    /// The host that is quenched.
    pub source: Endpoint,
    pub destination: Endpoint,
    /// TCP, or RoCEv2.
    pub carrier: Carrier,
    /// 0 of RoCEv2, whose numbers are behind the bytes that are always quoted.
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
    pub advice: Advice,
    /// The quoted packet, or the reason why the ISQ is refused without a look at any connection.
    pub quote: Result<Quote, Refusal>,
}

/// The result of all checks of an ISQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    AcceptedMarked,
    AcceptedDropped,
    Refused(Refusal),
}

counts! {
    /// ISQs by verdict; the names are those of `quench-host status`.
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

/// The IP packet around an ISQ.
pub(super) struct Outer<'a> {
    pub destination: u32,
    pub is_whole: bool,
    pub is_fragment: bool,
    pub checksum_right: bool,
    /// Empty if not whole.
    pub icmp: &'a [u8],
}

pub(super) fn read_quench(outer: &Outer<'_>) -> SourceQuench {
    let (marked, level, advice) = signal_of(outer.icmp);
    SourceQuench {
        destination: outer.destination,
        marked,
        level,
        advice,
        quote: check(outer),
    }
}

/// The mark, the level and the advice in the last word of the ICMP header.
pub(super) fn signal_of(icmp: &[u8]) -> (bool, u8, Advice) {
    let word = icmp.get(4..ICMP_BYTES).unwrap_or(&[0; 4]);
    let signal = word[0];
    (
        signal & MARKED_BIT != 0,
        signal & !MARKED_BIT,
        Advice::from_bits(u16_at(word, 2)),
    )
}

/// The checks that need no connection, in the kernel program's order.
fn check(outer: &Outer<'_>) -> Result<Quote, Refusal> {
    let icmp = outer.icmp;

    if !outer.is_whole {
        return Err(Refusal::Truncated);
    }
    if outer.is_fragment {
        return Err(Refusal::Fragment);
    }
    if !outer.checksum_right {
        return Err(Refusal::BadChecksum);
    }
    if icmp.len() > MAX_ICMP_BYTES {
        return Err(Refusal::TooLong);
    }
    if icmp.len() < ICMP_BYTES + IP_BYTES + QUOTE_TRANSPORT_BYTES {
        return Err(Refusal::Truncated);
    }
    if !Sum::default().bytes(icmp).is_right() {
        return Err(Refusal::BadChecksum);
    }
    if icmp[1] != 0 {
        return Err(Refusal::BadCode);
    }
    let quoted = &icmp[ICMP_BYTES..];
    let quoted_ip_bytes = usize::from(quoted[0] & 0x0f) * 4;
    if quoted[0] >> 4 != 4
        || quoted_ip_bytes < IP_BYTES
        || u16_at(quoted, 6) & IP_OFFSET != 0
        || usize::from(u16_at(quoted, 2)) < quoted_ip_bytes + TCP_BYTES
    {
        return Err(Refusal::BadQuote);
    }
    let transport = quoted.get(quoted_ip_bytes..quoted_ip_bytes + QUOTE_TRANSPORT_BYTES);
    let carrier = match (quoted[9], transport) {
        (PROTOCOL_TCP, _) => Carrier::Tcp,
        (PROTOCOL_UDP, Some(udp)) if is_roce(udp) => Carrier::Roce(IpVersion::V4),
        _ => return Err(Refusal::NotTcp),
    };
    if u32_at(quoted, 12) != outer.destination {
        return Err(Refusal::WrongSource);
    }
    let Some(segment) = transport else {
        return Err(Refusal::Truncated);
    };
    Ok(Quote {
        source: Endpoint {
            address: u32_at(quoted, 12),
            port: u16_at(segment, 0),
        },
        destination: Endpoint {
            address: u32_at(quoted, 16),
            port: u16_at(segment, 2),
        },
        carrier,
        seq: match carrier {
            Carrier::Tcp => u32_at(segment, 4),
            _ => 0,
        },
    })
}
