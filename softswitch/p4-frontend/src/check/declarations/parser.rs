// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: parsers: states, transitions and declarations of value sets.

use num_traits::ToPrimitive;

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::names::control_plane::{hierarchical, name_annotation};
use crate::check::state::entity::Entity;
use crate::check::state::place::Body;
use crate::check::types::kinds::Container;
use crate::ir::{self, Expr, ParserId, State, Target, Transition, Type, ValueSet, ValueSetId};

impl<'a> Checker<'a, '_> {
    /// Elaborates an instance of a parser. `args` are the values of its constructor parameters.
    pub fn parser(
        &mut self,
        decl: &'a ast::Decl,
        type_args: &[Type],
        args: &[Expr],
        name: String,
    ) -> Option<ParserId> {
        let DeclKind::Parser { locals, states, .. } = &decl.kind else {
            unreachable!("checked by the caller");
        };
        let parser = self.in_object(decl, type_args, args, &name, |c, params| {
            let mut declarations = Vec::new();
            for local in locals {
                c.parser_local(local, &mut declarations);
            }
            let states = c.states(decl, states);
            Some(ir::Parser {
                name: name.clone(),
                type_name: decl.name.text.clone(),
                params: params?,
                locals: declarations,
                states: states?,
                span: decl.span,
            })
        })?;
        let id = ParserId(self.ir.parsers.len() as u32);
        self.ir.parsers.push(parser);
        Some(id)
    }

    fn parser_local(&mut self, decl: &'a ast::Decl, into: &mut Vec<ir::Stmt>) {
        match &decl.kind {
            DeclKind::ValueSet { ty, size } => {
                let entity = self.value_set(decl, ty, size);
                self.declare(&decl.name, entity.map_or(Entity::Broken, Entity::ValueSet));
            }
            _ => self.local_decl(decl, into),
        }
    }

    fn value_set(
        &mut self,
        decl: &ast::Decl,
        ty: &'a ast::Type,
        size: &'a ast::Expr,
    ) -> Option<ValueSetId> {
        let element = self.resolve_type(ty)?;
        self.check_nesting(Container::ValueSet, &element, ty.span)?;
        let checked = self.expr(size, None)?;
        let count = match self.known_value(checked, "the size of a value set")? {
            Some(ir::Value::Int(count)) => match count.to_u64() {
                Some(count) => count,
                None => return self.error(size.span, format!("{count} is not a size")),
            },
            Some(_) => return self.error(size.span, "the size of a value set must be an integer"),
            None => 0,
        };
        let id = ValueSetId(self.ir.value_sets.len() as u32);
        self.ir.value_sets.push(ValueSet {
            name: hierarchical(&self.place.prefix, &decl.name.text, &decl.annotations),
            annotations: decl.annotations.clone(),
            element,
            size: count,
            span: decl.span,
        });
        Some(id)
    }

    /// All states, `start` first.
    fn states(&mut self, decl: &ast::Decl, states: &'a [ast::State]) -> Option<Vec<State>> {
        self.check_state_names(states);
        let Some(start) = states.iter().position(|state| state.name.text == "start") else {
            return self.error(
                decl.name.span,
                format!("parser `{}` has no state `start`", decl.name.text),
            );
        };
        let mut ordered: Vec<&'a ast::State> = states.iter().collect();
        let first = ordered.remove(start);
        ordered.insert(0, first);
        let names: Vec<&str> = ordered
            .iter()
            .map(|state| state.name.text.as_str())
            .collect();
        let states = self.all(ordered, |c, state| c.state(state, &names))?;
        if !reaches_the_end(&states) {
            let message = format!(
                "parser `{}` never reaches `accept` or `reject`",
                decl.name.text
            );
            return self.error(decl.name.span, message);
        }
        Some(states)
    }

    fn check_state_names(&mut self, states: &[ast::State]) {
        for (index, state) in states.iter().enumerate() {
            let name = &state.name.text;
            let span = state.name.span;
            if name == "accept" || name == "reject" {
                let message = format!("state `{name}` is built in: it cannot be declared");
                self.error::<()>(span, message);
            }
            if states[..index].iter().any(|other| other.name.text == *name) {
                self.error::<()>(span, format!("there are two states `{name}`"));
            }
            let mut local = self.scope.locals.last().into_iter();
            if local.any(|scope| scope.contains_key(name)) {
                let message = format!("`{name}` is already declared in this parser");
                self.error::<()>(span, message);
            }
        }
    }

    fn state(&mut self, state: &'a ast::State, names: &[&str]) -> Option<State> {
        self.place.body = Body::ParserState;
        let (body, transition) = self.in_scope(|c| {
            let body = c.statements(&state.statements);
            (body, c.transition(&state.transition, names))
        });
        self.place.body = Body::Declarations;
        Some(State {
            name: name_annotation(&state.annotations).unwrap_or_else(|| state.name.text.clone()),
            annotations: state.annotations.clone(),
            body,
            transition: transition?,
            span: state.span,
        })
    }

    fn transition(
        &mut self,
        transition: &'a ast::Transition,
        names: &[&str],
    ) -> Option<Transition> {
        match transition {
            ast::Transition::None => Some(Transition::To(Target::Reject)),
            ast::Transition::To(name) => Some(Transition::To(self.target(name, names)?)),
            ast::Transition::Select { keys, cases, span } => self.select(keys, cases, *span, names),
        }
    }

    pub fn target(&mut self, name: &ast::Name, names: &[&str]) -> Option<Target> {
        match name.text.as_str() {
            "accept" => Some(Target::Accept),
            "reject" => Some(Target::Reject),
            other => match names.iter().position(|state| *state == other) {
                Some(index) => Some(Target::State(index as u32)),
                None => {
                    let known = names.iter().copied().chain(["accept", "reject"]);
                    self.unknown(name, format!("there is no state `{other}`"), known)
                }
            },
        }
    }
}

/// Whether some path ends the parser; a `select` may always end in `reject`.
fn reaches_the_end(states: &[State]) -> bool {
    let mut reached = vec![false; states.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        match &states[index].transition {
            Transition::To(Target::State(next)) => open.push(*next as usize),
            _ => return true,
        }
    }
    false
}
