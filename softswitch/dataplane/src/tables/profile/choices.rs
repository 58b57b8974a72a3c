// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The choice of a member among those of a group.

use rustc_hash::FxHashSet;

use crate::tables::selector::{Mode, Slots};

/// Weighted alternatives, chosen by a hash.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Sums of the weights up to and including each alternative.
    ends: Vec<u64>,
    alternatives: Vec<u32>,
    /// The slots of a selector of Tofino, instead of the above.
    slots: Option<Slots>,
}

impl Choices {
    /// From alternatives with weight and watched port; those whose port is down are left out. With a mode, the choice
    /// is Tofino's.
    pub fn new(
        mode: Option<Mode>,
        all: impl Iterator<Item = (u32, u32, Option<u32>)>,
        ports_down: &FxHashSet<u32>,
    ) -> Self {
        let is_up = |port: Option<u32>| !port.is_some_and(|port| ports_down.contains(&port));
        let mut choices = Self::default();
        if let Some(mode) = mode {
            let slots = all.flat_map(|(alternative, weight, watch_port)| {
                let member = is_up(watch_port).then_some(alternative);
                std::iter::repeat_n(member, weight as usize)
            });
            choices.slots = Some(Slots::new(mode, slots));
            return choices;
        }
        let mut end = 0;
        for (alternative, weight, watch_port) in all {
            if weight > 0 && is_up(watch_port) {
                end += u64::from(weight);
                choices.ends.push(end);
                choices.alternatives.push(alternative);
            }
        }
        choices
    }

    /// Memory of slots, of which a weight takes many.
    pub(super) fn slots_bytes(&self) -> usize {
        let slots = self.slots.as_ref();
        slots.map_or(0, Slots::footprint_bytes)
    }

    #[inline]
    pub fn choose(&self, hash: u64) -> Option<u32> {
        if let Some(slots) = &self.slots {
            return slots.choose(hash);
        }
        let point = hash.checked_rem(*self.ends.last()?)?;
        let at = self.ends.partition_point(|&end| end <= point);
        self.alternatives.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_follow_the_weights_and_skip_dead_ports() {
        let all = [(7, 1, None), (8, 3, Some(2)), (9, 2, Some(3))];
        let count = |down: &[u32]| {
            let choices = Choices::new(None, all.into_iter(), &down.iter().copied().collect());
            let mut counts = [0; 3];
            for hash in 0..600 {
                if let Some(choice) = choices.choose(hash) {
                    counts[choice as usize - 7] += 1;
                }
            }
            counts
        };
        assert_eq!(count(&[]), [100, 300, 200]);
        assert_eq!(count(&[2]), [200, 0, 400]);
        assert_eq!(count(&[2, 3]), [600, 0, 0]);
        let none = Choices::new(
            None,
            all[1..].iter().copied(),
            &[2, 3].into_iter().collect(),
        );
        assert_eq!(none.choose(5), None);
    }
}
