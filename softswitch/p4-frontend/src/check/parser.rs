// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: states, transitions, value sets.

use num_traits::ToPrimitive;

use super::function::Owner;
use super::names::{hierarchical, name_annotation};
use super::place::{Body, ObjectKind};
use super::scope::Entity;
use super::types::{plural, Container};
use super::Checker;
use crate::ast::{self, DeclKind};
use crate::ir::{
    self, Expr, KeySet, ParserId, State, Target, Transition, Type, TypeDefKind, ValueSet,
    ValueSetId,
};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// Elaborates an instance of a parser. `args` are the values of its constructor parameters.
    pub(super) fn parser(
        &mut self,
        decl: &'a ast::Decl,
        args: &[Expr],
        name: String,
    ) -> Option<ParserId> {
        let DeclKind::Parser {
            signature,
            constructor_params,
            locals,
            states,
        } = &decl.kind
        else {
            unreachable!("checked by the caller");
        };
        let position = self.position_of(decl);
        let parser = self.at_top(position, |c| {
            c.place = c.object_place(ObjectKind::Parser, name.clone());
            c.bind_constructor_params(constructor_params, args);
            let params = c.declare_params(&signature.params, Owner::Apply);
            c.in_scope(|c| {
                let mut declarations = Vec::new();
                for local in locals {
                    c.parser_local(local, &mut declarations);
                }
                let states = c.states(decl, states);
                Some(ir::Parser {
                    name,
                    type_name: decl.name.text.clone(),
                    params: params?,
                    locals: declarations,
                    states: states?,
                    span: decl.span,
                })
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
        for (index, state) in states.iter().enumerate() {
            let name = &state.name.text;
            if name == "accept" || name == "reject" {
                self.error::<()>(
                    state.name.span,
                    format!("state `{name}` is built in: it cannot be declared"),
                );
            }
            if states[..index].iter().any(|other| other.name.text == *name) {
                self.error::<()>(state.name.span, format!("there are two states `{name}`"));
            }
            if self
                .locals
                .last()
                .is_some_and(|scope| scope.contains_key(name))
            {
                self.error::<()>(
                    state.name.span,
                    format!("`{name}` is already declared in this parser"),
                );
            }
        }
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
        self.all(ordered, |c, state| c.state(state, &names))
    }

    fn state(&mut self, state: &'a ast::State, names: &[&str]) -> Option<State> {
        self.place.body = Body::ParserState;
        let (body, transition) = self.in_scope(|c| {
            let body = c.statements(&state.statements);
            (body, c.transition(&state.transition, names))
        });
        self.place.body = Body::Declarations;
        Some(State {
            name: name_annotation(&state.annotations)
                .unwrap_or(&state.name.text)
                .to_string(),
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

    fn target(&mut self, name: &ast::Name, names: &[&str]) -> Option<Target> {
        match name.text.as_str() {
            "accept" => Some(Target::Accept),
            "reject" => Some(Target::Reject),
            other => match names.iter().position(|state| *state == other) {
                Some(index) => Some(Target::State(index as u32)),
                None => self.error(name.span, format!("there is no state `{other}`")),
            },
        }
    }

    fn select(
        &mut self,
        keys: &'a [ast::Expr],
        cases: &'a [ast::SelectCase],
        span: Span,
        names: &[&str],
    ) -> Option<Transition> {
        // `select({a, b})` is `select(a, b)`.
        let keys = match keys {
            [ast::Expr {
                kind: ast::ExprKind::List { items, rest: false },
                ..
            }] => items.as_slice(),
            _ => keys,
        };
        let keys = self.all(keys, |c, key| {
            let key = c.expr(key, None)?;
            c.check_select_key(&key)?;
            Some(key)
        })?;
        if cases.is_empty() {
            self.warning(span, "a `select` without cases always ends in `reject`");
        }
        let types: Vec<Type> = keys.iter().map(|key| key.ty.clone()).collect();
        let cases = self.all(cases, |c, case| {
            let keysets = c.select_case(&case.keyset, &types, case.span);
            let target = c.target(&case.state, names)?;
            Some((keysets?, target))
        })?;
        Some(Transition::Select { keys, cases })
    }

    fn check_select_key(&mut self, key: &Expr) -> Option<()> {
        let fits = match &key.ty {
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error => true,
            Type::Variable(_) => true,
            ty => match self.def(ty) {
                Some(
                    TypeDefKind::Enum(_) | TypeDefKind::SerEnum { .. } | TypeDefKind::Newtype(_),
                ) => true,
                _ => false,
            },
        };
        if fits {
            return Some(());
        }
        let shown = self.show(&key.ty);
        self.error(key.span, format!("`select` is not defined for `{shown}`"))
    }

    fn select_case(
        &mut self,
        keyset: &'a [ast::Expr],
        types: &[Type],
        span: Span,
    ) -> Option<Vec<KeySet>> {
        if let [single] = keyset {
            if matches!(single.kind, ast::ExprKind::DontCare) {
                return Some(vec![KeySet::DontCare; types.len()]);
            }
            if let Some(set) = self.value_set_name(single) {
                return self
                    .select_value_set(set, types, single.span)
                    .map(|set| vec![set]);
            }
        }
        let keyset = match keyset {
            [ast::Expr {
                kind: ast::ExprKind::List { items, rest: false },
                ..
            }] if types.len() > 1 => items.as_slice(),
            _ => keyset,
        };
        if keyset.len() != types.len() {
            return self.error(
                span,
                format!(
                    "`select` has {} key{}, but the case has {}",
                    types.len(),
                    plural(types.len()),
                    keyset.len()
                ),
            );
        }
        let pairs: Vec<_> = keyset.iter().zip(types).collect();
        self.all(pairs, |c, (expr, ty)| c.keyset(expr, ty))
    }

    /// One value set for all keys: its element is their type, or a tuple or struct of theirs.
    fn select_value_set(&mut self, set: ValueSetId, types: &[Type], span: Span) -> Option<KeySet> {
        let element = self.ir.value_sets[set.index()].element.clone();
        let parts = match (&element, self.def(&element)) {
            (Type::Tuple(items), _) => items.clone(),
            (_, Some(TypeDefKind::Struct(fields))) => {
                fields.iter().map(|field| field.ty.clone()).collect()
            }
            _ => vec![element.clone()],
        };
        if parts == types {
            return Some(KeySet::ValueSet(set));
        }
        let (wanted, found) = (self.show(&Type::Tuple(types.to_vec())), self.show(&element));
        self.error(
            span,
            format!("the keys have the types of `{wanted}`, but the value set holds `{found}`"),
        )
    }
}
