// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All code that a block can reach.

use std::collections::HashSet;

use super::blocks::Root;
use crate::ir::visit::{self, Visitor};
use crate::ir::{
    ActionId, Call, Callee, ControlId, Expr, ExternId, FunctionId, ParserId, Program, Stmt, TableId,
};
use crate::span::Span;

/// A part of the code. Each is visited once, however often it is reached.
#[derive(Clone, Copy)]
pub(super) enum Item<'p> {
    /// Before the expressions inside of it.
    Expr(&'p Expr),
    Call(&'p Call),
    /// The condition of an `if`; it comes as an expression too.
    Condition(&'p Expr),
    /// With the place of its first `apply`.
    Table(TableId, Span),
}

/// The place of an item.
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
    /// With the table whose action it is, as rules differ by [`At::action_of`].
    Action(ActionId, Option<TableId>),
    Function(FunctionId),
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
        if self.seen.insert(Seen::Parser(id)) {
            visit::parser(self, &self.program.parsers[id.index()]);
        }
    }

    fn control(&mut self, id: ControlId) {
        if self.seen.insert(Seen::Control(id)) {
            visit::control(self, &self.program.controls[id.index()]);
        }
    }

    fn action(&mut self, id: ActionId) {
        if self.seen.insert(Seen::Action(id, self.at.action_of)) {
            self.statements(&self.program.actions[id.index()].body);
        }
    }

    /// The methods that an extern instance implements.
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

impl<'p> Visitor<'p> for Walk<'p, '_> {
    fn branch(&mut self, stmts: &'p [Stmt]) {
        let outer = std::mem::replace(&mut self.at.in_if, true);
        self.statements(stmts);
        self.at.in_if = outer;
    }

    fn condition(&mut self, condition: &'p Expr) {
        (self.see)(Item::Condition(condition), self.at);
        self.expr(condition);
    }

    fn expr(&mut self, expr: &'p Expr) {
        (self.see)(Item::Expr(expr), self.at);
        visit::expr(self, expr);
    }

    fn call(&mut self, call: &'p Call) {
        (self.see)(Item::Call(call), self.at);
        visit::call(self, call);
        match &call.callee {
            Callee::Function(id) => {
                if self.seen.insert(Seen::Function(*id)) {
                    self.statements(&self.program.functions[id.index()].body);
                }
            }
            Callee::Action(id) => self.action(*id),
            Callee::Parser(id) => self.parser(*id),
            Callee::Control(id) => self.control(*id),
            Callee::ExternMethod { instance, .. } => self.methods(*instance),
            Callee::Table(_)
            | Callee::Builtin { .. }
            | Callee::ExternFunction { .. }
            | Callee::ParamMethod { .. } => {}
        }
    }

    fn apply(&mut self, id: TableId, span: Span) {
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
            self.action(used.action);
        }
        self.at = outer;
    }
}
