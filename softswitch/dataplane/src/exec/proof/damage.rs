// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Damage that a test of the proof does to a program between loading and proof.

use std::cell::Cell;

use crate::program::Program;

thread_local! {
    /// The damage for the next program that this thread loads.
    pub static DAMAGE: Cell<Option<fn(&mut Program)>> = const { Cell::new(None) };
}

/// The loader's program, with this thread's damage.
pub fn damaged(mut program: Program) -> Program {
    if let Some(damage) = DAMAGE.take() {
        damage(&mut program);
    }
    program
}
