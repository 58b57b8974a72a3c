// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: calls of every kind, and built-in methods. `inline.rs` puts the body that is called in the place of the call.

use quench_p4_frontend::ir::{self, BuiltinMethod, Callee, Type, VarId};
use quench_p4_frontend::limits::MAX_CALL_DEPTH;

use super::atoms::Atoms;
use super::inline::{Body, Inline};
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{Branches, StmtKind};
use crate::json::Expr;
use crate::place::Place;

impl Lower<'_> {
    pub(crate) fn call(&mut self, call: &ir::Call) -> Result<Option<Value>> {
        let outer = std::mem::replace(&mut self.span, call.span);
        self.call_depth += 1;
        let result = self.checked_call(call);
        self.call_depth -= 1;
        self.span = outer;
        result
    }

    fn checked_call(&mut self, call: &ir::Call) -> Result<Option<Value>> {
        self.count_operation()?;
        if self.call_depth > MAX_CALL_DEPTH {
            return not_supported(
                self.span,
                format_args!("calls nested more than {MAX_CALL_DEPTH} deep"),
            );
        }
        self.call_here(call)
    }

    fn call_here(&mut self, call: &ir::Call) -> Result<Option<Value>> {
        let ir = self.ir;
        match &call.callee {
            Callee::Function(id) => {
                let function = &ir.functions[id.index()];
                self.inline(
                    &Inline {
                        params: &function.params,
                        result: (function.result != Type::Void).then_some(&function.result),
                        locals: &[],
                        body: Body::Stmts(&function.body),
                        reachable: Atoms::default(),
                    },
                    &call.args,
                )
            }
            Callee::Action(id) => {
                let action = &ir.actions[id.index()];
                self.inline_action(action, &action.params, &call.args)
            }
            Callee::Control(id) => {
                let control = &ir.controls[id.index()];
                self.inline(
                    &Inline {
                        params: &control.params,
                        result: None,
                        locals: &control.locals,
                        body: Body::Stmts(&control.body),
                        reachable: Atoms::default(),
                    },
                    &call.args,
                )
            }
            Callee::Parser(id) => {
                let parser = &ir.parsers[id.index()];
                self.inline(
                    &Inline {
                        params: &parser.params,
                        result: None,
                        locals: &[],
                        body: Body::States(parser),
                        reachable: Atoms::default(),
                    },
                    &call.args,
                )
            }
            Callee::Table(id) => {
                self.apply_table(*id)?;
                self.push(StmtKind::Apply(*id, Branches::None));
                Ok(None)
            }
            Callee::ExternFunction { name, type_args } => {
                self.arch.function(self, name, type_args, call)
            }
            Callee::ExternMethod {
                instance, method, ..
            } => self.arch.method(self, *instance, method, call),
            Callee::ParamMethod {
                param,
                extern_type,
                method,
                ..
            } => match self.extern_params.get(param) {
                Some(&instance) => self.arch.method(self, instance, method, call),
                None => self.packet_method(extern_type, method, call),
            },
            Callee::Builtin { object, method } => {
                self.builtin(object, *method, call).map(|()| None)
            }
        }
    }

    /// An action's body with the given parameters bound to arguments.
    pub(crate) fn inline_action(
        &mut self,
        action: &ir::Action,
        params: &[VarId],
        args: &[ir::Argument],
    ) -> Result<Option<Value>> {
        let reachable = self.reachable(&action.body, &action.params)?;
        self.inline(
            &Inline {
                params,
                result: None,
                locals: &[],
                body: Body::Stmts(&action.body),
                reachable,
            },
            args,
        )
    }

    fn builtin(&mut self, object: &ir::Expr, method: BuiltinMethod, call: &ir::Call) -> Result<()> {
        match (method, self.place(object, false)?) {
            (BuiltinMethod::SetValid, Place::Header(header)) => {
                let expr = self.header_expr(&header)?;
                self.primitive(self.arch.set_valid(), vec![expr]);
            }
            (BuiltinMethod::SetValid, Place::Choice(index, places)) => {
                self.with_chosen(&index, &places, |lower, place| match place {
                    Place::Header(header) => {
                        let expr = lower.header_expr(header)?;
                        lower.primitive(lower.arch.set_valid(), vec![expr]);
                        Ok(())
                    }
                    _ => not_supported(call.span, "this method here"),
                })?;
            }
            (BuiltinMethod::SetInvalid, place) => self.invalidate(&place)?,
            (BuiltinMethod::PushFront | BuiltinMethod::PopFront, Place::Stack(stack)) => {
                let count = self.scalar(&call.args[0].expr)?;
                let Expr::Hex { value, .. } = count else {
                    return not_supported(call.span, "a count that is known only at run time");
                };
                // BMv2 writes before the first element of a stack without elements.
                if stack.size == 0 {
                    return Ok(());
                }
                let op = match method {
                    BuiltinMethod::PushFront => "push",
                    _ => "pop",
                };
                let stack = if stack.of_unions {
                    Expr::HeaderUnionStack(stack.name)
                } else {
                    Expr::HeaderStack(stack.name)
                };
                self.primitive(op, vec![stack, Expr::hex(value, 32)]);
            }
            _ => return not_supported(call.span, "this method here"),
        }
        Ok(())
    }
}
