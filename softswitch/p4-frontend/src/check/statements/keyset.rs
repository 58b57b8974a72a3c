// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: key sets of `select` cases and table entries.

use crate::ast::{self, ExprKind};
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::state::place::ObjectKind;
use crate::check::values::constant::Known;
use crate::ir::{Expr, KeySet, Type, Value, ValueSetId};
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// One element of a key set, for a key of the given type.
    pub fn keyset(&mut self, expr: &'a ast::Expr, ty: &Type) -> Option<KeySet> {
        match &expr.kind {
            ExprKind::DontCare => Some(KeySet::DontCare),
            ExprKind::Mask(value, mask) => {
                let (value, mask) = self.numeric_pair(value, mask, ty, "&&&")?;
                Some(KeySet::Mask(value, mask))
            }
            ExprKind::Range(low, high) => {
                let (low, high) = self.numeric_pair(low, high, ty, "..")?;
                if let (Some(Value::Int(a)), Some(Value::Int(b))) =
                    (self.value_of(&low), self.value_of(&high))
                {
                    if a > b {
                        self.warning(
                            Warning::Invalid,
                            expr.span,
                            format!("the range {a}..{b} is empty"),
                        );
                    }
                }
                Some(KeySet::Range(low, high))
            }
            // Parentheses around one element.
            ExprKind::List { items, rest: false } if items.len() == 1 && self.is_simple(ty) => self
                .error(
                    expr.span,
                    "a list of one element is not a key set for a single value",
                ),
            _ => {
                if let Some(set) = self.value_set_name(expr) {
                    let element = self.ir.value_sets[set.index()].element.clone();
                    if element != *ty {
                        let (wanted, found) = (self.types.show(ty), self.types.show(&element));
                        return self.error(
                            expr.span,
                            format!("expected `{wanted}`, but the value set holds `{found}`"),
                        );
                    }
                    return Some(KeySet::ValueSet(set));
                }
                Some(KeySet::Value(self.key_value(expr, ty)?))
            }
        }
    }

    fn is_simple(&self, ty: &Type) -> bool {
        matches!(ty, Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error)
    }

    fn numeric_pair(
        &mut self,
        first: &'a ast::Expr,
        second: &'a ast::Expr,
        ty: &Type,
        symbol: &str,
    ) -> Option<(Expr, Expr)> {
        let number = self.types.representation(ty);
        if !matches!(number, Type::Bit(_) | Type::Int(_)) {
            let shown = self.types.show(ty);
            return self.error(
                first.span.to(second.span),
                format!("`{symbol}` is not defined for a key of `{shown}`"),
            );
        }
        let first = self.key_number(first, ty, &number);
        let second = self.key_number(second, ty, &number);
        Some((first?, second?))
    }

    /// A bound or mask: of the key's own type, or a number that is cast to it.
    fn key_number(&mut self, expr: &'a ast::Expr, ty: &Type, number: &Type) -> Option<Expr> {
        if ty == number {
            return self.key_value(expr, ty);
        }
        let value = self.expr(expr, None)?;
        let value = match value.ty == *ty {
            true => value,
            false => {
                let value = self.convert(value, number)?;
                self.explicit_cast(value, ty, expr.span)?
            }
        };
        self.known_key(value)
    }

    fn known_key(&mut self, value: Expr) -> Option<Expr> {
        // The keys of a `select` are compared in the parser, entries are put into a table before.
        let is_parser = self.place.object == Some(ObjectKind::Parser);
        let computes = is_parser && self.rules.parsers_compute_keys;
        match self.known(&value) {
            Known::RunTime if !computes => {
                self.not_supported(value.span, "a key set that is known only at run time")
            }
            _ => Some(value),
        }
    }

    fn key_value(&mut self, expr: &'a ast::Expr, ty: &Type) -> Option<Expr> {
        let value = self.typed(expr, ty)?;
        self.known_key(value)
    }

    pub fn value_set_name(&self, expr: &ast::Expr) -> Option<ValueSetId> {
        match &expr.kind {
            ExprKind::Path(path) => match self.scope.find(path) {
                Some(Entity::ValueSet(set)) => Some(set),
                _ => None,
            },
            _ => None,
        }
    }
}
