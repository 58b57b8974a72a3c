// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: places: those of l-values, and the values read from them.

use num_traits::ToPrimitive;
use quench_p4_frontend::ir::{self, ExprKind, Type, VarId};

use super::lowered::BlockKind;
use super::ops;
use super::state::{Binding, Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::place::{HeaderAt, HeaderPlace, Leaf, Place, Scalar, StackPlace, UnionAt, UnionPlace};

impl Lower<'_> {
    pub(super) fn binding(&mut self, var: VarId) -> Result<Binding> {
        if let Some(binding) = self.bindings.get(&var) {
            return Ok(binding.clone());
        }
        let ir = self.ir;
        let v = &ir.vars[var.index()];
        let place = self.layout.allocate(&v.name, &v.ty, v.span)?;
        let binding = Binding::Place(place);
        self.bindings.insert(var, binding.clone());
        Ok(binding)
    }

    /// The variable's own place.
    pub(crate) fn storage(&mut self, var: VarId) -> Result<Place> {
        match self.binding(var)? {
            Binding::Place(place) => Ok(place),
            Binding::Value(_) => not_supported(self.span, "writing to an `in` parameter"),
        }
    }

    /// Whether the expression names a place, as opposed to a computed value.
    pub(crate) fn is_place(&self, e: &ir::Expr) -> bool {
        match &e.kind {
            ExprKind::Var(var) => !matches!(self.bindings.get(var), Some(Binding::Value(_))),
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base) => self.is_place(base),
            _ => false,
        }
    }

    /// The place of a variable that has one already, or of a member in structs of such a variable.
    fn struct_member(&self, e: &ir::Expr) -> Option<&Place> {
        match &e.kind {
            ExprKind::Var(var) => match self.bindings.get(var)? {
                Binding::Place(place) => Some(place),
                Binding::Value(_) => None,
            },
            ExprKind::Field(base, index) => match self.struct_member(base)? {
                Place::Struct(members) => members.get(*index as usize),
                _ => None,
            },
            _ => None,
        }
    }

    /// The place that an l-value names. With `stable`, an index is copied, so that no later write changes which place that is.
    pub(crate) fn place(&mut self, e: &ir::Expr, stable: bool) -> Result<Place> {
        match &e.kind {
            ExprKind::Var(var) => self.storage(*var),
            ExprKind::Field(base, index) => {
                // Clones only the member, since a struct can have thousands.
                if let Some(member) = self.struct_member(e) {
                    return Ok(member.clone());
                }
                let base = self.place(base, stable)?;
                self.member(&base, *index as usize, e)
            }
            ExprKind::Index(base, index) => {
                let base = self.place(base, stable)?;
                let mut value = self.index_value(index)?;
                if stable {
                    if let Value::Scalar(copy) =
                        self.spill(Value::Scalar(value.clone()), &index.ty)?
                    {
                        value = copy;
                    }
                }
                self.element(&base, &value, e)
            }
            ExprKind::StackNext(base) => self.next_element(base, stable),
            ExprKind::StackLast(base) => self.end_of_stack(base, true, stable),
            ExprKind::Slice { base, hi, lo } => {
                let mut place = self.place(base, stable)?;
                match slice(&mut place, *hi, *lo) {
                    true => Ok(place),
                    false => not_supported(e.span, "bits of a composite value"),
                }
            }
            ExprKind::Cast(base) => self.place(base, stable),
            _ => match self.value(e)? {
                // A computed value, such as the result of a call, gets a temporary.
                Value::Place(place) => Ok(place),
                value => {
                    let place = self.temporary(&e.ty)?;
                    self.assign(&place, value)?;
                    Ok(place)
                }
            },
        }
    }

    /// The index as an expression; one of no bits is 0.
    fn index_value(&mut self, index: &ir::Expr) -> Result<Expr> {
        match self.value(index)? {
            Value::Scalar(expr) => Ok(expr),
            Value::Struct(members) if members.is_empty() => Ok(Expr::hex(0, 0)),
            _ => not_supported(index.span, "a composite value where one number is needed"),
        }
    }

    /// Element of a stack or array.
    fn element(&mut self, base: &Place, index: &Expr, e: &ir::Expr) -> Result<Place> {
        let elements = match (base, index) {
            (Place::Choice(outer, places), _) => {
                let places = places.iter().map(|place| self.element(place, index, e));
                let places = places.collect::<Result<_>>()?;
                return self.choice(outer, places);
            }
            (Place::Stack(stack), Expr::Hex { .. }) => self.elements(stack),
            (Place::Stack(stack), _) if stack.of_unions => self.elements(stack),
            (Place::Stack(stack), _) => {
                return Ok(Place::Header(HeaderPlace {
                    ty: stack.element,
                    at: HeaderAt::Element(stack.name.clone(), index.clone()),
                }))
            }
            (Place::Struct(members), _) => members.clone(),
            _ => return not_supported(e.span, "an index into anything but a stack or array"),
        };
        let Expr::Hex { value, .. } = index else {
            if elements.is_empty() {
                return not_supported(e.span, "an index into no elements");
            }
            return self.choice(index, elements);
        };
        let element = value.to_usize().and_then(|number| elements.get(number));
        match element {
            Some(element) => Ok(element.clone()),
            None => not_supported(
                e.span,
                format_args!("index {value} into {} elements", elements.len()),
            ),
        }
    }

    /// `next` as a place like any other: the element behind the last one, which must be there.
    fn next_element(&mut self, base: &ir::Expr, stable: bool) -> Result<Place> {
        let place = self.place(base, stable)?;
        let Place::Stack(stack) = &place else {
            return not_supported(base.span, "`next` of anything but a stack");
        };
        let code = self.ir.errors.iter().position(|e| e == "StackOutOfBounds");
        let (BlockKind::Parser, Some(code)) = (self.block.kind, code) else {
            return not_supported(base.span, "`next` outside the parser");
        };
        let last = Expr::unary("last_stack_index", stack.expr());
        let next = Expr::binary("+", last, Expr::hex(1, 32));
        let next = ops::wrap(next, Scalar::Bit(32));
        let Value::Scalar(next) = self.spill(Value::Scalar(next), &Type::Bit(32))? else {
            unreachable!("an index is one value");
        };
        let is_inside = Expr::binary("<", next.clone(), Expr::hex(stack.size, 32));
        self.push(StmtKind::Verify(is_inside, Expr::hex(code, 32)));
        self.element(&place, &next, base)
    }

    /// `next` or `last`, as BMv2 knows them.
    pub(crate) fn end_of_stack(
        &mut self,
        base: &ir::Expr,
        last: bool,
        stable: bool,
    ) -> Result<Place> {
        let Place::Stack(stack) = self.place(base, stable)? else {
            return not_supported(base.span, "`next` or `last` of anything but a stack");
        };
        Ok(match (stack.of_unions, last) {
            (false, false) => Place::Header(HeaderPlace {
                ty: stack.element,
                at: HeaderAt::Next(stack.name),
            }),
            (false, true) => Place::Header(HeaderPlace {
                ty: stack.element,
                at: HeaderAt::Last(stack.name),
            }),
            (true, false) => Place::Union(UnionPlace {
                ty: stack.element,
                at: UnionAt::Next(stack.name),
            }),
            (true, true) => Place::Union(UnionPlace {
                ty: stack.element,
                at: UnionAt::Last(stack.name),
            }),
        })
    }

    pub(crate) fn member(&mut self, base: &Place, index: usize, e: &ir::Expr) -> Result<Place> {
        match base {
            Place::Struct(members) => Ok(members[index].clone()),
            Place::Header(header) => self.layout.header_field(header, index, e.span),
            Place::Union(union) => self.union_member(union, index),
            Place::Choice(at, places) => {
                let members = places.iter().map(|place| self.member(place, index, e));
                let members = members.collect::<Result<_>>()?;
                self.choice(at, members)
            }
            Place::Scalar(_) | Place::Stack(_) => not_supported(e.span, "a member of this value"),
        }
    }

    pub(crate) fn union_member(&self, union: &UnionPlace, index: usize) -> Result<Place> {
        let field = &self.layout.fields(union.ty)[index];
        let Type::Named(ty) = *self.layout.resolve(&field.ty) else {
            return not_supported(self.span, "a union of anything but headers");
        };
        let name = field.name.clone();
        Ok(Place::Header(HeaderPlace {
            ty,
            at: match &union.at {
                UnionAt::Instance(union) => HeaderAt::Instance(format!("{union}.{name}")),
                UnionAt::Next(stack) => HeaderAt::NextMember(stack.clone(), name),
                UnionAt::Last(stack) => HeaderAt::LastMember(stack.clone(), name),
            },
        }))
    }

    /// All elements of a stack.
    pub(crate) fn elements(&self, stack: &StackPlace) -> Vec<Place> {
        (0..stack.size)
            .map(|index| {
                let name = stack.instance(index);
                if stack.of_unions {
                    Place::Union(UnionPlace {
                        ty: stack.element,
                        at: UnionAt::Instance(name),
                    })
                } else {
                    Place::Header(HeaderPlace {
                        ty: stack.element,
                        at: HeaderAt::Instance(name),
                    })
                }
            })
            .collect()
    }

    /// The value in a place.
    pub(crate) fn read(&self, place: &Place) -> Value {
        match place {
            Place::Scalar(leaf) if !matches!(leaf.scalar, Scalar::Varbit(_)) => {
                Value::Scalar(read_leaf(leaf))
            }
            Place::Struct(members) => Value::Struct(members.iter().map(|m| self.read(m)).collect()),
            Place::Choice(index, places) => match self.chosen_value(index, places) {
                Some(value) => Value::Scalar(value),
                None => Value::Place(place.clone()),
            },
            _ => Value::Place(place.clone()),
        }
    }
}

/// Makes bits `hi` to `lo` of a number's place; false for other places.
fn slice(place: &mut Place, hi: u32, lo: u32) -> bool {
    match place {
        Place::Scalar(leaf) => {
            let offset = leaf.slice.map_or(0, |(_, lo)| lo);
            leaf.slice = Some((offset + hi, offset + lo));
            true
        }
        Place::Choice(_, places) => places.iter_mut().all(|place| slice(place, hi, lo)),
        _ => false,
    }
}

/// The value of a field, or of some of its bits.
pub(crate) fn read_leaf(leaf: &Leaf) -> Expr {
    let mut expr = leaf.expr.clone();
    if let (Expr::RuntimeData(_), Scalar::Int(_)) = (&expr, leaf.scalar) {
        // The control plane's bytes come without a sign.
        expr = ops::wrap(expr, leaf.scalar);
    }
    if let Some((hi, lo)) = leaf.slice {
        return ops::slice(expr, hi, lo);
    }
    match leaf.scalar {
        Scalar::Bool => Expr::unary("d2b", expr),
        _ => expr,
    }
}
