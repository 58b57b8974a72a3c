// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Removes flat statements without effect: those that cannot run, and jumps to the statement that is next anyway.

use crate::flat::{Branches, Label, Stmt, StmtKind};

/// Each emitter simplifies its input with this.
pub fn simplify(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut result = Vec::new();
    for stmt in stmts {
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::If { arms, otherwise } => StmtKind::If {
                arms: arms
                    .into_iter()
                    .map(|(condition, body)| (condition, simplify(body)))
                    .collect(),
                otherwise: simplify(otherwise),
            },
            StmtKind::Block(label, body) => {
                let mut body = simplify(body);
                trim(&mut body, label);
                if !body.iter().any(|s| breaks_to(s, label)) {
                    let ends = body.last().is_some_and(|s| leaves(&s.kind));
                    result.extend(body);
                    if ends {
                        break;
                    }
                    continue;
                }
                StmtKind::Block(label, body)
            }
            StmtKind::Loop(body) => StmtKind::Loop(simplify(body)),
            StmtKind::Apply(table, Branches::HitMiss(hit, miss)) => {
                StmtKind::Apply(table, Branches::HitMiss(simplify(hit), simplify(miss)))
            }
            StmtKind::Apply(table, Branches::Actions { cases, default }) => {
                let cases = cases
                    .into_iter()
                    .map(|(actions, body)| (actions, simplify(body)))
                    .collect();
                let default = simplify(default);
                StmtKind::Apply(table, Branches::Actions { cases, default })
            }
            StmtKind::Parser(mut graph) => {
                graph.entry = simplify(graph.entry);
                for state in &mut graph.states {
                    state.body = simplify(std::mem::take(&mut state.body));
                }
                StmtKind::Parser(graph)
            }
            kind => kind,
        };
        let ends = leaves(&kind);
        result.push(Stmt { kind, span });
        if ends {
            break;
        }
    }
    result
}

fn leaves(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Break(_) | StmtKind::Exit | StmtKind::Loop(_)
    )
}

/// Drops breaks to the end of `label` where control reaches the end without them.
fn trim(body: &mut Vec<Stmt>, label: Label) {
    match body.last_mut().map(|s| &mut s.kind) {
        Some(StmtKind::Break(to)) if *to == label => {
            body.pop();
            trim(body, label);
        }
        Some(StmtKind::If { arms, otherwise }) => {
            arms.iter_mut().for_each(|(_, body)| trim(body, label));
            trim(otherwise, label);
        }
        Some(StmtKind::Block(_, inner)) => trim(inner, label),
        Some(StmtKind::Apply(_, Branches::HitMiss(hit, miss))) => {
            trim(hit, label);
            trim(miss, label);
        }
        Some(StmtKind::Apply(_, Branches::Actions { cases, default })) => {
            cases.iter_mut().for_each(|(_, body)| trim(body, label));
            trim(default, label);
        }
        _ => {}
    }
}

/// Calls `visit` for each list of statements directly inside.
pub fn for_each_body<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s [Stmt])) {
    match &stmt.kind {
        StmtKind::If { arms, otherwise } => {
            arms.iter().for_each(|(_, body)| visit(body));
            visit(otherwise);
        }
        StmtKind::Block(_, body) | StmtKind::Loop(body) => visit(body),
        StmtKind::Apply(_, Branches::HitMiss(hit, miss)) => {
            visit(hit);
            visit(miss);
        }
        StmtKind::Apply(_, Branches::Actions { cases, default }) => {
            cases.iter().for_each(|(_, body)| visit(body));
            visit(default);
        }
        StmtKind::Parser(graph) => {
            visit(&graph.entry);
            graph.states.iter().for_each(|state| visit(&state.body));
        }
        _ => {}
    }
}

/// Whether `test` holds for the statement or one inside.
pub fn any(stmt: &Stmt, test: &impl Fn(&StmtKind) -> bool) -> bool {
    if test(&stmt.kind) {
        return true;
    }
    let mut found = false;
    for_each_body(stmt, &mut |body| {
        found = found || body.iter().any(|s| any(s, test));
    });
    found
}

fn breaks_to(stmt: &Stmt, label: Label) -> bool {
    any(
        stmt,
        &|kind| matches!(kind, StmtKind::Break(to) if *to == label),
    )
}
