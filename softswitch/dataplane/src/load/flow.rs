// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The order of a pipeline's nodes and of a parser's states.

use std::ops::Range;

use crate::model::ids::END;
use crate::program::table::TableDef;
use crate::program::{ControlNode, ParseState, Pipeline};

/// Whether a node of the pipeline can be reached from itself.
pub fn pipeline_loops(pipeline: &Pipeline, tables: &[TableDef]) -> bool {
    has_loop(pipeline.nodes.len(), |node| {
        let mut next = match pipeline.nodes[node] {
            ControlNode::Branch(_, yes, no) => vec![yes, no],
            ControlNode::Call(_, next) => vec![next],
            ControlNode::Table(table) => tables[table as usize].next.all().collect(),
        };
        next.retain(|&to| to != END);
        next
    })
}

/// Whether one of a parser's states can be reached from itself; `states` are those of all parsers.
pub fn parser_loops(states: &[ParseState], own: Range<u32>) -> bool {
    let start = own.start as usize;
    has_loop(own.len(), |state| {
        let followers = states[start + state].followers();
        followers.map(|next| next - own.start).collect()
    })
}

fn has_loop(count: usize, followers: impl Fn(usize) -> Vec<u32>) -> bool {
    let mut incoming = vec![0usize; count];
    for next in (0..count).flat_map(&followers) {
        incoming[next as usize] += 1;
    }
    let mut ready: Vec<usize> = (0..count).filter(|&at| incoming[at] == 0).collect();
    let mut passed = 0;
    while let Some(at) = ready.pop() {
        passed += 1;
        for next in followers(at) {
            incoming[next as usize] -= 1;
            if incoming[next as usize] == 0 {
                ready.push(next as usize);
            }
        }
    }
    passed != count
}
