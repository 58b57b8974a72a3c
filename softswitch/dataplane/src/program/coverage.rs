// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of the parts of a program that packets reached, where the interpreter runs it. Machine code counts nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub type Counts = Box<[AtomicU64]>;

fn zeros(count: usize) -> Counts {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

pub fn values(counts: &Counts) -> Vec<u64> {
    counts.iter().map(|count| count.load(Relaxed)).collect()
}

fn add(counts: &Counts, place: u32) {
    // Entries that the control plane adds have no place, unless one of the program's was deleted for them.
    if let Some(count) = counts.get(place as usize) {
        count.fetch_add(1, Relaxed);
    }
}

/// One program's counts, of all switches that have it.
#[derive(Debug)]
pub struct Coverage {
    pub states: Counts,
    /// Counts by pipeline, two for each node.
    pub branches: Vec<Counts>,
    pub tables: Vec<TableCounts>,
}

#[derive(Debug)]
pub struct TableCounts {
    pub entries: Counts,
    pub misses: AtomicU64,
    /// Counts in the order of the program's actions.
    pub actions: Counts,
}

impl Coverage {
    /// `nodes` of each pipeline; of each table the number of its own entries.
    pub fn new(
        states: usize,
        nodes: impl Iterator<Item = usize>,
        actions: usize,
        entries: impl Iterator<Item = usize>,
    ) -> Self {
        let tables = entries.map(|entries| TableCounts {
            entries: zeros(entries),
            misses: AtomicU64::new(0),
            actions: zeros(actions),
        });
        Self {
            states: zeros(states),
            branches: nodes.map(|nodes| zeros(2 * nodes)).collect(),
            tables: tables.collect(),
        }
    }

    pub fn state(&self, state: u32) {
        add(&self.states, state);
    }

    pub fn branch(&self, pipeline: u32, node: u32, taken: bool) {
        let counts = &self.branches[pipeline as usize];
        add(counts, 2 * node + u32::from(taken));
    }

    /// A table was applied: the entry that matched, and the action that ran.
    pub fn table(&self, table: u32, entry: Option<u32>, action: Option<u32>) {
        let counts = &self.tables[table as usize];
        match entry {
            Some(entry) => add(&counts.entries, entry),
            None => {
                counts.misses.fetch_add(1, Relaxed);
            }
        }
        if let Some(action) = action {
            add(&counts.actions, action);
        }
    }
}
