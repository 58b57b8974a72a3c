// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The embedded P4 target: BMv2 JSON in, a whole v1model switch out.
//!
//! The crate does no I/O and has no clock: packets and the time in nanoseconds are handed in, packets come out. The
//! same program, seed and inputs give the same bytes.
//!
//! In: a program as BMv2 JSON (`load`), control requests (`control`), packets. Out: packets with their ports and
//! times, copies for the CPU, digests. Begin with `switch/mod.rs`, which takes a packet through both pipelines, and go
//! on to `exec/pipeline.rs`. `tables` finds entries, `externs` holds state, `tm` the queues, `trace` traces of single packets.

mod arch;
pub mod control;
mod exec;
mod externs;
mod fabric;
mod load;
mod model;
mod program;
mod state;
pub mod switch;
mod tables;
pub mod tm;
pub mod trace;

pub use model::config::{Output, SwitchConfig};
pub use switch::{SharedProgram, Switch};
