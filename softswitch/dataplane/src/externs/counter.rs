// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counter arrays. As in BMv2 every counter counts packets and bytes, whatever the program declares.

use crate::control::CounterValue;

impl CounterValue {
    #[inline]
    pub fn count(&mut self, bytes: u32) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(u64::from(bytes));
    }
}

#[derive(Debug, Clone)]
pub struct CounterArray {
    pub cells: Vec<CounterValue>,
}

impl CounterArray {
    pub fn new(size: usize) -> Self {
        Self {
            cells: vec![CounterValue::default(); size],
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
