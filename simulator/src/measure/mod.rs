// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Measurements: counts and moments of every direction and source, records, and time series.
//!
//! All counts begin when the warm-up ends. Bytes are those of IP packets.
//!
//! In: packets that cross a link, and what connections and sources report. Out: `results.rs`. Begin there.

mod capacity;
mod crossing;
mod delays;
mod results;
mod series;
mod totals;

pub use capacity::Capacity;
pub use crossing::Crossing;
pub use delays::Delays;
pub use results::{
    DirectionResults, HostResults, Occupancy, ProgramCounter, QueueResults, Results, RouterResults,
    SourceResults,
};
pub use series::Series;
pub use totals::Totals;

use crate::packet::layout::ETHERNET_BYTES;

/// The size of a frame on links: the bytes of its IP packet.
pub fn counted_bytes(frame_bytes: usize) -> u32 {
    frame_bytes.saturating_sub(ETHERNET_BYTES) as u32
}
