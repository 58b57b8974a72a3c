// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! States of parsers: the end of a parser that no `transition` names, and cases of `select` that are never taken.

use std::collections::{HashMap, HashSet};

use super::report::Report;
use crate::ast::{self, Decl, DeclKind, Expr, ExprKind, SelectCase, State, Transition};
use crate::warnings::Warning;

pub(super) fn check(tree: &ast::Program, report: &mut Report) {
    for decl in &tree.decls {
        if let DeclKind::Parser { states, .. } = &decl.kind {
            states.iter().for_each(|state| transition(state, report));
            accept(decl, states, report);
        }
    }
}

fn transition(state: &State, report: &mut Report) {
    match &state.transition {
        Transition::To(_) => {}
        Transition::None => {
            let message = format!(
                "state `{}` has no transition: it goes to reject",
                state.name.text
            );
            report.warning(Warning::ParserTransition, state.name.span, message);
        }
        Transition::Select { cases, span, .. } => {
            let Some(default) = cases.iter().position(is_default) else {
                return;
            };
            for case in &cases[default + 1..] {
                let message = "a case after the default is never taken".to_owned();
                report.warning(Warning::ParserTransition, case.span, message);
            }
            let target = &cases[default].state.text;
            if cases.len() > 1
                && cases[..default]
                    .iter()
                    .all(|case| case.state.text == *target)
            {
                let message = format!("every case of this `select` goes to `{target}`");
                report.warning(Warning::ParserTransition, *span, message);
            }
        }
    }
}

fn is_default(case: &SelectCase) -> bool {
    case.keyset.iter().all(is_dont_care)
}

fn is_dont_care(keyset: &Expr) -> bool {
    match &keyset.kind {
        ExprKind::DontCare => true,
        ExprKind::List { items, .. } => !items.is_empty() && items.iter().all(is_dont_care),
        _ => false,
    }
}

fn accept(decl: &Decl, states: &[State], report: &mut Report) {
    let by_name: HashMap<&str, &State> = states
        .iter()
        .map(|state| (state.name.text.as_str(), state))
        .collect();
    let mut reached = HashSet::from(["start"]);
    let mut waiting = vec!["start"];
    while let Some(state) = waiting.pop() {
        if state == "accept" {
            return;
        }
        let Some(state) = by_name.get(state) else {
            continue;
        };
        let next: Vec<&str> = match &state.transition {
            Transition::None => Vec::new(),
            Transition::To(name) => vec![&name.text],
            Transition::Select { cases, .. } => {
                cases.iter().map(|case| case.state.text.as_str()).collect()
            }
        };
        waiting.extend(next.into_iter().filter(|name| reached.insert(name)));
    }
    let message = format!("parser `{}` never accepts a packet", decl.name.text);
    report.warning(Warning::Unreachable, decl.name.span, message);
}
