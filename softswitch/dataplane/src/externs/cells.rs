// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The cells of registers and counters, which machine code finds by an address.

#![allow(unsafe_code)]

use std::fmt;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Cells that keep their number and, wherever this is moved to, their place. The address is that of what is owned here,
/// so it cannot outlive it.
#[repr(C)]
pub struct Cells<T> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its cells, as a box of them does.
unsafe impl<T: Send> Send for Cells<T> {}
// SAFETY: as above; without `&mut` the cells are only read.
unsafe impl<T: Sync> Sync for Cells<T> {}

impl<T> Cells<T> {
    /// Where in here machine code finds the address of the first cell.
    pub const START: usize = offset_of!(Self, start);
}

impl<T> From<Vec<T>> for Cells<T> {
    fn from(cells: Vec<T>) -> Self {
        let len = cells.len();
        let start = NonNull::from(Box::leak(cells.into_boxed_slice())).cast();
        Self { start, len }
    }
}

impl<T> Drop for Cells<T> {
    fn drop(&mut self) {
        let cells = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: these are the parts of the box that was leaked, and nobody uses them from here on.
        drop(unsafe { Box::from_raw(cells) });
    }
}

impl<T> Deref for Cells<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` leads to `len` cells, which are ours.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Cells<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else has them while we are borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: fmt::Debug> fmt::Debug for Cells<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Clone> Clone for Cells<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_where_they_are() {
        let mut cells = Cells::from(vec![1u64, 2, 3]);
        let place = cells.as_ptr();
        cells[1] = 7;
        let moved = Box::new(cells);
        assert_eq!((moved.as_ptr(), &**moved), (place, &[1, 7, 3][..]));
        assert_eq!(moved.clone().to_vec(), [1, 7, 3]);
        assert!(Cells::<u64>::from(Vec::new()).is_empty());
    }
}
