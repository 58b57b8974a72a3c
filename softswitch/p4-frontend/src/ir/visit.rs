// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Visiting code: each piece in the order in which the source has it.
//!
//! A pass implements the methods of [`Visitor`] for the pieces that it looks at, and calls the function of the same
//! piece (`call` for [`Visitor::call`]) to go on into the parts. Nothing here follows a call into the code that is
//! called: whether and how often to follow differs from pass to pass.

use super::{
    Call, Callee, Control, Expr, ExprKind, KeySet, Parser, Stmt, StmtKind, Table, TableId,
    Transition,
};
use crate::span::Span;

pub trait Visitor<'p> {
    fn statement(&mut self, stmt: &'p Stmt) {
        statement(self, stmt);
    }

    /// Statements that run or not: the branches of `if` and `switch`.
    fn branch(&mut self, stmts: &'p [Stmt]) {
        self.statements(stmts);
    }

    /// The condition of an `if`.
    fn condition(&mut self, condition: &'p Expr) {
        self.expr(condition);
    }

    fn expr(&mut self, e: &'p Expr) {
        expr(self, e);
    }

    fn call(&mut self, of: &'p Call) {
        call(self, of);
    }

    fn keyset(&mut self, key: &'p KeySet) {
        keyset(self, key);
    }

    /// `apply()` of a table, whichever way its result is used.
    fn apply(&mut self, _table: TableId, _span: Span) {}

    fn statements(&mut self, stmts: &'p [Stmt]) {
        stmts.iter().for_each(|stmt| self.statement(stmt));
    }
}

pub fn parser<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, parser: &'p Parser) {
    visitor.statements(&parser.locals);
    for state in &parser.states {
        visitor.statements(&state.body);
        if let Transition::Select { keys, cases } = &state.transition {
            keys.iter().for_each(|key| visitor.expr(key));
            let keysets = cases.iter().flat_map(|(keysets, _)| keysets);
            keysets.for_each(|key| visitor.keyset(key));
        }
    }
}

pub fn control<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, control: &'p Control) {
    visitor.statements(&control.locals);
    visitor.statements(&control.body);
}

/// The keys, then the arguments in the list of actions.
pub fn table<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, table: &'p Table) {
    table.keys.iter().for_each(|key| visitor.expr(&key.expr));
    let args = table.actions.iter().flat_map(|used| &used.args);
    args.for_each(|arg| visitor.expr(arg));
}

pub fn statement<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, stmt: &'p Stmt) {
    match &stmt.kind {
        StmtKind::Declare(_, value) | StmtKind::Return(value) => {
            value.iter().for_each(|value| visitor.expr(value));
        }
        StmtKind::Assign(target, value) => {
            visitor.expr(target);
            visitor.expr(value);
        }
        StmtKind::Call(of) => visitor.call(of),
        StmtKind::Block(body) => visitor.statements(body),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            visitor.condition(condition);
            visitor.branch(then);
            visitor.branch(otherwise);
        }
        StmtKind::SwitchTable { table, cases } => {
            visitor.apply(*table, stmt.span);
            cases.iter().for_each(|case| visitor.branch(&case.body));
        }
        StmtKind::SwitchValue { on, cases } => {
            visitor.expr(on);
            cases.iter().for_each(|case| visitor.branch(&case.body));
        }
        StmtKind::For {
            init,
            condition,
            update,
            body,
        } => {
            visitor.statements(init);
            visitor.expr(condition);
            visitor.statements(update);
            visitor.statements(body);
        }
        StmtKind::Exit | StmtKind::Break | StmtKind::Continue => {}
    }
}

pub fn expr<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, e: &'p Expr) {
    match &e.kind {
        ExprKind::Call(of) => visitor.call(of),
        ExprKind::TableHit(table) | ExprKind::TableMiss(table) => visitor.apply(*table, e.span),
        _ => e.operands().for_each(|operand| visitor.expr(operand)),
    }
}

/// The arguments, and the object of a built-in method.
pub fn call<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, of: &'p Call) {
    of.args.iter().for_each(|arg| visitor.expr(&arg.expr));
    match &of.callee {
        Callee::Table(table) => visitor.apply(*table, of.span),
        Callee::Builtin { object, .. } => visitor.expr(object),
        _ => {}
    }
}

pub fn keyset<'p, V: Visitor<'p> + ?Sized>(visitor: &mut V, key: &'p KeySet) {
    match key {
        KeySet::Value(value) => visitor.expr(value),
        KeySet::Mask(a, b) | KeySet::Range(a, b) => {
            visitor.expr(a);
            visitor.expr(b);
        }
        KeySet::DontCare | KeySet::ValueSet(_) => {}
    }
}
