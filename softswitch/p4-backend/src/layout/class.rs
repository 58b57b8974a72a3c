// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Classes of types: how the packet state holds a value of a type.

use quench_p4_frontend::ir::{self, Type, TypeDefKind, TypeId};
use quench_p4_frontend::span::Span;

use super::{Class, Layout};
use crate::error::{not_supported, Result};
use crate::place::Scalar;

impl<'a> Layout<'a> {
    /// The type that a new type stands for; any other type as it is.
    pub fn resolve<'t>(&'t self, ty: &'t Type) -> &'t Type {
        match ty {
            Type::Named(id) => match &self.ir.types[id.index()].kind {
                TypeDefKind::Newtype(inner) => self.resolve(inner),
                _ => ty,
            },
            _ => ty,
        }
    }

    pub fn class(&self, ty: &Type, span: Span) -> Result<Class> {
        Ok(match self.resolve(ty) {
            Type::Bool => Class::Scalar(Scalar::Bool),
            Type::Error => Class::Scalar(Scalar::Bit(32)),
            // A value without bits needs no room.
            Type::Bit(0) => Class::Struct(Vec::new()),
            Type::Bit(w) => Class::Scalar(Scalar::Bit(*w)),
            Type::Int(w) => Class::Scalar(Scalar::Int(*w)),
            Type::Varbit(w) => Class::Scalar(Scalar::Varbit(*w)),
            Type::Tuple(members) => Class::Struct(members.clone()),
            Type::Stack(element, size) => match self.resolve(element) {
                Type::Named(id) => match self.ir.types[id.index()].kind {
                    TypeDefKind::Header(_) => Class::Stack(*id, false, *size),
                    TypeDefKind::HeaderUnion(_) => Class::Stack(*id, true, *size),
                    _ => Class::Struct(vec![(**element).clone(); *size as usize]),
                },
                _ => Class::Struct(vec![(**element).clone(); *size as usize]),
            },
            Type::Named(id) => match &self.ir.types[id.index()].kind {
                TypeDefKind::Struct(fields) => {
                    Class::Struct(fields.iter().map(|f| f.ty.clone()).collect())
                }
                TypeDefKind::Header(_) => Class::Header(*id),
                TypeDefKind::HeaderUnion(_) => Class::Union(*id),
                TypeDefKind::Enum(_) => Class::Scalar(Scalar::Bit(32)),
                TypeDefKind::SerEnum { repr, .. } => return self.class(&repr.clone(), span),
                TypeDefKind::Newtype(_) => unreachable!("newtypes are resolved"),
            },
            other => return not_supported(span, format_args!("a variable of type {other:?}")),
        })
    }

    /// The class of a type whose values are one field; an error for any other type.
    pub fn scalar(&self, ty: &Type, span: Span) -> Result<Scalar> {
        match self.class(ty, span)? {
            Class::Scalar(scalar) => Ok(scalar),
            _ if *self.resolve(ty) == Type::Bit(0) => not_supported(span, "a bit<0> value here"),
            _ => not_supported(span, "a struct or header where one value is needed"),
        }
    }

    /// As [`Self::scalar`], and `bit<0>`: a number of the control plane, or one to count with, without bits.
    pub fn number(&self, ty: &Type, span: Span) -> Result<Scalar> {
        match self.resolve(ty) {
            Type::Bit(0) => Ok(Scalar::Bit(0)),
            ty => self.scalar(ty, span),
        }
    }

    pub fn fields(&self, id: TypeId) -> &'a [ir::Field] {
        match &self.ir.types[id.index()].kind {
            TypeDefKind::Struct(fields)
            | TypeDefKind::Header(fields)
            | TypeDefKind::HeaderUnion(fields) => fields,
            _ => &[],
        }
    }

    pub(super) fn member_name(&self, ty: &Type, prefix: &str, index: usize) -> String {
        let member = match self.resolve(ty) {
            Type::Stack(..) => return format!("{prefix}[{index}]"),
            Type::Named(id) => self.fields(*id)[index].name.clone(),
            _ => index.to_string(),
        };
        if prefix.is_empty() {
            member
        } else {
            format!("{prefix}.{member}")
        }
    }
}
