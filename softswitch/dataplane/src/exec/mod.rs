// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Execution: compiled programs over flat packet state.
//!
//! In: a loaded program, the bytes and metadata of a packet, tables and externs. Out: the packet's changed state.
//! Begin with `pipeline.rs`, which runs tables and conditions; `parser.rs` and `deparser.rs` stand before and behind
//! it, `eval.rs` evaluates expressions. `jit` makes machine code of the same program.

pub mod action;
pub mod budget;
pub mod calc;
pub mod core;
pub mod deparser;
pub mod env;
pub mod eval;
mod eval_wide;
mod extended;
pub mod jit;
mod observe;
pub mod packet;
pub mod parser;
pub mod pipeline;
mod primitive_events;
pub mod proof;
pub mod queues;
pub mod reached;
mod shown;
pub mod traced;
pub mod unit;
mod written;
