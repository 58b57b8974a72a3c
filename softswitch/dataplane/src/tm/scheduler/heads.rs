// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The packets in front of the queues, as a scheduler knows them.

use crate::tm::limits::MAX_QUEUES;

#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Bit `q` is set while queue `q` has a packet.
    backlogged: u8,
    len_bytes: [u32; MAX_QUEUES as usize],
    in_service: Option<u8>,
}

impl Heads {
    pub fn has_packet(&self, queue: u8) -> bool {
        self.backlogged & (1 << queue) != 0
    }

    /// Whether a queue has a packet, or the link does that came from it.
    pub fn is_busy(&self, queue: u8) -> bool {
        self.has_packet(queue) || self.in_service == Some(queue)
    }

    /// Length of the packet in front of a queue that has one.
    pub fn len_bytes(&self, queue: u8) -> u32 {
        self.len_bytes[usize::from(queue)]
    }

    /// The queues that have a packet, highest first.
    pub fn backlogged(&self) -> impl Iterator<Item = u8> + '_ {
        (0..MAX_QUEUES)
            .rev()
            .filter(|queue| self.has_packet(*queue))
    }

    pub fn enqueued(&mut self, queue: u8, len_bytes: u32) {
        if !self.has_packet(queue) {
            self.backlogged |= 1 << queue;
            self.len_bytes[usize::from(queue)] = len_bytes;
        }
    }

    pub fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>) {
        match next_len_bytes {
            Some(len_bytes) => self.len_bytes[usize::from(queue)] = len_bytes,
            None => self.backlogged &= !(1 << queue),
        }
        self.in_service = Some(queue);
    }

    /// The packet in service was sent; the queue that it came from.
    pub fn sent(&mut self) -> Option<u8> {
        self.in_service.take()
    }
}
