// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The arithmetic of the evaluators with 64 and 128 bits.

use super::loc::Loc;
use super::wide;

/// The arithmetic of one fixed-width evaluator.
pub trait Word: Copy + Ord {
    const BITS: u32;
    const ZERO: Self;
    fn from_i64(value: i64) -> Self;
    fn from_limbs(limbs: &[u64]) -> Self;
    fn read(loc: Loc, buf: &[u8]) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Option<Self>;
    fn rem(self, other: Self) -> Option<Self>;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn shl(self, amount: u64) -> Self;
    fn shr(self, amount: u64) -> Self;
    /// The value of a register cell, given as limbs.
    fn from_cell(limbs: &[u64]) -> Self;

    fn wrap(self, bits: u32) -> Self {
        if bits >= Self::BITS {
            self
        } else {
            let spare = u64::from(Self::BITS - bits);
            self.shl(spare).shr(spare)
        }
    }

    /// The largest number of `bits` bits without a sign; all numbers where that does not fit.
    fn max_of(bits: u32) -> Self {
        let all = Self::ZERO.not();
        if bits >= Self::BITS - 1 {
            all.shl(u64::from(Self::BITS - 1)).not()
        } else {
            all.shl(u64::from(bits)).not()
        }
    }

    fn unsigned_sat(self, bits: u32) -> Self {
        self.clamp(Self::ZERO, Self::max_of(bits))
    }

    fn signed_sat(self, bits: u32) -> Self {
        let max = Self::max_of(bits.saturating_sub(1));
        self.clamp(max.not(), max)
    }
}

macro_rules! word {
    ($int:ty, $read:ident) => {
        impl Word for $int {
            const BITS: u32 = <$int>::BITS;
            const ZERO: Self = 0;
            #[inline]
            fn from_i64(value: i64) -> Self {
                value as $int
            }
            fn from_limbs(limbs: &[u64]) -> Self {
                let fill = if wide::is_negative(limbs) { -1 } else { 0 };
                let wanted = (Self::BITS / 64) as usize;
                let mut value: i128 = if limbs.len() < wanted { fill } else { 0 };
                for &limb in limbs.iter().take(wanted).rev() {
                    value = value << 64 | i128::from(limb);
                }
                value as $int
            }
            fn from_cell(limbs: &[u64]) -> Self {
                let high = limbs.get(1).copied().unwrap_or(0);
                (i128::from(high) << 64 | i128::from(limbs[0])) as $int
            }
            #[inline]
            fn read(loc: Loc, buf: &[u8]) -> Self {
                loc.$read(buf)
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn div(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_div(other))
            }
            fn rem(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_rem(other))
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline]
            fn not(self) -> Self {
                !self
            }
            #[inline]
            fn shl(self, amount: u64) -> Self {
                if amount >= u64::from(Self::BITS) {
                    0
                } else {
                    self << amount
                }
            }
            #[inline]
            fn shr(self, amount: u64) -> Self {
                self >> amount.min(u64::from(Self::BITS - 1))
            }
        }
    };
}

word!(i64, read_i64);
word!(i128, read_i128);
