// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Strict priority.

use super::discipline::Scheduler;
use crate::tm::config::Weights;

/// The larger the queue's number, the sooner it is served (`priority` 7 before 0, as in BMv2).
#[derive(Debug, Default)]
pub(super) struct StrictPriority {
    /// Bit `q` is set while queue `q` has a packet.
    backlogged: u8,
}

impl Scheduler for StrictPriority {
    fn enqueued(&mut self, queue: u8, _len_bytes: u32) {
        self.backlogged |= 1 << queue;
    }

    fn select(&mut self, free: u8) -> Option<u8> {
        let ready = self.backlogged & free;
        (ready != 0).then(|| 7 - ready.leading_zeros() as u8)
    }

    fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>) {
        if next_len_bytes.is_none() {
            self.backlogged &= !(1 << queue);
        }
    }

    fn sent(&mut self, _len_bytes: u32) {}

    fn set_weights(&mut self, _weights: &Weights) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_backlogged_queue_is_selected() {
        let mut scheduler = StrictPriority::default();
        assert_eq!(scheduler.select(u8::MAX), None);
        scheduler.enqueued(0, 100);
        scheduler.enqueued(7, 100);
        scheduler.enqueued(3, 100);
        assert_eq!(scheduler.select(u8::MAX), Some(7));
        assert_eq!(scheduler.select(0b0111_0111), Some(0));
        assert_eq!(scheduler.select(0b0111_0110), None);
        scheduler.dequeued(7, Some(100));
        assert_eq!(scheduler.select(u8::MAX), Some(7));
        scheduler.dequeued(7, None);
        assert_eq!(scheduler.select(u8::MAX), Some(3));
        scheduler.dequeued(3, None);
        scheduler.dequeued(0, None);
        assert_eq!(scheduler.select(u8::MAX), None);
    }
}
