// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Fields in a flat buffer: where a value lies and how to read and write it.

/// Bytes that every buffer with fields has after its last field, so that whole words can be read and written.
pub const PAD_BYTES: usize = 16;

/// A big-endian bit field in a byte buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loc {
    pub byte: u32,
    /// Offset of the most significant bit in its byte, 0 (most significant) to 7.
    pub bit: u8,
    pub bits: u32,
    pub signed: bool,
    /// Values that do not fit are clamped instead of cut when they are written.
    pub saturating: bool,
}

impl Loc {
    pub fn unsigned(byte: u32, bit: u8, bits: u32) -> Self {
        Self {
            byte,
            bit,
            bits,
            signed: false,
            saturating: false,
        }
    }

    /// A value of `bits` bits at the end of `(bits + 7) / 8` whole bytes.
    pub fn aligned(byte: u32, bits: u32) -> Self {
        Self::unsigned(byte, ((8 - bits % 8) % 8) as u8, bits)
    }

    /// A value of `bits` bits at the end of a slot of [`Loc::slot_bytes`]; the bits in front of it stay 0.
    pub fn in_slot(byte: u32, bits: u32) -> Self {
        let spare = Self::slot_bytes(bits) - bits.div_ceil(8);
        Self::aligned(byte + spare, bits)
    }

    /// The room of a field that stands alone: of a size that a machine reads and writes at once, if there is one.
    pub fn slot_bytes(bits: u32) -> u32 {
        match bits.div_ceil(8) {
            nbytes @ 0..=8 => nbytes.next_power_of_two(),
            nbytes => nbytes,
        }
    }

    /// The same field in a copy of the structure that starts `base_bytes` later.
    #[inline]
    pub fn rebased(mut self, base_bytes: u32) -> Self {
        self.byte += base_bytes;
        self
    }

    pub fn nbytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// The `bits` bits that end `skip` bits before the end of this field.
    pub(crate) fn slice(self, skip: u32, bits: u32) -> Self {
        let start = u32::from(self.bit) + self.bits - skip - bits;
        Self::unsigned(self.byte + start / 8, (start % 8) as u8, bits)
    }

    /// The low 64 bits, without sign extension.
    #[inline]
    pub fn read_u64(self, buf: &[u8]) -> u64 {
        let loc = if self.bits > 64 {
            self.slice(0, 64)
        } else {
            self
        };
        if loc.bits == 0 {
            return 0;
        }
        let at = loc.byte as usize;
        if u32::from(loc.bit) + loc.bits <= 64 {
            (be64(buf, at) << loc.bit) >> (64 - loc.bits)
        } else {
            ((be128(buf, at) << loc.bit) >> (128 - loc.bits)) as u64
        }
    }

    /// The low 64 bits with the field's own sign extended.
    #[inline]
    pub fn read_i64(self, buf: &[u8]) -> i64 {
        let raw = self.read_u64(buf);
        if self.signed && self.bits > 0 && self.bits < 64 {
            let spare = 64 - self.bits;
            ((raw << spare) as i64) >> spare
        } else {
            raw as i64
        }
    }

    /// The low 128 bits with the field's own sign extended.
    #[inline]
    pub fn read_i128(self, buf: &[u8]) -> i128 {
        if self.bits <= 64 {
            return if self.signed {
                i128::from(self.read_i64(buf))
            } else {
                i128::from(self.read_u64(buf))
            };
        }
        let low = self.slice(0, 64).read_u64(buf);
        let high_bits = (self.bits - 64).min(64);
        let high = self.slice(64, high_bits).read_u64(buf);
        let raw = (u128::from(high) << 64) | u128::from(low);
        if self.signed && self.bits < 128 {
            let spare = 128 - self.bits;
            ((raw << spare) as i128) >> spare
        } else {
            raw as i128
        }
    }

    /// The value in two's complement, least significant limb first, extended or cut to `out`.
    pub fn read_limbs(self, buf: &[u8], out: &mut [u64]) {
        let mut skip = 0;
        for limb in out.iter_mut() {
            let bits = (self.bits - skip).min(64);
            *limb = if bits == 0 {
                0
            } else {
                self.slice(skip, bits).read_u64(buf)
            };
            skip += bits;
        }
        if self.signed && self.bits > 0 {
            super::wide::sign_extend(out, self.bits);
        }
    }

    /// Writes the low `bits` bits of `value`; fields wider than 64 bits get zeros above.
    #[inline]
    pub fn write_u64(self, buf: &mut [u8], value: u64) {
        let at = self.byte as usize;
        let bit = u32::from(self.bit);
        if self.bits == 0 {
        } else if bit + self.bits <= 64 {
            let shift = 64 - bit - self.bits;
            let mask = (u64::MAX >> (64 - self.bits)) << shift;
            let word = (be64(buf, at) & !mask) | ((value << shift) & mask);
            buf[at..at + 8].copy_from_slice(&word.to_be_bytes());
        } else if self.bits <= 64 {
            let shift = 128 - bit - self.bits;
            let mask = u128::from(u64::MAX >> (64 - self.bits)) << shift;
            let word = (be128(buf, at) & !mask) | ((u128::from(value) << shift) & mask);
            buf[at..at + 16].copy_from_slice(&word.to_be_bytes());
        } else {
            self.write_limbs(buf, &[value]);
        }
    }

    /// Writes the low bits of a two's complement number whose limbs beyond the last are 0.
    pub fn write_limbs(self, buf: &mut [u8], limbs: &[u64]) {
        let mut skip = 0;
        let mut limbs = limbs.iter();
        while skip < self.bits {
            let bits = (self.bits - skip).min(64);
            let limb = limbs.next().copied().unwrap_or(0);
            self.slice(skip, bits).write_u64(buf, limb);
            skip += bits;
        }
    }

    #[inline]
    pub fn write_i128(self, buf: &mut [u8], value: i128) {
        if self.bits <= 64 {
            self.write_u64(buf, value as u64);
        } else {
            let fill = if value < 0 { u64::MAX } else { 0 };
            let mut skip = 0;
            for limb in [value as u64, (value >> 64) as u64]
                .into_iter()
                .chain(std::iter::repeat(fill))
            {
                if skip >= self.bits {
                    break;
                }
                let bits = (self.bits - skip).min(64);
                self.slice(skip, bits).write_u64(buf, limb);
                skip += bits;
            }
        }
    }

    /// Appends the value as `nbytes()` big-endian bytes.
    pub fn append_bytes(self, buf: &[u8], out: &mut Vec<u8>) {
        let nbytes = self.nbytes();
        let start = out.len();
        out.resize(start + nbytes, 0);
        self.read_bytes(buf, &mut out[start..]);
    }

    /// The value as big-endian bytes that fill `out`, which has `nbytes()` bytes.
    #[inline]
    pub fn read_bytes(self, buf: &[u8], out: &mut [u8]) {
        if self.bit == 0 && self.bits % 8 == 0 {
            let at = self.byte as usize;
            out.copy_from_slice(&buf[at..at + out.len()]);
            return;
        }
        let mut skip = 0;
        for byte in out.iter_mut().rev() {
            let bits = (self.bits - skip).min(8);
            *byte = self.slice(skip, bits).read_u64(buf) as u8;
            skip += bits;
        }
    }

    /// Writes a big-endian number of any length; bits that do not fit are cut at the top.
    pub fn write_bytes(self, buf: &mut [u8], value: &[u8]) {
        let mut skip = 0;
        for &byte in value.iter().rev().chain(std::iter::repeat(&0)) {
            if skip >= self.bits {
                break;
            }
            let bits = (self.bits - skip).min(8);
            self.slice(skip, bits).write_u64(buf, u64::from(byte));
            skip += bits;
        }
    }
}

#[inline]
fn be64(buf: &[u8], at: usize) -> u64 {
    let word: [u8; 8] = buf[at..at + 8].try_into().expect("a slice of 8 bytes");
    u64::from_be_bytes(word)
}

#[inline]
fn be128(buf: &[u8], at: usize) -> u128 {
    let word: [u8; 16] = buf[at..at + 16].try_into().expect("a slice of 16 bytes");
    u128::from_be_bytes(word)
}

/// Copies `bits` bits between buffers at any bit offset; the bits around the destination stay.
pub fn copy_bits(
    src: &[u8],
    mut src_bit: usize,
    dst: &mut [u8],
    mut dst_bit: usize,
    mut bits: usize,
) {
    if src_bit % 8 == 0 && dst_bit % 8 == 0 {
        let whole = bits / 8;
        dst[dst_bit / 8..dst_bit / 8 + whole]
            .copy_from_slice(&src[src_bit / 8..src_bit / 8 + whole]);
        src_bit += whole * 8;
        dst_bit += whole * 8;
        bits -= whole * 8;
    }
    while bits > 0 {
        let n = bits.min(8 - src_bit % 8).min(8 - dst_bit % 8);
        let mask = ((1u16 << n) - 1) as u8;
        let value = (src[src_bit / 8] >> (8 - src_bit % 8 - n)) & mask;
        let shift = 8 - dst_bit % 8 - n;
        let byte = &mut dst[dst_bit / 8];
        *byte = (*byte & !(mask << shift)) | (value << shift);
        src_bit += n;
        dst_bit += n;
        bits -= n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_field_reads_back_what_was_written(
            byte in 0u32..5, bit in 0u8..8, bits in 1u32..300,
            value in prop::collection::vec(any::<u8>(), 40), fill in any::<u8>(),
        ) {
            let loc = Loc::unsigned(byte, bit, bits);
            let mut buf = vec![fill; 60];
            loc.write_bytes(&mut buf, &value);
            let modulus = BigUint::from(1u8) << bits;
            let want = BigUint::from_bytes_be(&value) % modulus;
            let mut bytes = Vec::new();
            loc.append_bytes(&buf, &mut bytes);
            prop_assert_eq!(BigUint::from_bytes_be(&bytes), want.clone());
            let mut limbs = [0u64; 6];
            loc.read_limbs(&buf, &mut limbs);
            let got = limbs.iter().rev().fold(BigUint::from(0u8), |sum, limb| (sum << 64) + limb);
            prop_assert_eq!(got, want.clone());
            let low64 = want.to_u64_digits().first().copied().unwrap_or(0);
            prop_assert_eq!(loc.read_u64(&buf), low64);
            let mut other = vec![fill; 60];
            loc.write_limbs(&mut other, &limbs);
            prop_assert_eq!(&other, &buf);
            let start = byte as usize * 8 + usize::from(bit);
            for at in (0..start).chain(start + bits as usize..buf.len() * 8) {
                prop_assert_eq!(buf[at / 8] >> (7 - at % 8) & 1, fill >> (7 - at % 8) & 1);
            }
        }

        #[test]
        fn signed_fields_extend_their_sign(bits in 2u32..128, value in any::<i128>()) {
            let loc = Loc { signed: true, ..Loc::unsigned(1, 3, bits) };
            let mut buf = vec![0u8; 40];
            loc.write_i128(&mut buf, value);
            let want = (value << (128 - bits)) >> (128 - bits);
            prop_assert_eq!(loc.read_i128(&buf), want);
            let mut limbs = [0u64; 3];
            loc.read_limbs(&buf, &mut limbs);
            prop_assert_eq!(limbs[2], if want < 0 { u64::MAX } else { 0 });
            if bits <= 64 {
                prop_assert_eq!(i128::from(loc.read_i64(&buf)), want);
            }
        }

        #[test]
        fn bits_are_copied_in_place(
            src in prop::collection::vec(any::<u8>(), 20), from in 0usize..50, to in 0usize..50, bits in 0usize..100,
        ) {
            let mut dst = vec![0u8; 20];
            copy_bits(&src, from, &mut dst, to, bits);
            let bit = |buf: &[u8], at: usize| buf[at / 8] >> (7 - at % 8) & 1;
            for at in 0..160 {
                let want = if (to..to + bits).contains(&at) { bit(&src, at - to + from) } else { 0 };
                prop_assert_eq!(bit(&dst, at), want);
            }
        }
    }
}
