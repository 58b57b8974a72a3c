// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: the parts of the packet state that values depend on and places cover: writing a place changes a value only if
//! they have one in common.

use std::collections::HashSet;

use super::state::{Lower, Value};
use crate::json::Expr;
use crate::place::{HeaderAt, Place, UnionAt};

/// Single fields, and whole headers; a stack or a union counts as one header.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    fields: HashSet<(String, String)>,
    headers: HashSet<String>,
    /// Headers of the single fields.
    touched: HashSet<String>,
    /// The whole packet state: a table's actions can reach anything in their control.
    everything: bool,
}

impl Atoms {
    fn add_field(&mut self, header: &str, field: &str) {
        self.touched.insert(header.to_owned());
        self.fields.insert((header.to_owned(), field.to_owned()));
    }

    fn add_header(&mut self, header: &str) {
        self.headers.insert(header.to_owned());
    }

    pub(crate) fn add_everything(&mut self) {
        self.everything = true;
    }

    pub(crate) fn is_disjoint(&self, other: &Atoms) -> bool {
        !self.everything
            && !other.everything
            && self.fields.is_disjoint(&other.fields)
            && self.headers.is_disjoint(&other.headers)
            && self.headers.is_disjoint(&other.touched)
            && self.touched.is_disjoint(&other.headers)
    }
}

impl Lower<'_> {
    /// Adds the parts that the place covers, and those that its index depends on.
    pub(crate) fn atoms(&self, place: &Place, atoms: &mut Atoms) {
        match place {
            Place::Scalar(leaf) => self.expr_atoms(&leaf.expr, atoms),
            Place::Struct(members) => members.iter().for_each(|m| self.atoms(m, atoms)),
            Place::Header(header) => match &header.at {
                HeaderAt::Instance(name) => atoms.add_header(self.layout.group(name)),
                HeaderAt::Element(stack, index) => {
                    atoms.add_header(stack);
                    self.expr_atoms(index, atoms);
                }
                HeaderAt::Next(stack)
                | HeaderAt::Last(stack)
                | HeaderAt::NextMember(stack, _)
                | HeaderAt::LastMember(stack, _) => atoms.add_header(stack),
            },
            Place::Union(union) => {
                let (UnionAt::Instance(name) | UnionAt::Next(name) | UnionAt::Last(name)) =
                    &union.at;
                atoms.add_header(stack_of(name));
            }
            Place::Stack(stack) => atoms.add_header(&stack.name),
            Place::Choice(index, places) => {
                self.expr_atoms(index, atoms);
                places.iter().for_each(|place| self.atoms(place, atoms));
            }
        }
    }

    pub(crate) fn expr_atoms(&self, expr: &Expr, atoms: &mut Atoms) {
        expr.any(&mut |e| {
            match e {
                Expr::Field(header, field) => match self.layout.group(header) {
                    group if group == header => atoms.add_field(header, field),
                    group => atoms.add_header(group),
                },
                Expr::Header(name) => atoms.add_header(self.layout.group(name)),
                Expr::StackField(name, _)
                | Expr::UnionStackField(name, _, _)
                | Expr::HeaderStack(name)
                | Expr::HeaderUnionStack(name) => atoms.add_header(name),
                Expr::HeaderUnion(name) => atoms.add_header(stack_of(name)),
                _ => {}
            }
            false
        });
    }

    pub(crate) fn value_atoms(&self, value: &Value, atoms: &mut Atoms) {
        match value {
            Value::Scalar(expr) => self.expr_atoms(expr, atoms),
            Value::Place(place) => self.atoms(place, atoms),
            Value::Struct(values) | Value::Header(values) => {
                values.iter().for_each(|v| self.value_atoms(v, atoms));
            }
            Value::Invalid => {}
        }
    }
}

/// A union's name without the index in its stack.
fn stack_of(union: &str) -> &str {
    union.split('[').next().unwrap_or(union)
}
