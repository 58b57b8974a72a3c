// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs as machine code.
//!
//! A program's parser, conditions, actions, the way between its tables, checksums and deparser are compiled when it is
//! loaded. The interpreter remains what decides: code does exactly what `exec::action` and `exec::eval` do, calls them
//! for all that it does not cover (numbers above 128 bits, header stacks, clones, hashes), and gives way to them on
//! machines for which no code can be made. Tables whose entries never change are code as well; all others are looked up
//! by `tables`, from the code.
//!
//! In: a program that `exec::proof` has accepted. Out: functions in memory, one for each block. Begin with `code.rs`;
//! `pipeline.rs`, `parser.rs` and `action.rs` translate one kind of thing each.

mod action;
mod buffer;
mod checksum;
mod code;
mod constant;
mod deparser;
mod emit;
mod expr;
#[cfg(test)]
mod fixture;
mod frame;
mod function;
mod helpers;
mod memory;
mod parser;
mod pipeline;

pub use code::Code;
