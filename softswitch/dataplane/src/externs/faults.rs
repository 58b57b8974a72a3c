// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of what programs do wrong.

use std::cell::Cell;

/// Things that a correct program does not do; they are counted and have no other effect.
#[derive(Debug, Default)]
pub struct Faults {
    pub register_index: Cell<u64>,
    pub counter_index: Cell<u64>,
    pub meter_index: Cell<u64>,
    pub stack_index: Cell<u64>,
    pub division_by_zero: Cell<u64>,
}

impl Faults {
    pub fn count(counter: &Cell<u64>) {
        counter.set(counter.get() + 1);
    }
}
