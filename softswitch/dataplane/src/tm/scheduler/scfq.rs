// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Self-clocked fair queuing: S. J. Golestani, A Self-Clocked Fair Queueing Scheme for Broadband
//! Applications, INFOCOM 1994, section 3.
//!
//! A packet's finish tag is `max(tag before it in its queue, v) + length / weight`, where the
//! virtual time `v` is the tag of the packet in service when it arrives; the smallest tag is served
//! next. Over any interval in which queues i and j are backlogged, `sent / weight` of the two
//! differs by at most `Max_i / weight_i + Max_j / weight_j` (theorem 1).
//!
//! `v` never overtakes the tag of a packet that waits. So the `max` matters only to a packet that
//! finds its queue empty, all others start where their predecessor ended, and it is enough to
//! keep where the head of each queue starts. This is what lets weights change under a backlog, and
//! lets a packet that egress drops cost its queue nothing.

use super::discipline::Scheduler;
use super::heads::Heads;
use crate::tm::config::Weights;
use crate::tm::limits::MAX_QUEUES;

/// Units of virtual time per byte and millionth of a weight: a byte at weight 1 is a million units.
const SCALE: u128 = 1_000_000_000_000;

#[derive(Debug)]
pub(super) struct SelfClocked {
    heads: Heads,
    /// Tag of the packet in service, and of the last one when there is none.
    virtual_time: u128,
    /// The weights in millionths.
    weights: [u128; MAX_QUEUES as usize],
    /// The start tag of each queue's next packet; its finish tag is `length / weight` later.
    starts: [u128; MAX_QUEUES as usize],
    /// The remainder by which each start was rounded down, in `1 / weight` units.
    carries: [u128; MAX_QUEUES as usize],
}

impl SelfClocked {
    pub fn new(weights: &Weights) -> Self {
        Self {
            heads: Heads::default(),
            virtual_time: 0,
            weights: millionths(weights),
            starts: [0; MAX_QUEUES as usize],
            carries: [0; MAX_QUEUES as usize],
        }
    }

    /// Finish tag of a packet of `len_bytes` in front of a queue, and what it is rounded down by.
    fn finish(&self, queue: u8, len_bytes: u32) -> (u128, u128) {
        let index = usize::from(queue);
        let amount = u128::from(len_bytes) * SCALE + self.carries[index];
        let weight = self.weights[index];
        (self.starts[index] + amount / weight, amount % weight)
    }
}

impl Scheduler for SelfClocked {
    fn enqueued(&mut self, queue: u8, len_bytes: u32) {
        let index = usize::from(queue);
        if !self.heads.is_busy(queue) && self.starts[index] < self.virtual_time {
            self.starts[index] = self.virtual_time;
            self.carries[index] = 0;
        }
        self.heads.enqueued(queue, len_bytes);
    }

    /// Among equal tags, that of the higher queue wins.
    fn select(&mut self, _free: u8) -> Option<u8> {
        self.heads
            .backlogged()
            .min_by_key(|queue| self.finish(*queue, self.heads.len_bytes(*queue)).0)
    }

    fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>) {
        self.heads.dequeued(queue, next_len_bytes);
    }

    fn sent(&mut self, len_bytes: u32) {
        let Some(queue) = self.heads.sent() else {
            return;
        };
        let index = usize::from(queue);
        let (finish, carry) = self.finish(queue, len_bytes);
        self.starts[index] = finish;
        self.carries[index] = carry;
        self.virtual_time = self.virtual_time.max(finish);
    }

    /// The lag of a queue behind the virtual time stays the same number of bytes.
    fn set_weights(&mut self, weights: &Weights) {
        let weights = millionths(weights);
        for queue in (0..MAX_QUEUES).filter(|queue| self.heads.is_busy(*queue)) {
            let index = usize::from(queue);
            let lag = self.virtual_time.saturating_sub(self.starts[index]);
            let lag = lag * self.weights[index] / weights[index];
            self.starts[index] = self.virtual_time.saturating_sub(lag);
            self.carries[index] = 0;
        }
        self.weights = weights;
    }
}

fn millionths(weights: &Weights) -> [u128; MAX_QUEUES as usize] {
    weights.map(|weight| u128::from(weight.millionths()))
}
