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
mod messages;
mod results;
mod series;

pub use capacity::Capacity;
pub use crossing::Crossing;
pub use delays::Delays;
pub use messages::Messages;
pub use results::{
    DirectionResults, HostResults, Occupancy, ProgramCounter, QueueResults, Results, RouterResults,
    SourceResults,
};
pub use series::Series;
