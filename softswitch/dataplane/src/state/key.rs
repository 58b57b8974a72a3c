// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys: fields side by side in big-endian words, as parsers and tables compare them.

/// Puts the low `nbytes` of a number at byte `at` of a key in big-endian words.
#[inline]
pub fn put(key: &mut [u64], at: u32, nbytes: u32, value: u64) {
    let end = at + nbytes;
    let (last, used) = ((end - 1) as usize / 8, (end - 1) % 8 + 1);
    key[last] |= value << (64 - 8 * used);
    if used < nbytes {
        key[last - 1] |= value >> (8 * used);
    }
}

pub fn put_limbs(key: &mut [u64], at: u32, nbytes: u32, limbs: &[u64]) {
    let mut left = nbytes;
    for &limb in limbs {
        let count = left.min(8);
        if count == 0 {
            break;
        }
        left -= count;
        put(key, at + left, count, limb);
    }
}
