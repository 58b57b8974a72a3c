// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The network in cells: parts of it that have a clock and an event queue of their own.
//!
//! Small networks are one cell. A large one is cut at the links that have a delay (`cut.rs`, which looks at the scenario
//! only), and its cells go on side by side for as long as no packet can come from one to another (`rounds.rs`), on one
//! thread or on several (`crew.rs`): the results are the same.
//!
//! In: a scenario's parts (`split.rs`). Begin with `cell.rs`, the event loop.

mod cell;
mod crew;
mod cut;
mod rounds;
mod split;
mod taps;
mod whole;

pub use cell::{Controller, NoController, Planned, Stop};
pub use cut::{Cut, Fineness};
pub use rounds::run as run_rounds;
pub use split::{places, split, Pieces};
pub use taps::Taps;
pub use whole::Cells;
