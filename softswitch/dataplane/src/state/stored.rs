// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Results on their way to where they are kept.

use std::cell::RefCell;

use super::loc::Loc;
use super::wide;
use super::word::Word;

/// An evaluated expression on its way to a field.
#[derive(Clone, Copy, Debug)]
pub enum Stored {
    Small(i64),
    Medium(i128),
    /// The top of the scratch stack.
    Wide(usize),
}

impl Stored {
    /// Clamped to the range of a field.
    pub fn clamped(self, loc: Loc, scratch: &RefCell<Vec<u64>>) -> Self {
        match self {
            Stored::Small(value) => Stored::Small(saturate(value, loc)),
            Stored::Medium(value) => Stored::Medium(saturate(value, loc)),
            Stored::Wide(limbs) => {
                // One limb more than the field holds its limits.
                let wanted = limbs.max(loc.bits as usize / 64 + 1);
                let mut scratch = scratch.borrow_mut();
                let fill = if wide::is_negative(&scratch) {
                    u64::MAX
                } else {
                    0
                };
                let start = scratch.len() - limbs;
                scratch.resize(start + wanted, fill);
                scratch.resize(start + 2 * wanted, 0);
                let (number, spare) = scratch[start..].split_at_mut(wanted);
                wide::saturate(number, spare, loc.bits, loc.signed);
                scratch.truncate(start + wanted);
                Stored::Wide(wanted)
            }
        }
    }

    #[inline]
    pub fn write(self, loc: Loc, buf: &mut [u8], scratch: &RefCell<Vec<u64>>) {
        match self {
            Stored::Small(value) if loc.bits <= 64 => loc.write_u64(buf, value as u64),
            Stored::Small(value) => loc.write_i128(buf, i128::from(value)),
            Stored::Medium(value) => loc.write_i128(buf, value),
            Stored::Wide(limbs) => {
                let mut scratch = scratch.borrow_mut();
                let start = scratch.len() - limbs;
                let fill = if wide::is_negative(&scratch) {
                    u64::MAX
                } else {
                    0
                };
                let needed = start + loc.bits.div_ceil(64) as usize;
                if scratch.len() < needed {
                    scratch.resize(needed, fill);
                }
                loc.write_limbs(buf, &scratch[start..]);
                scratch.truncate(start);
            }
        }
    }

    /// For a place that does not exist.
    pub fn discard(self, scratch: &RefCell<Vec<u64>>) {
        if let Stored::Wide(limbs) = self {
            let mut scratch = scratch.borrow_mut();
            let start = scratch.len() - limbs;
            scratch.truncate(start);
        }
    }
}

fn saturate<W: Word>(value: W, loc: Loc) -> W {
    if loc.signed {
        value.signed_sat(loc.bits)
    } else {
        value.unsigned_sat(loc.bits)
    }
}
