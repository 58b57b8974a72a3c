// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: statements.

use quench_p4_frontend::ir::{self, ExprKind, StmtKind as Ir, TableId, Type, UnaryOp};

use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{Branches, StmtKind};
use crate::json::Expr;

impl Lower<'_> {
    pub(crate) fn stmts(&mut self, stmts: &[ir::Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, stmt: &ir::Stmt) -> Result<()> {
        let outer = std::mem::replace(&mut self.span, stmt.span);
        let result = self.count_operation().and_then(|()| self.stmt_here(stmt));
        self.span = outer;
        result
    }

    fn stmt_here(&mut self, stmt: &ir::Stmt) -> Result<()> {
        match &stmt.kind {
            Ir::Declare(var, init) => {
                let place = self.storage(*var)?;
                match init {
                    Some(init) => {
                        let value = self.value(init)?;
                        self.assign(&place, value)
                    }
                    None => self.invalidate(&place),
                }
            }
            Ir::Assign(target, value) => {
                let place = self.place(target, value.has_effects() || target.has_effects())?;
                let outer = self.evaluated.take();
                if is_compound(target, value) {
                    self.evaluated = Some((target.span, place.clone()));
                }
                let value = self.value(value);
                self.evaluated = outer;
                self.assign(&place, value?)
            }
            Ir::Call(call) => self.call(call).map(|_| ()),
            Ir::Block(body) => self.stmts(body),
            Ir::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise),
            Ir::SwitchTable { table, cases } => self.switch_table(*table, cases),
            Ir::SwitchValue { on, cases } => self.switch_value(on, cases),
            Ir::Return(value) => self.leave(value.as_ref()),
            Ir::Exit => self.exit(),
            Ir::For {
                init,
                condition,
                update,
                body,
            } => self.repeat(init, condition, update, body),
            Ir::Break => match self.loops.last() {
                Some(&(end, _)) => {
                    self.push(StmtKind::Break(end));
                    Ok(())
                }
                None => not_supported(stmt.span, "`break` outside a loop"),
            },
            Ir::Continue => match self.loops.last() {
                Some(&(_, next)) => {
                    self.push(StmtKind::Break(next));
                    Ok(())
                }
                None => not_supported(stmt.span, "`continue` outside a loop"),
            },
        }
    }

    fn branch(
        &mut self,
        condition: &ir::Expr,
        then: &[ir::Stmt],
        otherwise: &[ir::Stmt],
    ) -> Result<()> {
        match &condition.kind {
            ExprKind::TableHit(table) => return self.hit_or_miss(*table, then, otherwise),
            ExprKind::TableMiss(table) => return self.hit_or_miss(*table, otherwise, then),
            ExprKind::Unary(UnaryOp::Not, inner) if inner.has_effects() => {
                return self.branch(inner, otherwise, then);
            }
            _ => {}
        }
        let condition = self.scalar(condition)?;
        if let Expr::Bool(known) = condition {
            return self.stmts(if known { then } else { otherwise });
        }
        let then = self.nested(|lower| lower.stmts(then))?;
        let otherwise = self.nested(|lower| lower.stmts(otherwise))?;
        if !then.is_empty() || !otherwise.is_empty() {
            self.push(StmtKind::If {
                arms: vec![(condition, then)],
                otherwise,
            });
        }
        Ok(())
    }

    fn hit_or_miss(&mut self, table: TableId, hit: &[ir::Stmt], miss: &[ir::Stmt]) -> Result<()> {
        self.apply_table(table)?;
        let hit = self.nested(|lower| lower.stmts(hit))?;
        let miss = self.nested(|lower| lower.stmts(miss))?;
        self.push(StmtKind::Apply(table, Branches::HitMiss(hit, miss)));
        Ok(())
    }

    /// `t.apply().hit` or `.miss` as a value.
    pub(crate) fn table_result(&mut self, table: TableId, on_hit: bool) -> Result<Value> {
        self.apply_table(table)?;
        let result = self.temporary(&Type::Bool)?;
        let set = |lower: &mut Self, value| {
            lower.nested(|lower| lower.assign(&result, Value::Scalar(Expr::Bool(value))))
        };
        let hit = set(self, on_hit)?;
        let miss = set(self, !on_hit)?;
        self.push(StmtKind::Apply(table, Branches::HitMiss(hit, miss)));
        Ok(self.read(&result))
    }

    fn switch_table(&mut self, table: TableId, cases: &[ir::TableCase]) -> Result<()> {
        self.apply_table(table)?;
        let mut lowered = Vec::new();
        let mut default = Vec::new();
        for case in cases {
            let body = self.nested(|lower| lower.stmts(&case.body))?;
            if case.actions.is_empty() {
                default = body;
            } else {
                lowered.push((case.actions.clone(), body));
            }
        }
        let branches = Branches::Actions {
            cases: lowered,
            default,
        };
        self.push(StmtKind::Apply(table, branches));
        Ok(())
    }

    fn switch_value(&mut self, on: &ir::Expr, cases: &[ir::ValueCase]) -> Result<()> {
        let value = self.value(on)?;
        let value = match value {
            Value::Scalar(expr) if matches!(expr, Expr::Field(..)) => Value::Scalar(expr),
            value => self.spill(value, &on.ty)?,
        };
        self.cases(&value, on, cases)
    }

    fn cases(&mut self, value: &Value, on: &ir::Expr, cases: &[ir::ValueCase]) -> Result<()> {
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        for case in cases {
            let body = self.nested(|lower| lower.stmts(&case.body))?;
            if case.labels.is_empty() {
                otherwise = body;
                continue;
            }
            let mut equal = Vec::new();
            for label in &case.labels {
                let label = self.constant(label, &on.ty, on)?;
                equal.push(self.equal(value.clone(), label, &on.ty)?);
            }
            arms.push((ops::any(equal), body));
        }
        if arms.is_empty() {
            self.out.append(&mut otherwise);
        } else {
            self.push(StmtKind::If { arms, otherwise });
        }
        Ok(())
    }

    fn leave(&mut self, value: Option<&ir::Expr>) -> Result<()> {
        if let Some(value) = value {
            let value = self.value(value)?;
            let result = self.frames.last().and_then(|f| f.result.clone());
            if let Some((place, _)) = result {
                self.assign(&place, value)?;
            }
        }
        match self.frames.last() {
            Some(frame) => {
                let end = frame.end;
                self.push(StmtKind::Break(end));
                Ok(())
            }
            None => not_supported(self.span, "`return` here"),
        }
    }

    /// `exit` ends the block, but first copies the `out` and `inout` parameters of all calls around back.
    fn exit(&mut self) -> Result<()> {
        let copies: Vec<_> = self
            .frames
            .iter()
            .rev()
            .flat_map(|frame| frame.copy_out.clone())
            .collect();
        for (to, from) in copies {
            let value = self.read(&from);
            self.assign(&to, value)?;
        }
        self.push(StmtKind::Exit);
        Ok(())
    }

    fn repeat(
        &mut self,
        init: &[ir::Stmt],
        condition: &ir::Expr,
        update: &[ir::Stmt],
        body: &[ir::Stmt],
    ) -> Result<()> {
        self.stmts(init)?;
        let end = self.new_label();
        let next = self.new_label();
        let iteration = self.nested(|lower| {
            let condition = lower.scalar(condition)?;
            let leave = lower.nested(|lower| {
                lower.push(StmtKind::Break(end));
                Ok(())
            })?;
            lower.push(StmtKind::If {
                arms: vec![(ops::not(condition), leave)],
                otherwise: Vec::new(),
            });
            lower.loops.push((end, next));
            let body = lower.nested(|lower| lower.stmts(body));
            lower.loops.pop();
            lower.push(StmtKind::Block(next, body?));
            lower.stmts(update)
        })?;
        let repeated = self.nested(|lower| {
            lower.push(StmtKind::Loop(iteration));
            Ok(())
        })?;
        self.push(StmtKind::Block(end, repeated));
        Ok(())
    }
}

/// Whether the value comes from `target op= ...`: its left operand has the place of the target in the source.
fn is_compound(target: &ir::Expr, value: &ir::Expr) -> bool {
    match &value.kind {
        ExprKind::Binary(_, left, _) => left.span == target.span,
        ExprKind::Cast(inner) => is_compound(target, inner),
        _ => false,
    }
}
