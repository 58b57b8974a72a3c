// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables that are applied in several places with different statements after them. A table of BMv2 has one list of nodes that
//! follow. So each place writes its number into a field before it goes to the table, and the nodes that follow branch on
//! the field.

use std::collections::HashMap;

use quench_p4_frontend::limits::MAX_OPERATIONS;
use quench_p4_frontend::span::Span;

use super::control::Graph;
use super::followers::{By, Followers, Next};
use crate::error::{not_supported, Result};
use crate::flat::{Stmt, StmtKind};
use crate::json::Expr;

impl Graph<'_, '_, '_> {
    /// The node that notes this place and goes to the table.
    pub fn place(
        &mut self,
        field: &Expr,
        number: usize,
        table: &str,
        span: Span,
    ) -> Result<String> {
        let note = Stmt {
            kind: StmtKind::Primitive("assign", vec![field.clone(), Expr::hex(number, 32)]),
            span,
        };
        self.hidden_table(&[note], Some(table.to_owned()))
    }

    /// The followers of a table, which depend on the place that its field names.
    pub fn joined(&mut self, field: &Expr, places: &[Followers], table: &str) -> Result<Followers> {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            unreachable!("a table is joined where it was applied");
        };
        let span = first.span;
        let results: Option<Vec<_>> = places.iter().map(Followers::of_result).collect();
        let by_result = |place: &Followers| matches!(place.by, By::HitMiss(..));
        if let (Some(results), true) = (&results, places.iter().any(by_result)) {
            let (hits, misses): (Vec<Next>, Vec<Next>) = results
                .iter()
                .map(|&(hit, miss)| (hit.clone(), miss.clone()))
                .unzip();
            let hit = self.fork(field, 0, &hits, span);
            let miss = self.fork(field, 0, &misses, span);
            let by = By::HitMiss(hit, miss);
            return Ok(Followers {
                by,
                base: None,
                span,
            });
        }
        let by_action: Option<Vec<&Vec<Next>>> = places
            .iter()
            .map(|place| match &place.by {
                By::Action(nodes) => Some(nodes),
                By::HitMiss(..) => None,
            })
            .collect();
        let Some(by_action) = by_action else {
            return not_supported(
                last.span,
                format_args!(
                    "table {table} applied in one place for its hit, in another for its action"
                ),
            );
        };
        if by_action[0].len().saturating_mul(places.len()) > MAX_OPERATIONS {
            return not_supported(
                span,
                format_args!(
                    "table {table} applied in {} places, with statements for its actions",
                    places.len()
                ),
            );
        }
        let bases: Vec<Next> = places.iter().map(|place| place.base.clone()).collect();
        let base = self.fork(field, 0, &bases, span);
        let mut forks = HashMap::from([(bases, base.clone())]);
        let mut nodes = Vec::new();
        for action in 0..by_action[0].len() {
            let next: Vec<Next> = by_action
                .iter()
                .map(|nodes| nodes[action].clone())
                .collect();
            let node = match forks.get(&next) {
                Some(node) => node.clone(),
                None => {
                    let node = self.fork(field, 0, &next, span);
                    forks.insert(next, node.clone());
                    node
                }
            };
            nodes.push(node);
        }
        let by = By::Action(nodes);
        Ok(Followers { by, base, span })
    }

    /// The node that leads to `nodes[field - first]`; the tree is balanced, since there can be thousands.
    fn fork(&mut self, field: &Expr, first: usize, nodes: &[Next], span: Span) -> Next {
        if nodes.iter().all(|node| *node == nodes[0]) {
            return nodes[0].clone();
        }
        let half = nodes.len() / 2;
        let low = self.fork(field, first, &nodes[..half], span);
        let high = self.fork(field, first + half, &nodes[half..], span);
        let condition = Expr::binary("<", field.clone(), Expr::hex(first + half, 32));
        let id = self.new_conditional();
        Some(self.conditional(id, span, condition, low, high))
    }
}
