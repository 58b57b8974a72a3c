// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of a packet's headers and metadata, in whole cache lines.
//!
//! They are cleared for every packet that arrives. With wide stores across the ends of lines and pages, the time of that
//! depends on where the allocator put the bytes: it made up to 5 % of the time for a packet. Machine code has the
//! address of the bytes while it runs.

#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::slice;

use super::cells::Cells;

const LINE_BYTES: usize = 64;

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE_BYTES]);

const ZERO: Line = Line([0; LINE_BYTES]);

/// A number of bytes that never changes, from the start of a cache line on.
#[derive(Debug, Clone, Default)]
pub struct StateBytes {
    lines: Cells<Line>,
    /// At most what the lines hold.
    len: usize,
    /// Lines that are cleared.
    cleared_lines: usize,
}

impl StateBytes {
    /// All 0. [`Self::clear`] is for the first `cleared_bytes`.
    pub fn new(len: usize, cleared_bytes: usize) -> Self {
        let lines = vec![ZERO; len.div_ceil(LINE_BYTES)];
        Self {
            lines: lines.into(),
            len,
            cleared_lines: cleared_bytes.div_ceil(LINE_BYTES),
        }
    }

    /// Sets the bytes that are to be cleared to 0, and with them others in the last one's line.
    pub fn clear(&mut self) {
        self.lines[..self.cleared_lines].fill(ZERO);
    }

    /// As [`Cells::start`]: the pointer that all references to the bytes come from.
    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.lines.start().cast()
    }
}

impl Deref for StateBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: lines are bytes without gaps, and there are at least `len` of these.
        unsafe { slice::from_raw_parts(self.start(), self.len) }
    }
}

impl DerefMut for StateBytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else has them while we are borrowed.
        unsafe { slice::from_raw_parts_mut(self.start(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_with_a_line_and_are_cleared_by_the_line() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let mut bytes = StateBytes::new(len, len);
            assert_eq!(*bytes, *vec![0; len]);
            assert_eq!(bytes.as_ptr().addr() % LINE_BYTES, 0);
            bytes.fill(1);
            let mut copy = bytes.clone();
            assert_eq!(*copy, *vec![1; len]);
            copy.clear();
            assert_eq!(*copy, *vec![0; len]);
            assert_eq!(*bytes, *vec![1; len]);
        }
        let mut bytes = StateBytes::new(150, 65);
        bytes.fill(1);
        bytes.clear();
        assert_eq!((bytes[127], bytes[128]), (0, 1));
    }

    /// Machine code keeps the pointer while others clear, read and write the bytes; Miri checks that it may.
    #[test]
    fn the_pointer_to_bytes_outlives_references_to_them() {
        let mut bytes = StateBytes::new(100, 64);
        let start = bytes.start();
        for round in 1..4 {
            // SAFETY: there are 100 bytes, and no reference to them is in use.
            unsafe { start.add(99).write(round) };
            assert_eq!(bytes[99], round);
            bytes[0] = 7;
            bytes.clear();
            bytes[99] += 1;
            // SAFETY: as above.
            assert_eq!(unsafe { (*start, *start.add(99)) }, (0, round + 1));
        }
    }
}
