// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Controls as graphs of tables and conditionals. Statements between tables become actions of hidden tables.

use std::collections::HashMap;

use quench_p4_frontend::ir;
use serde_json::{json, Map, Value};

use super::action::primitives;
use super::{check, Emitter};
use crate::error::{not_supported, Error, Result};
use crate::flat::{Branches, Label, Stmt, StmtKind};
use crate::json::{self, Conditional, DefaultEntry, Expr, Pipeline, Table};
use crate::lower::{Lower, Profile};
use crate::simplify::{any, simplify};

/// Name of the node that comes next; `None` is the end of the pipeline.
type Next = Option<String>;

struct Graph<'e, 'a, 'l> {
    emitter: &'e mut Emitter<'a>,
    lower: &'l Lower<'a>,
    pipeline: Pipeline,
    /// The node behind each block around.
    ends: HashMap<Label, Next>,
}

impl<'a> Emitter<'a> {
    pub fn pipeline(
        &mut self,
        name: &str,
        control: &ir::Control,
        body: Vec<Stmt>,
        lower: &Lower<'a>,
    ) -> Result<()> {
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
        };
        let first = graph.sequence(&simplify(body), None)?;
        graph.pipeline.init_table = first;
        // Nodes are made from the end of the program to its start.
        graph.pipeline.tables.reverse();
        graph.pipeline.conditionals.reverse();
        let pipeline = graph.pipeline;
        self.program.pipelines.push(pipeline);
        Ok(())
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
                    let node = self.conditional(id, stmt, condition, true_next, false_next);
                    false_next = Some(node);
                }
                Ok(false_next)
            }
            StmtKind::Block(label, body) => {
                self.ends.insert(*label, next.clone());
                self.sequence(body, next)
            }
            // Loops without tables are action code; a graph with a cycle could keep the switch for ever.
            StmtKind::Loop(body) => not_supported(
                stmt.span,
                if body.iter().any(applies_table) {
                    "applying a table in a loop"
                } else {
                    "leaving a loop by `return` in a control that applies tables"
                },
            ),
            StmtKind::Break(label) => match self.ends.get(label) {
                Some(next) => Ok(next.clone()),
                None => not_supported(stmt.span, "leaving a block from here"),
            },
            StmtKind::Exit => Ok(None),
            StmtKind::Apply(table, branches) => self.apply(*table, branches, stmt, next),
            _ => not_supported(stmt.span, "this statement in a control"),
        }
    }

    fn new_conditional(&mut self) -> usize {
        let id = self.emitter.conditional_count;
        self.emitter.conditional_count += 1;
        id
    }

    fn conditional(
        &mut self,
        id: usize,
        stmt: &Stmt,
        expression: Expr,
        true_next: Next,
        false_next: Next,
    ) -> String {
        let name = format!("node_{id}");
        self.pipeline.conditionals.push(Conditional {
            name: name.clone(),
            id,
            source_info: self.emitter.source_info(stmt.span),
            expression,
            true_next,
            false_next,
        });
        name
    }

    /// A table without keys whose only action is these statements.
    fn hidden_table(&mut self, stmts: &[Stmt], next: Next) -> Result<String> {
        let span = stmts
            .iter()
            .map(|s| s.span)
            .reduce(|a, b| a.to(b))
            .unwrap_or_default();
        let emitter = &mut *self.emitter;
        let line = emitter.name_of_line(span);
        let action = emitter.action_names.unique(&line);
        let primitives = primitives(stmts, emitter.sources)?;
        let action_id = emitter.program.actions.len();
        emitter.program.actions.push(json::Action {
            name: action.clone(),
            id: action_id,
            runtime_data: Vec::new(),
            primitives,
        });
        let name = format!("tbl_{action}");
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
        let mut next_tables: Map<String, Value> = Map::new();
        let mut base_default_next = next.clone();
        match branches {
            Branches::None => {
                for name in &names {
                    next_tables.insert(name.clone(), json!(next));
                }
            }
            Branches::HitMiss(hit, miss) => {
                let hit = self.sequence(hit, next.clone())?;
                let miss = self.sequence(miss, next)?;
                next_tables.insert("__HIT__".to_owned(), json!(hit));
                next_tables.insert("__MISS__".to_owned(), json!(miss));
                base_default_next = None;
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
                for (name, node) in names.iter().zip(nodes) {
                    next_tables.insert(name.clone(), json!(node));
                }
            }
        }
        let table = &self.emitter.ir.tables[id.index()];
        let known = self.pipeline.tables.iter().find(|t| t.name == table.name);
        if let Some(known) = known {
            if known.next_tables == next_tables && known.base_default_next == base_default_next {
                return Ok(Some(known.name.clone()));
            }
            return not_supported(
                stmt.span,
                format_args!(
                    "table {} applied in two places with different statements after it",
                    table.name
                ),
            );
        }
        if let Some(profile) = &lowered.profile {
            self.action_profile(profile, &lowered.selector_input)?;
        }
        let json =
            self.emitter
                .table(table, lowered, self.lower, base_default_next, next_tables)?;
        let name = json.name.clone();
        self.pipeline.tables.push(json);
        Ok(Some(name))
    }

    fn action_profile(&mut self, profile: &Profile, selector_input: &[Expr]) -> Result<()> {
        let instance = &self.emitter.ir.externs[profile.instance.index()];
        let selector = if profile.with_selector {
            Some(json::Selector {
                algo: super::table::enum_argument(self.emitter.ir, instance)?,
                input: selector_input.to_vec(),
            })
        } else {
            None
        };
        let elsewhere = self
            .emitter
            .program
            .pipelines
            .iter()
            .any(|p| p.action_profiles.iter().any(|a| a.name == instance.name));
        if elsewhere {
            return not_supported(
                instance.span,
                format_args!("{} in both ingress and egress", instance.name),
            );
        }
        let known = self
            .pipeline
            .action_profiles
            .iter()
            .find(|a| a.name == instance.name);
        if let Some(known) = known {
            if known.selector.as_ref().map(|s| &s.input) != selector.as_ref().map(|s| &s.input) {
                return Err(Error::new(
                    instance.span,
                    format_args!(
                        "not supported: tables that share {} with different selector keys",
                        instance.name
                    ),
                ));
            }
            return Ok(());
        }
        let id = self.emitter.profile_count;
        self.emitter.profile_count += 1;
        self.pipeline.action_profiles.push(json::ActionProfile {
            name: instance.name.clone(),
            id,
            source_info: self.emitter.source_info(instance.span),
            max_size: super::table::size_argument(instance)?,
            selector,
        });
        Ok(())
    }
}

/// Whether a statement goes into the action of a hidden table: primitives, and loops without tables, as a graph can have no
/// cycles.
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
