// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From the typed program to flat statements: calls inlined, aggregates taken apart, side effects in their order.
//!
//! A variable is a [`Place`](crate::place::Place). A parameter is bound to its argument's place where that has the same
//! effect as copy-in and copy-out, and has a place of its own elsewhere.
//!
//! In: a parser, control or action of the typed program. Out: its statements as in `flat.rs`. Begin with `stmt.rs`,
//! then `call.rs`. Most methods belong to [`Lower`]; each file has those for one thing:
//!
//! | thing | files |
//! |---|---|
//! | statements | `stmt`; `assign`; `table` where one is applied; `parser` states, `select` with computed key sets |
//! | calls | `call` all kinds; `inline` bodies; `packet` the core library; `results` what primitives read and write |
//! | expressions | `expr`; `ops` arithmetic, `equality`, `hash` lists of fields |
//! | places | `place`; `choice` one of several; `atoms` and `reach` for whether two overlap |
//! | objects | `objects` the JSON's numbered ones |

mod assign;
mod atoms;
mod call;
mod choice;
mod equality;
mod expr;
mod hash;
mod inline;
mod lowered;
mod objects;
pub(crate) mod ops;
mod packet;
mod parser;
mod place;
mod reach;
mod results;
mod select;
mod state;
mod stmt;
mod table;

pub(crate) use hash::Parts;
pub use lowered::{Block, BlockKind, Key, LoweredAction, LoweredTable, Profile};
pub use objects::{Calculation, FieldList, Objects};
pub use ops::{and as conjunction, constant_bits, data as truth_as_data, mask, not as negation};
pub(crate) use parser::unsigned_ranges;
pub use state::{Architecture, Lower, Value};
