// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: assignment of values of any type.

use quench_p4_frontend::ir::Type;

use super::atoms::Atoms;
use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::place::{HeaderAt, HeaderPlace, Leaf, Place, Scalar, UnionAt, UnionPlace};

impl Lower<'_> {
    pub(crate) fn assign(&mut self, place: &Place, value: Value) -> Result<()> {
        match (place, value) {
            (Place::Scalar(leaf), Value::Scalar(expr)) => self.write(leaf, expr),
            (Place::Scalar(to), Value::Place(Place::Scalar(from))) => {
                if *to != from {
                    self.primitive("assign_VL", vec![to.expr.clone(), from.expr]);
                }
                Ok(())
            }
            (_, Value::Place(from)) if *place == from => Ok(()),
            (Place::Choice(index, places), value) => {
                self.with_chosen(index, places, |lower, to| lower.assign(to, value.clone()))
            }
            (_, Value::Place(Place::Choice(index, places))) => {
                self.with_chosen(&index, &places, |lower, from| {
                    let value = lower.read(from);
                    lower.assign(place, value)
                })
            }
            (Place::Struct(members), Value::Struct(values)) => {
                let values = self.detach(place, values)?;
                for (member, value) in members.iter().zip(values) {
                    self.assign(member, value)?;
                }
                Ok(())
            }
            (Place::Struct(members), Value::Place(Place::Struct(from))) => {
                for (member, from) in members.iter().zip(&from) {
                    let value = self.read(from);
                    self.assign(member, value)?;
                }
                Ok(())
            }
            (Place::Struct(_), Value::Header(values)) => self.assign(place, Value::Struct(values)),
            (Place::Header(header), Value::Place(Place::Header(from))) => {
                let parameters = vec![self.header_expr(header)?, self.header_expr(&from)?];
                self.primitive("assign_header", parameters);
                Ok(())
            }
            (Place::Header(header), Value::Header(values) | Value::Struct(values)) => {
                let values = self.detach(place, values)?;
                let expr = self.header_expr(header)?;
                self.primitive("add_header", vec![expr]);
                for (index, value) in values.into_iter().enumerate() {
                    let field = self.layout.header_field(header, index, self.span)?;
                    self.assign(&field, value)?;
                }
                Ok(())
            }
            (_, Value::Invalid) => self.invalidate(place),
            (Place::Union(to), Value::Place(Place::Union(from))) => {
                let parameters = vec![self.union_expr(to)?, self.union_expr(&from)?];
                self.primitive("assign_union", parameters);
                Ok(())
            }
            (Place::Stack(to), Value::Place(Place::Stack(from))) => {
                let (op, tag): (_, fn(String) -> Expr) = if to.of_unions {
                    ("assign_union_stack", Expr::HeaderUnionStack)
                } else {
                    ("assign_header_stack", Expr::HeaderStack)
                };
                self.primitive(op, vec![tag(to.name.clone()), tag(from.name)]);
                Ok(())
            }
            (Place::Stack(stack), Value::Struct(values)) => {
                let values = self.detach(place, values)?;
                for (element, value) in self.elements(stack).iter().zip(values) {
                    self.assign(element, value)?;
                }
                Ok(())
            }
            _ => not_supported(self.span, "an assignment of this form"),
        }
    }

    /// Evaluates all values of a list first where writing one part of `place` could change a later value.
    fn detach(&mut self, place: &Place, values: Vec<Value>) -> Result<Vec<Value>> {
        let mut written = Atoms::default();
        self.atoms(place, &mut written);
        let mut read = Atoms::default();
        for value in &values {
            self.value_atoms(value, &mut read);
        }
        if written.is_disjoint(&read) {
            return Ok(values);
        }
        let members = match place {
            Place::Struct(members) => members.clone(),
            Place::Stack(stack) => self.elements(stack),
            Place::Header(header) => (0..values.len())
                .map(|index| self.layout.header_field(header, index, self.span))
                .collect::<Result<_>>()?,
            _ => return Ok(values),
        };
        members
            .iter()
            .zip(values)
            .map(|(member, value)| {
                let copy = self.twin(member)?;
                self.assign(&copy, value)?;
                Ok(self.read(&copy))
            })
            .collect()
    }

    /// A temporary of the type of a place.
    fn twin(&mut self, place: &Place) -> Result<Place> {
        let ty = match place {
            Place::Scalar(leaf) => match leaf.scalar {
                Scalar::Bool => Type::Bool,
                Scalar::Bit(w) => Type::Bit(w),
                Scalar::Int(w) => Type::Int(w),
                Scalar::Varbit(w) => Type::Varbit(w),
            },
            Place::Struct(members) => {
                let members: Result<_> = members.iter().map(|m| self.twin(m)).collect();
                return Ok(Place::Struct(members?));
            }
            Place::Header(header) => Type::Named(header.ty),
            Place::Union(union) => Type::Named(union.ty),
            Place::Stack(stack) => Type::Stack(Box::new(Type::Named(stack.element)), stack.size),
            Place::Choice(_, places) => return self.twin(&places[0]),
        };
        self.temporary(&ty)
    }

    fn write(&mut self, leaf: &Leaf, value: Expr) -> Result<()> {
        if let Expr::RuntimeData(_) = leaf.expr {
            return not_supported(self.span, "writing to a parameter from the control plane");
        }
        let value = match (leaf.slice, leaf.scalar) {
            (Some((hi, lo)), scalar) => ops::replace_bits(leaf.expr.clone(), hi, lo, value, scalar),
            (None, Scalar::Bool) => ops::data(value),
            (None, _) => value,
        };
        self.primitive("assign", vec![leaf.expr.clone(), value]);
        Ok(())
    }

    /// Headers in the place become invalid; fields stay as they are, since they are undefined.
    pub(crate) fn invalidate(&mut self, place: &Place) -> Result<()> {
        match place {
            Place::Scalar(_) => Ok(()),
            Place::Struct(members) => members.iter().try_for_each(|m| self.invalidate(m)),
            Place::Header(header) => {
                let expr = self.header_expr(header)?;
                self.primitive("remove_header", vec![expr]);
                Ok(())
            }
            Place::Union(union) => (0..self.layout.fields(union.ty).len()).try_for_each(|index| {
                let member = self.union_member(union, index)?;
                self.invalidate(&member)
            }),
            Place::Choice(index, places) => {
                self.with_chosen(index, places, |lower, place| lower.invalidate(place))
            }
            Place::Stack(stack) => {
                if !stack.of_unions {
                    // Also sets the stack's next index back.
                    let parameters = vec![
                        Expr::HeaderStack(stack.name.clone()),
                        Expr::hex(stack.size, 32),
                    ];
                    self.primitive("pop", parameters);
                    return Ok(());
                }
                self.elements(stack)
                    .iter()
                    .try_for_each(|e| self.invalidate(e))
            }
        }
    }

    pub(crate) fn header_expr(&self, header: &HeaderPlace) -> Result<Expr> {
        match header.expr() {
            Some(expr) => Ok(expr),
            None if matches!(header.at, HeaderAt::LastMember(..)) => {
                not_supported(self.span, "a header of a union stack's `last` as a whole")
            }
            None => not_supported(self.span, "`next` other than in extract"),
        }
    }

    fn union_expr(&self, union: &UnionPlace) -> Result<Expr> {
        match &union.at {
            UnionAt::Instance(name) => Ok(Expr::HeaderUnion(name.clone())),
            _ => not_supported(self.span, "a union stack's `next` or `last` as a whole"),
        }
    }
}
