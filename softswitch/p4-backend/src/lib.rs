// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 for BMv2: a typed program to the JSON that simple_switch loads, in the format of p4c, and to P4Info.
//!
//! An architecture is one row in `architectures.rs`: an implementation of [`lower::Architecture`], in the folders `v1model/`
//! and `tna/`, and one of [`p4info::Dialect`].
//!
//! In: a program of `p4-frontend`. Out: [`Compiled`], with the JSON and P4Info as text. Begin with `compile.rs`, which
//! lists the passes in order, then `program.rs`.
//!
//! Each of these modules imports only those above it, which `docs/tests/test_rust_imports.py` checks; inside them no file
//! imports one that imports it.
//!
//! | module | holds |
//! |---|---|
//! | `error` | errors |
//! | `annotation` | arguments of annotations |
//! | `names` | names that differ from each other |
//! | `object_names` | names of objects as the control plane knows them |
//! | `json` | the model of the file |
//! | `place` | places of values in the packet state |
//! | `flat` | the program after lowering |
//! | `layout` | the packet state |
//! | `lower` | the step that takes calls, aggregates and effects out of the program |
//! | `simplify` | the step that removes statements without effect |
//! | `emit` | the step that writes what is left as parser states, tables, conditionals and actions |
//! | `program` | the parts of a program's JSON that all architectures write alike |
//! | `v1model` | one architecture |
//! | `tna` | another |
//! | `p4info` | P4Info |
//! | `architectures` | the table of architectures, with what each of the two outputs has of it |
//! | `compile` | all passes |

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
mod p4info;
mod place;
mod program;
mod simplify;
mod tna;
mod v1model;

pub use compile::{compile, compile_text, Compiled};
pub use error::Error;
