// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Register arrays.

use std::mem::offset_of;
use std::ops::Range;

use crate::state::cells::Cells;
use crate::state::wide;

/// Cells of one width, each in whole 64-bit limbs, least significant limb first.
#[derive(Debug, Clone)]
pub struct RegisterArray {
    pub bits: u32,
    limbs: usize,
    cells: Cells<u64>,
    /// The value that every cell begins with; empty for 0.
    initial: Box<[u64]>,
    /// The cell that the next entry of a log goes to.
    next: u64,
}

impl RegisterArray {
    /// The place where machine code finds the address of the first cell.
    pub const START: usize = offset_of!(Self, cells) + Cells::<u64>::START;

    pub fn new(size: usize, bits: u32) -> Self {
        let limbs = bits.div_ceil(64).max(1) as usize;
        Self {
            bits,
            limbs,
            cells: vec![0; size * limbs].into(),
            initial: Box::default(),
            next: 0,
        }
    }

    /// With all cells at a number, least significant limb first.
    pub fn filled(size: usize, bits: u32, initial: &[u64]) -> Self {
        let mut array = Self::new(size, bits);
        if initial.iter().any(|&limb| limb != 0) {
            array.initial = initial.into();
            array
                .cells
                .chunks_exact_mut(array.limbs)
                .for_each(|cell| cell.copy_from_slice(initial));
        }
        array
    }

    /// The same as it is when a program begins. Made, not copied: cells that nobody uses take no memory.
    pub fn fresh(&self) -> Self {
        Self::filled(self.len(), self.bits, &self.initial)
    }

    /// Gives a cell what it began with, if there is such a cell.
    pub fn reset(&mut self, index: u64) {
        let cell = usize::try_from(index)
            .ok()
            .and_then(|index| self.cells.chunks_exact_mut(self.limbs).nth(index));
        match cell {
            Some(cell) if self.initial.is_empty() => cell.fill(0),
            Some(cell) => cell.copy_from_slice(&self.initial),
            None => (),
        }
    }

    /// The index of the next entry of a log, from 0 to the last cell and again.
    pub fn next_index(&mut self) -> u64 {
        let index = self.next;
        self.next = (index + 1) % self.len().max(1) as u64;
        index
    }

    pub fn len(&self) -> usize {
        self.cells.len() / self.limbs
    }

    #[inline]
    pub fn cell(&self, index: u64) -> Option<&[u64]> {
        let start = usize::try_from(index).ok()?.checked_mul(self.limbs)?;
        self.cells.get(start..start.checked_add(self.limbs)?)
    }

    /// Stores the low bits of a two's complement number; false where there is no such cell.
    #[inline]
    pub fn set(&mut self, index: u64, number: &[u64]) -> bool {
        let (bits, limbs) = (self.bits, self.limbs);
        let Some(start) = usize::try_from(index)
            .ok()
            .and_then(|index| index.checked_mul(limbs))
        else {
            return false;
        };
        let Some(cell) = start
            .checked_add(limbs)
            .and_then(|end| self.cells.get_mut(start..end))
        else {
            return false;
        };
        let fill = if wide::is_negative(number) {
            u64::MAX
        } else {
            0
        };
        for (i, limb) in cell.iter_mut().enumerate() {
            *limb = number.get(i).copied().unwrap_or(fill);
        }
        wide::zero_extend(cell, bits);
        true
    }

    /// The cells of a range, as [`Self::put_back`] takes them; `None` beyond the array.
    pub fn standing(&self, cells: &Range<usize>) -> Option<Vec<u64>> {
        let start = cells.start.checked_mul(self.limbs)?;
        let end = cells.end.checked_mul(self.limbs)?;
        self.cells.get(start..end).map(<[u64]>::to_vec)
    }

    /// Brings cells back, from one on.
    pub fn put_back(&mut self, first: usize, limbs: &[u64]) {
        let start = first * self.limbs;
        self.cells[start..start + limbs.len()].copy_from_slice(limbs);
    }

    pub fn bytes(&self, index: u64) -> Option<Vec<u8>> {
        let cell = self.cell(index)?;
        let bytes: Vec<u8> = cell
            .iter()
            .rev()
            .flat_map(|limb| limb.to_be_bytes())
            .collect();
        Some(bytes[bytes.len() - self.bits.div_ceil(8) as usize..].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_width() {
        let mut array = RegisterArray::new(3, 12);
        assert!(array.set(1, &[0xf_abcd]));
        assert_eq!(array.bytes(1).unwrap(), [0x0b, 0xcd]);
        assert_eq!(array.bytes(0).unwrap(), [0, 0]);
        assert!(array.set(2, &[u64::MAX]));
        assert_eq!(array.cell(2).unwrap(), [0xfff]);
    }

    #[test]
    fn wide_cells_extend_the_sign_of_what_is_stored() {
        let mut array = RegisterArray::new(2, 130);
        assert!(array.set(1, &[u64::MAX - 1]));
        assert_eq!(array.cell(1).unwrap(), [u64::MAX - 1, u64::MAX, 3]);
        assert_eq!(array.bytes(1).unwrap().len(), 17);
    }

    #[test]
    fn indices_out_of_range_are_refused() {
        let mut array = RegisterArray::new(2, 8);
        assert!(!array.set(2, &[1]));
        assert!(!array.set(u64::MAX, &[1]));
        assert!(array.cell(u64::MAX / 2).is_none());
        assert_eq!(array.len(), 2);
    }
}
