// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From flat statements to BMv2's JSON.
//!
//! In: flat statements (`flat.rs`). Out: the model of `json`. Begin with `control.rs`.
//!
//! | file | writes |
//! |---|---|
//! | `control.rs` | ingress and egress: a graph of tables and conditionals |
//! | `table.rs`, `entries.rs` | tables, their entries |
//! | `action.rs` | bodies of actions |
//! | `parser.rs`, `parser_ops.rs`, `parser_select.rs` | the parser: states, operations in a state, choices |
//! | `checksum.rs`, `deparser.rs` | the other blocks |
//! | `emitter.rs`, `primitive.rs` | what all of them use |

mod action;
mod checksum;
mod control;
mod deparser;
mod emitter;
mod entries;
mod followers;
mod parser;
mod parser_ops;
mod parser_select;
mod primitive;
mod profile;
mod sites;
mod table;

pub use action::primitives;
pub use emitter::Emitter;
pub use parser::{parser, ParserKind};
pub use table::{enum_argument, size_argument, DEFAULT_SIZE};
