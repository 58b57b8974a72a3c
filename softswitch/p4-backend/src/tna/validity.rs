// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The hardware has a bit for each field of metadata that says whether the program has written it. Here each write of such
//! a field gets a write of its bit behind it.

use std::collections::HashMap;

use super::state::Field;
use crate::flat::{Branches, StateGraph, Stmt, StmtKind};
use crate::json::Expr;

pub fn mark(stmts: &mut Vec<Stmt>, fields: &HashMap<Field, Field>) {
    let mut marked = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        let bit = written(&stmt.kind).and_then(|field| fields.get(&field));
        for body in bodies(&mut stmt.kind) {
            mark(body, fields);
        }
        let span = stmt.span;
        marked.push(stmt);
        if let Some((header, bit)) = bit {
            let bit = Expr::Field(header.clone(), bit.clone());
            let kind = StmtKind::Primitive("assign", vec![bit, Expr::hex(1, 1)]);
            marked.push(Stmt { kind, span });
        }
    }
    *stmts = marked;
}

pub fn mark_parser(graph: &mut StateGraph, fields: &HashMap<Field, Field>) {
    mark(&mut graph.entry, fields);
    for state in &mut graph.states {
        mark(&mut state.body, fields);
    }
}

/// The field that a primitive writes.
pub fn written(kind: &StmtKind) -> Option<Field> {
    let StmtKind::Primitive(op, parameters) = kind else {
        return None;
    };
    let destination = match *op {
        "assign"
        | "register_read"
        | "hash"
        | "lpf"
        | "wred"
        | "math_unit"
        | "next_index"
        | "modify_field_rng_uniform" => parameters.first(),
        "execute_meter" => parameters.get(2),
        _ => None,
    };
    match destination {
        Some(Expr::Field(header, field)) => Some((header.clone(), field.clone())),
        _ => None,
    }
}

/// The lists of statements directly inside.
pub fn bodies(kind: &mut StmtKind) -> Vec<&mut Vec<Stmt>> {
    match kind {
        StmtKind::If { arms, otherwise } => {
            let arms = arms.iter_mut().map(|(_, body)| body);
            arms.chain([otherwise]).collect()
        }
        StmtKind::Block(_, body) | StmtKind::Loop(body) => vec![body],
        StmtKind::Apply(_, Branches::HitMiss(hit, miss)) => vec![hit, miss],
        StmtKind::Apply(_, Branches::Actions { cases, default }) => {
            let cases = cases.iter_mut().map(|(_, body)| body);
            cases.chain([default]).collect()
        }
        StmtKind::Parser(graph) => {
            let states = graph.states.iter_mut().map(|state| &mut state.body);
            [&mut graph.entry].into_iter().chain(states).collect()
        }
        _ => Vec::new(),
    }
}
