// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Seeds of all random number generators, from the seed of the scenario.
//!
//! Each consumer has a generator of its own, seeded by its kind and name, so that adding one does not disturb another.

use rand_xoshiro::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// FNV-1a (Fowler, Noll, Vo) over the kind and the name, then the finalizer of splitmix64 (Steele, Lea, Flood 2014).
pub fn derive(seed: u64, kind: &str, name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ mix(seed);
    for byte in kind.bytes().chain([0]).chain(name.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    mix(hash)
}

pub fn generator(seed: u64, kind: &str, name: &str) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(derive(seed, kind, name))
}

/// Spreads a number over all 64 bits.
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_name_and_seed_each_make_another_seed() {
        let seeds = [
            derive(1, "router", "r1"),
            derive(2, "router", "r1"),
            derive(1, "source", "r1"),
            derive(1, "router", "r2"),
            derive(1, "route", "rr1"),
        ];
        for (index, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..index].contains(seed), "{index}");
        }
        assert_eq!(seeds[0], derive(1, "router", "r1"));
    }
}
