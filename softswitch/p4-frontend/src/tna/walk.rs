// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All code that a block can reach.

use std::collections::HashSet;

use super::blocks::Root;
use crate::ir::{
    Argument, Call, Callee, ControlId, Expr, ExprKind, ExternId, KeySet, ParserId, Program, Stmt,
    StmtKind, TableId, Transition,
};
use crate::span::Span;

/// A part of the code. Each is seen once, however often it is reached.
#[derive(Clone, Copy)]
pub(super) enum Item<'p> {
    /// Those inside of it come after it.
    Expr(&'p Expr),
    Call(&'p Call),
    /// Of an `if`; it is seen as an expression too.
    Condition(&'p Expr),
    /// With the place where it is first applied.
    Table(TableId, Span),
}

/// Where an item stands.
#[derive(Clone, Copy, Default)]
pub(super) struct At {
    /// In the method that an extern instance implements.
    pub method_of: Option<ExternId>,
    /// In the action of a table.
    pub action_of: Option<TableId>,
    pub in_if: bool,
}

/// Calls `see` for all that `root` reaches.
pub(super) fn walk<'p>(program: &'p Program, root: Root, see: &mut dyn FnMut(Item<'p>, At)) {
    let mut walk = Walk {
        program,
        see,
        seen: HashSet::new(),
        at: At::default(),
    };
    match root {
        Root::Parser(id) => walk.parser(id),
        Root::Control(id) => walk.control(id),
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Seen {
    Parser(ParserId),
    Control(ControlId),
    Table(TableId),
    /// With the table whose action it is: rules ask for it.
    Action(u32, Option<TableId>),
    Function(u32),
    Methods(ExternId),
}

struct Walk<'p, 's> {
    program: &'p Program,
    see: &'s mut dyn FnMut(Item<'p>, At),
    seen: HashSet<Seen>,
    at: At,
}

impl<'p> Walk<'p, '_> {
    fn parser(&mut self, id: ParserId) {
        if !self.seen.insert(Seen::Parser(id)) {
            return;
        }
        let parser = &self.program.parsers[id.index()];
        self.statements(&parser.locals);
        for state in &parser.states {
            self.statements(&state.body);
            let Transition::Select { keys, cases } = &state.transition else {
                continue;
            };
            keys.iter().for_each(|key| self.expr(key));
            for keyset in cases.iter().flat_map(|(keysets, _)| keysets) {
                match keyset {
                    KeySet::Value(value) => self.expr(value),
                    KeySet::Mask(a, b) | KeySet::Range(a, b) => {
                        self.expr(a);
                        self.expr(b);
                    }
                    KeySet::DontCare | KeySet::ValueSet(_) => {}
                }
            }
        }
    }

    fn control(&mut self, id: ControlId) {
        if self.seen.insert(Seen::Control(id)) {
            let control = &self.program.controls[id.index()];
            self.statements(&control.locals);
            self.statements(&control.body);
        }
    }

    fn table(&mut self, id: TableId, span: Span) {
        if !self.seen.insert(Seen::Table(id)) {
            return;
        }
        (self.see)(Item::Table(id, span), self.at);
        let table = &self.program.tables[id.index()];
        table.keys.iter().for_each(|key| self.expr(&key.expr));
        let outer = self.at;
        self.at.action_of = Some(id);
        for used in &table.actions {
            used.args.iter().for_each(|arg| self.expr(arg));
            self.action(used.action.0);
        }
        self.at = outer;
    }

    fn action(&mut self, id: u32) {
        if self.seen.insert(Seen::Action(id, self.at.action_of)) {
            self.statements(&self.program.actions[id as usize].body);
        }
    }

    fn statements(&mut self, statements: &'p [Stmt]) {
        statements.iter().for_each(|s| self.statement(s));
    }

    fn inside_if(&mut self, statements: &'p [Stmt]) {
        let outer = std::mem::replace(&mut self.at.in_if, true);
        self.statements(statements);
        self.at.in_if = outer;
    }

    fn statement(&mut self, statement: &'p Stmt) {
        match &statement.kind {
            StmtKind::Declare(_, value) | StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value));
            }
            StmtKind::Assign(target, value) => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Block(inner) => self.statements(inner),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                (self.see)(Item::Condition(condition), self.at);
                self.expr(condition);
                self.inside_if(then);
                self.inside_if(otherwise);
            }
            StmtKind::SwitchTable { table, cases } => {
                self.table(*table, statement.span);
                cases.iter().for_each(|case| self.inside_if(&case.body));
            }
            StmtKind::SwitchValue { on, cases } => {
                self.expr(on);
                cases.iter().for_each(|case| self.inside_if(&case.body));
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                self.statements(init);
                self.expr(condition);
                self.statements(body);
                self.statements(update);
            }
            StmtKind::Exit | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn expr(&mut self, expr: &'p Expr) {
        (self.see)(Item::Expr(expr), self.at);
        match &expr.kind {
            ExprKind::Field(base, _)
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::Unary(_, base)
            | ExprKind::Cast(base)
            | ExprKind::IsValid(base) => self.expr(base),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
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
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.expr(item)),
            ExprKind::Call(call) => self.call(call),
            ExprKind::TableHit(table) | ExprKind::TableMiss(table) => {
                self.table(*table, expr.span);
            }
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Invalid | ExprKind::DontCare => {}
        }
    }

    fn call(&mut self, call: &'p Call) {
        (self.see)(Item::Call(call), self.at);
        for Argument { expr, .. } in &call.args {
            self.expr(expr);
        }
        match &call.callee {
            Callee::Function(id) => {
                if self.seen.insert(Seen::Function(id.0)) {
                    self.statements(&self.program.functions[id.index()].body);
                }
            }
            Callee::Action(id) => self.action(id.0),
            Callee::Table(id) => self.table(*id, call.span),
            Callee::Parser(id) => self.parser(*id),
            Callee::Control(id) => self.control(*id),
            Callee::ExternMethod { instance, .. } => self.methods(*instance),
            Callee::Builtin { object, .. } => self.expr(object),
            Callee::ExternFunction { .. } | Callee::ParamMethod { .. } => {}
        }
    }

    fn methods(&mut self, id: ExternId) {
        if !self.seen.insert(Seen::Methods(id)) {
            return;
        }
        let outer = self.at;
        self.at.method_of = Some(id);
        for (_, function) in &self.program.externs[id.index()].methods {
            self.statements(&self.program.functions[function.index()].body);
        }
        self.at = outer;
    }
}
