// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: statements and the declarations among them.

use crate::ast::{self, BinaryOp, DeclKind};
use crate::check::calls::call::Called;
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::state::place::Body;
use crate::check::values::constant::Known;
use crate::ir::{Expr, ExprKind, Stmt, StmtKind, Type, Value, VarKind};
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// A block with a scope of its own. Continues after errors, to report all of them.
    pub fn block(&mut self, block: &'a ast::Block) -> Vec<Stmt> {
        self.in_scope(|c| c.statements(&block.statements))
    }

    pub fn statements(&mut self, statements: &'a [ast::Stmt]) -> Vec<Stmt> {
        let mut result = Vec::new();
        for statement in statements {
            self.statement(statement, &mut result);
        }
        result
    }

    /// One statement that may be a declaration only of a scope of its own: the branch of an `if`, the body of a loop.
    pub fn branch(&mut self, statement: &'a ast::Stmt) -> Vec<Stmt> {
        self.in_scope(|c| {
            let mut result = Vec::new();
            c.statement(statement, &mut result);
            result
        })
    }

    pub fn statement(&mut self, statement: &'a ast::Stmt, into: &mut Vec<Stmt>) {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StmtKind::Empty => return,
            ast::StmtKind::Decl(decl) => return self.local_decl(decl, into),
            ast::StmtKind::Assign { target, op, value } => self.assign(target, *op, value, span),
            ast::StmtKind::Call(call) => self.call_statement(call),
            ast::StmtKind::DirectApply { ty, args } => {
                self.constructed(ty).and_then(|(decl, type_args)| {
                    self.direct_apply(decl, type_args, args, span)
                        .map(StmtKind::Call)
                })
            }
            ast::StmtKind::Block(block) => Some(StmtKind::Block(self.block(block))),
            ast::StmtKind::If {
                condition,
                then,
                otherwise,
            } => return self.if_statement(condition, then, otherwise.as_deref(), span, into),
            ast::StmtKind::Switch { on, cases } => self.switch(on, cases, span),
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            ast::StmtKind::Exit => match self.place.body {
                Body::ControlApply | Body::Action => Some(StmtKind::Exit),
                body => self.error(
                    span,
                    format!("`exit` cannot be used in {}", body.describe()),
                ),
            },
            ast::StmtKind::For {
                init,
                condition,
                update,
                body,
                ..
            } => self.for_statement(init, condition, update, body),
            ast::StmtKind::ForIn {
                ty,
                variable,
                collection,
                body,
                ..
            } => self.for_in(ty.as_ref(), variable, collection, body, span),
            ast::StmtKind::Break if self.place.in_loop => Some(StmtKind::Break),
            ast::StmtKind::Continue if self.place.in_loop => Some(StmtKind::Continue),
            ast::StmtKind::Break => self.error(span, "`break` stands only in a loop"),
            ast::StmtKind::Continue => self.error(span, "`continue` stands only in a loop"),
        };
        if let Some(kind) = kind {
            into.push(Stmt { kind, span });
        }
    }

    fn assign(
        &mut self,
        target: &'a ast::Expr,
        op: Option<BinaryOp>,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        let target = self.expr(target, None)?;
        self.check_lvalue(&target)?;
        if let Type::Extern(..) | Type::Unknown = target.ty {
            let shown = self.types.show(&target.ty);
            return self.error(
                target.span,
                format!("a value of the type `{shown}` cannot be assigned"),
            );
        }
        let value = match op {
            None => self.typed(value, &target.ty)?,
            Some(op) => {
                let right = self.expr(value, None)?;
                let result = self.binary(op, target.clone(), right, span)?;
                self.convert(result, &target.ty)?
            }
        };
        Some(StmtKind::Assign(target, value))
    }

    fn call_statement(&mut self, expr: &'a ast::Expr) -> Option<StmtKind> {
        let ast::ExprKind::Call {
            callee,
            type_args,
            args,
        } = &expr.kind
        else {
            return self.error(expr.span, "expected a call");
        };
        match self.call(callee, type_args, args, expr.span)? {
            Called::Call(call) | Called::Table(call) => Some(StmtKind::Call(call)),
            // Calls that are only values have no effect: `h.isValid();`, `static_assert(...)`.
            Called::Value(_) => Some(StmtKind::Block(Vec::new())),
        }
    }

    fn if_statement(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        let condition = self.typed(condition, &Type::Bool);
        if let Some(ExprKind::Const(Value::Bool(taken))) = condition.as_ref().map(|c| &c.kind) {
            let branches = std::iter::once((then, *taken)).chain(otherwise.map(|o| (o, !taken)));
            branches.for_each(|(branch, taken)| self.check_hints(branch, taken));
        }
        let then = self.branch(then);
        let otherwise = otherwise
            .map(|otherwise| self.branch(otherwise))
            .unwrap_or_default();
        let Some(condition) = condition else {
            return;
        };
        let kind = match condition.kind {
            ExprKind::Const(Value::Bool(true)) => StmtKind::Block(then),
            ExprKind::Const(Value::Bool(false)) => StmtKind::Block(otherwise),
            _ => StmtKind::If {
                condition,
                then,
                otherwise,
            },
        };
        into.push(Stmt { kind, span });
    }

    /// A hint at how likely a branch is, which is always `taken` or never.
    fn check_hints(&mut self, branch: &ast::Stmt, taken: bool) {
        let ast::StmtKind::Block(block) = &branch.kind else {
            return;
        };
        let (wrong, how) = match taken {
            true => ("unlikely", "always"),
            false => ("likely", "never"),
        };
        for annotation in &block.annotations {
            if annotation.name.text == wrong {
                let message = format!("`@{wrong}` has no effect: this branch is {how} taken");
                self.warning(Warning::Branch, annotation.span, message);
            }
        }
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Option<StmtKind> {
        let Some(result) = self.place.result.clone() else {
            let body = self.place.body.describe();
            return self.error(span, format!("`return` cannot be used in {body}"));
        };
        match (value, result) {
            (None, Type::Void) => Some(StmtKind::Return(None)),
            (None, ty) => {
                let shown = self.types.show(&ty);
                self.error(
                    span,
                    format!("`return` must give a value of the type `{shown}`"),
                )
            }
            (Some(value), Type::Void) => self.error(
                value.span,
                format!("{} gives no value", self.place.body.describe()),
            ),
            (Some(value), ty) => Some(StmtKind::Return(Some(self.typed(value, &ty)?))),
        }
    }

    /// A declaration in a block, or among the declarations of a parser or control.
    pub fn local_decl(&mut self, decl: &'a ast::Decl, into: &mut Vec<Stmt>) {
        self.check_annotations(&decl.annotations);
        let entity = match &decl.kind {
            DeclKind::Variable { ty, value } => self.variable(decl, ty, value.as_ref(), into),
            DeclKind::Const { ty, value } => self.constant_decl(ty, value).map(Entity::Const),
            DeclKind::Instantiation { ty, args, body } => {
                self.instance_decl(decl, ty, args, body).map(Entity::Const)
            }
            _ => self.error(decl.span, "this declaration cannot stand here"),
        };
        self.declare(&decl.name, entity.unwrap_or(Entity::Broken));
    }

    fn variable(
        &mut self,
        decl: &'a ast::Decl,
        ty: &'a ast::Type,
        value: Option<&'a ast::Expr>,
        into: &mut Vec<Stmt>,
    ) -> Option<Entity<'a>> {
        let resolved = self.value_type(ty)?;
        if matches!(resolved, Type::InfInt | Type::String) {
            let shown = self.types.show(&resolved);
            return self.error(
                ty.span,
                format!("a variable cannot have the type `{shown}`: its values are known only at compile time"),
            );
        }
        let value = match value {
            Some(value) => Some(self.typed(value, &resolved)?),
            None => None,
        };
        let declared_as = self.scope.declared_as(ty);
        let id = self.new_var(
            &decl.name,
            resolved,
            VarKind::Local,
            &decl.annotations,
            declared_as,
        );
        into.push(Stmt {
            kind: StmtKind::Declare(id, value),
            span: decl.span,
        });
        Some(Entity::Var(id))
    }

    pub fn constant_decl(&mut self, ty: &'a ast::Type, value: &'a ast::Expr) -> Option<Expr> {
        let resolved = self.resolve_type(ty)?;
        if matches!(resolved, Type::Void | Type::Extern(..)) {
            let shown = self.types.show(&resolved);
            return self.error(
                ty.span,
                format!("a constant cannot have the type `{shown}`"),
            );
        }
        let value = self.typed(value, &resolved)?;
        if self.known(&value) == Known::RunTime {
            return self.error(
                value.span,
                "the value of a constant must be known at compile time",
            );
        }
        self.compile_time(value, "the value of a constant")
    }
}
