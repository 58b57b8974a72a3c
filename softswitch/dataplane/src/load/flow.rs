// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The order of a pipeline's nodes and of a parser's states.

use super::error::{fail, LoadResult};
use crate::exec::ids::END;
use crate::exec::program::{ControlNode, ParseState, Pipeline};
use crate::tables::def::TableDef;

/// A pipeline may not lead back to a node that was passed: packets would never leave it.
pub fn check_no_loop(pipeline: &Pipeline, tables: &[TableDef]) -> LoadResult<()> {
    let followers = |node: u32| -> Vec<u32> {
        match pipeline.nodes[node as usize] {
            ControlNode::Branch(_, yes, no) => vec![yes, no],
            ControlNode::Call(_, next) => vec![next],
            ControlNode::Table(table) => {
                let next = &tables[table as usize].next;
                let actions = tables[table as usize]
                    .actions
                    .iter()
                    .map(|&action| next.by_action[action as usize]);
                actions
                    .chain(next.hit)
                    .chain(next.miss)
                    .chain([next.base])
                    .collect()
            }
        }
    };
    let mut incoming = vec![0u32; pipeline.nodes.len()];
    let count = pipeline.nodes.len() as u32;
    for node in 0..count {
        followers(node)
            .iter()
            .filter(|&&to| to != END)
            .for_each(|&to| incoming[to as usize] += 1);
    }
    let mut ready: Vec<u32> = (0..count)
        .filter(|&node| incoming[node as usize] == 0)
        .collect();
    let mut seen = 0;
    while let Some(node) = ready.pop() {
        seen += 1;
        for to in followers(node).into_iter().filter(|&to| to != END) {
            incoming[to as usize] -= 1;
            if incoming[to as usize] == 0 {
                ready.push(to);
            }
        }
    }
    if seen == count {
        Ok(())
    } else {
        fail("its nodes form a loop")
    }
}

/// Whether a state can be reached from itself.
pub fn has_loop(states: &[ParseState]) -> bool {
    let mut incoming = vec![0usize; states.len()];
    for next in states.iter().flat_map(ParseState::followers) {
        incoming[next as usize] += 1;
    }
    let mut ready: Vec<u32> = (0..states.len() as u32)
        .filter(|&at| incoming[at as usize] == 0)
        .collect();
    let mut passed = 0;
    while let Some(state) = ready.pop() {
        passed += 1;
        for next in states[state as usize].followers() {
            incoming[next as usize] -= 1;
            if incoming[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    passed != states.len()
}
