// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counter arrays. As in BMv2 every counter counts packets and bytes, also where the program declares one of them.

use std::mem::offset_of;

use crate::model::values::CounterValue;
use crate::state::cells::Cells;

impl CounterValue {
    #[inline]
    pub fn count(&mut self, bytes: u32) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(u64::from(bytes));
    }
}

#[derive(Debug, Clone)]
pub struct CounterArray {
    pub cells: Cells<CounterValue>,
}

impl CounterArray {
    /// The place where machine code finds the address of the first cell.
    pub const START: usize = offset_of!(Self, cells) + Cells::<CounterValue>::START;

    pub fn new(size: usize) -> Self {
        Self {
            cells: vec![CounterValue::default(); size].into(),
        }
    }

    /// False where there is no such cell.
    #[inline]
    pub fn count(&mut self, index: u64, bytes: u32) -> bool {
        let cell = usize::try_from(index)
            .ok()
            .and_then(|index| self.cells.get_mut(index));
        match cell {
            Some(cell) => {
                cell.count(bytes);
                true
            }
            None => false,
        }
    }
}
