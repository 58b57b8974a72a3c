// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The work that the switch does for one packet that arrives.
//!
//! Programs come from outside, and a loop, or copies of copies, could keep the switch busy for ever. Work done once a
//! pass is bounded by the program's size and is free in the first pass. All else is paid for: jumps back, states of a
//! parser that may come back to a state, further passes and copies. The loader computes the costs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The work for one packet with all its copies, in units of about 20 ns: a primitive that assigns a number costs two.
pub const MAX_WORK: u64 = 4_000_000;

/// The cost of one more pass or copy besides the program: buffers, queues and the link.
pub const PASS_WORK: u32 = 64;

/// The work spent on a packet and its copies.
#[derive(Debug, Default)]
pub struct Budget {
    spent: u64,
    /// Instead of `spent` once there are copies.
    shared: Option<Arc<AtomicU64>>,
}

impl Budget {
    /// Spends; false where that was more than was left.
    #[must_use]
    pub fn spend(&mut self, work: u32) -> bool {
        let work = u64::from(work);
        let spent = match &self.shared {
            // It stays far below overflow: a packet that cannot pay is dropped.
            Some(shared) => shared.fetch_add(work, Ordering::Relaxed) + work,
            None => {
                self.spent += work;
                self.spent
            }
        };
        spent <= MAX_WORK
    }

    /// The budget of a copy: both spend the same.
    pub fn share(&mut self) -> Self {
        let shared = self
            .shared
            .get_or_insert_with(|| Arc::new(AtomicU64::new(self.spent)));
        Self {
            spent: 0,
            shared: Some(shared.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_spend_together_and_what_was_spent_before_counts() {
        let half = (MAX_WORK / 2) as u32;
        let mut packet = Budget::default();
        assert!(packet.spend(half));
        let mut copy = packet.share();
        let mut of_copy = copy.share();
        assert!(of_copy.spend(half));
        assert!(!packet.spend(1));
        assert!(!copy.spend(1));
        assert!(Budget::default().spend(half));
    }
}
