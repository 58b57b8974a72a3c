// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 for BMv2: a typed program to the JSON that simple_switch loads, in the format of p4c, and to P4Info.
//!
//! An architecture is one implementation of [`lower::Architecture`] and a folder: `v1model/` and `tna/`. `architectures.rs`
//! names them.
//!
//! [`lower`] takes calls, aggregates and effects out of the program, [`emit`] writes what is left as parser states, tables,
//! conditionals and actions. [`json`] is the model of the file.
//!
//! In: a program of `p4-frontend`. Out: [`Compiled`], with the JSON and P4Info as text. Begin with `compile.rs`, which
//! lists the passes in order, then `program.rs`.

#![forbid(unsafe_code)]
// With the methods that clippy.toml names: no output depends on the order of a hash table.
#![deny(clippy::iter_over_hash_type)]

mod annotation;
mod architectures;
mod compile;
mod emit;
mod error;
mod flat;
pub mod json;
mod layout;
mod lower;
mod names;
mod object_names;
pub mod p4info;
mod place;
mod program;
mod simplify;
mod tna;
mod v1model;

pub use architectures::translate;
pub use compile::{compile, compile_text, Compiled};
pub use error::Error;
