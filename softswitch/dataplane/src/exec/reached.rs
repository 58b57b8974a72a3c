// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The counts of [`Coverage`], in the order of the program's JSON.

use std::sync::atomic::Ordering::Relaxed;

use crate::program::coverage::{values, Counts, Coverage};
use crate::program::{Pipeline, Program};
use crate::tables::Tables;

/// The number of times that packets reached each part of a program, in the order of its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    pub states: Vec<u64>,
    /// Pipelines by name, with the counts of each condition: true, false.
    pub pipelines: Vec<(String, Vec<(u64, u64)>)>,
    /// Those of one pipeline after those of the other.
    pub tables: Vec<TableReached>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReached {
    /// Hits of the entries that the program has, not of those that the control plane adds.
    pub entries: Vec<u64>,
    pub misses: u64,
    /// Counts in the order of the table's actions.
    pub actions: Vec<u64>,
}

/// Counts for a program that has just been loaded, so that its tables hold the program's own entries.
pub fn counts_of(program: &Program, tables: &Tables) -> Coverage {
    Coverage::new(
        program.states.len(),
        program
            .pipelines
            .iter()
            .map(|pipeline| pipeline.nodes.len()),
        program.actions.len(),
        tables.tables.iter().map(|table| table.len()),
    )
}

impl Reached {
    /// `None` for a program that is run without counts.
    pub fn of(program: &Program) -> Option<Self> {
        let coverage = program.coverage.as_ref()?;
        let tables = coverage.tables.iter().zip(&program.tables);
        let tables = tables.map(|(counts, def)| {
            let actions = values(&counts.actions);
            TableReached {
                entries: values(&counts.entries),
                misses: counts.misses.load(Relaxed),
                actions: def.actions.iter().map(|&at| actions[at as usize]).collect(),
            }
        });
        let pipelines = program.pipelines.iter().zip(&coverage.branches);
        let pipelines =
            pipelines.map(|(pipeline, counts)| (pipeline.name.clone(), branches(pipeline, counts)));
        Some(Self {
            states: values(&coverage.states),
            pipelines: pipelines.collect(),
            tables: tables.collect(),
        })
    }
}

fn branches(pipeline: &Pipeline, counts: &Counts) -> Vec<(u64, u64)> {
    let counts = values(counts);
    let ways = counts.chunks_exact(2).map(|pair| (pair[1], pair[0]));
    let nodes = pipeline.nodes.iter().zip(ways);
    nodes
        .filter(|(node, _)| node.is_branch())
        .map(|(_, ways)| ways)
        .collect()
}
