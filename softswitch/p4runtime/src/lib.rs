// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The entities of P4Runtime of which there are very many: entries of tables and members of action profiles.
//!
//! In: the bytes of a `WriteRequest`, what P4Info says of a program, and what the data plane has. Out: changes of the
//! data plane or the refusal of an update, and messages for a `Read`. Begin with `updates.rs`, `entries.rs` and
//! `encode.rs`. All other entities are the server's, in Python.

#![forbid(unsafe_code)]

pub mod actions;
pub mod encode;
pub mod entries;
pub mod keys;
pub mod messages;
mod raw_set;
pub mod refusal;
pub mod updates;
pub mod values;

#[cfg(test)]
mod tests;
