// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Controls as graphs of tables and conditionals. Statements between tables become actions of hidden tables.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quench_p4_frontend::ir;
use quench_p4_frontend::span::Span;
use serde_json::{json, Map};

use super::action::primitives;
use super::emitter::Emitter;
use super::followers::{By, Fields, Followers, Next};
use super::primitive::check;
use crate::error::{not_supported, Result};
use crate::flat::{Branches, Label, Stmt, StmtKind};
use crate::json::{self, Conditional, DefaultEntry, Expr, Pipeline, Table};
use crate::lower::Lower;
use crate::place::Place;
use crate::simplify::{any, simplify};

pub struct Graph<'e, 'a, 'l> {
    pub(super) emitter: &'e mut Emitter<'a>,
    pub(super) lower: &'l Lower<'a>,
    pub(super) pipeline: Pipeline,
    /// The node behind each block around.
    ends: HashMap<Label, Next>,
    pub(super) fields: &'l Fields,
    /// The followers of each table that has a field, in each place.
    pub(super) places: BTreeMap<ir::TableId, Vec<Followers>>,
    /// Tables that need a field for their places, and have none.
    clashes: BTreeSet<ir::TableId>,
    /// Tables whose actions have to write their numbers, and do not.
    pub(super) mixed: BTreeSet<ir::TableId>,
}

impl<'a> Emitter<'a> {
    pub fn pipeline(
        &mut self,
        name: &str,
        control: &ir::Control,
        body: Vec<Stmt>,
        lower: &mut Lower<'a>,
    ) -> Result<()> {
        let body = simplify(body);
        let mut fields = Fields::default();
        let start = self.mark();
        loop {
            let pipeline = Pipeline {
                name: name.to_owned(),
                id: self.program.pipelines.len(),
                source_info: self.source_info(control.span),
                init_table: None,
                tables: Vec::new(),
                action_profiles: Vec::new(),
                conditionals: Vec::new(),
            };
            let mut graph = Graph {
                emitter: self,
                lower,
                pipeline,
                ends: HashMap::new(),
                fields: &fields,
                places: BTreeMap::new(),
                clashes: BTreeSet::new(),
                mixed: BTreeSet::new(),
            };
            graph.pipeline.init_table = graph.sequence(&body, None)?;
            graph.join_places()?;
            let (mut clashes, mixed) = (graph.clashes, graph.mixed);
            let mut pipeline = graph.pipeline;
            if clashes.is_empty() && mixed.is_empty() {
                // Nodes are made from the end of the program to its start.
                pipeline.tables.reverse();
                pipeline.conditionals.reverse();
                self.program.pipelines.push(pipeline);
                return Ok(());
            }
            self.reset(&start);
            if !clashes.is_empty() && !fields.place.is_empty() {
                // A field more can change the followers of another table: this ends it.
                clashes.extend(applied_again(&body));
            }
            for table in clashes {
                let span = self.ir.tables[table.index()].span;
                let field = new_field(lower, "place", span)?;
                fields.place.insert(table, field);
            }
            if !mixed.is_empty() {
                let known = fields.ran.values().next().cloned();
                let field = known.map_or_else(|| new_field(lower, "ran", control.span), Ok)?;
                self.note_actions(&mixed, &field, lower)?;
                let tables = mixed.into_iter().map(|table| (table, field.clone()));
                fields.ran.extend(tables);
            }
        }
    }
}

/// Room for a number of the emitter's own.
fn new_field(lower: &mut Lower<'_>, name: &str, span: Span) -> Result<Expr> {
    match lower.layout.allocate(name, &ir::Type::Bit(32), span)? {
        Place::Scalar(leaf) => Ok(leaf.expr),
        _ => unreachable!("a number has one field"),
    }
}

impl Graph<'_, '_, '_> {
    /// The first node of `stmts`; `next` follows the last.
    fn sequence(&mut self, stmts: &[Stmt], mut next: Next) -> Result<Next> {
        let mut rest = stmts;
        while let Some((last, before)) = rest.split_last() {
            if is_action_code(last) {
                let start = before
                    .iter()
                    .rposition(|s| !is_action_code(s))
                    .map_or(0, |position| position + 1);
                next = Some(self.hidden_table(&rest[start..], next)?);
                rest = &rest[..start];
            } else {
                next = self.stmt(last, next)?;
                rest = before;
            }
        }
        Ok(next)
    }

    fn stmt(&mut self, stmt: &Stmt, next: Next) -> Result<Next> {
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let mut nodes = Vec::new();
                for (condition, then) in arms {
                    check(condition, stmt.span)?;
                    let id = self.new_conditional();
                    nodes.push((id, condition, self.sequence(then, next.clone())?));
                }
                let mut false_next = self.sequence(otherwise, next)?;
                for (id, condition, true_next) in nodes.into_iter().rev() {
                    let condition = condition.clone();
                    let node = self.conditional(id, stmt.span, condition, true_next, false_next);
                    false_next = Some(node);
                }
                Ok(false_next)
            }
            StmtKind::Block(label, body) => {
                self.ends.insert(*label, next.clone());
                self.sequence(body, next)
            }
            // Its name is known before that of the first node.
            StmtKind::Loop(body) => {
                let id = self.new_conditional();
                let first = self.sequence(body, Some(conditional_name(id)))?;
                let always = Expr::Bool(true);
                Ok(Some(self.conditional(
                    id,
                    stmt.span,
                    always,
                    first.clone(),
                    first,
                )))
            }
            StmtKind::Break(label) => match self.ends.get(label) {
                Some(next) => Ok(next.clone()),
                None => not_supported(stmt.span, "leaving a block from here"),
            },
            StmtKind::Exit => Ok(None),
            StmtKind::Apply(table, branches) => self.apply(*table, branches, stmt, next),
            _ => not_supported(stmt.span, "this statement in a control"),
        }
    }

    pub fn new_conditional(&mut self) -> usize {
        let emitter = &mut *self.emitter;
        let id = (emitter.conditional_count..)
            .find(|&id| !emitter.is_table(&conditional_name(id)))
            .expect("a program has fewer tables than there are numbers");
        emitter.conditional_count = id + 1;
        id
    }

    pub fn conditional(
        &mut self,
        id: usize,
        span: Span,
        expression: Expr,
        true_next: Next,
        false_next: Next,
    ) -> String {
        let name = conditional_name(id);
        self.pipeline.conditionals.push(Conditional {
            name: name.clone(),
            id,
            source_info: self.emitter.source_info(span),
            expression,
            true_next,
            false_next,
        });
        name
    }

    /// A table without keys whose only action is these statements.
    pub fn hidden_table(&mut self, stmts: &[Stmt], next: Next) -> Result<String> {
        let span = stmts
            .iter()
            .map(|s| s.span)
            .reduce(|a, b| a.to(b))
            .unwrap_or_default();
        let emitter = &mut *self.emitter;
        let line = emitter.name_of_line(span);
        let (action, name) = loop {
            let action = emitter.action_names.unique(&line);
            let name = format!("tbl_{action}");
            if !emitter.is_table(&name) {
                break (action, name);
            }
        };
        let primitives = primitives(stmts, emitter.sources)?;
        let action_id = emitter.program.actions.len();
        emitter.program.actions.push(json::Action {
            name: action.clone(),
            id: action_id,
            runtime_data: Vec::new(),
            primitives,
        });
        let id = emitter.table_count;
        emitter.table_count += 1;
        let next_tables = Map::from_iter([(action.clone(), json!(next))]);
        self.pipeline.tables.push(Table {
            name: name.clone(),
            id,
            source_info: self.emitter.source_info(span),
            key: Vec::new(),
            match_type: "exact".to_owned(),
            kind: "simple",
            action_profile: None,
            max_size: super::table::DEFAULT_SIZE,
            with_counters: false,
            support_timeout: false,
            direct_meters: None,
            entry_index: None,
            action_ids: vec![action_id],
            actions: vec![action],
            base_default_next: next,
            next_tables,
            default_entry: Some(DefaultEntry {
                action_id,
                action_const: true,
                action_data: Vec::new(),
                action_entry_const: true,
            }),
            entries: None,
        });
        Ok(name)
    }

    fn apply(
        &mut self,
        id: ir::TableId,
        branches: &Branches,
        stmt: &Stmt,
        next: Next,
    ) -> Result<Next> {
        let lowered = &self.lower.tables[&id];
        let names: Vec<String> = lowered
            .actions
            .iter()
            .map(|&action| self.lower.actions[action].name.clone())
            .collect();
        let by = match branches {
            Branches::None => By::Action(vec![next.clone(); names.len()]),
            Branches::HitMiss(hit, miss) => {
                let hit = self.sequence(hit, next.clone())?;
                let miss = self.sequence(miss, next.clone())?;
                By::HitMiss(hit, miss)
            }
            Branches::Actions { cases, default } => {
                let default = self.sequence(default, next.clone())?;
                let mut nodes = vec![default; names.len()];
                for (actions, body) in cases {
                    let node = self.sequence(body, next.clone())?;
                    for &action in actions {
                        nodes[action].clone_from(&node);
                    }
                }
                By::Action(nodes)
            }
        };
        let followers = Followers {
            by,
            base: next,
            span: stmt.span,
        };
        let table = &self.emitter.ir.tables[id.index()];
        if let Some(field) = self.fields.place.get(&id) {
            let places = self.places.entry(id).or_default();
            places.push(followers);
            let number = places.len() - 1;
            return self.place(id, field, number, stmt.span).map(Some);
        }
        let (next_tables, base_default_next) = followers.to_json(&names);
        let known = self.pipeline.tables.iter().find(|t| t.name == table.name);
        if let Some(known) = known {
            if known.next_tables != next_tables || known.base_default_next != base_default_next {
                self.clashes.insert(id);
            }
            return Ok(Some(known.name.clone()));
        }
        self.table(id, &followers, &names).map(Some)
    }

    /// Adds a table; gives its name.
    pub(super) fn table(
        &mut self,
        id: ir::TableId,
        followers: &Followers,
        actions: &[String],
    ) -> Result<String> {
        let table = &self.emitter.ir.tables[id.index()];
        let lowered = &self.lower.tables[&id];
        let (next_tables, base_default_next) = followers.to_json(actions);
        if let Some(profile) = &lowered.profile {
            self.action_profile(profile, &lowered.selector_input)?;
        }
        let json =
            self.emitter
                .table(table, lowered, self.lower, base_default_next, next_tables)?;
        let name = json.name.clone();
        self.pipeline.tables.push(json);
        Ok(name)
    }
}

fn conditional_name(id: usize) -> String {
    format!("node_{id}")
}

/// The tables that are applied more than once.
fn applied_again(stmts: &[Stmt]) -> BTreeSet<ir::TableId> {
    fn visit(stmts: &[Stmt], once: &mut BTreeSet<ir::TableId>, again: &mut BTreeSet<ir::TableId>) {
        for stmt in stmts {
            if let StmtKind::Apply(table, _) = stmt.kind {
                if !once.insert(table) {
                    again.insert(table);
                }
            }
            crate::simplify::for_each_body(stmt, &mut |body| visit(body, once, again));
        }
    }
    let mut again = BTreeSet::new();
    visit(stmts, &mut BTreeSet::new(), &mut again);
    again
}

/// Whether a statement goes into the action of a hidden table: primitives, and loops without tables.
fn is_action_code(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Primitive(..) => true,
        StmtKind::Block(..) => {
            any(stmt, &|kind| matches!(kind, StmtKind::Loop(_)))
                && !applies_table(stmt)
                && is_closed(stmt)
        }
        _ => false,
    }
}

fn applies_table(stmt: &Stmt) -> bool {
    any(stmt, &|kind| matches!(kind, StmtKind::Apply(..)))
}

/// Whether no break leads out of the statement.
fn is_closed(stmt: &Stmt) -> bool {
    fn closed<'s>(stmt: &'s Stmt, around: &mut Vec<&'s Label>) -> bool {
        if let StmtKind::Break(label) = &stmt.kind {
            return around.contains(&label);
        }
        let own = match &stmt.kind {
            StmtKind::Block(label, _) => {
                around.push(label);
                true
            }
            _ => false,
        };
        let mut result = true;
        crate::simplify::for_each_body(stmt, &mut |body| {
            result = result && body.iter().all(|s| closed(s, around));
        });
        if own {
            around.pop();
        }
        result
    }
    closed(stmt, &mut Vec::new())
}
