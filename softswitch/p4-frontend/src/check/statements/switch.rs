// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: `switch` on the action that a table ran, and on values.

use crate::ast;
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::ir::{StmtKind, TableCase, TableId, Type, TypeDefKind, Value, ValueCase};
use crate::span::Span;
use crate::warnings::Warning;

/// Labels that share a body, with the fall-through resolved.
struct Case<'a> {
    labels: Vec<&'a ast::Expr>,
    /// `default` is among them, so the others have no effect.
    is_default: bool,
    body: Option<&'a ast::Block>,
}

impl<'a> Checker<'a, '_> {
    pub fn switch(
        &mut self,
        on: &'a ast::Expr,
        cases: &'a [ast::SwitchCase],
        span: Span,
    ) -> Option<StmtKind> {
        if let ast::ExprKind::Member(base, name) = &on.kind {
            if name.text == "action_run" {
                if let Some(table) = self.applied_table(base) {
                    return self.switch_table(table?, cases, span);
                }
            }
        }
        let on = self.expr(on, None)?;
        let switchable = match &on.ty {
            Type::Bit(_) | Type::Int(_) | Type::InfInt | Type::Error | Type::Bool => true,
            ty => match self.types.def(ty) {
                Some(TypeDefKind::Enum(_) | TypeDefKind::SerEnum { .. }) => true,
                Some(TypeDefKind::Newtype(_)) => {
                    matches!(self.types.representation(ty), Type::Bit(_) | Type::Int(_))
                }
                _ => false,
            },
        };
        if !switchable {
            let shown = self.types.show(&on.ty);
            return self.error(on.span, format!("`switch` is not defined for `{shown}`"));
        }
        let cases = self.group_cases(cases)?;
        let mut seen: Vec<Value> = Vec::new();
        let cases = self.all(cases, |c, case| {
            let labels = c.all(case.labels, |c, label| {
                let value = c.typed_value(label, &on.ty, "a label of `switch`")?;
                if let Some(value) = &value {
                    if seen.contains(value) {
                        return c.error(label.span, "the label is there twice");
                    }
                    seen.push(value.clone());
                }
                Some(value)
            });
            let body = case.body.map(|body| c.block(body)).unwrap_or_default();
            Some(ValueCase {
                labels: match case.is_default {
                    true => labels.map(|_| Vec::new())?,
                    false => labels?.into_iter().flatten().collect(),
                },
                body,
            })
        })?;
        Some(StmtKind::SwitchValue { on, cases })
    }

    fn switch_table(
        &mut self,
        table: TableId,
        cases: &'a [ast::SwitchCase],
        _span: Span,
    ) -> Option<StmtKind> {
        let cases = self.group_cases(cases)?;
        let mut seen = Vec::new();
        let cases = self.all(cases, |c, case| {
            let actions = c.all(case.labels, |c, label| {
                let index = c.action_label(table, label)?;
                if seen.contains(&index) {
                    return c.error(label.span, "the label is there twice");
                }
                seen.push(index);
                Some(index)
            });
            let body = case.body.map(|body| c.block(body)).unwrap_or_default();
            Some(TableCase {
                actions: match case.is_default {
                    true => actions.map(|_| Vec::new())?,
                    false => actions?,
                },
                body,
            })
        })?;
        Some(StmtKind::SwitchTable { table, cases })
    }

    /// The position in the table's list of the action that a label names.
    fn action_label(&mut self, table: TableId, label: &'a ast::Expr) -> Option<usize> {
        let ast::ExprKind::Path(path) = &label.kind else {
            return self.error(label.span, "expected the name of an action of the table");
        };
        let action = match self.lookup(path)? {
            Entity::Action(id, _) => Some(id),
            Entity::GlobalAction(decl) => Some(self.global_action(decl)?),
            _ => None,
        };
        let table = &self.ir.tables[table.index()];
        let position = table
            .actions
            .iter()
            .position(|used| Some(used.action) == action);
        match position {
            Some(index) => Some(index),
            None => {
                let message = format!(
                    "`{}` is not an action of table `{}`",
                    path.name.text, table.name
                );
                self.error(label.span, message)
            }
        }
    }

    /// A label without body shares the body of the next one.
    fn group_cases(&mut self, cases: &'a [ast::SwitchCase]) -> Option<Vec<Case<'a>>> {
        let mut result = Vec::new();
        let mut labels = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let is_default = match &case.label {
                None => true,
                Some(label) => matches!(label.kind, ast::ExprKind::DontCare),
            };
            if is_default && index + 1 != cases.len() {
                let message = "`default` must be the last case of a `switch`";
                if !self.rules.default_anywhere {
                    return self.error(case.span, message);
                }
                self.warning(Warning::Ordering, case.span, message);
            }
            match &case.label {
                Some(label) if !is_default => labels.push(label),
                _ => {}
            }
            let is_last = index + 1 == cases.len();
            if is_last && case.body.is_none() {
                let message =
                    "this case has no statements, and no case follows that it could share";
                self.warning(Warning::Missing, case.span, message);
            }
            if case.body.is_some() || is_last {
                result.push(Case {
                    labels: std::mem::take(&mut labels),
                    is_default,
                    body: case.body.as_ref(),
                });
            }
        }
        Some(result)
    }
}
