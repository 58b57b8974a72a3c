// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets of the simulated hosts as real bytes: Ethernet, IPv4, and a segment, a datagram or an ICMP source quench. A
//! segment has the header of TCP, or one of its transport's own. RoCEv2 has packets of its own form, over IPv6, too.
//!
//! A segment of TCP may have a tag of CSIG in front of IP.
//!
//! Begin with `types.rs`, packets as values. `write.rs` makes frames of them, `read.rs` reads frames, `quench.rs`
//! checks source quenches, `roce/` has all of RoCEv2, `csig.rs` the tags.

mod advice;
mod checksum;
pub mod csig;
pub(crate) mod layout;
mod quench;
mod read;
pub mod roce;
#[cfg(test)]
mod tests;
mod types;
mod write;

pub use advice::Advice;
pub use csig::{Tag, TagForm};
pub use quench::{QuenchCounters, Quote, Refusal, SourceQuench, Verdict};
pub use read::{read, Received};
pub use types::{
    ecn, Carrier, Datagram, Endpoint, Flags, Formats, HeaderBits, HeaderFormat, IpVersion, Options,
    OwnSegment, SackBlocks, Segment, MAX_HEADER_BYTES, MAX_SACK_BLOCKS,
};
pub use write::{add_hop, write_datagram, write_own_segment, write_segment};
