// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calls: inlining of functions, actions, controls and parsers with copy-in and copy-out, and built-in methods.

use quench_p4_frontend::ir::{
    self, BuiltinMethod, Callee, Direction, ExprKind, ExternId, StmtKind as Ir, Type, VarId,
};

use quench_p4_frontend::limits::MAX_CALL_DEPTH;

use super::atoms::Atoms;
use super::expr::has_effects;
use super::{Binding, Frame, Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{Branches, StmtKind};
use crate::json::Expr;
use crate::place::Place;

/// What is inlined.
struct Inline<'s> {
    params: &'s [VarId],
    result: Option<&'s Type>,
    locals: &'s [ir::Stmt],
    body: Body<'s>,
    /// What the body can reach besides its parameters: nothing, unless it is an action's.
    reachable: Atoms,
}

enum Body<'s> {
    Stmts(&'s [ir::Stmt]),
    States(&'s ir::Parser),
}

/// An evaluated argument.
enum Arg {
    /// An object; `None` for `packet_in` and its like, of which there is only one.
    Extern(Option<ExternId>),
    In(Value),
    /// An argument for `in` that is a place: can be bound to rather than copied.
    InPlace(Place),
    /// With the value it had when its turn came, where a later argument can change it.
    Out(Place, Option<Value>),
    DontCare,
}

impl Lower<'_> {
    pub(super) fn call(&mut self, call: &ir::Call) -> Result<Option<Value>> {
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
                self.extern_function(name, type_args, call).map(|()| None)
            }
            Callee::ExternMethod {
                instance, method, ..
            } => self.extern_method(*instance, method, call).map(|()| None),
            Callee::ParamMethod {
                param,
                extern_type,
                method,
                ..
            } => match self.extern_params.get(param) {
                Some(&instance) => self.extern_method(instance, method, call).map(|()| None),
                None => self.packet_method(extern_type, method, call),
            },
            Callee::Builtin { object, method } => {
                self.builtin(object, *method, call).map(|()| None)
            }
        }
    }

    /// An action's body with the given parameters bound to arguments.
    pub(super) fn inline_action(
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
                self.primitive("add_header", vec![expr]);
            }
            (BuiltinMethod::SetInvalid, place) => self.invalidate(&place)?,
            (BuiltinMethod::PushFront | BuiltinMethod::PopFront, Place::Stack(stack)) => {
                let count = self.scalar(&call.args[0].expr)?;
                let Expr::Hex { value, .. } = count else {
                    return not_supported(call.span, "a count that is known only at run time");
                };
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

    fn arguments(&mut self, args: &[ir::Argument]) -> Result<Vec<Arg>> {
        let last_effect = args.iter().rposition(|a| has_effects(&a.expr)).unwrap_or(0);
        args.iter()
            .enumerate()
            .map(|(index, arg)| {
                let e = &arg.expr;
                Ok(match arg.direction {
                    _ if matches!(e.ty, Type::Extern(..)) => Arg::Extern(self.extern_argument(e)),
                    Direction::Out | Direction::InOut => match e.kind {
                        ExprKind::DontCare => Arg::DontCare,
                        _ => {
                            let place = self.place(e, true)?;
                            let value = if arg.direction == Direction::InOut
                                && self.can_change(&place, &args[index + 1..])?
                            {
                                let value = self.read(&place);
                                Some(self.spill(value, &e.ty)?)
                            } else {
                                None
                            };
                            Arg::Out(place, value)
                        }
                    },
                    Direction::In | Direction::None => {
                        if index < last_effect {
                            let value = self.value(e)?;
                            Arg::In(self.spill(value, &e.ty)?)
                        } else if self.is_place(e) {
                            Arg::InPlace(self.place(e, false)?)
                        } else {
                            Arg::In(self.value(e)?)
                        }
                    }
                })
            })
            .collect()
    }

    /// Whether evaluating the arguments can write to the place.
    fn can_change(&mut self, place: &Place, args: &[ir::Argument]) -> Result<bool> {
        let mut atoms = Atoms::default();
        self.atoms(place, &mut atoms);
        for arg in args.iter().filter(|arg| has_effects(&arg.expr)) {
            let mut reached = Atoms::default();
            self.reach(&arg.expr, &[], &mut reached)?;
            if !reached.is_disjoint(&atoms) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn extern_argument(&self, e: &ir::Expr) -> Option<ExternId> {
        match &e.kind {
            ExprKind::Const(ir::Value::Extern(instance)) => Some(*instance),
            ExprKind::Var(var) => self.extern_params.get(var).copied(),
            _ => None,
        }
    }

    fn inline(&mut self, inline: &Inline<'_>, args: &[ir::Argument]) -> Result<Option<Value>> {
        let args = self.arguments(args)?;
        let outs: Vec<Atoms> = args
            .iter()
            .map(|arg| {
                let mut atoms = Atoms::default();
                if let Arg::Out(place, _) = arg {
                    self.atoms(place, &mut atoms);
                }
                atoms
            })
            .collect();
        let mut copy_out = Vec::new();
        let mut bound = Vec::new();
        let mut copies = false;
        let ir = self.ir;
        for (index, (&var, arg)) in inline.params.iter().zip(args).enumerate() {
            let binding = match arg {
                Arg::Extern(None) => continue,
                Arg::Extern(Some(instance)) => {
                    self.extern_params.insert(var, instance);
                    continue;
                }
                Arg::DontCare => {
                    let storage = self.parameter_storage(var)?;
                    self.invalidate(&storage)?;
                    Binding::Place(storage)
                }
                Arg::In(value) => {
                    if self.can_bind(&value, &inline.reachable, &outs) {
                        Binding::Value(value)
                    } else {
                        copies = true;
                        self.copy_in(var, value)?
                    }
                }
                Arg::InPlace(place) => {
                    let value = self.read(&place);
                    if self.can_bind(&value, &inline.reachable, &outs) {
                        Binding::Place(place)
                    } else {
                        copies = true;
                        self.copy_in(var, value)?
                    }
                }
                Arg::Out(place, saved) => {
                    let alone = outs
                        .iter()
                        .enumerate()
                        .all(|(other, atoms)| other == index || atoms.is_disjoint(&outs[index]));
                    let is_out = matches!(
                        ir.vars[var.index()].kind,
                        ir::VarKind::Param(Direction::Out)
                    );
                    if alone
                        && saved.is_none()
                        && outs[index].is_disjoint(&inline.reachable)
                        && is_fixed(&place)
                    {
                        if is_out {
                            self.invalidate(&place)?;
                        }
                        Binding::Place(place)
                    } else {
                        copies = true;
                        let storage = self.parameter_storage(var)?;
                        if is_out {
                            self.invalidate(&storage)?;
                        } else {
                            let value = saved.unwrap_or_else(|| self.read(&place));
                            self.assign(&storage, value)?;
                        }
                        copy_out.push((place, storage.clone()));
                        Binding::Place(storage)
                    }
                }
            };
            bound.push((var, binding));
        }
        let shadowed: Vec<_> = bound
            .into_iter()
            .map(|(var, binding)| (var, self.bindings.insert(var, binding)))
            .collect();
        let result = self.inline_body(inline, copy_out, copies);
        for (var, binding) in shadowed {
            match binding {
                Some(binding) => self.bindings.insert(var, binding),
                None => self.bindings.remove(&var),
            };
        }
        result
    }

    fn inline_body(
        &mut self,
        inline: &Inline<'_>,
        copy_out: Vec<(Place, Place)>,
        copies: bool,
    ) -> Result<Option<Value>> {
        if let (Body::Stmts([stmt]), false) = (&inline.body, copies) {
            if let Ir::Return(Some(value)) = &stmt.kind {
                return self.value(value).map(Some);
            }
        }
        let result = match inline.result {
            Some(ty) => Some((self.temporary(ty)?, ty.clone())),
            None => None,
        };
        let end = self.new_label();
        self.frames.push(Frame {
            end,
            result: result.clone(),
            copy_out: copy_out.clone(),
        });
        let loops = std::mem::take(&mut self.loops);
        let body = match inline.body {
            Body::Stmts(stmts) => self
                .nested(|lower| {
                    lower.stmts(inline.locals)?;
                    lower.stmts(stmts)
                })
                .map(|body| StmtKind::Block(end, body)),
            Body::States(parser) => self.state_graph(parser).map(StmtKind::Parser),
        };
        self.loops = loops;
        self.frames.pop();
        self.push(body?);
        for (to, from) in copy_out {
            let value = self.read(&from);
            self.assign(&to, value)?;
        }
        Ok(result.map(|(place, _)| self.read(&place)))
    }

    /// Whether a value can be read again and again in the callee instead of being copied once.
    fn can_bind(&self, value: &Value, reachable: &Atoms, outs: &[Atoms]) -> bool {
        let mut atoms = Atoms::default();
        self.value_atoms(value, &mut atoms);
        let unchanged =
            atoms.is_disjoint(reachable) && outs.iter().all(|written| written.is_disjoint(&atoms));
        unchanged && is_simple(value)
    }

    fn copy_in(&mut self, var: VarId, value: Value) -> Result<Binding> {
        let storage = self.parameter_storage(var)?;
        self.assign(&storage, value)?;
        Ok(Binding::Place(storage))
    }

    fn parameter_storage(&mut self, var: VarId) -> Result<Place> {
        if let Some(place) = self.parameters.get(&var) {
            return Ok(place.clone());
        }
        let v = &self.ir.vars[var.index()];
        let place = self.layout.allocate(&v.name, &v.ty, v.span)?;
        self.parameters.insert(var, place.clone());
        Ok(place)
    }
}

/// Cheap to read twice, and the same each time unless it is written to.
fn is_simple(value: &Value) -> bool {
    match value {
        Value::Scalar(expr) => match expr {
            Expr::Unary("d2b", inner) => matches!(**inner, Expr::Field(..)),
            Expr::Field(..) | Expr::RuntimeData(_) | Expr::String(_) => true,
            expr => expr.is_constant(),
        },
        Value::Place(place) => is_fixed(place),
        Value::Struct(members) => members.iter().all(is_simple),
        Value::Header(_) | Value::Invalid => false,
    }
}

/// Whether the place is the same at all times: nothing in it depends on an index at run time.
fn is_fixed(place: &Place) -> bool {
    match place {
        Place::Scalar(leaf) => {
            leaf.slice.is_none() && matches!(leaf.expr, Expr::Field(..) | Expr::RuntimeData(_))
        }
        Place::Struct(members) => members.iter().all(is_fixed),
        Place::Header(header) => matches!(header.at, crate::place::HeaderAt::Instance(_)),
        Place::Union(union) => matches!(union.at, crate::place::UnionAt::Instance(_)),
        Place::Stack(_) => true,
    }
}
