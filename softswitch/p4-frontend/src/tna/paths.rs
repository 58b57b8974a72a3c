// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What a packet may use only once: registers, counters, meters, filters, and tables.
//!
//! Each is in one stage, and a packet passes each stage once. So of two uses that one packet can reach the second is refused;
//! uses in branches that exclude each other are fine. Branches exclude each other by the flow of control (`if`, `switch`,
//! the actions of a table), as in p4c's back end; conditions are not compared.

use std::collections::HashMap;

use super::blocks::Block;
use super::uses::{either, Resource, Scope, Use, Uses};
use super::{instance, register_of};
use crate::diagnostics::Diagnostics;
use crate::ir::{
    ActionId, BinaryOp, Call, Callee, ControlId, Expr, ExprKind, ExternId, Program, Stmt, StmtKind,
    TableId,
};
use crate::span::Span;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for control in blocks.iter().filter_map(Block::match_action) {
        let mut paths = Paths {
            program,
            diagnostics,
            known: HashMap::new(),
            action: None,
        };
        paths.callee(Piece::Control(control));
    }
}

/// What may have been used where control is now. `None` where it cannot be: after `return` and `exit`.
#[derive(Clone, Default)]
struct Flow {
    here: Option<Uses>,
    /// At the end of the action, function or control that is being followed, by `return`.
    returned: Option<Uses>,
}

/// Code that is followed once; what it uses holds for each call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    Control(ControlId),
    Action(ActionId),
    Function(u32),
    Table(TableId, Outcome),
}

/// Which of a table's actions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Outcome {
    Any,
    Hit,
    Miss,
    /// The action of this number, as `switch` has found it.
    Ran(usize),
}

struct Paths<'p, 'd> {
    program: &'p Program,
    diagnostics: &'d mut Diagnostics,
    known: HashMap<Piece, Option<Uses>>,
    action: Option<ActionId>,
}

impl<'p> Paths<'p, '_> {
    /// What a call uses, `None` if it never comes back.
    fn callee(&mut self, piece: Piece) -> Option<Uses> {
        if let Some(known) = self.known.get(&piece) {
            return known.clone();
        }
        let mut flow = Flow {
            here: Some(Uses::new()),
            returned: None,
        };
        let program = self.program;
        match piece {
            Piece::Control(id) => {
                let control = &program.controls[id.index()];
                self.statements(&control.locals, &mut flow);
                self.statements(&control.body, &mut flow);
            }
            Piece::Action(id) => {
                let outer = self.action.replace(id);
                self.statements(&program.actions[id.index()].body, &mut flow);
                self.action = outer;
            }
            Piece::Function(id) => {
                self.statements(&program.functions[id as usize].body, &mut flow);
            }
            Piece::Table(id, outcome) => flow.here = self.actions(id, outcome),
        }
        let uses = either(flow.here, flow.returned);
        self.known.insert(piece, uses.clone());
        uses
    }

    /// What the actions of a table use, one of which runs.
    fn actions(&mut self, id: TableId, outcome: Outcome) -> Option<Uses> {
        let table = &self.program.tables[id.index()];
        let only = |name: &str, index: usize| {
            let annotations = &table.actions[index].annotations;
            annotations.iter().any(|a| a.name.text == name)
        };
        let runs = |index: usize| match outcome {
            Outcome::Any => true,
            Outcome::Hit => !only("defaultonly", index),
            Outcome::Miss if table.default_action.is_const => {
                table.default_action.action == Some(index)
            }
            Outcome::Miss => !only("tableonly", index),
            Outcome::Ran(one) => one == index,
        };
        let mut uses = match table.default_action.action {
            None if matches!(outcome, Outcome::Any | Outcome::Miss) => Some(Uses::new()),
            _ => None,
        };
        for (index, used) in table.actions.iter().enumerate() {
            if runs(index) {
                let mut of_action = self.callee(Piece::Action(used.action));
                // What is direct belongs to this table alone.
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

    /// Each branch from the same place; then control is where any of them ends.
    fn branches(&mut self, branches: &[&'p [Stmt]], flow: &mut Flow) {
        let start = flow.here.take();
        for branch in branches {
            let mut one = Flow {
                here: start.clone(),
                returned: flow.returned.take(),
            };
            self.statements(branch, &mut one);
            flow.here = either(flow.here.take(), one.here);
            flow.returned = one.returned;
        }
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
            } => self.condition(condition, then, otherwise, flow),
            StmtKind::SwitchTable { table, cases } => {
                self.apply(*table, statement.span, flow);
                let listed: Vec<usize> =
                    cases.iter().flat_map(|case| case.actions.clone()).collect();
                let count = self.program.tables[table.index()].actions.len();
                let start = flow.here.take();
                for ran in 0..count {
                    let case = cases.iter().find(|case| match case.actions.is_empty() {
                        true => !listed.contains(&ran),
                        false => case.actions.contains(&ran),
                    });
                    let mut one = Flow {
                        here: start.clone(),
                        returned: flow.returned.take(),
                    };
                    self.piece(Piece::Table(*table, Outcome::Ran(ran)), &mut one);
                    self.statements(case.map_or(&[], |case| &case.body), &mut one);
                    flow.here = either(flow.here.take(), one.here);
                    flow.returned = one.returned;
                }
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
                // Followed once: how often it runs is not looked at.
                self.branches(&[body, &[]], flow);
                self.statements(update, flow);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn condition(
        &mut self,
        condition: &'p Expr,
        then: &'p [Stmt],
        otherwise: &'p [Stmt],
        flow: &mut Flow,
    ) {
        let (table, hit, miss) = match &condition.kind {
            ExprKind::TableHit(table) => (*table, Outcome::Hit, Outcome::Miss),
            ExprKind::TableMiss(table) => (*table, Outcome::Miss, Outcome::Hit),
            ExprKind::Unary(crate::ast::UnaryOp::Not, inner)
                if matches!(inner.kind, ExprKind::TableHit(_) | ExprKind::TableMiss(_)) =>
            {
                return self.condition(inner, otherwise, then, flow);
            }
            _ => {
                self.expr(condition, flow);
                return self.branches(&[then, otherwise], flow);
            }
        };
        self.apply(table, condition.span, flow);
        let start = flow.here.take();
        for (outcome, branch) in [(hit, then), (miss, otherwise)] {
            let mut one = Flow {
                here: start.clone(),
                returned: flow.returned.take(),
            };
            self.piece(Piece::Table(table, outcome), &mut one);
            self.statements(branch, &mut one);
            flow.here = either(flow.here.take(), one.here);
            flow.returned = one.returned;
        }
    }

    fn expr(&mut self, expr: &'p Expr, flow: &mut Flow) {
        match &expr.kind {
            ExprKind::Field(base, _)
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::Unary(_, base)
            | ExprKind::Cast(base)
            | ExprKind::IsValid(base) => self.expr(base, flow),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.expr(a, flow);
                let without = flow.here.clone();
                self.expr(b, flow);
                flow.here = either(flow.here.take(), without);
            }
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a, flow);
                self.expr(b, flow);
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, flow);
                let start = flow.here.clone();
                self.expr(then, flow);
                let one = std::mem::replace(&mut flow.here, start);
                self.expr(otherwise, flow);
                flow.here = either(flow.here.take(), one);
            }
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.expr(item, flow)),
            ExprKind::Call(call) => self.call(call, flow),
            ExprKind::TableHit(table) | ExprKind::TableMiss(table) => {
                self.apply(*table, expr.span, flow);
                self.piece(Piece::Table(*table, Outcome::Any), flow);
            }
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Invalid | ExprKind::DontCare => {}
        }
    }

    fn call(&mut self, call: &'p Call, flow: &mut Flow) {
        for arg in &call.args {
            self.expr(&arg.expr, flow);
        }
        match &call.callee {
            Callee::Function(id) => self.piece(Piece::Function(id.0), flow),
            Callee::Action(id) => self.piece(Piece::Action(*id), flow),
            Callee::Control(id) => self.piece(Piece::Control(*id), flow),
            Callee::Table(id) => {
                self.apply(*id, call.span, flow);
                self.piece(Piece::Table(*id, Outcome::Any), flow);
            }
            Callee::ExternMethod {
                instance, method, ..
            } => {
                if let Some((resource, scope)) = self.resource(*instance, method) {
                    let span = call.span;
                    let used = Use { span, scope };
                    self.add(Uses::from([(Resource::Extern(resource), used)]), flow);
                }
            }
            Callee::Parser(_)
            | Callee::ExternFunction { .. }
            | Callee::ParamMethod { .. }
            | Callee::Builtin { .. } => {}
        }
    }

    /// What the method of an extern instance uses, and with what other uses it is too many.
    fn resource(&self, id: ExternId, method: &str) -> Option<(ExternId, Scope)> {
        match (instance(self.program, id).type_name.as_str(), method) {
            ("RegisterAction", "execute" | "execute_log") | ("DirectRegisterAction", "execute") => {
                register_of(self.program, id).map(|register| (register, Scope::Any))
            }
            ("Register" | "DirectRegister", "read" | "write") => {
                Some((id, Scope::OtherActions(self.action)))
            }
            ("Counter" | "DirectCounter", "count")
            | ("Meter" | "DirectMeter" | "Lpf" | "DirectLpf" | "Wred" | "DirectWred", "execute") => {
                Some((id, Scope::Any))
            }
            _ => None,
        }
    }

    /// A table, without what its actions use.
    fn apply(&mut self, id: TableId, span: Span, flow: &mut Flow) {
        let table = &self.program.tables[id.index()];
        table.keys.iter().for_each(|key| self.expr(&key.expr, flow));
        let scope = Scope::Any;
        let used = Use { span, scope };
        self.add(Uses::from([(Resource::Table(id), used)]), flow);
    }

    fn piece(&mut self, piece: Piece, flow: &mut Flow) {
        match self.callee(piece) {
            Some(uses) => self.add(uses, flow),
            None => flow.here = None,
        }
    }

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
