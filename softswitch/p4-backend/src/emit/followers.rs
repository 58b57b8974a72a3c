// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The nodes that follow a table.

use std::collections::BTreeMap;

use quench_p4_frontend::ir::TableId;
use quench_p4_frontend::span::Span;
use serde_json::{json, Map, Value};

use crate::json::Expr;

/// Name of the node that comes next; `None` is the end of the pipeline.
pub type Next = Option<String>;

/// Fields that the nodes behind tables branch on.
#[derive(Default)]
pub struct Fields {
    /// With the number of the place, of each table that needs one.
    pub place: BTreeMap<TableId, Expr>,
    /// With the number of the action that ran, of each table with statements for its result in one place and for its
    /// actions in another. It is one field for all of them.
    pub ran: BTreeMap<TableId, Expr>,
}

/// The nodes that follow a table in one place.
#[derive(Clone)]
pub struct Followers {
    pub by: By,
    /// The node that follows where no action ran.
    pub base: Next,
    pub span: Span,
}

#[derive(Clone)]
pub enum By {
    /// In the order of the table's actions.
    Action(Vec<Next>),
    HitMiss(Next, Next),
}

impl Followers {
    /// For the hit and the miss, where the action makes no difference.
    pub fn of_result(&self) -> Option<(Next, Next)> {
        match &self.by {
            By::HitMiss(hit, miss) => Some((hit.clone(), miss.clone())),
            By::Action(nodes) if nodes.iter().all(|node| *node == self.base) => {
                Some((self.base.clone(), self.base.clone()))
            }
            By::Action(_) => None,
        }
    }

    /// As the JSON has them: by name of the action or of the result, and without an action.
    pub fn to_json(&self, actions: &[String]) -> (Map<String, Value>, Next) {
        match &self.by {
            By::HitMiss(hit, miss) => {
                let nodes = [("__HIT__", hit), ("__MISS__", miss)];
                let nodes = nodes.map(|(name, node)| (name.to_owned(), json!(node)));
                (nodes.into_iter().collect(), None)
            }
            By::Action(nodes) => {
                let nodes = actions
                    .iter()
                    .cloned()
                    .zip(nodes.iter().map(|node| json!(node)));
                (nodes.collect(), self.base.clone())
            }
        }
    }
}
