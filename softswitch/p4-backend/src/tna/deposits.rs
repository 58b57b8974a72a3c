// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of `subtract_all_and_deposit` of one unit exclude each other: what a second one would give for a packet is
//! nowhere written.

use std::collections::BTreeSet;

use quench_p4_frontend::ir::Target;

use super::state::Deposit;
use super::validity::written;
use crate::error::{not_supported, Result};
use crate::flat::{StateGraph, Stmt, StmtKind, Transition};
use crate::json::Expr;

/// The numbers of those that have run.
type Run = BTreeSet<usize>;

/// Checks the calls of one unit. Conditions are not looked at.
pub fn check(graph: &StateGraph, deposits: &[Deposit]) -> Result<()> {
    if deposits.len() > 1 {
        in_graph(graph, deposits, Run::new())?;
    }
    Ok(())
}

/// The deposits that may have run at the end of the parser, if `run` may have at its start.
fn in_graph(graph: &StateGraph, deposits: &[Deposit], run: Run) -> Result<Run> {
    let mut all = in_body(&graph.entry, deposits, run)?;
    let mut before: Vec<Option<Run>> = vec![None; graph.states.len()];
    let mut open = vec![(0, all.clone())];
    while let Some((index, run)) = open.pop() {
        let (Some(state), Some(known)) = (graph.states.get(index), before.get_mut(index)) else {
            continue;
        };
        let joined = match known {
            Some(known) if run.is_subset(known) => continue,
            Some(known) => known.union(&run).copied().collect(),
            None => run,
        };
        *known = Some(joined.clone());
        let run = in_body(&state.body, deposits, joined)?;
        let targets: Vec<&Target> = match &state.transition {
            Transition::To(target) => vec![target],
            Transition::Select { cases, .. } => cases.iter().map(|case| &case.target).collect(),
        };
        for target in targets {
            if let Target::State(next) = target {
                open.push((*next as usize, run.clone()));
            }
        }
        all.extend(run);
    }
    Ok(all)
}

/// As [`in_graph`], of statements.
fn in_body(body: &[Stmt], deposits: &[Deposit], mut run: Run) -> Result<Run> {
    for stmt in body {
        run = match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let bodies = arms.iter().map(|(_, body)| body).chain([otherwise]);
                let mut all = Run::new();
                for body in bodies {
                    all.extend(in_body(body, deposits, run.clone())?);
                }
                all
            }
            StmtKind::Block(_, body) => in_body(body, deposits, run)?,
            StmtKind::Loop(body) => {
                let once = in_body(body, deposits, run)?;
                in_body(body, deposits, once)?
            }
            StmtKind::Parser(graph) => in_graph(graph, deposits, run)?,
            kind => {
                if let Some(own) = number(kind, deposits) {
                    if run.iter().any(|other| *other != own) {
                        return not_supported(
                            stmt.span,
                            "a packet for which subtract_all_and_deposit of one checksum unit is called twice",
                        );
                    }
                    run.insert(own);
                }
                run
            }
        };
    }
    Ok(run)
}

/// The number of the call, if it is one: each writes a bit of its own.
fn number(kind: &StmtKind, deposits: &[Deposit]) -> Option<usize> {
    let field = written(kind)?;
    let own = |deposit: &Deposit| matches!(&deposit.active, Expr::Field(header, name) if *header == field.0 && *name == field.1);
    deposits.iter().position(own)
}
