// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: `select`: its keys, its cases, and value sets among them.

use crate::ast;
use crate::check::checker::Checker;
use crate::diagnostics::plural;
use crate::ir::{Expr, KeySet, Transition, Type, TypeDefKind, Value, ValueSetId};
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    pub fn select(
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
            self.warning(
                Warning::ParserTransition,
                span,
                "a `select` without cases always ends in `reject`",
            );
        }
        let types: Vec<Type> = keys.iter().map(|key| key.ty.clone()).collect();
        let spans = cases.iter().map(|case| case.span);
        let cases = self.all(cases, |c, case| {
            let keysets = c.select_case(&case.keyset, &shape, &types, case.span);
            let target = c.target(&case.state, names)?;
            Some((keysets?, target))
        })?;
        let keysets = cases.iter().map(|(keysets, _)| keysets.as_slice());
        self.check_constant_select(&keys, keysets.zip(spans), span);
        Some(Transition::Select { keys, cases })
    }

    /// All is known of constant keys: the cases behind the one that they match, or that they match none.
    fn check_constant_select<'k>(
        &mut self,
        keys: &[Expr],
        cases: impl Iterator<Item = (&'k [KeySet], Span)>,
        span: Span,
    ) {
        let values: Option<Vec<Value>> = keys.iter().map(|key| self.value_of(key)).collect();
        let Some(values) = values.filter(|values| !values.is_empty()) else {
            return;
        };
        let mut cases = cases.peekable();
        if cases.peek().is_none() {
            return;
        }
        while let Some((keysets, _)) = cases.next() {
            let sets: Vec<Option<bool>> = keysets
                .iter()
                .zip(&values)
                .map(|(set, value)| self.contains(set, value))
                .collect();
            let matches = if sets.contains(&Some(false)) {
                Some(false)
            } else {
                (!sets.contains(&None)).then_some(true)
            };
            match matches {
                Some(false) => {}
                None => return,
                Some(true) => {
                    // Cases behind a default are unreachable for any keys.
                    if keysets.iter().all(|set| matches!(set, KeySet::DontCare)) {
                        return;
                    }
                    for (_, span) in cases {
                        let message = "this case is never taken: the keys are constants that match an earlier one";
                        self.warning(Warning::ParserTransition, span, message);
                    }
                    return;
                }
            }
        }
        let message = "no case matches these constants: the parser goes to reject";
        self.warning(Warning::ParserTransition, span, message);
    }

    /// `None` where it is not known at compile time.
    fn contains(&self, set: &KeySet, value: &Value) -> Option<bool> {
        let number = |e: &Expr| match self.value_of(e)? {
            Value::Int(number) => Some(number),
            _ => None,
        };
        match (set, value) {
            (KeySet::DontCare, _) => Some(true),
            (KeySet::Value(e), _) => Some(self.value_of(e)? == *value),
            (KeySet::Mask(e, mask), Value::Int(value)) => {
                let mask = number(mask)?;
                Some(number(e)? & &mask == value & &mask)
            }
            (KeySet::Range(low, high), Value::Int(value)) => {
                Some((number(low)?..=number(high)?).contains(value))
            }
            _ => None,
        }
    }

    fn check_select_key(&mut self, key: &Expr) -> Option<()> {
        let simple = matches!(
            key.ty,
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error | Type::Variable(_)
        );
        let fits = simple
            || matches!(
                self.types.def(&key.ty),
                Some(TypeDefKind::Enum(_) | TypeDefKind::SerEnum { .. } | TypeDefKind::Newtype(_))
            );
        if fits {
            return Some(());
        }
        let shown = self.types.show(&key.ty);
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
        self.types.flatten_type(&element, &mut parts);
        if parts == types {
            return Some(KeySet::ValueSet(set));
        }
        let (wanted, found) = (
            self.types.show(&Type::Tuple(types.to_vec())),
            self.types.show(&element),
        );
        self.error(
            span,
            format!("the keys have the types of `{wanted}`, but the value set holds `{found}`"),
        )
    }
}

/// The nesting of the keys of a `select` in lists.
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
