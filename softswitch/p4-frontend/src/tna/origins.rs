// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Which values are certainly known only at run time.
//!
//! The back end puts constants in where they are assigned, so a variable that is somewhere given a constant may be one. A
//! value counts as known only at run time when no part of it can be such.

use std::collections::HashSet;

use crate::ir::visit::{self, Visitor};
use crate::ir::{
    Call, Callee, Direction, Expr, ExprKind, Program, Stmt, StmtKind, Var, VarId, VarKind,
};

/// A variable, and the numbers of the fields on the way to a part of it.
type Place = (VarId, Vec<u32>);

pub(super) struct Origins<'p> {
    program: &'p Program,
    /// Parts of variables that an assignment may make constant.
    constant: HashSet<Place>,
}

impl<'p> Origins<'p> {
    /// Looks at the whole program until nothing more is found.
    pub fn of(program: &'p Program) -> Self {
        let mut origins = Origins {
            program,
            constant: HashSet::new(),
        };
        loop {
            let before = origins.constant.len();
            origins.program_once();
            if origins.constant.len() == before {
                return origins;
            }
        }
    }

    pub fn is_run_time(&self, expr: &Expr) -> bool {
        !self.may_be_constant(expr)
    }

    fn program_once(&mut self) {
        let program = self.program;
        for control in &program.controls {
            visit::control(self, control);
        }
        for parser in &program.parsers {
            visit::parser(self, parser);
        }
        for action in &program.actions {
            self.statements(&action.body);
        }
        for function in &program.functions {
            self.statements(&function.body);
        }
        for table in &program.tables {
            visit::table(self, table);
            if table.default_action.is_const && !table.default_action.args.is_empty() {
                if let Some(index) = table.default_action.action {
                    let used = &table.actions[index];
                    let params = &program.actions[used.action.index()].params;
                    self.constant
                        .extend(params.iter().map(|param| (*param, Vec::new())));
                }
            }
            for used in &table.actions {
                let params = &program.actions[used.action.index()].params;
                for (param, arg) in params.iter().zip(&used.args) {
                    self.passed(*param, arg);
                }
            }
        }
    }

    /// What an `inout` or `out` parameter becomes is looked at as if it were the argument.
    fn passed(&mut self, param: VarId, arg: &'p Expr) {
        self.assigned((param, Vec::new()), arg);
        let direction = match self.var(param).kind {
            VarKind::Param(direction) => direction,
            VarKind::Local => return,
        };
        if let (Direction::Out | Direction::InOut, Some((target, path))) = (direction, place(arg)) {
            let inner: Vec<Vec<u32>> = self
                .constant
                .iter()
                .filter(|(var, _)| *var == param)
                .map(|(_, inner)| inner.clone())
                .collect();
            for more in inner {
                let mut path = path.clone();
                path.extend(more);
                self.constant.insert((target, path));
            }
        }
    }

    fn assigned(&mut self, (var, path): Place, value: &'p Expr) {
        if let ExprKind::Aggregate(items) = &value.kind {
            for (number, item) in items.iter().enumerate() {
                let mut inner = path.clone();
                inner.push(number as u32);
                self.assigned((var, inner), item);
            }
            return;
        }
        if let Some((source, from)) = place(value) {
            // A copy of a struct has the constants of its parts.
            let inner: Vec<Vec<u32>> = self
                .constant
                .iter()
                .filter(|(other, whole)| *other == source && whole.starts_with(&from))
                .map(|(_, whole)| whole[from.len()..].to_vec())
                .collect();
            for more in inner {
                let mut path = path.clone();
                path.extend(more);
                self.constant.insert((var, path));
            }
        }
        if self.may_be_constant(value) {
            self.constant.insert((var, path));
        }
    }

    fn may_be_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Invalid | ExprKind::DontCare => true,
            ExprKind::Var(_) | ExprKind::Field(..) => match place(expr) {
                Some((var, path)) => {
                    let bound = (0..=path.len())
                        .any(|n| self.constant.contains(&(var, path[..n].to_vec())));
                    // A local that nothing is assigned to can have any value.
                    bound || self.is_constructed(var)
                }
                None => expr.operands().any(|part| self.may_be_constant(part)),
            },
            ExprKind::Binary(_, a, b) => self.may_be_constant(a) && self.may_be_constant(b),
            ExprKind::Ternary {
                then, otherwise, ..
            } => self.may_be_constant(then) || self.may_be_constant(otherwise),
            ExprKind::Cast(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Slice { base: inner, .. } => self.may_be_constant(inner),
            // Lengths and the like are known to the back end; a function may give a constant.
            ExprKind::StackLastIndex(_) => true,
            ExprKind::Call(call) => !matches!(
                call.callee,
                Callee::ExternMethod { .. } | Callee::ParamMethod { .. }
            ),
            ExprKind::Index(..)
            | ExprKind::StackNext(_)
            | ExprKind::StackLast(_)
            | ExprKind::Aggregate(_) => true,
            ExprKind::IsValid(_) | ExprKind::TableHit(_) | ExprKind::TableMiss(_) => false,
        }
    }

    /// A parameter of a constructor, function or sub-control without direction: known at compile time.
    fn is_constructed(&self, var: VarId) -> bool {
        let is_action_param = || {
            let actions = &self.program.actions;
            actions.iter().any(|action| action.params.contains(&var))
        };
        self.var(var).kind == VarKind::Param(Direction::None) && !is_action_param()
    }

    fn var(&self, id: VarId) -> &Var {
        &self.program.vars[id.index()]
    }
}

impl<'p> Visitor<'p> for Origins<'p> {
    fn statement(&mut self, statement: &'p Stmt) {
        visit::statement(self, statement);
        match &statement.kind {
            StmtKind::Declare(id, Some(value)) => self.assigned((*id, Vec::new()), value),
            StmtKind::Assign(target, value) => {
                if let Some(place) = place(target) {
                    self.assigned(place, value);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &'p Call) {
        visit::call(self, call);
        let program = self.program;
        let params: &[VarId] = match &call.callee {
            Callee::Function(id) => &program.functions[id.index()].params,
            Callee::Action(id) => &program.actions[id.index()].params,
            Callee::Control(id) => &program.controls[id.index()].params,
            Callee::Parser(id) => &program.parsers[id.index()].params,
            _ => return,
        };
        for (param, arg) in params.iter().zip(&call.args) {
            self.passed(*param, &arg.expr);
        }
    }
}

/// The part of a variable that an expression names; the elements of a stack are not told apart.
fn place(expr: &Expr) -> Option<Place> {
    match &expr.kind {
        ExprKind::Var(id) => Some((*id, Vec::new())),
        ExprKind::Field(base, number) => {
            let (var, mut path) = place(base)?;
            path.push(*number);
            Some((var, path))
        }
        ExprKind::Slice { base, .. } => place(base),
        _ => None,
    }
}
