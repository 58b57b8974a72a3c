// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables, conditions and calls of actions, and the ways between them.

use crate::model::ids::CondId;

#[derive(Debug, Default)]
pub struct Pipeline {
    pub name: String,
    /// Among the program's pipelines.
    pub number: u32,
    pub nodes: Vec<ControlNode>,
    pub first: u32,
    /// The cost of one visit of each node; empty where no node can be reached from itself.
    pub work: Vec<u32>,
}

impl Pipeline {
    /// The tables, which come before all other nodes.
    pub fn tables(&self) -> impl Iterator<Item = u32> + '_ {
        let tables = self.nodes.iter().map(|node| match node {
            ControlNode::Table(table) => Some(*table),
            _ => None,
        });
        tables.map_while(|table| table)
    }
}

#[derive(Debug, Clone, Copy)]
pub enum ControlNode {
    Table(u32),
    /// Condition, next when true, next when false.
    Branch(CondId, u32, u32),
    /// Action and next.
    Call(u32, u32),
}

impl ControlNode {
    pub fn is_branch(&self) -> bool {
        matches!(self, Self::Branch(..))
    }
}
