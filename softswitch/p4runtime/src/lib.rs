// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of P4Runtime's `Write`, of which there may be very many: entries of tables and members of action profiles.
//!
//! In: the bytes of a `WriteRequest`, and what P4Info says of a program. Out: changes of the data plane, or the refusal
//! of an update. Begin with `updates.rs` and `entries.rs`. All other entities are the server's, in Python.

#![forbid(unsafe_code)]

pub mod actions;
pub mod entries;
pub mod keys;
pub mod messages;
pub mod refusal;
pub mod updates;
pub mod values;

#[cfg(test)]
mod tests;
