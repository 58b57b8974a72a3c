// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that are certainly known only at run time.
//!
//! The back end replaces a variable by a constant where it finds one assigned. So a variable counts as a possible constant
//! as soon as one assignment anywhere may give it one, and a value is known only at run time when no part of it is a
//! possible constant.

use std::collections::BTreeSet;

use crate::ir::visit::{self, Visitor};
use crate::ir::{
    ActionUse, Call, Callee, Direction, Expr, ExprKind, Program, Stmt, StmtKind, Table, VarId,
    VarKind,
};

/// A variable, and the numbers of the fields on the way to a part of it.
type Place = (VarId, Vec<u32>);

pub(super) struct Origins<'p> {
    program: &'p Program,
    /// Parts of variables that an assignment may make constant.
    constant: BTreeSet<Place>,
}

impl<'p> Origins<'p> {
    /// Goes through the program until no pass finds another possible constant.
    pub fn of(program: &'p Program) -> Self {
        let mut origins = Origins {
            program,
            constant: BTreeSet::new(),
        };
        loop {
            let before = origins.constant.len();
            origins.pass();
            if origins.constant.len() == before {
                return origins;
            }
        }
    }

    pub fn is_run_time(&self, expr: &Expr) -> bool {
        !self.may_be_constant(expr)
    }

    fn pass(&mut self) {
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
            self.action_arguments(table);
        }
    }

    /// Arguments in a table's list of actions, and those of a default action that the control plane cannot change.
    fn action_arguments(&mut self, table: &'p Table) {
        let params_of = |used: &ActionUse| &self.program.actions[used.action.index()].params;
        let default = &table.default_action;
        if default.is_const && !default.args.is_empty() {
            let used = default.action.map(|index| &table.actions[index]);
            let params = used.into_iter().flat_map(params_of);
            self.constant
                .extend(params.map(|param| (*param, Vec::new())));
        }
        for used in &table.actions {
            for (param, arg) in params_of(used).iter().zip(&used.args) {
                self.passed(*param, arg);
            }
        }
    }

    /// An argument gives its value to the parameter; one for `out` or `inout` gets the parameter's value too.
    fn passed(&mut self, param: VarId, arg: &'p Expr) {
        self.assigned((param, Vec::new()), arg);
        let kind = self.program.vars[param.index()].kind;
        if let VarKind::Param(Direction::Out | Direction::InOut) = kind {
            if let Some(target) = place(arg) {
                self.copy_constants(&(param, Vec::new()), &target);
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
        let target = (var, path);
        if let Some(source) = place(value) {
            self.copy_constants(&source, &target);
        }
        if self.may_be_constant(value) {
            self.constant.insert(target);
        }
    }

    /// The target gets the constants of the source's parts: a copy of a struct has them too.
    fn copy_constants(&mut self, (source, from): &Place, (target, to): &Place) {
        let copies: Vec<Place> = self
            .constant
            .iter()
            .filter(|(var, path)| var == source && path.starts_with(from))
            .map(|(_, path)| (*target, [to, &path[from.len()..]].concat()))
            .collect();
        self.constant.extend(copies);
    }

    fn may_be_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Invalid | ExprKind::DontCare => true,
            ExprKind::Var(_) | ExprKind::Field(..) => match place(expr) {
                Some((var, path)) => {
                    let is_assigned = (0..=path.len())
                        .any(|n| self.constant.contains(&(var, path[..n].to_vec())));
                    is_assigned || self.is_constructed(var)
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
            // A function may give a constant; an extern does not.
            ExprKind::Call(call) => !matches!(
                call.callee,
                Callee::ExternMethod { .. } | Callee::ParamMethod { .. }
            ),
            // The back end can know these where a parser's loop is unrolled.
            ExprKind::StackLastIndex(_)
            | ExprKind::Index(..)
            | ExprKind::StackNext(_)
            | ExprKind::StackLast(_)
            | ExprKind::Aggregate(_) => true,
            ExprKind::IsValid(_) | ExprKind::TableHit(_) | ExprKind::TableMiss(_) => false,
        }
    }

    /// Whether this is a parameter without direction that no table gives a value at run time, as it does to an action's: the
    /// argument is known at compile time.
    fn is_constructed(&self, var: VarId) -> bool {
        let is_action_param = || {
            let actions = &self.program.actions;
            actions.iter().any(|action| action.params.contains(&var))
        };
        let kind = self.program.vars[var.index()].kind;
        kind == VarKind::Param(Direction::None) && !is_action_param()
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

/// The part of a variable that an expression names; `None` inside of a stack.
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
