// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: a packet uses a register, counter, meter, filter or table at most once.
//!
//! Each is in one stage, and a packet passes each stage once. So of two uses that one packet can reach the second is refused;
//! uses in branches that exclude each other are fine. Branches exclude each other by the flow of control (`if`, `switch`,
//! the actions of a table), as in p4c's back end; conditions are not compared.

use std::collections::HashMap;

use super::blocks::Block;
use super::outcomes::{case_of, Outcome};
use super::uses::{access, either, Resource, Scope, Use, Uses};
use crate::diagnostics::Diagnostics;
use crate::ir::{
    ActionId, BinaryOp, Call, Callee, ControlId, Expr, ExprKind, FunctionId, Program, Stmt,
    StmtKind, TableId, UnaryOp,
};
use crate::span::Span;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for control in blocks.iter().filter_map(Block::match_action) {
        let mut paths = Paths {
            program,
            diagnostics,
            summaries: HashMap::new(),
            action: None,
        };
        paths.uses_of(Body::Control(control));
    }
}

/// Uses on all ways to one point of the code. `None` where there is no way: after `return` and `exit`.
#[derive(Clone, Default)]
struct Flow {
    here: Option<Uses>,
    /// On the ways that have left the action, function or control by `return`.
    returned: Option<Uses>,
}

/// Code that can be called. It is followed once, and its uses are those of every call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Body {
    Control(ControlId),
    Action(ActionId),
    Function(FunctionId),
    /// The actions of a table, one of which runs.
    Actions(TableId, Outcome),
}

struct Paths<'p, 'd> {
    program: &'p Program,
    diagnostics: &'d mut Diagnostics,
    /// Uses of each body that was followed already.
    summaries: HashMap<Body, Option<Uses>>,
    /// The action around.
    action: Option<ActionId>,
}

impl<'p> Paths<'p, '_> {
    /// Uses on the ways through a body that come back to the call; `None` if none does.
    fn uses_of(&mut self, body: Body) -> Option<Uses> {
        if let Some(known) = self.summaries.get(&body) {
            return known.clone();
        }
        let mut flow = Flow {
            here: Some(Uses::new()),
            returned: None,
        };
        let program = self.program;
        match body {
            Body::Control(id) => {
                let control = &program.controls[id.index()];
                self.statements(&control.locals, &mut flow);
                self.statements(&control.body, &mut flow);
            }
            Body::Action(id) => {
                let outer = self.action.replace(id);
                self.statements(&program.actions[id.index()].body, &mut flow);
                self.action = outer;
            }
            Body::Function(id) => {
                self.statements(&program.functions[id.index()].body, &mut flow);
            }
            Body::Actions(id, outcome) => flow.here = self.uses_of_actions(id, outcome),
        }
        let uses = either(flow.here, flow.returned);
        self.summaries.insert(body, uses.clone());
        uses
    }

    fn uses_of_actions(&mut self, id: TableId, outcome: Outcome) -> Option<Uses> {
        let table = &self.program.tables[id.index()];
        let mut uses = outcome.allows_none(table).then(Uses::new);
        for (index, used) in table.actions.iter().enumerate() {
            if outcome.allows(table, index) {
                let mut of_action = self.uses_of(Body::Action(used.action));
                // A direct extern belongs to this table alone, which is itself used once.
                if let Some(uses) = &mut of_action {
                    uses.retain(|resource, _| !resource.is_direct(self.program));
                }
                uses = either(uses, of_action);
            }
        }
        uses
    }

    fn statements(&mut self, statements: &'p [Stmt], flow: &mut Flow) {
        for statement in statements {
            if flow.here.is_none() {
                return;
            }
            self.statement(statement, flow);
        }
    }

    /// Follows each branch from the same point; the ways out of all branches go on together.
    fn fork<B>(
        &mut self,
        branches: impl IntoIterator<Item = B>,
        flow: &mut Flow,
        mut follow: impl FnMut(&mut Self, B, &mut Flow),
    ) {
        let start = flow.here.take();
        for branch in branches {
            let mut inside = Flow {
                here: start.clone(),
                returned: flow.returned.take(),
            };
            follow(self, branch, &mut inside);
            flow.here = either(flow.here.take(), inside.here);
            flow.returned = inside.returned;
        }
    }

    fn branches(&mut self, branches: &[&'p [Stmt]], flow: &mut Flow) {
        self.fork(branches, flow, |paths, branch, flow| {
            paths.statements(branch, flow);
        });
    }

    fn statement(&mut self, statement: &'p Stmt, flow: &mut Flow) {
        match &statement.kind {
            StmtKind::Declare(_, value) => value.iter().for_each(|value| self.expr(value, flow)),
            StmtKind::Assign(target, value) => {
                self.expr(target, flow);
                self.expr(value, flow);
            }
            StmtKind::Call(call) => self.call(call, flow),
            StmtKind::Block(inner) => self.statements(inner, flow),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.if_else(condition, then, otherwise, flow),
            StmtKind::SwitchTable { table, cases } => {
                self.apply(*table, statement.span, flow);
                let actions = 0..self.program.tables[table.index()].actions.len();
                self.fork(actions, flow, |paths, action, flow| {
                    paths.run(Body::Actions(*table, Outcome::Ran(action)), flow);
                    let case = case_of(cases, action);
                    paths.statements(case.map_or(&[], |case| &case.body), flow);
                });
            }
            StmtKind::SwitchValue { on, cases } => {
                self.expr(on, flow);
                let mut bodies: Vec<&[Stmt]> = cases.iter().map(|case| &case.body[..]).collect();
                if !cases.iter().any(|case| case.labels.is_empty()) {
                    bodies.push(&[]);
                }
                self.branches(&bodies, flow);
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value, flow));
                flow.returned = either(flow.returned.take(), flow.here.take());
            }
            StmtKind::Exit => flow.here = None,
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                self.statements(init, flow);
                self.expr(condition, flow);
                // Followed once, however often it runs.
                self.branches(&[body, &[]], flow);
                self.statements(update, flow);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }

    /// Where the condition is a table's hit or miss, each branch comes after other actions of the table.
    fn if_else(
        &mut self,
        condition: &'p Expr,
        then: &'p [Stmt],
        otherwise: &'p [Stmt],
        flow: &mut Flow,
    ) {
        let (table, in_then, in_otherwise) = match &condition.kind {
            ExprKind::TableHit(table) => (*table, Outcome::Hit, Outcome::Miss),
            ExprKind::TableMiss(table) => (*table, Outcome::Miss, Outcome::Hit),
            ExprKind::Unary(UnaryOp::Not, inner)
                if matches!(inner.kind, ExprKind::TableHit(_) | ExprKind::TableMiss(_)) =>
            {
                return self.if_else(inner, otherwise, then, flow);
            }
            _ => {
                self.expr(condition, flow);
                return self.branches(&[then, otherwise], flow);
            }
        };
        self.apply(table, condition.span, flow);
        let branches = [(in_then, then), (in_otherwise, otherwise)];
        self.fork(branches, flow, |paths, (outcome, branch), flow| {
            paths.run(Body::Actions(table, outcome), flow);
            paths.statements(branch, flow);
        });
    }

    fn expr(&mut self, expr: &'p Expr, flow: &mut Flow) {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.expr(a, flow);
                let without = flow.here.clone();
                self.expr(b, flow);
                flow.here = either(flow.here.take(), without);
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, flow);
                let start = flow.here.clone();
                self.expr(then, flow);
                let after_then = std::mem::replace(&mut flow.here, start);
                self.expr(otherwise, flow);
                flow.here = either(flow.here.take(), after_then);
            }
            ExprKind::Call(call) => self.call(call, flow),
            ExprKind::TableHit(table) | ExprKind::TableMiss(table) => {
                self.apply(*table, expr.span, flow);
                self.run(Body::Actions(*table, Outcome::Any), flow);
            }
            _ => expr.operands().for_each(|operand| self.expr(operand, flow)),
        }
    }

    fn call(&mut self, call: &'p Call, flow: &mut Flow) {
        for arg in &call.args {
            self.expr(&arg.expr, flow);
        }
        match &call.callee {
            Callee::Function(id) => self.run(Body::Function(*id), flow),
            Callee::Action(id) => self.run(Body::Action(*id), flow),
            Callee::Control(id) => self.run(Body::Control(*id), flow),
            Callee::Table(id) => {
                self.apply(*id, call.span, flow);
                self.run(Body::Actions(*id, Outcome::Any), flow);
            }
            Callee::ExternMethod {
                instance, method, ..
            } => {
                if let Some((resource, used)) =
                    access(self.program, *instance, method, call.span, self.action)
                {
                    self.add(Uses::from([(resource, used)]), flow);
                }
            }
            Callee::Parser(_)
            | Callee::ExternFunction { .. }
            | Callee::ParamMethod { .. }
            | Callee::Builtin { .. } => {}
        }
    }

    /// Uses the table itself, without its actions.
    fn apply(&mut self, id: TableId, span: Span, flow: &mut Flow) {
        let table = &self.program.tables[id.index()];
        table.keys.iter().for_each(|key| self.expr(&key.expr, flow));
        let scope = Scope::Any;
        let used = Use { span, scope };
        self.add(Uses::from([(Resource::Table(id), used)]), flow);
    }

    fn run(&mut self, body: Body, flow: &mut Flow) {
        match self.uses_of(body) {
            Some(uses) => self.add(uses, flow),
            None => flow.here = None,
        }
    }

    /// Reports the uses that exclude one on the way to here.
    fn add(&mut self, uses: Uses, flow: &mut Flow) {
        let Some(before) = &mut flow.here else {
            return;
        };
        for (resource, used) in uses {
            match before.get(&resource) {
                Some(first) if first.excludes(&used) => {
                    let first = first.span;
                    resource.report(self.program, used.span, first, self.diagnostics);
                }
                Some(_) => {}
                None => {
                    before.insert(resource, used);
                }
            }
        }
    }
}
