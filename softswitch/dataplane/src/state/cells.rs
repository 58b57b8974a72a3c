// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values in a place that machine code has the address of: the cells of registers and counters, lists of these and of
//! tables, the state of packets.
//!
//! Machine code keeps an address while the functions that it calls make references to what lies there. Each reference
//! comes from the pointer that the code has, so none of them ends what that pointer is good for. A box gives no such
//! pointer, and a vector does not promise that the one it gives outlives references (docs/reliability/unsafe-code.md).

#![allow(unsafe_code)]

use std::fmt;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Values that keep their number and, wherever this is moved to, their place. The address is that of what is owned
/// here, so it cannot outlive it.
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
    /// The place in here where machine code finds the address of the first cell.
    pub const START: usize = offset_of!(Self, start);

    /// The pointer that the cells are owned by and that all references to them come from. It is good for reading and
    /// writing until this is dropped, also after references were made, but not while one is in use.
    #[inline]
    pub fn start(&self) -> *mut T {
        self.start.as_ptr()
    }
}

impl<T> From<Vec<T>> for Cells<T> {
    fn from(cells: Vec<T>) -> Self {
        let len = cells.len();
        let start = NonNull::from(Box::leak(cells.into_boxed_slice())).cast();
        Self { start, len }
    }
}

impl<T> FromIterator<T> for Cells<T> {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        Vec::from_iter(cells).into()
    }
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Vec::new().into()
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
        assert!(Cells::<u64>::default().is_empty());
    }

    /// As machine code and the functions that it calls use them, in turn; Miri checks that they may.
    #[test]
    fn the_pointer_to_cells_outlives_references_to_them() {
        let mut lists: Cells<Cells<u64>> = (0..2).map(|_| vec![0; 3].into()).collect();
        let list = lists.start();
        // As machine code: the address of the second list's cells lies in the list.
        let cell = |index: usize| {
            // SAFETY: there are two lists of three cells, and no reference to them is in use.
            unsafe {
                let place = list.add(1).cast::<u8>().add(Cells::<u64>::START);
                place.cast::<*mut u64>().read().add(index)
            }
        };
        for round in 1..4 {
            // SAFETY: as above.
            unsafe { *cell(1) += 10 };
            lists[1][1] += 1;
            lists[1].iter_mut().for_each(|cell| *cell += 1);
            // SAFETY: as above.
            assert_eq!(unsafe { *cell(1) }, 12 * round);
            assert_eq!(*lists[1], [round, 12 * round, round]);
        }
    }
}
