// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The embedded P4 target: BMv2 JSON in, a whole v1model switch out.
//!
//! The crate does no I/O and has no clock: packets and the time in nanoseconds are handed in, packets come out. The
//! same program, seed and inputs give the same bytes.

pub mod control;
mod exec;
mod externs;
mod load;
pub mod switch;
mod tables;
pub mod tm;

pub use switch::{Output, SharedProgram, Switch, SwitchConfig};
