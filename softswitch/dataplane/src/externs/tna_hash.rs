// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Hash functions of TNA: of any CRC polynomial, and with a result of any width up to 64 bits.
//!
//! After p4c's Tofino back end (`bfn_hash_algorithm.cpp`). The bits of the input are one number,
//! the first field the most significant.

use super::crc::{Crc, CrcParams, HashError};

#[derive(Debug, Clone)]
enum Function {
    Crc(Crc),
    /// The input as one number, of which the low bits are taken.
    Identity,
    Xor8,
    /// The compiler draws one for each program; here it follows from the name.
    Random(u64),
}

#[derive(Debug, Clone)]
pub struct TnaHash {
    function: Function,
    /// Bits of the function's own result.
    width: u32,
    /// Bits of the result.
    bits: u32,
    /// A wider result repeats the function's own, instead of having zeros in front.
    extended: bool,
}

fn low(value: u64, bits: u32) -> u64 {
    value & u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

impl TnaHash {
    fn new(function: Function, width: u32, bits: u32) -> Self {
        Self {
            function,
            width,
            bits,
            extended: false,
        }
    }

    pub fn crc(params: CrcParams, extended: bool, bits: Option<u32>) -> Result<Self, HashError> {
        let width = params.width;
        let crc = Function::Crc(Crc::with(params)?);
        Ok(Self {
            extended,
            ..Self::new(crc, width, bits.unwrap_or(width))
        })
    }

    pub fn identity(bits: u32) -> Self {
        Self::new(Function::Identity, 64, bits)
    }

    pub fn xor8(bits: u32) -> Self {
        Self::new(Function::Xor8, 8, bits)
    }

    /// The same function for the same name, in every process.
    pub fn random(name: &str, bits: u32) -> Self {
        let seed = twox_hash::XxHash64::oneshot(0, name.as_bytes());
        Self::new(Function::Random(seed), 64, bits)
    }

    /// Whether the input comes with zeros in front up to a whole byte; otherwise they are at its end.
    pub fn fills_in_front(&self) -> bool {
        !matches!(self.function, Function::Xor8)
    }

    pub fn hash(&self, data: &[u8]) -> u64 {
        let value = match &self.function {
            Function::Crc(crc) => crc.compute(data),
            Function::Identity => data
                .iter()
                .fold(0u64, |number, &byte| number << 8 | u64::from(byte)),
            Function::Xor8 => u64::from(data.iter().fold(0, |sum, byte| sum ^ byte)),
            Function::Random(seed) => twox_hash::XxHash64::oneshot(*seed, data),
        };
        let mut result = low(value, self.width);
        if self.extended {
            let mut filled = self.width;
            while filled < self.bits {
                result |= result << filled;
                filled *= 2;
            }
        }
        low(result, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crc32(bits: u32, extended: bool) -> TnaHash {
        let params = CrcParams {
            width: 32,
            poly: 0x04c1_1db7,
            reversed: true,
            init: u64::from(u32::MAX),
            xor: u64::from(u32::MAX),
        };
        TnaHash::crc(params, extended, Some(bits)).expect("a known CRC")
    }

    /// The first two are of p4c's own tests (`fold_constant_hashes.cpp`).
    #[test]
    fn a_crc_is_cut_or_widened() {
        assert_eq!(
            crc32(32, true).hash(&[0xab, 0xcd, 0xef, 0x01]),
            2_360_908_734
        );
        assert_eq!(
            crc32(32, true).hash(&[0x01, 0x23, 0x45, 0x67]),
            4_247_457_659
        );
        let digits = b"123456789";
        assert_eq!(crc32(10, true).hash(digits), 0xcbf4_3926 & 0x3ff);
        assert_eq!(
            crc32(51, true).hash(digits),
            0x4_3926_cbf4_3926 & 0x7_ffff_ffff_ffff
        );
        assert_eq!(crc32(51, false).hash(digits), 0xcbf4_3926);
        assert_eq!(crc32(64, true).hash(digits), 0xcbf4_3926_cbf4_3926);
    }

    /// Values of facts about HashAlgorithm_t: the CRC of "123456789".
    #[test]
    fn the_named_crcs_of_tna() {
        for (width, poly, reversed, init, xor, check) in [
            (8, 0x07, false, 0, 0, 0xf4),
            (16, 0x8005, true, 0, 0, 0xbb3d),
            (
                64,
                0x42f0_e1eb_a9ea_3693,
                false,
                0,
                0,
                0x6c40_df5f_0b49_7347,
            ),
        ] {
            let params = CrcParams {
                width,
                poly,
                reversed,
                init,
                xor,
            };
            let hash = TnaHash::crc(params, true, None).expect("a known CRC");
            assert_eq!(hash.hash(b"123456789"), check, "{width}");
        }
    }

    #[test]
    fn other_functions() {
        assert_eq!(TnaHash::identity(16).hash(&[1, 2, 3, 4]), 0x0304);
        assert_eq!(TnaHash::identity(20).hash(&[0x12, 0x34, 0x56]), 0x2_3456);
        assert_eq!(TnaHash::xor8(8).hash(&[0x12, 0x34, 0xff]), 0xd9);
        assert_eq!(TnaHash::xor8(4).hash(&[0x12, 0x34, 0xff]), 0x9);
        let random = |name| TnaHash::random(name, 14).hash(&[1, 2, 3]);
        assert_eq!(random("a"), random("a"));
        assert_ne!(random("a"), random("b"));
        assert!(random("a") < 1 << 14);
    }
}
