// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of the parts of a program that packets reached, where the interpreter runs it. Machine code counts nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::program::{Pipeline, Program};
use crate::tables::Tables;

type Counts = Box<[AtomicU64]>;

fn zeros(count: usize) -> Counts {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

fn values(counts: &Counts) -> Vec<u64> {
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
    states: Counts,
    /// By pipeline; two for each node.
    branches: [Counts; 2],
    tables: Vec<TableCounts>,
}

#[derive(Debug)]
struct TableCounts {
    entries: Counts,
    misses: AtomicU64,
    /// By the program's actions.
    actions: Counts,
}

impl Coverage {
    /// `tables` are as the program is loaded: their entries are the program's own.
    pub fn new(program: &Program, tables: &Tables) -> Self {
        let branches = |pipeline: &Pipeline| zeros(2 * pipeline.nodes.len());
        let tables = tables.tables.iter().map(|table| TableCounts {
            entries: zeros(table.len()),
            misses: AtomicU64::new(0),
            actions: zeros(program.actions.len()),
        });
        Self {
            states: zeros(program.parser.states.len()),
            branches: [branches(&program.ingress), branches(&program.egress)],
            tables: tables.collect(),
        }
    }

    pub fn state(&self, state: u32) {
        add(&self.states, state);
    }

    pub fn branch(&self, is_egress: bool, node: u32, taken: bool) {
        add(
            &self.branches[usize::from(is_egress)],
            2 * node + u32::from(taken),
        );
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

    pub fn reached(&self, program: &Program) -> Reached {
        let branches = |pipeline: &Pipeline, counts: &Counts| {
            let counts = values(counts);
            let ways = counts.chunks_exact(2).map(|pair| (pair[1], pair[0]));
            let nodes = pipeline.nodes.iter().zip(ways);
            nodes
                .filter(|(node, _)| node.is_branch())
                .map(|(_, ways)| ways)
                .collect()
        };
        let tables = self.tables.iter().zip(&program.tables);
        let tables = tables.map(|(counts, def)| {
            let actions = values(&counts.actions);
            TableReached {
                entries: values(&counts.entries),
                misses: counts.misses.load(Relaxed),
                actions: def.actions.iter().map(|&at| actions[at as usize]).collect(),
            }
        });
        Reached {
            states: values(&self.states),
            ingress: branches(&program.ingress, &self.branches[0]),
            egress: branches(&program.egress, &self.branches[1]),
            tables: tables.collect(),
        }
    }
}

/// How often packets reached the parts of a program, all in the order of its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    pub states: Vec<u64>,
    /// Conditions of the ingress pipeline: how often true, how often false.
    pub ingress: Vec<(u64, u64)>,
    pub egress: Vec<(u64, u64)>,
    /// The ingress pipeline's, then the egress pipeline's.
    pub tables: Vec<TableReached>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReached {
    /// Hits of the entries that the program has, not of those that the control plane adds.
    pub entries: Vec<u64>,
    pub misses: u64,
    /// By the table's actions.
    pub actions: Vec<u64>,
}
