// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: inlining of functions, actions, controls and parsers, with copy-in and copy-out (section "Calling convention"
//! of the P4-16 specification).
//!
//! A parameter is bound to its argument where no copy can be distinguished from the argument itself: nothing that the body
//! reads or writes overlaps it. Elsewhere the parameter has a place of its own.

use quench_p4_frontend::ir::{self, Direction, ExprKind, ExternId, StmtKind as Ir, Type, VarId};

use super::atoms::Atoms;
use super::state::{Binding, Frame, Lower, Value};
use crate::error::Result;
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::place::{HeaderAt, Place, UnionAt};

/// A body to be put in the place of a call.
pub(crate) struct Inline<'s> {
    pub params: &'s [VarId],
    pub result: Option<&'s Type>,
    pub locals: &'s [ir::Stmt],
    pub body: Body<'s>,
    /// Places that the body can read or write besides its parameters: none, unless it is an action's.
    pub reachable: Atoms,
}

pub(crate) enum Body<'s> {
    Stmts(&'s [ir::Stmt]),
    States(&'s ir::Parser),
}

/// An evaluated argument.
enum Arg {
    /// An object; `None` for `packet_in` and its like, of which there is only one.
    Extern(Option<ExternId>),
    In(Value),
    /// An argument for `in` that is a place: a parameter can be bound to it.
    InPlace(Place),
    /// An argument for `out` or `inout`. Where a later argument can change the place, with its value before that.
    Out(Place, Option<Value>),
    DontCare,
}

/// The parameters of one call with their arguments.
#[derive(Default)]
struct Bound {
    bindings: Vec<(VarId, Binding)>,
    /// Place of the argument and place of the parameter, for the end of the call.
    copy_out: Vec<(Place, Place)>,
    /// Some parameter has a place of its own.
    has_copies: bool,
}

impl Lower<'_> {
    pub(crate) fn inline(
        &mut self,
        inline: &Inline<'_>,
        args: &[ir::Argument],
    ) -> Result<Option<Value>> {
        let args = self.arguments(args)?;
        let bound = self.bind_all(inline, args)?;
        self.inline_bound(inline, bound.bindings, bound.copy_out, bound.has_copies)
    }

    /// The body of a function whose parameters have these places, without a result.
    pub(crate) fn inline_on(
        &mut self,
        function: &ir::Function,
        places: Vec<(VarId, Place)>,
    ) -> Result<()> {
        let inline = Inline {
            params: &function.params,
            result: None,
            locals: &[],
            body: Body::Stmts(&function.body),
            reachable: Atoms::default(),
        };
        let bindings = places
            .into_iter()
            .map(|(var, place)| (var, Binding::Place(place)))
            .collect();
        self.inline_bound(&inline, bindings, Vec::new(), false)
            .map(|_| ())
    }

    fn inline_bound(
        &mut self,
        inline: &Inline<'_>,
        bindings: Vec<(VarId, Binding)>,
        copy_out: Vec<(Place, Place)>,
        has_copies: bool,
    ) -> Result<Option<Value>> {
        let outer: Vec<_> = bindings
            .into_iter()
            .map(|(var, binding)| (var, self.bindings.insert(var, binding)))
            .collect();
        let result = self.inline_body(inline, copy_out, has_copies);
        for (var, binding) in outer {
            match binding {
                Some(binding) => self.bindings.insert(var, binding),
                None => self.bindings.remove(&var),
            };
        }
        result
    }

    fn arguments(&mut self, args: &[ir::Argument]) -> Result<Vec<Arg>> {
        let last_effect = args.iter().rposition(|a| a.expr.has_effects()).unwrap_or(0);
        args.iter()
            .enumerate()
            .map(|(index, arg)| self.argument(arg, &args[index + 1..], index < last_effect))
            .collect()
    }

    /// `later` are the arguments after this one; `before_effect` says that one of them has effects.
    fn argument(
        &mut self,
        arg: &ir::Argument,
        later: &[ir::Argument],
        before_effect: bool,
    ) -> Result<Arg> {
        let e = &arg.expr;
        if matches!(e.ty, Type::Extern(..)) {
            return Ok(Arg::Extern(self.extern_argument(e)));
        }
        if matches!(arg.direction, Direction::In | Direction::None) {
            if before_effect {
                let value = self.value(e)?;
                return Ok(Arg::In(self.spill(value, &e.ty)?));
            }
            return Ok(if self.is_place(e) {
                Arg::InPlace(self.place(e, false)?)
            } else {
                Arg::In(self.value(e)?)
            });
        }
        if matches!(e.kind, ExprKind::DontCare) {
            return Ok(Arg::DontCare);
        }
        let place = self.place(e, true)?;
        let mut saved = None;
        if arg.direction == Direction::InOut && self.can_change(&place, later)? {
            let value = self.read(&place);
            saved = Some(self.spill(value, &e.ty)?);
        }
        Ok(Arg::Out(place, saved))
    }

    /// Whether evaluating the arguments can write to the place.
    fn can_change(&mut self, place: &Place, args: &[ir::Argument]) -> Result<bool> {
        let mut atoms = Atoms::default();
        self.atoms(place, &mut atoms);
        for arg in args.iter().filter(|arg| arg.expr.has_effects()) {
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

    fn bind_all(&mut self, inline: &Inline<'_>, args: Vec<Arg>) -> Result<Bound> {
        let written: Vec<Atoms> = args.iter().map(|arg| self.written(arg)).collect();
        let mut bound = Bound::default();
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
                Arg::In(value) if self.can_bind(&value, &inline.reachable, &written) => {
                    Binding::Value(value)
                }
                Arg::In(value) => self.copy_in(var, value, &mut bound)?,
                Arg::InPlace(place) => {
                    let value = self.read(&place);
                    if self.can_bind(&value, &inline.reachable, &written) {
                        Binding::Place(place)
                    } else {
                        self.copy_in(var, value, &mut bound)?
                    }
                }
                Arg::Out(place, saved) => {
                    let others = written.iter().enumerate().filter(|(at, _)| *at != index);
                    let is_apart = others
                        .map(|(_, atoms)| atoms)
                        .chain([&inline.reachable])
                        .all(|atoms| atoms.is_disjoint(&written[index]));
                    if is_apart && saved.is_none() && is_fixed(&place) {
                        if self.is_out(var) {
                            self.invalidate(&place)?;
                        }
                        Binding::Place(place)
                    } else {
                        self.copy_in_and_out(var, place, saved, &mut bound)?
                    }
                }
            };
            bound.bindings.push((var, binding));
        }
        Ok(bound)
    }

    /// The places that an argument lets the body write.
    fn written(&self, arg: &Arg) -> Atoms {
        let mut atoms = Atoms::default();
        if let Arg::Out(place, _) = arg {
            self.atoms(place, &mut atoms);
        }
        atoms
    }

    fn is_out(&self, var: VarId) -> bool {
        self.ir.vars[var.index()].kind == ir::VarKind::Param(Direction::Out)
    }

    fn inline_body(
        &mut self,
        inline: &Inline<'_>,
        copy_out: Vec<(Place, Place)>,
        has_copies: bool,
    ) -> Result<Option<Value>> {
        if let (Body::Stmts([stmt]), false) = (&inline.body, has_copies) {
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
    fn can_bind(&self, value: &Value, reachable: &Atoms, written: &[Atoms]) -> bool {
        let mut atoms = Atoms::default();
        self.value_atoms(value, &mut atoms);
        let is_unchanged =
            atoms.is_disjoint(reachable) && written.iter().all(|w| w.is_disjoint(&atoms));
        is_unchanged && is_simple(value)
    }

    fn copy_in(&mut self, var: VarId, value: Value, bound: &mut Bound) -> Result<Binding> {
        bound.has_copies = true;
        let storage = self.parameter_storage(var)?;
        self.assign(&storage, value)?;
        Ok(Binding::Place(storage))
    }

    fn copy_in_and_out(
        &mut self,
        var: VarId,
        place: Place,
        saved: Option<Value>,
        bound: &mut Bound,
    ) -> Result<Binding> {
        bound.has_copies = true;
        let storage = self.parameter_storage(var)?;
        if self.is_out(var) {
            self.invalidate(&storage)?;
        } else {
            let value = saved.unwrap_or_else(|| self.read(&place));
            self.assign(&storage, value)?;
        }
        bound.copy_out.push((place, storage.clone()));
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
        Place::Header(header) => matches!(header.at, HeaderAt::Instance(_)),
        Place::Union(union) => matches!(union.at, UnionAt::Instance(_)),
        Place::Stack(_) => true,
        Place::Choice(..) => false,
    }
}
