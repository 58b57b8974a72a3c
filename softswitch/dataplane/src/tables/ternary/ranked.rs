// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows in the order of their ranks.

use super::row::{Probe, Rank, Rows};

#[derive(Debug, Clone, Copy)]
struct Step {
    probe: Probe,
    entry: u32,
}

/// Neighbours: what a lookup reads lies apart from what only changes read.
#[derive(Debug, Clone)]
struct Chunk {
    steps: Vec<Step>,
    ranks: Vec<Rank>,
}

/// Rows by rank, in chunks, so that a change moves few of them however many there are.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    chunks: Vec<Chunk>,
    len: usize,
}

const CHUNK: usize = 256;

impl Ranked {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn insert(&mut self, rank: Rank, probe: Probe, entry: u32) {
        self.len += 1;
        let step = Step { probe, entry };
        let behind = self.chunks.partition_point(|chunk| chunk.ranks[0] <= rank);
        let at = behind.saturating_sub(1);
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(Chunk {
                steps: vec![step],
                ranks: vec![rank],
            });
            return;
        };
        let place = chunk.ranks.partition_point(|other| *other < rank);
        chunk.steps.insert(place, step);
        chunk.ranks.insert(place, rank);
        if chunk.steps.len() > CHUNK {
            let half = Chunk {
                steps: chunk.steps.split_off(CHUNK / 2),
                ranks: chunk.ranks.split_off(CHUNK / 2),
            };
            self.chunks.insert(at + 1, half);
        }
    }

    pub fn remove(&mut self, rank: Rank) {
        let behind = self.chunks.partition_point(|chunk| chunk.ranks[0] <= rank);
        let at = behind.saturating_sub(1);
        let Some(chunk) = self.chunks.get_mut(at) else {
            return;
        };
        let Ok(place) = chunk.ranks.binary_search(&rank) else {
            return;
        };
        self.len -= 1;
        chunk.steps.remove(place);
        chunk.ranks.remove(place);
        let left = chunk.steps.len();
        if left == 0 {
            self.chunks.remove(at);
        } else if let Some(next) = self.chunks.get(at + 1) {
            if left + next.steps.len() <= CHUNK / 2 {
                let next = self.chunks.remove(at + 1);
                self.chunks[at].steps.extend(next.steps);
                self.chunks[at].ranks.extend(next.ranks);
            }
        }
    }

    /// The only row, where there is one.
    pub fn only(&self) -> Option<u32> {
        match &*self.chunks {
            [chunk] if self.len == 1 => Some(chunk.steps[0].entry),
            _ => None,
        }
    }

    /// The first row that matches. Rows that come behind a rank need not be looked at.
    #[inline]
    pub fn lookup(&self, key: &[u64], rows: &Rows, before: Option<Rank>) -> Option<u32> {
        if key.is_empty() {
            // Fields without bits: everything matches.
            return self.chunks.first().map(|chunk| chunk.steps[0].entry);
        }
        for chunk in &self.chunks {
            if before.is_some_and(|before| chunk.ranks[0] > before) {
                return None;
            }
            let mut steps = chunk.steps.iter();
            let found =
                steps.find(|step| step.probe.matches(key) && rows.get(step.entry).matches(key));
            if let Some(step) = found {
                return Some(step.entry);
            }
        }
        None
    }
}
