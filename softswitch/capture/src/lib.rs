// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packet captures with nanosecond timestamps, which Wireshark opens.
//!
//! In: a path, then packets with their times. Out: a pcap file. `write.rs` writes a capture, `read.rs` reads one.

#![forbid(unsafe_code)]

mod error;
mod read;
mod write;

pub use read::{read, Captured, Reading};
pub use write::Capture;
