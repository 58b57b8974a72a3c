// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deficit round robin: M. Shreedhar and G. Varghese, Efficient Fair Queueing Using Deficit Round
//! Robin, SIGCOMM 1995, section 3.
//!
//! Backlogged queues stand in a list. The first queue gets its quantum once per visit and sends
//! while its deficit counter covers its next packet; then it goes to the back and keeps the rest.
//! A queue that runs empty leaves the list and loses its counter.
//!
//! Over any interval in which queues i and j are backlogged, what they sent in units of their
//! quanta differs by at most `1 + Max_i / quantum_i + Max_j / quantum_j` (the paper's theorem 1,
//! with each queue's own longest packet).

use super::discipline::Scheduler;
use super::heads::Heads;
use crate::tm::config::Weights;
use crate::tm::limits::MAX_QUEUES;

/// Bytes a round for a weight of 1: a full Ethernet packet, so that one visit suffices for it.
const QUANTUM_BYTES: i64 = 1500;

/// Counters are in millionths of a byte, as weights are in millionths: quanta are exact.
const UNITS_PER_BYTE: i64 = 1_000_000;

/// The queues that wait for their visit; the first is being visited.
#[derive(Debug, Default)]
struct ActiveList {
    queues: [u8; MAX_QUEUES as usize],
    count: usize,
}

impl ActiveList {
    fn front(&self) -> Option<u8> {
        self.queues[..self.count].first().copied()
    }

    fn push(&mut self, queue: u8) {
        self.queues[self.count] = queue;
        self.count += 1;
    }

    fn rotate(&mut self) {
        self.queues[..self.count].rotate_left(1);
    }

    fn pop_front(&mut self) {
        self.rotate();
        self.count -= 1;
    }

    fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.queues[..self.count].iter().copied()
    }
}

#[derive(Debug)]
pub(super) struct DeficitRoundRobin {
    heads: Heads,
    active: ActiveList,
    /// Whether the queue in front has had the quantum of this visit.
    granted: bool,
    quantum: [i64; MAX_QUEUES as usize],
    /// Below 0 where egress made a packet longer than it was in the queue.
    deficit: [i64; MAX_QUEUES as usize],
}

fn units(len_bytes: u32) -> i64 {
    i64::from(len_bytes) * UNITS_PER_BYTE
}

impl DeficitRoundRobin {
    pub fn new(weights: &Weights) -> Self {
        Self {
            heads: Heads::default(),
            active: ActiveList::default(),
            granted: false,
            quantum: quanta(weights),
            deficit: [0; MAX_QUEUES as usize],
        }
    }

    /// The bytes that a queue's counter lacks for its next packet; 0 or less when it may send.
    fn lack(&self, queue: u8) -> i64 {
        units(self.heads.len_bytes(queue)) - self.deficit[usize::from(queue)]
    }

    /// Visit queues until one may send; at most one round.
    fn visit(&mut self) -> Option<u8> {
        for _ in 0..=self.active.count {
            let queue = self.active.front()?;
            if !self.granted {
                self.deficit[usize::from(queue)] += self.quantum[usize::from(queue)];
                self.granted = true;
            }
            if self.lack(queue) <= 0 {
                return Some(queue);
            }
            self.active.rotate();
            self.granted = false;
        }
        None
    }

    /// Rounds in which nobody could send, all at once: small quanta cost no time.
    fn skip_rounds(&mut self) {
        let rounds = |queue: u8| {
            let quantum = self.quantum[usize::from(queue)];
            (self.lack(queue) + quantum - 1) / quantum
        };
        let idle = self.active.iter().map(rounds).min().unwrap_or(1) - 1;
        if idle > 0 {
            for queue in self.active.queues[..self.active.count].iter() {
                self.deficit[usize::from(*queue)] += idle * self.quantum[usize::from(*queue)];
            }
        }
    }
}

impl Scheduler for DeficitRoundRobin {
    fn enqueued(&mut self, queue: u8, len_bytes: u32) {
        if !self.heads.is_busy(queue) {
            self.active.push(queue);
        }
        self.heads.enqueued(queue, len_bytes);
    }

    fn select(&mut self, _free: u8) -> Option<u8> {
        self.visit().or_else(|| {
            self.skip_rounds();
            self.visit()
        })
    }

    fn dequeued(&mut self, queue: u8, next_len_bytes: Option<u32>) {
        self.heads.dequeued(queue, next_len_bytes);
    }

    fn sent(&mut self, len_bytes: u32) {
        let Some(queue) = self.heads.sent() else {
            return;
        };
        let deficit = &mut self.deficit[usize::from(queue)];
        *deficit -= units(len_bytes);
        if !self.heads.has_packet(queue) {
            *deficit = 0;
            self.active.pop_front();
            self.granted = false;
        }
    }

    fn set_weights(&mut self, weights: &Weights) {
        self.quantum = quanta(weights);
        // The rest of a large quantum must not outlive it.
        for queue in 0..MAX_QUEUES {
            let index = usize::from(queue);
            let most = self.quantum[index].max(units(self.heads.len_bytes(queue)));
            self.deficit[index] = self.deficit[index].min(most);
        }
    }
}

fn quanta(weights: &Weights) -> [i64; MAX_QUEUES as usize] {
    weights.map(|weight| QUANTUM_BYTES * i64::from(weight.millionths()))
}
