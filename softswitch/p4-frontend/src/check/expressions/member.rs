// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: `a.b`: fields, members of enums and of `error`, properties of stacks, results of `apply()`; and l-values.

use crate::ast::{self, Direction};
use crate::check::calls::call::Called;
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::state::place::{Body, ObjectKind};
use crate::check::values::constant::{constant, number};
use crate::ir::{Expr, ExprKind, Type, TypeDefKind, Value, VarKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn member(&mut self, base: &'a ast::Expr, name: &'a ast::Name, span: Span) -> Option<Expr> {
        if let Some(ty) = self.type_base(base) {
            return self.type_member(&ty?, name, span);
        }
        if let Some(table) = self.applied_table(base) {
            let kind = match (name.text.as_str(), table?) {
                ("hit", table) => ExprKind::TableHit(table),
                ("miss", table) => ExprKind::TableMiss(table),
                ("action_run", _) => {
                    return self.error(
                        span,
                        "`action_run` stands only in the head of a `switch` statement",
                    )
                }
                (other, _) => {
                    let message = format!("the result of `apply()` has no member `{other}`");
                    return self.unknown(name, message, ["hit", "miss", "action_run"]);
                }
            };
            return Some(Expr {
                kind,
                ty: Type::Bool,
                span,
            });
        }
        let base = self.expr(base, None)?;
        if let Type::Stack(element, size) = base.ty.clone() {
            return self.stack_member(base, *element, size, name, span);
        }
        let field = match self.types.def(&base.ty) {
            Some(
                TypeDefKind::Struct(fields)
                | TypeDefKind::Header(fields)
                | TypeDefKind::HeaderUnion(fields),
            ) => fields
                .iter()
                .position(|field| field.name == name.text)
                .map(|index| (index, fields[index].ty.clone())),
            _ => None,
        };
        match field {
            Some((index, ty)) => Some(self.field_expr(base, index, ty, span)),
            None => self.no_member(&base.ty, name),
        }
    }

    /// The type that the left side of a `.` names, if it names one.
    pub fn type_base(&mut self, base: &'a ast::Expr) -> Option<Option<Type>> {
        match &base.kind {
            ast::ExprKind::Type(ty) => Some(self.resolve_type(ty)),
            ast::ExprKind::Path(path) => match self.scope.find(path) {
                Some(Entity::Type(ty)) => Some(Some(ty)),
                _ => None,
            },
            _ => None,
        }
    }

    fn type_member(&mut self, ty: &Type, name: &ast::Name, span: Span) -> Option<Expr> {
        let value = match ty {
            Type::Error => self
                .ir
                .errors
                .iter()
                .position(|error| *error == name.text)
                .map(|index| Value::Error(index as u32)),
            Type::MatchKind if self.ir.match_kinds.contains(&name.text) => {
                Some(Value::MatchKind(name.text.clone()))
            }
            Type::Named(id) => match &self.types.defs[id.index()].kind {
                TypeDefKind::Enum(members) => members
                    .iter()
                    .position(|member| *member == name.text)
                    .map(|index| Value::Enum(*id, index as u32)),
                TypeDefKind::SerEnum { members, .. } => members
                    .iter()
                    .find(|(member, _)| *member == name.text)
                    .map(|(_, value)| Value::Int(value.clone())),
                _ => None,
            },
            _ => None,
        };
        match value {
            Some(value) => Some(constant(value, ty.clone(), span)),
            None => self.no_member(ty, name),
        }
    }

    /// The table in `t.apply()`.
    pub fn applied_table(&mut self, expr: &'a ast::Expr) -> Option<Option<crate::ir::TableId>> {
        let ast::ExprKind::Call {
            callee,
            type_args,
            args,
        } = &expr.kind
        else {
            return None;
        };
        let ast::ExprKind::Member(object, method) = &callee.kind else {
            return None;
        };
        let ast::ExprKind::Path(path) = &object.kind else {
            return None;
        };
        if method.text != "apply" || !matches!(self.scope.find(path), Some(Entity::Table(_))) {
            return None;
        }
        Some(match self.call(callee, type_args, args, expr.span) {
            Some(Called::Table(call)) => match call.callee {
                crate::ir::Callee::Table(table) => Some(table),
                _ => None,
            },
            _ => None,
        })
    }

    fn stack_member(
        &mut self,
        base: Expr,
        element: Type,
        size: u32,
        name: &ast::Name,
        span: Span,
    ) -> Option<Expr> {
        let in_parser =
            self.place.object == Some(ObjectKind::Parser) || self.place.body == Body::Function;
        let inner = Box::new(base);
        let is_header_stack = self.types.is_header_stack(&inner.ty);
        let (kind, ty) = match name.text.as_str() {
            other if other != "size" && !is_header_stack => {
                let shown = self.types.show(&inner.ty);
                return self.error(name.span, format!("`{shown}` has no member `{other}`"));
            }
            "size" => return Some(number(size, Type::Bit(32), span)),
            "next" => (ExprKind::StackNext(inner), element),
            "last" => (ExprKind::StackLast(inner), element),
            "lastIndex" => (ExprKind::StackLastIndex(inner), Type::Bit(32)),
            _ => return self.no_member(&inner.ty, name),
        };
        if !in_parser {
            return self.error(
                name.span,
                format!(
                    "`{}` of a header stack can be used only in a parser",
                    name.text
                ),
            );
        }
        Some(Expr { kind, ty, span })
    }

    /// Reports an error unless the expression can be written to.
    pub fn check_lvalue(&mut self, expr: &Expr) -> Option<()> {
        match self.why_read_only(expr) {
            None => Some(()),
            Some(why) => self.error(expr.span, why),
        }
    }

    fn why_read_only(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::DontCare => None,
            ExprKind::Var(id) if self.instances.opaque.contains(id) => Some(format!(
                "`{}` is a constructor parameter: it cannot be written",
                self.var(*id).name
            )),
            ExprKind::Var(id) => match self.var(*id).kind {
                VarKind::Param(Direction::In) => Some(format!(
                    "`{}` is an `in` parameter: it cannot be written",
                    self.var(*id).name
                )),
                VarKind::Param(Direction::None) => Some(format!(
                    "`{}` is a parameter without direction: it cannot be written",
                    self.var(*id).name
                )),
                _ => None,
            },
            ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Slice { base, .. } => {
                match (&expr.kind, &base.kind) {
                    (ExprKind::Slice { .. }, ExprKind::Binary(..)) => Some(
                        "a slice at a place known only at run time cannot be written".to_string(),
                    ),
                    _ => self.why_read_only(base),
                }
            }
            ExprKind::StackNext(base) | ExprKind::StackLast(base) => self.why_read_only(base),
            _ => Some(
                "expected something that can be written: a variable, or a part of one".to_string(),
            ),
        }
    }
}
