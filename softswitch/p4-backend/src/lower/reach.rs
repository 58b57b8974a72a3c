// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: the places that an action's body can read or write besides its own parameters.

use quench_p4_frontend::ir::{self, Callee, ExprKind, StmtKind, VarId};

use super::atoms::Atoms;
use super::state::Lower;
use crate::error::Result;
use crate::place::Place;

impl Lower<'_> {
    /// All parts of the packet state that the statements read or write, without the variables in `own`.
    pub(crate) fn reachable(&mut self, stmts: &[ir::Stmt], own: &[VarId]) -> Result<Atoms> {
        let mut reached = Atoms::default();
        self.reach_stmts(stmts, own, &mut reached)?;
        Ok(reached)
    }

    fn reach_stmts(
        &mut self,
        stmts: &[ir::Stmt],
        own: &[VarId],
        reached: &mut Atoms,
    ) -> Result<()> {
        for stmt in stmts {
            self.count_operation()?;
            match &stmt.kind {
                StmtKind::Declare(_, None) | StmtKind::Return(None) => {}
                StmtKind::Declare(_, Some(e)) | StmtKind::Return(Some(e)) => {
                    self.reach(e, own, reached)?;
                }
                StmtKind::Assign(target, value) => {
                    self.reach(target, own, reached)?;
                    self.reach(value, own, reached)?;
                }
                StmtKind::Call(call) => self.reach_call(call, own, reached)?,
                StmtKind::Block(body) => self.reach_stmts(body, own, reached)?,
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.reach(condition, own, reached)?;
                    self.reach_stmts(then, own, reached)?;
                    self.reach_stmts(otherwise, own, reached)?;
                }
                StmtKind::SwitchTable { cases, .. } => {
                    for case in cases {
                        self.reach_stmts(&case.body, own, reached)?;
                    }
                }
                StmtKind::SwitchValue { on, cases } => {
                    self.reach(on, own, reached)?;
                    for case in cases {
                        self.reach_stmts(&case.body, own, reached)?;
                    }
                }
                StmtKind::For {
                    init,
                    condition,
                    update,
                    body,
                } => {
                    self.reach_stmts(init, own, reached)?;
                    self.reach(condition, own, reached)?;
                    self.reach_stmts(update, own, reached)?;
                    self.reach_stmts(body, own, reached)?;
                }
                StmtKind::Exit | StmtKind::Break | StmtKind::Continue => {}
            }
        }
        Ok(())
    }

    fn reach_call(&mut self, call: &ir::Call, own: &[VarId], reached: &mut Atoms) -> Result<()> {
        for arg in &call.args {
            self.reach(&arg.expr, own, reached)?;
        }
        match &call.callee {
            // An action that is called runs in the same control.
            Callee::Action(id) => {
                let ir = self.ir;
                let action = &ir.actions[id.index()];
                let own: Vec<VarId> = own.iter().chain(&action.params).copied().collect();
                self.reach_stmts(&action.body, &own, reached)
            }
            Callee::Builtin { object, .. } => self.reach(object, own, reached),
            _ => Ok(()),
        }
    }

    pub(crate) fn reach(&mut self, e: &ir::Expr, own: &[VarId], reached: &mut Atoms) -> Result<()> {
        if let Some(place) = self.covering_place(e, own)? {
            self.atoms(&place, reached);
        }
        match &e.kind {
            // Only the member is reached, not all of its struct.
            ExprKind::Field(base, _) if is_path(base) => Ok(()),
            ExprKind::Index(base, index) => {
                if !is_path(base) {
                    self.reach(base, own, reached)?;
                }
                self.reach(index, own, reached)
            }
            ExprKind::Call(call) => self.reach_call(call, own, reached),
            ExprKind::TableHit(_) | ExprKind::TableMiss(_) => {
                reached.add_everything();
                Ok(())
            }
            _ => e.operands().try_for_each(|e| self.reach(e, own, reached)),
        }
    }

    /// The place that a variable or a member of one names; of an element of a stack or array, and of its members, the whole
    /// stack or array.
    fn covering_place(&mut self, e: &ir::Expr, own: &[VarId]) -> Result<Option<Place>> {
        match &e.kind {
            ExprKind::Var(var) if own.contains(var) => Ok(None),
            ExprKind::Var(var) if matches!(self.ir.vars[var.index()].ty, ir::Type::Extern(..)) => {
                Ok(None)
            }
            ExprKind::Var(_) if self.is_place(e) => self.place(e, false).map(Some),
            ExprKind::Field(base, index) => match self.covering_place(base, own)? {
                Some(array) if !is_path(base) => Ok(Some(array)),
                Some(place) => self.member(&place, *index as usize, e).map(Some),
                None => Ok(None),
            },
            ExprKind::Index(base, _) | ExprKind::StackNext(base) | ExprKind::StackLast(base) => {
                self.covering_place(base, own)
            }
            _ => Ok(None),
        }
    }
}

fn is_path(e: &ir::Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field(base, _) => is_path(base),
        _ => false,
    }
}
