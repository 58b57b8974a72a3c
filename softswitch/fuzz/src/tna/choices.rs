// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Choices from the bytes of an input: each piece of it decides about one part of a program.

/// Bytes of one piece. Behind its end all choices are the first, which is the simplest.
pub const PIECE_BYTES: usize = 64;

pub(super) struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                self.bytes = rest;
                first
            }
            None => 0,
        }
    }

    /// A number below `end`, which is 1 to 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub fn of<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }

    /// A number of at most `bits` bits, up to 128: often one of the ends.
    pub fn number(&mut self, bits: u32) -> u128 {
        let all = u128::MAX >> (128 - bits);
        match self.below(4) {
            0 => u128::from(self.byte() % 4) & all,
            1 => all,
            2 => 1 << (bits - 1),
            _ => (0..bits.div_ceil(8)).fold(0, |n, _| n << 8 | u128::from(self.byte())) & all,
        }
    }
}

/// The pieces of an input. Behind the last one are pieces whose choices are all the first.
pub(super) struct Pieces<'a>(std::slice::Chunks<'a, u8>);

impl<'a> Pieces<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data.chunks(PIECE_BYTES))
    }

    pub fn next(&mut self) -> Option<Choices<'a>> {
        self.0.next().map(Choices::new)
    }

    pub fn take(&mut self) -> Choices<'a> {
        self.next().unwrap_or_else(|| Choices::new(&[]))
    }
}
