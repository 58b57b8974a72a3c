// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Bytes without a form, changed.

use fastrand::Rng;

/// One small change: another value, a piece more, less, or from elsewhere.
pub fn change(bytes: &mut Vec<u8>, donor: &[u8], rng: &mut Rng) {
    const VALUES: [u8; 8] = [0, 1, 0x45, 0x7f, 0x80, 0xfe, 0xff, 6];
    if bytes.is_empty() {
        bytes.extend((0..rng.usize(..80)).map(|_| rng.u8(..)));
        return;
    }
    let at = rng.usize(..bytes.len());
    let length = rng.usize(1..=16.min(bytes.len() - at));
    match rng.u8(..8) {
        0 => bytes[at] ^= 1 << rng.u8(..8),
        1 => bytes[at] = VALUES[rng.usize(..VALUES.len())],
        2 => bytes[at] = rng.u8(..),
        3 => bytes[at] = bytes[at].wrapping_add(rng.u8(..4)).wrapping_sub(2),
        4 => drop(bytes.drain(at..at + length)),
        5 => bytes.truncate(at),
        6 => {
            let piece = bytes[at..at + length].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => {
            let from = rng.usize(..=donor.len());
            let piece = &donor[from..donor.len().min(from + length)];
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}
