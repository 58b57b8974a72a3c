// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The embedded P4 target: BMv2 JSON in, a whole switch of v1model or TNA out.
//!
//! The crate does no I/O and has no clock: packets and the time in nanoseconds are handed in, packets come out. The
//! same program, seed and inputs give the same bytes.
//!
//! In: a program as BMv2 JSON, control requests, packets. Out: packets with their ports and times, copies for the CPU,
//! digests. Begin with `switch/mod.rs`, which takes a packet through both pipelines, and go on to `exec/pipeline.rs`.
//!
//! Each of these modules imports only those above it, which `docs/tests/test_rust_imports.py` checks; inside them no file
//! imports one that imports it.
//!
//! | module | holds |
//! |---|---|
//! | `model` | types of the control interface, settings, errors, the numbers that name a program's parts |
//! | `trace` | traces of single packets: messages, records, sessions |
//! | `state` | a packet's headers and metadata: layout, places, words |
//! | `externs` | the state that packets share: registers, counters, meters, filters, hash functions |
//! | `program` | a program as data: expressions, actions, parsers, pipelines, declarations of tables |
//! | `tables` | entries of tables, and how a packet finds one |
//! | `exec` | the execution of blocks, as machine code too, and the proof that a program stays in its buffers |
//! | `tm` | queues and links |
//! | `fabric` | what lies between blocks in every architecture: queues, replication, digests, counts |
//! | `arch` | architectures: which blocks there are, intrinsic metadata, and a packet's way from one block to the next |
//! | `load` | the compiler from BMv2 JSON |
//! | `switch` | the whole switch: packets and times in, packets out |
//! | `control` | control requests to a switch |

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
pub use model::packet_bytes::{Arriving, PacketBytes};
pub use switch::{SharedProgram, Switch};
