// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One first-in first-out queue.

use std::collections::VecDeque;

use super::config::Capacity;
use crate::model::values::Depth;

/// The unit in which the buffer of a switch chip is given away: a packet takes whole cells (Tofino 1).
const CELL_BYTES: u32 = 80;

/// A packet in a queue, with what was true when it entered.
#[derive(Debug)]
pub(super) struct Queued<T> {
    pub item: T,
    pub len_bytes: u32,
    /// The bytes that count for it: its length and the port's overhead.
    pub counted_bytes: u32,
    pub enq_ns: u64,
    pub enq_depth: Depth,
    pub enq_cells: u64,
}

#[derive(Debug)]
pub(super) struct Queue<T> {
    fifo: VecDeque<Queued<T>>,
    depth: Depth,
    /// The cells that all its packets take, without the port's overhead.
    cells: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            fifo: VecDeque::new(),
            depth: Depth::default(),
            cells: 0,
        }
    }
}

impl<T> Queue<T> {
    pub fn depth(&self) -> Depth {
        self.depth
    }

    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Whether a packet that counts for `counted_bytes` fits.
    #[inline]
    pub fn has_room(&self, counted_bytes: u32, capacity: Capacity) -> bool {
        (capacity.pkts == 0 || self.depth.pkts < capacity.pkts)
            && (capacity.bytes == 0
                || self.depth.bytes + u64::from(counted_bytes) <= capacity.bytes)
    }

    /// Append a packet; returns the depth that it found.
    #[inline]
    pub fn push(&mut self, now_ns: u64, item: T, len_bytes: u32, counted_bytes: u32) -> Depth {
        let enq_depth = self.depth;
        self.fifo.push_back(Queued {
            item,
            len_bytes,
            counted_bytes,
            enq_ns: now_ns,
            enq_depth,
            enq_cells: self.cells,
        });
        self.cells += cells(len_bytes);
        self.depth.pkts += 1;
        self.depth.bytes += u64::from(counted_bytes);
        enq_depth
    }

    pub fn pop(&mut self) -> Option<Queued<T>> {
        let queued = self.fifo.pop_front()?;
        self.cells -= cells(queued.len_bytes);
        self.depth.pkts -= 1;
        self.depth.bytes -= u64::from(queued.counted_bytes);
        Some(queued)
    }

    /// The bytes that count for the packet that would leave next.
    pub fn head_bytes(&self) -> Option<u32> {
        self.fifo.front().map(|queued| queued.counted_bytes)
    }

    /// Throw away all packets; how many there were.
    pub fn clear(&mut self) -> u64 {
        let thrown_pkts = self.fifo.len() as u64;
        self.fifo.clear();
        self.depth = Depth::default();
        self.cells = 0;
        thrown_pkts
    }
}

fn cells(len_bytes: u32) -> u64 {
    u64::from(len_bytes.div_ceil(CELL_BYTES))
}
