// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets of the simulated hosts as real bytes: Ethernet, IPv4, and TCP, UDP or ICMP source quench.
//!
//! In and out: `types.rs`, packets as values. Begin there; `write.rs` makes frames, `read.rs` reads them, `quench.rs`
//! checks source quenches.

mod checksum;
mod layout;
mod quench;
mod read;
#[cfg(test)]
mod tests;
mod types;
mod write;

pub use quench::{QuenchCounters, Quote, Refusal, SourceQuench, Verdict};
pub use read::{read, Received};
pub use types::{ecn, Datagram, Endpoint, Options, SackBlocks, Segment, TcpFlags, MAX_SACK_BLOCKS};
pub use write::{write_datagram, write_segment};
