// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The hash functions that BMv2 knows, by its names, and those of TNA.

use std::collections::HashMap;

use super::crc::{Crc, CustomCrc, HashError};
use super::random::Random;
use super::tna_hash::TnaHash;

#[derive(Debug, Clone)]
pub enum Hasher {
    Crc(Crc),
    CustomCrc(CustomCrc),
    /// The Internet checksum (RFC 1071).
    Csum16,
    Xor(XorWidth),
    Identity,
    Random,
    RoundRobin(u64),
    RoundRobinConsistent(HashMap<Box<[u8]>, u64>),
    Xxh64,
    /// Fowler-Noll-Vo with a final mix, as simple_switch's example of a user's hash.
    HashEx,
    /// Toeplitz with the key that BMv2 starts with: all zeros, so the result is 0.
    Toeplitz,
    Tna(TnaHash),
}

#[derive(Debug, Clone, Copy)]
pub enum XorWidth {
    Xor16,
    Xor32,
}

impl Hasher {
    pub fn named(name: &str) -> Result<Self, HashError> {
        Ok(match name {
            "csum16" | "cksum16" => Self::Csum16,
            "xor16" => Self::Xor(XorWidth::Xor16),
            "xor32" => Self::Xor(XorWidth::Xor32),
            "identity" => Self::Identity,
            "random" => Self::Random,
            "round_robin" => Self::RoundRobin(0),
            "round_robin_consistent" => Self::RoundRobinConsistent(HashMap::new()),
            "xxh64" | "bmv2_hash" => Self::Xxh64,
            "hash_ex" => Self::HashEx,
            "toeplitz" => Self::Toeplitz,
            _ => match CustomCrc::named(name) {
                Some(custom) => Self::CustomCrc(custom),
                None => Self::Crc(Crc::named(name)?),
            },
        })
    }

    pub fn hash(&mut self, data: &[u8], random: &mut Random) -> u64 {
        match self {
            Self::Crc(crc) => crc.compute(data),
            Self::CustomCrc(crc) => crc.compute(data),
            Self::Csum16 => u64::from(internet_checksum(data)),
            Self::Xor(XorWidth::Xor16) => xor_words::<2>(data),
            Self::Xor(XorWidth::Xor32) => xor_words::<4>(data),
            Self::Identity => data
                .iter()
                .take(8)
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
            Self::Random => random.next(),
            Self::RoundRobin(next) => {
                *next += 1;
                *next - 1
            }
            Self::RoundRobinConsistent(seen) => match seen.get(data) {
                Some(&index) => index,
                None => {
                    let index = seen.len() as u64;
                    seen.insert(data.into(), index);
                    index
                }
            },
            Self::Xxh64 => twox_hash::XxHash64::oneshot(0, data),
            Self::HashEx => u64::from(hash_ex(data)),
            Self::Toeplitz => 0,
            Self::Tna(hash) => hash.hash(data),
        }
    }
}

/// The complement of the ones' complement sum of 16-bit words, the last one padded with zeros.
pub fn internet_checksum(data: &[u8]) -> u16 {
    let mut chunks = data.chunks_exact(4);
    let mut sum: u64 = chunks.by_ref().fold(0, |sum, word| {
        sum + u64::from(u32::from_be_bytes(word.try_into().expect("a chunk of 4")))
    });
    let mut last = [0u8; 4];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    sum += u64::from(u32::from_be_bytes(last));
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

/// Exclusive or of words of `N` bytes, the last one padded with zeros.
fn xor_words<const N: usize>(data: &[u8]) -> u64 {
    data.chunks(N).fold(0, |sum, chunk| {
        let word = chunk
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        sum ^ word << (8 * (N - chunk.len()))
    })
}

fn hash_ex(data: &[u8]) -> u32 {
    let mut hash = data.iter().fold(2_166_136_261u32, |hash, &byte| {
        (hash ^ i32::from(byte as i8) as u32).wrapping_mul(16_777_619)
    });
    hash = hash.wrapping_add(hash << 13);
    hash ^= hash >> 7;
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 17;
    hash.wrapping_add(hash << 5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash(name: &str, data: &[u8]) -> u64 {
        Hasher::named(name).unwrap().hash(data, &mut Random::new(1))
    }

    /// The worked example of RFC 1071, section 3: the sum is ddf2.
    #[test]
    fn internet_checksum_of_the_rfc() {
        assert_eq!(
            hash("csum16", &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            0x220d
        );
        assert_eq!(hash("csum16", &[]), 0xffff);
        assert_eq!(hash("csum16", &[0xff]), 0x00ff);
    }

    #[test]
    fn simple_functions() {
        assert_eq!(
            hash("xor16", &[0x12, 0x34, 0x56, 0x78, 0x9a]),
            0x1234 ^ 0x5678 ^ 0x9a00
        );
        assert_eq!(hash("xor32", &[1, 2, 3, 4, 5]), 0x0102_0304 ^ 0x0500_0000);
        assert_eq!(hash("identity", &[1, 2, 3]), 0x01_0203);
        assert_eq!(
            hash("identity", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            0x0102_0304_0506_0708
        );
        assert_eq!(hash("xxh64", b""), 0xef46_db37_51d8_e999);
        assert!(Hasher::named("md5").is_err());
    }

    #[test]
    fn round_robin_counts() {
        let mut random = Random::new(1);
        let mut plain = Hasher::named("round_robin").unwrap();
        let mut consistent = Hasher::named("round_robin_consistent").unwrap();
        let inputs: [&[u8]; 4] = [b"a", b"b", b"a", b"c"];
        assert_eq!(
            inputs.map(|data| plain.hash(data, &mut random)),
            [0, 1, 2, 3]
        );
        assert_eq!(
            inputs.map(|data| consistent.hash(data, &mut random)),
            [0, 1, 0, 2]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_checksum_verifies(mut data in prop::collection::vec(any::<u8>(), 2..60)) {
            data.truncate(data.len() & !1);
            let sum = internet_checksum(&data);
            data.extend(sum.to_be_bytes());
            prop_assert_eq!(internet_checksum(&data), 0);
        }
    }
}
