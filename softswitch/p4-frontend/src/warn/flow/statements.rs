// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of [`Flow`]: statements.

use super::{meet, Flow, Loop, State};
use crate::ir::{Expr, Stmt, StmtKind};
use crate::warnings::Warning;

impl<'p> Flow<'p, '_, '_> {
    /// The body of an action, control or function: with its ways out by `return`.
    pub(super) fn body(&mut self, stmts: &'p [Stmt]) {
        let around = self.returned.take();
        let loops = std::mem::take(&mut self.loops);
        self.statements(stmts);
        let returned = std::mem::replace(&mut self.returned, around);
        meet(&mut self.state, returned);
        self.loops = loops;
    }

    pub(super) fn statements(&mut self, stmts: &'p [Stmt]) {
        let reached = self.state.is_some();
        for stmt in stmts {
            if self.gave_up() {
                return;
            }
            if self.state.is_none() {
                // Once, and not for what is in code that is unreachable as a whole.
                if reached {
                    let message = "this statement can never run".to_owned();
                    self.warning(Warning::Unreachable, stmt.span, message);
                }
                return;
            }
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &'p Stmt) {
        self.work += 1;
        match &stmt.kind {
            StmtKind::Declare(var, value) => {
                value.iter().for_each(|value| self.read(value));
                let place = self.places.declare(*var);
                self.fresh(place, false);
                if let Some(value) = value {
                    self.assign(place, value);
                }
            }
            StmtKind::Assign(target, value) => {
                self.write_path(target);
                self.read(value);
                self.assign_to(target, value);
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Block(body) => self.statements(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let before = self.copy();
                self.read(condition);
                let branches = [then, otherwise].map(Vec::as_slice);
                self.branches(before, branches.into_iter(), true);
            }
            StmtKind::SwitchTable { table, cases } => {
                let before = self.copy();
                self.apply(*table);
                let complete = cases.iter().any(|case| case.actions.is_empty());
                let bodies = cases.iter().map(|case| case.body.as_slice());
                self.branches(before, bodies, complete);
            }
            StmtKind::SwitchValue { on, cases } => {
                let before = self.copy();
                self.read(on);
                let complete = cases.iter().any(|case| case.labels.is_empty());
                let bodies = cases.iter().map(|case| case.body.as_slice());
                self.branches(before, bodies, complete);
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.read(value));
                let state = self.state.take();
                meet(&mut self.returned, state);
            }
            StmtKind::Exit => {
                let state = self.state.take();
                meet(&mut self.exited, state);
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                self.statements(init);
                self.repeat(condition, update, body);
            }
            StmtKind::Break => {
                let state = self.state.take();
                if let Some(around) = self.loops.last_mut() {
                    meet(&mut around.broken, state);
                }
            }
            StmtKind::Continue => {
                let state = self.state.take();
                if let Some(around) = self.loops.last_mut() {
                    meet(&mut around.continued, state);
                }
            }
        }
    }

    /// Bodies of which one runs, or none unless they are `complete`. What was asked since `before` counts in them.
    fn branches(
        &mut self,
        before: Option<State>,
        bodies: impl Iterator<Item = &'p [Stmt]>,
        complete: bool,
    ) {
        let start = self.copy();
        let mut after = None;
        for body in bodies {
            self.state = start.clone();
            self.count_copy(start.as_ref().map_or(0, State::len));
            self.statements(body);
            meet(&mut after, self.state.take());
        }
        if !complete {
            meet(&mut after, start);
        }
        self.state = after;
        self.restore_asked(before);
    }

    pub(super) fn restore_asked(&mut self, before: Option<State>) {
        if let (Some(state), Some(before)) = (&mut self.state, &before) {
            state.restore_asked(before);
        }
    }

    /// A loop: once to find what is known after the first round, and once with that.
    fn repeat(&mut self, condition: &'p Expr, update: &'p [Stmt], body: &'p [Stmt]) {
        let first = self.copy();
        self.quiet += 1;
        self.round(condition, update, body);
        self.quiet -= 1;
        meet(&mut self.state, first);
        let done = self.round(condition, update, body);
        self.state = done;
    }

    /// Condition, body and update; the result is the state where the loop ends.
    fn round(
        &mut self,
        condition: &'p Expr,
        update: &'p [Stmt],
        body: &'p [Stmt],
    ) -> Option<State> {
        self.read(condition);
        let mut done = self.copy();
        self.loops.push(Loop::default());
        self.statements(body);
        let around = self.loops.pop().unwrap_or_default();
        meet(&mut self.state, around.continued);
        meet(&mut done, around.broken);
        if self.state.is_some() {
            self.statements(update);
        }
        done
    }
}
