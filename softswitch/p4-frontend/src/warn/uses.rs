// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of [`Walk`]: statements, expressions and types, which use names.

use super::annotations::strings;
use super::unused::Walk;
use crate::ast::{
    self, Argument, Block, Expr, ExprKind, PropertyValue, StmtKind, Transition, Type, TypeKind,
};
use crate::warnings::Warning;

impl<'a> Walk<'a, '_, '_> {
    pub(super) fn property(&mut self, property: &'a ast::TableProperty) {
        match &property.value {
            PropertyValue::Key(keys) => keys.iter().for_each(|key| self.expr(&key.expr)),
            PropertyValue::Actions(actions) => {
                actions.iter().for_each(|action| self.action(action));
            }
            PropertyValue::Entries(entries) => {
                for entry in entries {
                    entry.priority.iter().for_each(|value| self.expr(value));
                    entry.keyset.iter().for_each(|key| self.expr(key));
                    self.action(&entry.action);
                }
            }
            PropertyValue::Expr(value) => self.expr(value),
        }
    }

    fn used(&mut self, path: &'a ast::Path) {
        let Some(deprecated) = self.names.mark(path) else {
            return;
        };
        let instead = strings(deprecated).unwrap_or_default().concat();
        let mut message = format!("`{}` is deprecated", path.name.text);
        if !instead.is_empty() {
            message = format!("{message}: {instead}");
        }
        self.report
            .warning(Warning::Deprecated, path.name.span, message);
    }

    fn action(&mut self, action: &'a ast::ActionRef) {
        self.used(&action.path);
        self.args(&action.args);
    }

    pub(super) fn state(&mut self, state: &'a ast::State) {
        self.scope(|walk| {
            walk.statements(&state.statements);
            if let Transition::Select { keys, cases, .. } = &state.transition {
                keys.iter().for_each(|key| walk.expr(key));
                let keysets = cases.iter().flat_map(|case| &case.keyset);
                keysets.for_each(|key| walk.expr(key));
            }
        });
    }

    pub(super) fn block(&mut self, block: &'a Block) {
        self.scope(|walk| walk.statements(&block.statements));
    }

    fn statements(&mut self, statements: &'a [ast::Stmt]) {
        statements.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &'a ast::Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Exit | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Assign { target, value, .. } => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Call(call) => self.expr(call),
            StmtKind::DirectApply { ty, args } => {
                self.ty(ty);
                self.args(args);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.scope(|walk| walk.statement(then));
                if let Some(otherwise) = otherwise {
                    self.scope(|walk| walk.statement(otherwise));
                }
            }
            StmtKind::Switch { on, cases } => {
                self.expr(on);
                for case in cases {
                    case.label.iter().for_each(|label| self.expr(label));
                    case.body.iter().for_each(|body| self.block(body));
                }
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::For {
                init,
                condition,
                update,
                body,
                ..
            } => self.scope(|walk| {
                walk.statements(init);
                walk.expr(condition);
                walk.statements(update);
                walk.scope(|walk| walk.statement(body));
            }),
            StmtKind::ForIn {
                ty,
                variable,
                collection,
                body,
                ..
            } => self.scope(|walk| {
                walk.expr(collection);
                if let Some(ty) = ty {
                    walk.ty(ty);
                    walk.declare(variable, None, &[]);
                }
                walk.names.mark_name(variable, false);
                walk.scope(|walk| walk.statement(body));
            }),
        }
    }

    pub(super) fn args(&mut self, args: &'a [Argument]) {
        let values = args.iter().filter_map(|arg| arg.value.as_ref());
        values.for_each(|value| self.expr(value));
    }

    fn exprs(&mut self, items: &'a [Expr]) {
        items.iter().for_each(|item| self.expr(item));
    }

    pub(super) fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Path(path) => self.used(path),
            ExprKind::Type(ty) => self.ty(ty),
            ExprKind::Member(base, _) | ExprKind::Unary(_, base) => self.expr(base),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Mask(a, b)
            | ExprKind::Range(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Slice { base, hi, lo } => {
                self.expr(base);
                self.expr(hi);
                self.expr(lo);
            }
            ExprKind::PlusSlice { base, lo, width } => {
                self.expr(base);
                self.expr(lo);
                self.expr(width);
            }
            ExprKind::List { items, .. } => self.exprs(items),
            ExprKind::Record { fields, .. } => {
                fields.iter().for_each(|(_, value)| self.expr(value));
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Cast(ty, value) => {
                self.ty(ty);
                self.expr(value);
            }
            ExprKind::Call {
                callee,
                type_args,
                args,
            } => {
                self.expr(callee);
                type_args.iter().for_each(|ty| self.ty(ty));
                self.args(args);
            }
            ExprKind::Bool(_)
            | ExprKind::Integer { .. }
            | ExprKind::String(_)
            | ExprKind::This
            | ExprKind::Invalid
            | ExprKind::Default
            | ExprKind::DontCare => {}
        }
    }

    pub(super) fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Bit(Some(width)) | TypeKind::Int(width) | TypeKind::Varbit(width) => {
                self.expr(width);
            }
            TypeKind::Named(path) => self.used(path),
            TypeKind::Specialized(path, args) => {
                self.used(path);
                args.iter().for_each(|arg| self.ty(arg));
            }
            TypeKind::Stack(element, size) => {
                self.ty(element);
                self.expr(size);
            }
            TypeKind::Tuple(items) => items.iter().for_each(|item| self.ty(item)),
            TypeKind::List(element) => self.ty(element),
            _ => {}
        }
    }
}
