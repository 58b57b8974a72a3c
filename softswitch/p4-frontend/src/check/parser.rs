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
        type_args: &[Type],
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
            c.bind_type_params(decl, type_args);
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
        let shape: Vec<Shape> = keys.iter().map(Shape::of).collect();
        let keys: Vec<&'a ast::Expr> = keys.iter().flat_map(leaves).collect();
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
            let keysets = c.select_case(&case.keyset, &shape, &types, case.span);
            let target = c.target(&case.state, names)?;
            Some((keysets?, target))
        })?;
        Some(Transition::Select { keys, cases })
    }

    fn check_select_key(&mut self, key: &Expr) -> Option<()> {
        let simple = matches!(
            key.ty,
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error | Type::Variable(_)
        );
        let fits = simple
            || matches!(
                self.def(&key.ty),
                Some(TypeDefKind::Enum(_) | TypeDefKind::SerEnum { .. } | TypeDefKind::Newtype(_))
            );
        if fits {
            return Some(());
        }
        let shown = self.show(&key.ty);
        self.error(key.span, format!("`select` is not defined for `{shown}`"))
    }

    fn select_case(
        &mut self,
        keyset: &'a [ast::Expr],
        shape: &[Shape],
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
        // `select({a, b})` and `select(a, b)` are the same, and so are their cases.
        let keyset = match (keyset, shape) {
            ([expr], [Shape::List(_)]) if !is_list(expr) => {
                return self.arity(types.len(), 1, span)
            }
            ([expr], [_, _, ..]) if is_list(expr) => elements(expr),
            _ => keyset,
        };
        let mut flat = Vec::new();
        self.flatten_case(keyset, shape, &mut flat, span)?;
        let pairs: Vec<_> = flat.into_iter().zip(types).collect();
        self.all(pairs, |c, (expr, ty)| match expr {
            Some(expr) => c.keyset(expr, ty),
            None => Some(KeySet::DontCare),
        })
    }

    fn arity<T>(&mut self, wanted: usize, found: usize, span: Span) -> Option<T> {
        self.error(
            span,
            format!(
                "`select` has {wanted} key{}, but the case has {found}",
                plural(wanted)
            ),
        )
    }

    /// Key sets in the order of the keys' leaves; `None` is don't care.
    fn flatten_case(
        &mut self,
        keyset: &'a [ast::Expr],
        shape: &[Shape],
        flat: &mut Vec<Option<&'a ast::Expr>>,
        span: Span,
    ) -> Option<()> {
        if keyset.len() != shape.len() {
            return self.arity(shape.len(), keyset.len(), span);
        }
        for (expr, shape) in keyset.iter().zip(shape) {
            match shape {
                Shape::Leaf => flat.push(Some(expr)),
                Shape::List(_) if matches!(expr.kind, ast::ExprKind::DontCare) => {
                    flat.extend(vec![None; shape.count()]);
                }
                Shape::List(inner) if is_list(expr) => {
                    self.flatten_case(elements(expr), inner, flat, expr.span)?;
                }
                Shape::List(_) => return self.error(expr.span, "expected a list of key sets"),
            }
        }
        Some(())
    }

    /// One value set for all keys: its element is their type, or a tuple or struct of theirs.
    fn select_value_set(&mut self, set: ValueSetId, types: &[Type], span: Span) -> Option<KeySet> {
        let element = self.ir.value_sets[set.index()].element.clone();
        let mut parts = Vec::new();
        self.flatten_type(&element, &mut parts);
        if parts == types {
            return Some(KeySet::ValueSet(set));
        }
        let (wanted, found) = (self.show(&Type::Tuple(types.to_vec())), self.show(&element));
        self.error(
            span,
            format!("the keys have the types of `{wanted}`, but the value set holds `{found}`"),
        )
    }

    fn flatten_type(&self, ty: &Type, parts: &mut Vec<Type>) {
        match (ty, self.def(ty)) {
            (Type::Tuple(items), _) => items.iter().for_each(|item| self.flatten_type(item, parts)),
            (_, Some(TypeDefKind::Struct(fields))) => {
                fields
                    .iter()
                    .for_each(|field| self.flatten_type(&field.ty, parts));
            }
            _ => parts.push(ty.clone()),
        }
    }
}

/// How the keys of a `select` are nested in lists.
enum Shape {
    Leaf,
    List(Vec<Shape>),
}

impl Shape {
    fn of(expr: &ast::Expr) -> Shape {
        match is_list(expr) {
            true => Shape::List(elements(expr).iter().map(Shape::of).collect()),
            false => Shape::Leaf,
        }
    }

    fn count(&self) -> usize {
        match self {
            Shape::Leaf => 1,
            Shape::List(inner) => inner.iter().map(Shape::count).sum(),
        }
    }
}

fn is_list(expr: &ast::Expr) -> bool {
    matches!(expr.kind, ast::ExprKind::List { rest: false, .. })
}

fn elements(expr: &ast::Expr) -> &[ast::Expr] {
    match &expr.kind {
        ast::ExprKind::List { items, .. } => items,
        _ => &[],
    }
}

fn leaves(expr: &ast::Expr) -> Vec<&ast::Expr> {
    match is_list(expr) {
        true => elements(expr).iter().flat_map(leaves).collect(),
        false => vec![expr],
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
