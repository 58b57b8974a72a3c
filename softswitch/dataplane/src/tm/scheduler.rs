// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Which queue of a port sends next.
//!
//! A scheduler sees the lengths that enter and leave, never the packets, and is asked once per
//! transmission. It keeps what it needs to answer; the queues stay with the port.

/// The larger the queue's number, the sooner it is served (`priority` 7 before 0, as in BMv2).
#[derive(Debug, Default)]
pub(super) struct StrictPriority {
    /// Bit `q` is set while queue `q` has a packet.
    backlogged: u8,
}

impl StrictPriority {
    /// A packet of `_len_bytes` was appended to `queue`.
    pub fn enqueued(&mut self, queue: u8, _len_bytes: u32) {
        self.backlogged |= 1 << queue;
    }

    /// The queue to take a packet from; `None` when all are empty.
    pub fn select(&mut self) -> Option<u8> {
        (self.backlogged != 0).then(|| 7 - self.backlogged.leading_zeros() as u8)
    }

    /// The head of `queue` was taken; `next_len_bytes` is the length of the packet behind it.
    pub fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>) {
        if next_len_bytes.is_none() {
            self.backlogged &= !(1 << queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_backlogged_queue_is_selected() {
        let mut scheduler = StrictPriority::default();
        assert_eq!(scheduler.select(), None);
        scheduler.enqueued(0, 100);
        scheduler.enqueued(7, 100);
        scheduler.enqueued(3, 100);
        assert_eq!(scheduler.select(), Some(7));
        scheduler.dequeued(7, Some(100));
        assert_eq!(scheduler.select(), Some(7));
        scheduler.dequeued(7, None);
        assert_eq!(scheduler.select(), Some(3));
        scheduler.dequeued(3, None);
        scheduler.dequeued(0, None);
        assert_eq!(scheduler.select(), None);
    }
}
