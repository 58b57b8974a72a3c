// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: expressions in braces: lists, records, `{#}` and `...`.

use crate::ast;
use crate::check::checker::Checker;
use crate::check::state::types::Origin;
use crate::diagnostics::plural;
use crate::ir::{Expr, ExprKind, Field, Type, TypeDef, TypeDefKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// `{a, b}` and `{a, b, ...}`.
    pub fn list_expr(
        &mut self,
        items: &'a [ast::Expr],
        rest: bool,
        span: Span,
        expected: Option<&Type>,
    ) -> Option<Expr> {
        let expected = expected.map(|ty| self.resolved(ty));
        let types = expected
            .as_ref()
            .filter(|_| {
                !expected
                    .as_ref()
                    .is_some_and(|ty| self.types.is_unknown_struct(ty))
            })
            .and_then(|ty| self.types.element_types(ty, items.len()));
        let Some(types) = types else {
            if rest {
                return self.no_type_for_default(span, expected.as_ref());
            }
            let items = self.all(items, |c, item| c.expr(item, None))?;
            let ty = Type::Tuple(items.iter().map(|item| item.ty.clone()).collect());
            return Some(aggregate(items, ty, span));
        };
        let ty = expected.expect("element types come from it");
        self.check_count(&ty, types.len(), items.len(), rest, span)?;
        let has_fields = self.types.struct_fields(&ty).is_some();
        let mut values = Vec::new();
        let mut failed = false;
        for (item, ty) in items.iter().zip(&types) {
            let value = self.expr(item, Some(ty));
            match value.and_then(|value| self.element(value, ty, has_fields)) {
                Some(value) => values.push(value),
                None => failed = true,
            }
        }
        if failed {
            return None;
        }
        for ty in &types[items.len()..] {
            values.push(self.default_or_error(ty, span)?);
        }
        Some(aggregate(values, ty, span))
    }

    /// An element as a value of its type. For a field, p4c has the type of the element be that of the field, but for numbers
    /// without a width: it does not cast an enum to the number that stands for it.
    fn element(&mut self, value: Expr, ty: &Type, of_field: bool) -> Option<Expr> {
        let found = self.resolved(&value.ty);
        if of_field && self.types.serializable(&found) == Some(self.resolved(ty)) {
            let (found, wanted) = (self.types.show(&found), self.types.show(ty));
            return self.error(
                value.span,
                format!("expected `{wanted}`, found `{found}`, which a list does not cast by itself: write `({wanted})`"),
            );
        }
        self.convert(value, ty)
    }

    fn check_count(
        &mut self,
        ty: &Type,
        wanted: usize,
        found: usize,
        rest: bool,
        span: Span,
    ) -> Option<()> {
        if found == wanted || (rest && found < wanted) {
            return Some(());
        }
        let shown = self.types.show(ty);
        self.error(
            span,
            format!(
                "`{shown}` has {wanted} element{}, but the list has {found}",
                plural(wanted)
            ),
        )
    }

    /// `{a = 1, b = 2}` and `{a = 1, ...}`.
    pub fn record_expr(
        &mut self,
        fields: &'a [(ast::Name, ast::Expr)],
        rest: bool,
        span: Span,
        expected: Option<&Type>,
    ) -> Option<Expr> {
        for (index, (name, _)) in fields.iter().enumerate() {
            if fields[..index]
                .iter()
                .any(|(other, _)| other.text == name.text)
            {
                return self.error(name.span, format!("field `{}` is given twice", name.text));
            }
        }
        let expected = expected.map(|ty| self.resolved(ty));
        let declared = expected
            .as_ref()
            .filter(|ty| !self.types.is_unknown_struct(ty))
            .and_then(|ty| self.types.struct_fields(ty).cloned());
        let (Some(ty), Some(declared)) = (&expected, declared) else {
            if rest {
                return self.no_type_for_default(span, expected.as_ref());
            }
            let values = self.all(fields, |c, (_, value)| c.expr(value, None))?;
            let fields = fields.iter().zip(&values).map(|((name, _), value)| Field {
                name: name.text.clone(),
                ty: value.ty.clone(),
                annotations: Vec::new(),
                declared_as: None,
            });
            let ty = self.unknown_struct(fields.collect(), span);
            return Some(aggregate(values, ty, span));
        };
        let shown = self.types.show(ty);
        for (name, _) in fields {
            if !declared.iter().any(|field| field.name == name.text) {
                let message = format!("`{shown}` has no field `{}`", name.text);
                let known = declared.iter().map(|field| field.name.as_str());
                return self.unknown(name, message, known);
            }
        }
        let values = self.all(&declared, |c, field| {
            match fields.iter().find(|(name, _)| name.text == field.name) {
                Some((_, value)) => {
                    let value = c.expr(value, Some(&field.ty))?;
                    c.element(value, &field.ty, true)
                }
                None if rest => c.default_or_error(&field.ty, span),
                None => c.error(
                    span,
                    format!("field `{}` of `{shown}` has no value", field.name),
                ),
            }
        })?;
        Some(aggregate(values, ty.clone(), span))
    }

    fn unknown_struct(&mut self, fields: Vec<Field>, span: Span) -> Type {
        let shown = fields
            .iter()
            .map(|f| f.name.clone())
            .collect::<Vec<_>>()
            .join(", ");
        let def = TypeDef {
            name: format!("{{{shown}}}"),
            annotations: Vec::new(),
            kind: TypeDefKind::Struct(fields),
            span,
        };
        let id = self.types.add(def, None::<Origin<'a>>);
        self.types.unknown_structs.insert(id);
        Type::Named(id)
    }

    fn no_type_for_default<T>(&mut self, span: Span, expected: Option<&Type>) -> Option<T> {
        match expected {
            Some(ty) => {
                let shown = self.types.show(ty);
                self.error(
                    span,
                    format!("`...` cannot make a value of the type `{shown}`"),
                )
            }
            None => self.error(
                span,
                "`...` stands here without a type that says what the default is: add a cast",
            ),
        }
    }

    /// `{#}`.
    pub fn invalid_expr(&mut self, span: Span, expected: Option<&Type>) -> Expr {
        let ty = expected
            .map(|ty| self.resolved(ty))
            .filter(|ty| self.types.can_be_invalid(ty));
        Expr {
            kind: ExprKind::Invalid,
            ty: ty.unwrap_or(Type::Unknown),
            span,
        }
    }

    /// `...` alone.
    pub fn default_expr(&mut self, span: Span, expected: Option<&Type>) -> Option<Expr> {
        match expected.map(|ty| self.resolved(ty)) {
            Some(ty) if !self.types.is_open(&ty) => self.default_or_error(&ty, span),
            expected => self.no_type_for_default(span, expected.as_ref()),
        }
    }

    fn default_or_error(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        match self.default_value(ty, span) {
            Some(value) => Some(value),
            None => {
                let shown = self.types.show(ty);
                self.error(span, format!("the type `{shown}` has no default value"))
            }
        }
    }

    /// Converts a list or record expression without a type yet to `target`.
    pub fn fill(&mut self, expr: Expr, target: &Type) -> Option<Result<Expr, Expr>> {
        let ExprKind::Aggregate(items) = expr.kind else {
            return Some(Err(expr));
        };
        let span = expr.span;
        let unfilled = |items| {
            Some(Err(Expr {
                kind: ExprKind::Aggregate(items),
                ty: expr.ty.clone(),
                span,
            }))
        };
        let values = match self.types.is_unknown_struct(&expr.ty) {
            true => {
                let (Some(given), Some(declared)) = (
                    self.types.struct_fields(&expr.ty).cloned(),
                    self.types.struct_fields(target).cloned(),
                ) else {
                    return unfilled(items);
                };
                self.fill_by_name(items, &given, &declared, target, span)?
            }
            false => {
                let Some(types) = self.types.element_types(target, items.len()) else {
                    return unfilled(items);
                };
                self.check_count(target, types.len(), items.len(), false, span)?;
                let has_fields = self.types.struct_fields(target).is_some();
                let mut values = Vec::new();
                for (item, ty) in items.into_iter().zip(&types) {
                    values.push(self.element(item, ty, has_fields)?);
                }
                values
            }
        };
        Some(Ok(aggregate(values, target.clone(), span)))
    }

    fn fill_by_name(
        &mut self,
        items: Vec<Expr>,
        given: &[Field],
        declared: &[Field],
        target: &Type,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let shown = self.types.show(target);
        if let Some(extra) = given
            .iter()
            .find(|g| !declared.iter().any(|d| d.name == g.name))
        {
            return self.error(span, format!("`{shown}` has no field `{}`", extra.name));
        }
        let mut items: Vec<_> = items.into_iter().map(Some).collect();
        let mut values = Vec::new();
        for field in declared {
            let position = given.iter().position(|g| g.name == field.name);
            match position.and_then(|index| items[index].take()) {
                Some(item) => values.push(self.element(item, &field.ty, true)?),
                None => {
                    return self.error(
                        span,
                        format!("field `{}` of `{shown}` has no value", field.name),
                    )
                }
            }
        }
        Some(values)
    }

    /// Maps over all items, so that the errors of each are reported, and fails if one failed.
    pub fn all<I, T>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut check: impl FnMut(&mut Self, I) -> Option<T>,
    ) -> Option<Vec<T>> {
        let results: Vec<_> = items.into_iter().map(|item| check(self, item)).collect();
        results.into_iter().collect()
    }
}

fn aggregate(items: Vec<Expr>, ty: Type, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Aggregate(items),
        ty,
        span,
    }
}
