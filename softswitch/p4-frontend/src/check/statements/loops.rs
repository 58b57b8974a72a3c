// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: `for` loops. A loop over a range, stack or list becomes one that counts.

use num_bigint::BigInt;

use crate::ast::{self, BinaryOp};
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::values::constant::{bits_needed, constant, number};
use crate::ir::{Expr, ExprKind, Stmt, StmtKind, Type, Value, VarId, VarKind};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn for_statement(
        &mut self,
        init: &'a [ast::Stmt],
        condition: &'a ast::Expr,
        update: &'a [ast::Stmt],
        body: &'a ast::Stmt,
    ) -> Option<StmtKind> {
        self.in_scope(|c| {
            let init = c.statements(init);
            let condition = c.typed(condition, &Type::Bool);
            let update = c.statements(update);
            let body = c.loop_body(body);
            Some(StmtKind::For {
                init,
                condition: condition?,
                update,
                body,
            })
        })
    }

    fn loop_body(&mut self, body: &'a ast::Stmt) -> Vec<Stmt> {
        let outer = std::mem::replace(&mut self.place.in_loop, true);
        let body = self.branch(body);
        self.place.in_loop = outer;
        body
    }

    pub fn for_in(
        &mut self,
        ty: Option<&'a ast::Type>,
        variable: &'a ast::Name,
        collection: &'a ast::Expr,
        body: &'a ast::Stmt,
        span: Span,
    ) -> Option<StmtKind> {
        self.in_scope(|c| {
            let mut statements = Vec::new();
            let id = match ty {
                Some(ty) => {
                    let resolved = c.value_type(ty)?;
                    let declared_as = c.scope.declared_as(ty);
                    let id = c.new_var(variable, resolved, VarKind::Local, &[], declared_as);
                    statements.push(stmt(StmtKind::Declare(id, None), span));
                    id
                }
                None => {
                    let path = ast::Path {
                        absolute: false,
                        name: variable.clone(),
                    };
                    match c.lookup(&path)? {
                        Entity::Var(id) => {
                            let target = c.var_expr(id, variable.span);
                            c.check_lvalue(&target)?;
                            id
                        }
                        other => {
                            return c.error(
                                variable.span,
                                format!(
                                    "expected a variable, but `{}` is {}",
                                    variable.text,
                                    other.describe()
                                ),
                            )
                        }
                    }
                }
            };
            let counting = match &collection.kind {
                ast::ExprKind::Range(low, high) => {
                    c.over_range(id, low, high, &mut statements, span)
                }
                _ => c.over_elements(id, collection, &mut statements, span),
            };
            if ty.is_some() {
                c.scope
                    .locals
                    .last_mut()?
                    .insert(variable.text.clone(), Entity::Var(id));
            }
            let body = c.loop_body(body);
            let mut counting = counting?;
            counting.first.extend(body);
            statements.push(stmt(
                StmtKind::For {
                    init: vec![counting.init],
                    condition: counting.condition,
                    update: vec![counting.update],
                    body: counting.first,
                },
                span,
            ));
            Some(StmtKind::Block(statements))
        })
    }

    /// `for (x in low .. high)`: the counter has one bit more, so that it can pass the last value.
    fn over_range(
        &mut self,
        id: VarId,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
        statements: &mut Vec<Stmt>,
        span: Span,
    ) -> Option<Counting> {
        let ty = self.var(id).ty.clone();
        let low = self.typed(low, &ty)?;
        let high = self.typed(high, &ty)?;
        let wide = match self.types.representation(&ty) {
            Type::Bit(width) => Type::Bit(width + 1),
            Type::Int(width) => Type::Int(width + 1),
            _ => {
                let shown = self.types.show(&ty);
                return self.error(span, format!("a range cannot be of `{shown}`"));
            }
        };
        let low = self.counter_value(low, &ty, &wide);
        let high = self.counter_value(high, &ty, &wide);
        let high = match self.value_of(&high) {
            Some(_) => high,
            // The bound is evaluated once, before the loop.
            None => {
                let bound = self.counter("bound", &wide, span);
                statements.push(stmt(StmtKind::Declare(bound, Some(high)), span));
                self.var_expr(bound, span)
            }
        };
        let counter = self.counter(&self.var(id).name.clone(), &wide, span);
        let narrowed = self.counter_value(self.var_expr(counter, span), &wide, &ty);
        let first = vec![stmt(
            StmtKind::Assign(self.var_expr(id, span), narrowed),
            span,
        )];
        Some(self.counting(counter, low, BinaryOp::Le, high, first, span))
    }

    /// Casts between the type of the variable and the wider one of the counter, one allowed step at a time.
    fn counter_value(&self, expr: Expr, from: &Type, to: &Type) -> Expr {
        let span = expr.span;
        if let ExprKind::Const(value) = expr.kind {
            return constant(value, to.clone(), span);
        }
        let mut expr = expr;
        for step in [
            self.types.representation(from),
            self.types.representation(to),
            to.clone(),
        ] {
            if expr.ty != step {
                expr = Expr {
                    kind: ExprKind::Cast(Box::new(expr)),
                    ty: step,
                    span,
                };
            }
        }
        expr
    }

    /// `for (x in stack)` and `for (x in (list<T>){...})`.
    fn over_elements(
        &mut self,
        id: VarId,
        collection: &'a ast::Expr,
        statements: &mut Vec<Stmt>,
        span: Span,
    ) -> Option<Counting> {
        let ty = self.var(id).ty.clone();
        let collection = self.expr(collection, None)?;
        let (element, count) = match (&collection.ty, &collection.kind) {
            (Type::Stack(element, size), _) => ((**element).clone(), *size as usize),
            (Type::List(element), ExprKind::Aggregate(items)) => ((**element).clone(), items.len()),
            (Type::List(element), ExprKind::Const(Value::Aggregate(items))) => {
                ((**element).clone(), items.len())
            }
            _ => {
                let shown = self.types.show(&collection.ty);
                return self.error(
                    collection.span,
                    format!(
                        "`for` runs over a range, an array, a header stack or a list, not over `{shown}`"
                    ),
                );
            }
        };
        if element != ty {
            let (wanted, found) = (self.types.show(&element), self.types.show(&ty));
            return self.error(
                span,
                format!("the loop variable must have the type `{wanted}`, not `{found}`"),
            );
        }
        let wide = Type::Bit(bits_needed(&BigInt::from(count)).max(32));
        let counter = self.counter("element", &wide, span);
        let target = self.var_expr(id, span);
        let index = self.var_expr(counter, span);
        let first = match collection.kind {
            _ if matches!(collection.ty, Type::Stack(..)) => {
                let item = Expr {
                    ty,
                    kind: ExprKind::Index(Box::new(collection), Box::new(index)),
                    span,
                };
                vec![stmt(StmtKind::Assign(target, item), span)]
            }
            ExprKind::Aggregate(items) => self.pick(target, index, items, statements, span),
            ExprKind::Const(Value::Aggregate(items)) => {
                let items = items
                    .into_iter()
                    .map(|item| constant(item, ty.clone(), span))
                    .collect();
                self.pick(target, index, items, statements, span)
            }
            _ => return None,
        };
        let low = number(0, wide.clone(), span);
        let high = number(count, wide, span);
        Some(self.counting(counter, low, BinaryOp::Lt, high, first, span))
    }

    /// Assigns the list element whose number the counter has; elements are evaluated once, before the loop.
    fn pick(
        &mut self,
        target: Expr,
        index: Expr,
        items: Vec<Expr>,
        statements: &mut Vec<Stmt>,
        span: Span,
    ) -> Vec<Stmt> {
        let mut chosen = Vec::new();
        for (position, item) in items.into_iter().enumerate() {
            let item = match self.value_of(&item) {
                Some(_) => item,
                None => {
                    let copy = self.counter("item", &item.ty, span);
                    statements.push(stmt(StmtKind::Declare(copy, Some(item)), span));
                    self.var_expr(copy, span)
                }
            };
            let is_this = Expr {
                kind: ExprKind::Binary(
                    BinaryOp::Eq,
                    Box::new(index.clone()),
                    Box::new(number(position, index.ty.clone(), span)),
                ),
                ty: Type::Bool,
                span,
            };
            chosen.push(stmt(
                StmtKind::If {
                    condition: is_this,
                    then: vec![stmt(StmtKind::Assign(target.clone(), item), span)],
                    otherwise: Vec::new(),
                },
                span,
            ));
        }
        chosen
    }

    fn counting(
        &self,
        counter: VarId,
        low: Expr,
        op: BinaryOp,
        high: Expr,
        first: Vec<Stmt>,
        span: Span,
    ) -> Counting {
        let variable = self.var_expr(counter, span);
        let wide = variable.ty.clone();
        let binary = |op, right, ty| Expr {
            kind: ExprKind::Binary(op, Box::new(variable.clone()), Box::new(right)),
            ty,
            span,
        };
        let next = binary(BinaryOp::Add, number(1, wide.clone(), span), wide);
        Counting {
            init: stmt(StmtKind::Declare(counter, Some(low)), span),
            condition: binary(op, high, Type::Bool),
            update: stmt(StmtKind::Assign(variable.clone(), next), span),
            first,
        }
    }

    fn counter(&mut self, name: &str, ty: &Type, span: Span) -> VarId {
        let name = ast::Name {
            text: format!("{name}$"),
            span,
        };
        self.new_var(&name, ty.clone(), VarKind::Local, &[], None)
    }

    pub fn var_expr(&self, id: VarId, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Var(id),
            ty: self.var(id).ty.clone(),
            span,
        }
    }
}

/// The parts of a loop that counts, and the first statements of its body.
struct Counting {
    init: Stmt,
    condition: Expr,
    update: Stmt,
    first: Vec<Stmt>,
}

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}
