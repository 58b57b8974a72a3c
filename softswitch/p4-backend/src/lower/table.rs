// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: tables: keys into fields, actions with their bodies.

use quench_p4_frontend::ir::{self, Direction, TableId, VarKind};

use super::lowered::{BlockKind, Key, LoweredAction, LoweredTable};
use super::ops;
use super::state::{Binding, Lower, Value};
use crate::annotation;
use crate::error::{not_supported, Error, Result};
use crate::flat::Stmt;
use crate::json::Expr;
use crate::layout::leaf;
use crate::place::{Place, Scalar};

impl Lower<'_> {
    /// Brings the keys into their fields, and lowers the table when it is applied for the first time.
    pub(crate) fn apply_table(&mut self, id: TableId) -> Result<()> {
        if self.in_action {
            return not_supported(self.span, "applying a table in an action");
        }
        if self.block.kind != BlockKind::Pipeline {
            return not_supported(self.span, "a table outside ingress and egress");
        }
        let ir = self.ir;
        let table = &ir.tables[id.index()];
        if let Some(known) = self.tables.get(&id) {
            if known.block != self.block {
                return not_supported(
                    self.span,
                    format_args!("table {} in both ingress and egress", table.name),
                );
            }
        }
        let exprs: Vec<_> = table.keys.iter().map(|k| &k.expr).collect();
        let values = self.values(exprs)?;
        let known = self.tables.get(&id).cloned();
        let mut keys = Vec::new();
        let mut selector_input = Vec::new();
        let mut fields = Vec::new();
        for (index, (key, value)) in table.keys.iter().zip(values).enumerate() {
            let scalar = self.layout.number(&key.expr.ty, key.expr.span)?;
            let is_selector = key.match_kind == "selector";
            let known_field = known.as_ref().map(|table| table.fields[index].clone());
            let field = self.key_field(key, value, scalar, known_field)?;
            fields.push(field.clone());
            if is_selector {
                selector_input.push(Expr::Field(field.0, field.1));
                continue;
            }
            let Some(match_kind) = self.arch.match_kind(&key.match_kind) else {
                return not_supported(
                    key.expr.span,
                    format_args!("the match kind {}", key.match_kind),
                );
            };
            keys.push(Key {
                match_kind: match_kind.to_owned(),
                name: key.name.clone(),
                field,
                scalar,
                index,
            });
        }
        if known.is_some() {
            return Ok(());
        }
        if keys.iter().filter(|k| k.match_kind == "lpm").count() > 1 {
            return not_supported(
                table.span,
                format_args!("more than one lpm key in table {}", table.name),
            );
        }
        let actions = table
            .actions
            .iter()
            .map(|action| self.table_action(action))
            .collect::<Result<_>>()?;
        let mut lowered = LoweredTable {
            block: self.block,
            keys,
            selector_input,
            fields,
            actions,
            profile: None,
            direct_counter: None,
            direct_meter: None,
            direct_objects: Vec::new(),
            entry_index: None,
            support_timeout: false,
        };
        for property in &table.properties {
            self.arch.property(self, property, &mut lowered)?;
        }
        self.arch.check_table(self, table, &lowered);
        self.tables.insert(id, lowered);
        Ok(())
    }

    /// The field that BMv2 matches: the key itself where it is one, else a temporary that gets its value.
    fn key_field(
        &mut self,
        key: &ir::Key,
        value: Value,
        scalar: Scalar,
        known: Option<(String, String)>,
    ) -> Result<(String, String)> {
        if scalar.bits() == 0 {
            return Ok(self.layout.field_without_bits());
        }
        let Value::Scalar(value) = value else {
            return not_supported(key.expr.span, "a composite value as a key");
        };
        let data = match scalar {
            Scalar::Bool => ops::data(value),
            _ => value,
        };
        let field = match (known, &data) {
            (None, Expr::Field(header, field)) if self.layout.is_field(&data, scalar.bits()) => {
                return Ok((header.clone(), field.clone()))
            }
            (Some(known), Expr::Field(header, field))
                if known.0 == *header
                    && known.1 == *field
                    && self.layout.is_field(&data, scalar.bits()) =>
            {
                return Ok(known)
            }
            (Some((header, field)), _) => Expr::Field(header, field),
            (None, _) => match self.temporary(&key.expr.ty)? {
                Place::Scalar(leaf) => leaf.expr,
                _ => return not_supported(key.expr.span, "a composite value as a key"),
            },
        };
        let Expr::Field(header, name) = field.clone() else {
            unreachable!("temporaries are fields");
        };
        if header != crate::layout::SCALARS {
            return not_supported(
                self.span,
                "a table that is applied twice with different fields as its key",
            );
        }
        self.primitive("assign", vec![field, data]);
        Ok((header, name))
    }

    fn table_action(&mut self, action_use: &ir::ActionUse) -> Result<usize> {
        let id = action_use.action;
        let shared = action_use.args.is_empty();
        if shared {
            if let Some(known) = self.actions.iter().position(|a| a.shared && a.id == id) {
                return Ok(known);
            }
        }
        let ir = self.ir;
        let action = &ir.actions[id.index()];
        let mut parameters = Vec::new();
        let mut bound_params = Vec::new();
        let mut bound_args = Vec::new();
        let mut arguments = action_use.args.iter();
        for &var in &action.params {
            let v = &ir.vars[var.index()];
            let direction = match v.kind {
                VarKind::Param(direction) => direction,
                VarKind::Local => Direction::None,
            };
            if direction == Direction::None {
                let scalar = self.layout.number(&v.ty, v.span)?;
                let place = match scalar {
                    Scalar::Varbit(_) => {
                        let what = "a varbit parameter from the control plane";
                        return not_supported(v.span, what);
                    }
                    Scalar::Bit(0) => Place::Struct(Vec::new()),
                    _ => leaf(Expr::RuntimeData(parameters.len()), scalar),
                };
                let name = annotation::string(&v.annotations, "name");
                parameters.push((name.unwrap_or_else(|| v.name.clone()), scalar.bits()));
                self.bindings.insert(var, Binding::Place(place));
            } else {
                let Some(expr) = arguments.next() else {
                    return Err(Error::new(
                        action.span,
                        format_args!("action {} lacks an argument for {}", action.name, v.name),
                    ));
                };
                bound_params.push(var);
                bound_args.push(ir::Argument {
                    name: v.name.clone(),
                    direction,
                    expr: expr.clone(),
                });
            }
        }
        let body = self.action_body(action, &bound_params, &bound_args);
        for var in &action.params {
            self.bindings.remove(var);
        }
        self.actions.push(LoweredAction {
            id,
            name: action.name.clone(),
            parameters,
            body: body?,
            shared,
        });
        Ok(self.actions.len() - 1)
    }

    fn action_body(
        &mut self,
        action: &ir::Action,
        params: &[ir::VarId],
        args: &[ir::Argument],
    ) -> Result<Vec<Stmt>> {
        let copied = self.frames.iter().any(|frame| !frame.copy_out.is_empty());
        if copied && contains_exit(&action.body) {
            return not_supported(
                action.span,
                "`exit` in an action of a table in a control whose arguments overlap",
            );
        }
        let frames = std::mem::take(&mut self.frames);
        let loops = std::mem::take(&mut self.loops);
        let outer_span = std::mem::replace(&mut self.span, action.span);
        self.in_action = true;
        let body = self.nested(|lower| lower.inline_action(action, params, args).map(|_| ()));
        self.in_action = false;
        self.frames = frames;
        self.loops = loops;
        self.span = outer_span;
        body
    }
}

fn contains_exit(stmts: &[ir::Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        ir::StmtKind::Exit => true,
        ir::StmtKind::Block(body) => contains_exit(body),
        ir::StmtKind::If {
            then, otherwise, ..
        } => contains_exit(then) || contains_exit(otherwise),
        ir::StmtKind::SwitchValue { cases, .. } => cases.iter().any(|c| contains_exit(&c.body)),
        ir::StmtKind::For { body, .. } => contains_exit(body),
        _ => false,
    })
}
