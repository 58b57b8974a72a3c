// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers as graphs of states. A BMv2 state has operations without branches and one choice at its end, so branches and
//! loops among the statements of a state become states of their own.

use std::collections::HashMap;

use quench_p4_frontend::ir::{Target, Type};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;
use serde_json::Value;

use super::parser_ops::{operation, set};
use super::primitive::{check, source_info};
use crate::error::Result;
use crate::flat::{Label, StateGraph, Stmt, StmtKind, Transition};
use crate::json::{self, Expr, ParseState, ParserOp};
use crate::layout::Layout;
use crate::lower::truth_as_data;
use crate::names::Names;
use crate::place::{Leaf, Place};
use crate::simplify::simplify;

/// Name of the next state; `None` ends the parser.
pub(super) type Next = Option<String>;

/// The end of a state.
#[derive(Clone)]
pub(super) enum Tail {
    Jump(Next),
    Select {
        key: Vec<Value>,
        transitions: Vec<json::Transition>,
    },
}

pub(super) struct States<'l, 'a, 's> {
    layout: &'l mut Layout<'a>,
    sources: &'s SourceMap,
    pub(super) states: Vec<ParseState>,
    names: Names,
    ends: HashMap<Label, Next>,
    /// Code of `error.NoMatch`.
    pub(super) no_match: Option<usize>,
    pub(super) no_match_state: Option<String>,
    /// The state that `reject` is.
    pub(super) reject: Next,
}

/// The differences between the parsers of architectures.
pub struct ParserKind {
    pub name: &'static str,
    pub id: usize,
    /// Whether `reject` is a state of its own; else the parser ends there as it does at `accept`.
    pub has_reject: bool,
}

/// The whole parser. May add temporaries to the layout.
pub fn parser(
    graph: StateGraph,
    layout: &mut Layout<'_>,
    sources: &SourceMap,
    errors: &[String],
    kind: &ParserKind,
) -> Result<json::Parser> {
    let mut states = States {
        layout,
        sources,
        states: Vec::new(),
        names: Names::default(),
        ends: HashMap::new(),
        no_match: errors.iter().position(|e| e == "NoMatch"),
        no_match_state: None,
        reject: None,
    };
    if kind.has_reject {
        states.add_reject();
    }
    let init_state = states.graph(&simplify_graph(graph), &None)?;
    let reject = states.reject;
    let mut parse_states = states.states;
    let goes_to_reject = |state: &ParseState| {
        let mut transitions = state.transitions.iter();
        transitions.any(|t| t.next_state == reject)
    };
    if reject.is_some() && !parse_states.iter().any(goes_to_reject) {
        parse_states.retain(|state| Some(&state.name) != reject.as_ref());
    }
    // BMv2 needs an initial state also where there is nothing to do.
    let init_state = init_state.unwrap_or_else(|| {
        parse_states.push(state("start".to_owned(), Vec::new(), Tail::Jump(None)));
        "start".to_owned()
    });
    parse_states.sort_by_key(|s| s.name != init_state);
    for (id, state) in parse_states.iter_mut().enumerate() {
        state.id = id;
    }
    Ok(json::Parser {
        name: kind.name.to_owned(),
        id: kind.id,
        init_state,
        parse_states,
        drop_on_error: false,
    })
}

fn simplify_graph(graph: StateGraph) -> StateGraph {
    let stmt = Stmt {
        kind: StmtKind::Parser(graph),
        span: Span::default(),
    };
    match simplify(vec![stmt]).pop().map(|s| s.kind) {
        Some(StmtKind::Parser(graph)) => graph,
        _ => unreachable!("simplifying keeps parsers"),
    }
}

pub(super) fn state(name: String, parser_ops: Vec<ParserOp>, tail: Tail) -> ParseState {
    let (transition_key, transitions) = match tail {
        Tail::Jump(next) => (Vec::new(), vec![default_transition(next)]),
        Tail::Select { key, transitions } => (key, transitions),
    };
    ParseState {
        name,
        id: 0,
        parser_ops,
        transitions,
        transition_key,
        source_info: None,
    }
}

pub(super) fn default_transition(next_state: Next) -> json::Transition {
    json::Transition {
        kind: "default",
        value: None,
        mask: None,
        next_state,
    }
}

impl States<'_, '_, '_> {
    pub(super) fn new_name(&mut self, name: &str) -> String {
        self.names.unique(name)
    }

    /// Adds all states of a parser; `accept` is the state after it. Gives the first.
    fn graph(&mut self, graph: &StateGraph, accept: &Next) -> Result<Next> {
        let entry = (!graph.entry.is_empty()).then(|| self.new_name("start"));
        let names: Vec<String> = graph
            .states
            .iter()
            .map(|state| self.new_name(&state.name))
            .collect();
        let reject = self.reject.clone();
        let target = |target: Target| match target {
            Target::Accept => accept.clone(),
            Target::Reject => reject.clone(),
            Target::State(index) => Some(names[index as usize].clone()),
        };
        if let Some(entry) = &entry {
            let first = Tail::Jump(target(Target::State(0)));
            self.run(entry.clone(), Vec::new(), &graph.entry, first)?;
        }
        for (state, name) in graph.states.iter().zip(&names) {
            let tail = match &state.transition {
                Transition::To(to) => Tail::Jump(target(*to)),
                Transition::Select { keys, cases } => self.select(name, keys, cases, &target),
            };
            let first = self.states.len();
            self.run(name.clone(), Vec::new(), &state.body, tail)?;
            // Those that are made for branches and loops have other names.
            let mut made = self.states[first..].iter_mut();
            if let Some(made) = made.find(|made| made.name == *name) {
                made.source_info = source_info(self.sources, state.span);
            }
        }
        Ok(entry.or_else(|| names.first().cloned()))
    }

    /// Adds the state `name`, which runs `ops`, then `stmts`, and ends as `tail` says; and the states that it needs for
    /// branches and loops among the statements.
    fn run(
        &mut self,
        name: String,
        mut ops: Vec<ParserOp>,
        stmts: &[Stmt],
        tail: Tail,
    ) -> Result<()> {
        for (index, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[index + 1..];
            match &stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    let join = self.join(&name, rest, tail)?;
                    let mut branches = Vec::new();
                    for (condition, then) in arms {
                        check(condition, stmt.span)?;
                        branches.push((condition, self.branch(&name, then, &join)?));
                    }
                    let otherwise = self.branch(&name, otherwise, &join)?;
                    return self.choose(name, ops, &branches, otherwise);
                }
                StmtKind::Block(label, body) => {
                    let join = self.join(&name, rest, tail)?;
                    self.ends.insert(*label, join.clone());
                    return self.run(name, ops, body, Tail::Jump(join));
                }
                StmtKind::Loop(body) => {
                    let start = self.new_name(&name);
                    self.run(
                        start.clone(),
                        Vec::new(),
                        body,
                        Tail::Jump(Some(start.clone())),
                    )?;
                    self.states.push(state(name, ops, Tail::Jump(Some(start))));
                    return Ok(());
                }
                StmtKind::Break(label) => {
                    let next = self.ends.get(label).cloned().flatten();
                    self.states.push(state(name, ops, Tail::Jump(next)));
                    return Ok(());
                }
                StmtKind::Parser(graph) => {
                    let join = self.join(&name, rest, tail)?;
                    let first = self.graph(graph, &join)?;
                    self.states.push(state(name, ops, Tail::Jump(first)));
                    return Ok(());
                }
                _ => ops.push(operation(stmt, self.sources)?),
            }
        }
        self.states.push(state(name, ops, tail));
        Ok(())
    }

    /// States that test the conditions one after the other: the first after `ops`, each other in a state of its own.
    fn choose(
        &mut self,
        name: String,
        mut ops: Vec<ParserOp>,
        branches: &[(&Expr, Next)],
        otherwise: Next,
    ) -> Result<()> {
        let mut next = otherwise;
        for (index, (condition, then)) in branches.iter().enumerate().rev() {
            let (name, mut ops) = match index {
                0 => (name.clone(), std::mem::take(&mut ops)),
                _ => (self.new_name(&name), Vec::new()),
            };
            let key = self.condition_key(condition, &mut ops)?;
            let on_true = json::Transition {
                kind: "hexstr",
                value: Some("0x01".to_owned()),
                mask: None,
                next_state: then.clone(),
            };
            let tail = Tail::Select {
                key: vec![key],
                transitions: vec![on_true, default_transition(next)],
            };
            self.states.push(state(name.clone(), ops, tail));
            next = Some(name);
        }
        Ok(())
    }

    /// The state behind a branch: `rest` and then `tail`.
    fn join(&mut self, name: &str, rest: &[Stmt], tail: Tail) -> Result<Next> {
        match tail {
            Tail::Jump(next) if rest.is_empty() => Ok(next),
            tail => {
                let join = self.new_name(name);
                self.run(join.clone(), Vec::new(), rest, tail)?;
                Ok(Some(join))
            }
        }
    }

    fn branch(&mut self, name: &str, stmts: &[Stmt], join: &Next) -> Result<Next> {
        if stmts.is_empty() {
            return Ok(join.clone());
        }
        let branch = self.new_name(name);
        self.run(branch.clone(), Vec::new(), stmts, Tail::Jump(join.clone()))?;
        Ok(Some(branch))
    }

    /// A one-bit field that holds the condition.
    fn condition_key(&mut self, condition: &Expr, ops: &mut Vec<ParserOp>) -> Result<Value> {
        let data = truth_as_data(condition.clone());
        if let Expr::Field(..) = data {
            return Ok(data.operand());
        }
        let place = self.layout.allocate("tmp", &Type::Bool, Span::default())?;
        let Place::Scalar(Leaf { expr, .. }) = place else {
            unreachable!("a truth value is one field");
        };
        ops.push(set(&expr, &data));
        Ok(expr.operand())
    }
}
