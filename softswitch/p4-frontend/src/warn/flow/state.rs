// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The knowledge about the cells of variables at one point of the program.

use std::ops::Range;

/// The value may be one that nothing has written.
const UNWRITTEN: u8 = 1;
/// The header may be invalid, may be valid.
const INVALID: u8 = 2;
const VALID: u8 = 4;
/// The program has asked whether the header is valid, so it is taken to know what it does.
const ASKED: u8 = 8;

/// Whether a header is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Validity {
    No,
    Maybe,
    Yes,
}

/// A byte for each cell: what may have happened to it on some way to this point, and [`ASKED`] on every way. Cells
/// beyond the end are of variables that are declared later.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State(Vec<u8>);

impl State {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Joins two ways that meet.
    pub fn join(&mut self, other: &State) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = ((*mine | *theirs) & !ASKED) | (*mine & *theirs & ASKED);
        }
    }

    pub fn any_unwritten(&self, cells: Range<usize>) -> bool {
        let end = cells.end.min(self.0.len());
        let known = self.0.get(cells.start..end).unwrap_or_default();
        known.iter().any(|cell| cell & UNWRITTEN != 0)
    }

    pub fn set_written(&mut self, cell: usize, written: bool) {
        let rest = self.get(cell) & !UNWRITTEN;
        self.set(cell, if written { rest } else { rest | UNWRITTEN });
    }

    pub fn validity(&self, cell: usize) -> Validity {
        let known = self.get(cell);
        match (known & INVALID != 0, known & VALID != 0) {
            _ if known & ASKED != 0 => Validity::Yes,
            (true, false) => Validity::No,
            (true, true) => Validity::Maybe,
            _ => Validity::Yes,
        }
    }

    pub fn set_validity(&mut self, cell: usize, validity: Validity) {
        let bits = match validity {
            Validity::No => INVALID,
            Validity::Maybe => INVALID | VALID,
            Validity::Yes => VALID,
        };
        self.set(cell, self.get(cell) & UNWRITTEN | bits);
    }

    pub fn set_asked(&mut self, cell: usize) {
        self.set(cell, self.get(cell) | ASKED);
    }

    /// A question counts only inside of the statement that asks.
    pub fn restore_asked(&mut self, before: &State) {
        for (cell, mine) in self.0.iter_mut().enumerate() {
            *mine = *mine & !ASKED | before.get(cell) & *mine & ASKED;
        }
    }

    /// Headers that may be invalid, and were not so `before`, are taken to be valid: the control plane knows which of
    /// the table's actions runs.
    pub fn trust(&mut self, before: &State) {
        for (cell, mine) in self.0.iter_mut().enumerate() {
            let both = INVALID | VALID;
            if *mine & both == both && before.get(cell) & both != both {
                *mine &= !INVALID;
            }
        }
    }

    fn get(&self, cell: usize) -> u8 {
        self.0.get(cell).copied().unwrap_or(0)
    }

    fn set(&mut self, cell: usize, value: u8) {
        if cell >= self.0.len() {
            self.0.resize(cell + 1, 0);
        }
        self.0[cell] = value;
    }
}
