// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables that are applied in several places with different statements after them. A table of BMv2 has one list of
//! nodes that follow. So each place writes its number into a field before it goes to the table, and the nodes that
//! follow branch on the field.
//!
//! Nodes follow a table either by its result or by its action. Where a program needs both, the nodes follow by the
//! result, and the actions write their number into another field.

use std::collections::{BTreeSet, HashMap};

use quench_p4_frontend::ir::TableId;
use quench_p4_frontend::limits::MAX_OPERATIONS;
use quench_p4_frontend::span::Span;

use super::control::Graph;
use super::emitter::Emitter;
use super::followers::{By, Followers, Next};
use crate::error::{not_supported, Result};
use crate::flat::{Stmt, StmtKind};
use crate::json::Expr;
use crate::lower::Lower;

/// The number where no action ran; the number of an action is one more than its index.
const NO_ACTION: usize = 0;

fn note(field: &Expr, number: usize, span: Span) -> Stmt {
    Stmt {
        kind: StmtKind::Primitive("assign", vec![field.clone(), Expr::hex(number, 32)]),
        span,
    }
}

impl<'a> Emitter<'a> {
    /// Makes each action of the tables write its number first.
    pub fn note_actions(
        &mut self,
        tables: &BTreeSet<TableId>,
        field: &Expr,
        lower: &mut Lower<'a>,
    ) -> Result<()> {
        let actions = tables.iter().flat_map(|table| &lower.tables[table].actions);
        let actions: BTreeSet<usize> = actions.copied().collect();
        for index in actions {
            let action = &mut lower.actions[index];
            let span = self.ir.actions[action.id.index()].span;
            action.body.insert(0, note(field, index + 1, span));
            let action = self.action(&lower.actions[index])?;
            self.program.actions[index].primitives = action.primitives;
        }
        Ok(())
    }
}

impl Graph<'_, '_, '_> {
    /// The node that notes this place and goes to the table.
    pub fn place(
        &mut self,
        id: TableId,
        field: &Expr,
        number: usize,
        span: Span,
    ) -> Result<String> {
        let mut notes = vec![note(field, number, span)];
        let ran = self.fields.ran.get(&id);
        notes.extend(ran.map(|field| note(field, NO_ACTION, span)));
        let table = self.emitter.ir.tables[id.index()].name.clone();
        self.hidden_table(&notes, Some(table))
    }

    /// Adds each table that has a field, with the followers of all its places.
    pub fn join_places(&mut self) -> Result<()> {
        for (id, places) in std::mem::take(&mut self.places) {
            let Some(followers) = self.joined(id, &self.fields.place[&id], &places)? else {
                self.mixed.insert(id);
                continue;
            };
            let actions = &self.lower.tables[&id].actions;
            let actions = actions
                .iter()
                .map(|&action| self.lower.actions[action].name.clone());
            let names: Vec<String> = actions.collect();
            self.table(id, &followers, &names)?;
        }
        Ok(())
    }

    /// The followers of a table, which depend on the place that its field names; `None` where the actions have to write
    /// their numbers for it, and do not.
    fn joined(
        &mut self,
        id: TableId,
        field: &Expr,
        places: &[Followers],
    ) -> Result<Option<Followers>> {
        let Some(first) = places.first() else {
            unreachable!("a table is joined where it was applied");
        };
        let span = first.span;
        let by_result = places
            .iter()
            .any(|place| matches!(place.by, By::HitMiss(..)));
        if !by_result || places.iter().any(|place| place.of_result().is_none()) {
            self.check_branches(id, places.len(), span)?;
        }
        if by_result {
            let mut results = Vec::new();
            for place in places {
                let result = place.of_result().or_else(|| {
                    let node = self.by_ran(id, place)?;
                    Some((node.clone(), node))
                });
                let Some(result) = result else {
                    return Ok(None);
                };
                results.push(result);
            }
            let (hits, misses): (Vec<Next>, Vec<Next>) = results.into_iter().unzip();
            let hit = self.fork(field, &numbered(&hits), span);
            let miss = self.fork(field, &numbered(&misses), span);
            let by = By::HitMiss(hit, miss);
            return Ok(Some(Followers {
                by,
                base: None,
                span,
            }));
        }
        let by_action = places.iter().filter_map(|place| match &place.by {
            By::Action(nodes) => Some(nodes),
            By::HitMiss(..) => None,
        });
        let by_action: Vec<&Vec<Next>> = by_action.collect();
        let bases: Vec<Next> = places.iter().map(|place| place.base.clone()).collect();
        let base = self.fork(field, &numbered(&bases), span);
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
                    let node = self.fork(field, &numbered(&next), span);
                    forks.insert(next, node.clone());
                    node
                }
            };
            nodes.push(node);
        }
        let by = By::Action(nodes);
        Ok(Some(Followers { by, base, span }))
    }

    /// Refuses a table with too many actions in too many places.
    fn check_branches(&self, id: TableId, places: usize, span: Span) -> Result<()> {
        let actions = self.lower.tables[&id].actions.len();
        if actions.saturating_mul(places) <= MAX_OPERATIONS {
            return Ok(());
        }
        let table = &self.emitter.ir.tables[id.index()].name;
        not_supported(
            span,
            format_args!(
                "table {table} applied in {places} places, with statements for its actions"
            ),
        )
    }

    /// The node that branches on the action that ran; `None` where the actions do not write their numbers.
    fn by_ran(&mut self, id: TableId, place: &Followers) -> Option<Next> {
        let field = self.fields.ran.get(&id)?;
        let By::Action(nodes) = &place.by else {
            return None;
        };
        let actions = self.lower.tables[&id].actions.iter();
        let numbers = actions.map(|action| action + 1);
        let mut numbered: Vec<(usize, Next)> = numbers.zip(nodes.iter().cloned()).collect();
        numbered.push((NO_ACTION, place.base.clone()));
        numbered.sort_by_key(|(number, _)| *number);
        Some(self.fork(field, &numbered, place.span))
    }

    /// The root of a tree that leads to the node with the field's number. Numbers ascend; the tree is balanced, since
    /// there can be thousands.
    fn fork(&mut self, field: &Expr, nodes: &[(usize, Next)], span: Span) -> Next {
        let (_, first) = &nodes[0];
        if nodes.iter().all(|(_, node)| node == first) {
            return first.clone();
        }
        let (lower, upper) = nodes.split_at(nodes.len() / 2);
        let bound = upper[0].0;
        let low = self.fork(field, lower, span);
        let high = self.fork(field, upper, span);
        let condition = Expr::binary("<", field.clone(), Expr::hex(bound, 32));
        let id = self.new_conditional();
        Some(self.conditional(id, span, condition, low, high))
    }
}

fn numbered(nodes: &[Next]) -> Vec<(usize, Next)> {
    nodes.iter().cloned().enumerate().collect()
}
