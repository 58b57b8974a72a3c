// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The choice of Tofino's selectors among the members of a group.
//!
//! Members have slots, of which some are active. A fair selector takes the active one that a hash gives. A resilient
//! one takes the slot that a hash gives if it is active, and tries others only if it is not, so that packets of
//! active members stay where they are. Hashes are scrambled by fixed substitutions and permutations. After the Tofino
//! model (`mau-selector-alu.cpp`, `mau-sbox.cpp` of open-p4studio).

use std::mem::size_of;

/// Slots of one word of the hardware's memory; larger groups have several.
const WORD_SLOTS: usize = 120;
const POSITIONS: usize = 128;

const S4: [u32; 16] = [8, 0, 6, 1, 15, 13, 14, 11, 2, 12, 3, 7, 5, 4, 9, 10];
const S3: [u32; 8] = [1, 4, 7, 5, 2, 0, 3, 6];

/// Widths of the parts that are substituted, from the top, and where the bits of both rounds come from.
struct Scrambler<const BITS: usize> {
    parts: &'static [u32],
    rounds: [[u32; BITS]; 2],
}

const SCRAMBLE_14: Scrambler<14> = Scrambler {
    parts: &[4, 4, 3, 3],
    rounds: [
        [2, 9, 10, 3, 6, 11, 0, 4, 7, 12, 1, 5, 8, 13],
        [6, 10, 0, 3, 7, 11, 1, 4, 8, 12, 2, 5, 9, 13],
    ],
};

const SCRAMBLE_18: Scrambler<18> = Scrambler {
    parts: &[4, 4, 4, 3, 3],
    rounds: [
        [6, 13, 14, 0, 5, 7, 10, 15, 1, 3, 8, 11, 16, 2, 4, 9, 12, 17],
        [6, 10, 14, 0, 3, 7, 11, 15, 1, 4, 8, 12, 16, 2, 5, 9, 13, 17],
    ],
};

impl<const BITS: usize> Scrambler<BITS> {
    fn scramble(&self, hash: u64) -> u32 {
        let mut value = hash as u32 & ((1 << BITS) - 1);
        for permutation in &self.rounds {
            let mut at = BITS as u32;
            let mut substituted = 0;
            for &bits in self.parts {
                at -= bits;
                let part = (value >> at) as usize;
                let new = match bits {
                    4 => S4[part & 15],
                    _ => S3[part & 7],
                };
                substituted |= new << at;
            }
            let bits = permutation.iter().zip(0..);
            value = bits.fold(0, |value, (&from, to)| {
                value | (substituted >> from & 1) << to
            });
        }
        value
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Fair,
    Resilient,
}

/// The members of a group in their slots.
#[derive(Debug, Clone)]
pub struct Slots {
    mode: Mode,
    /// `None` for what is not active.
    slots: Vec<Option<u32>>,
}

impl Slots {
    /// A fair selector knows active members alone.
    pub fn new(mode: Mode, members: impl Iterator<Item = Option<u32>>) -> Self {
        let slots = members
            .filter(|member| mode == Mode::Resilient || member.is_some())
            .collect();
        Self { mode, slots }
    }

    pub fn footprint_bytes(&self) -> usize {
        self.slots.len() * size_of::<Option<u32>>()
    }

    pub fn choose(&self, hash: u64) -> Option<u32> {
        let all = u32::try_from(self.slots.len()).ok()?;
        match self.mode {
            Mode::Fair => {
                let slot = SCRAMBLE_14.scramble(hash).checked_rem(all)?;
                self.slots[slot as usize]
            }
            Mode::Resilient => {
                let words = self.slots.len().div_ceil(WORD_SLOTS);
                let first = hash.checked_rem(words as u64)? as usize;
                // A word without active members leaves the choice to the next.
                let chunks = self.slots.chunks(WORD_SLOTS).cycle();
                let mut words = chunks.skip(first).take(words);
                words.find_map(|word| resilient(hash, word))
            }
        }
    }
}

/// The choice among the slots of a word by 51 bits of a hash.
fn resilient(hash: u64, slots: &[Option<u32>]) -> Option<u32> {
    let tries = [0, 14, 28].map(|shift| SCRAMBLE_14.scramble(hash >> shift) as usize);
    let mut hits = tries.iter().map(|hash| slots[hash % slots.len()]);
    hits.find_map(|member| member).or_else(|| {
        let hash = SCRAMBLE_18.scramble((hash >> 42 & 0x1ff) << 9 | hash >> 5 & 0x1ff) as usize;
        // Odd slots are turned around one number, even ones around another; the first one below a third wins.
        let (even, odd, start) = (hash & 63, hash >> 6 & 63, hash >> 12);
        let slot_at = |position: usize| match position % 2 {
            0 => position ^ even << 1,
            _ => position ^ odd << 1,
        };
        let positions = (0..=start).rev().chain((start + 1..POSITIONS).rev());
        let mut members = positions.map(|position| slots.get(slot_at(position)).copied().flatten());
        members.find_map(|member| member)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::externs::random::Random;

    #[test]
    fn scrambling_loses_nothing() {
        let mut seen = vec![false; 1 << 14];
        (0..1 << 14).for_each(|hash| seen[SCRAMBLE_14.scramble(hash) as usize] = true);
        assert!(seen.iter().all(|&seen| seen));
        let mut seen = vec![false; 1 << 18];
        (0..1 << 18).for_each(|hash| seen[SCRAMBLE_18.scramble(hash) as usize] = true);
        assert!(seen.iter().all(|&seen| seen));
    }

    /// 0 is 8, 8, 1, 1 after the first substitution: bits 13, 9, 3 and 0, which go to 13, 1, 3 and 6, that is parts
    /// 8, 1, 1 and 2. These become 2, 0, 4 and 7: bits 11, 5, 2, 1 and 0, which go to 5, 11, 10, 6 and 2.
    #[test]
    fn scrambling_by_hand() {
        assert_eq!(
            SCRAMBLE_14.scramble(0),
            1 << 5 | 1 << 11 | 1 << 10 | 1 << 6 | 1 << 2
        );
    }

    fn shares(slots: &Slots, hashes: usize) -> Vec<usize> {
        let mut random = Random::new(3);
        let mut shares = vec![0; 8];
        for _ in 0..hashes {
            shares[slots.choose(random.next()).expect("a member") as usize] += 1;
        }
        shares
    }

    #[test]
    fn fair_selectors_share_among_active_members() {
        let members = [Some(0), None, Some(2), Some(3), Some(2)];
        let slots = Slots::new(Mode::Fair, members.into_iter());
        let shares = shares(&slots, 40_000);
        for (member, expected) in [(0, 10_000), (1, 0), (2, 20_000), (3, 10_000)] {
            // More than 5 standard deviations.
            assert!(shares[member].abs_diff(expected) < 500, "{shares:?}");
        }
    }

    #[test]
    fn resilient_selectors_move_only_what_lost_its_member() {
        let members: Vec<Option<u32>> = (0..6).map(Some).collect();
        let before = Slots::new(Mode::Resilient, members.iter().copied());
        for gone in 0..6u32 {
            let left = members
                .iter()
                .map(|&member| member.filter(|&id| id != gone));
            let after = Slots::new(Mode::Resilient, left);
            let mut random = Random::new(u64::from(gone));
            for _ in 0..5000 {
                let hash = random.next();
                let (old, new) = (before.choose(hash), after.choose(hash));
                assert!(old == new || old == Some(gone));
                assert!(new.is_some() && new != Some(gone));
            }
        }
    }

    #[test]
    fn plan_b_finds_any_member_that_is_left() {
        for slots in [1usize, 2, 119, 120, 121, 500] {
            for left in [0, slots / 2, slots - 1] {
                let members = (0..slots).map(|slot| (slot == left).then_some(7));
                let slots = Slots::new(Mode::Resilient, members);
                let mut random = Random::new(9);
                assert!((0..500).all(|_| slots.choose(random.next()) == Some(7)));
            }
        }
        for mode in [Mode::Fair, Mode::Resilient] {
            assert_eq!(Slots::new(mode, [None, None].into_iter()).choose(5), None);
            assert_eq!(Slots::new(mode, [].into_iter()).choose(5), None);
        }
    }
}
