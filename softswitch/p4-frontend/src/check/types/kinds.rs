// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The operations on values of a type.

use crate::ast;
use crate::check::state::types::Types;
use crate::ir::{Field, Type, TypeDefKind};

/// The construct that a type is to be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Container {
    Struct,
    Header,
    HeaderUnion,
    Tuple,
    List,
    Stack,
    Newtype,
    ValueSet,
}

impl Container {
    pub fn describe(self) -> &'static str {
        match self {
            Container::Struct => "a struct",
            Container::Header => "a header",
            Container::HeaderUnion => "a header union",
            Container::Tuple => "a tuple",
            Container::List => "a list",
            Container::Stack => "an array",
            Container::Newtype => "a `type` declaration",
            Container::ValueSet => "a value set",
        }
    }
}

impl Types<'_> {
    /// `bit`, `int` or arbitrary precision.
    pub fn is_numeric(&self, ty: &Type) -> bool {
        matches!(ty, Type::Bit(_) | Type::Int(_) | Type::InfInt)
    }

    /// A stack, as opposed to an array of anything but headers.
    pub fn is_header_stack(&self, ty: &Type) -> bool {
        match ty {
            Type::Stack(element, _) => matches!(
                self.def(element),
                Some(TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_))
            ),
            _ => false,
        }
    }

    pub fn may_nest(&self, outer: Container, inner: &Type) -> bool {
        if matches!(inner, Type::Variable(_)) {
            return true;
        }
        let def = match inner {
            Type::Named(id) => Some(&self.defs[id.index()].kind),
            _ => None,
        };
        match outer {
            Container::Struct => !matches!(
                inner,
                Type::Void
                    | Type::MatchKind
                    | Type::InfInt
                    | Type::String
                    | Type::Extern(..)
                    | Type::Unknown
            ),
            Container::Tuple => !matches!(inner, Type::Void | Type::Extern(..) | Type::Unknown),
            Container::List => !matches!(inner, Type::Void | Type::Extern(..) | Type::Unknown),
            Container::Header => match def {
                _ if matches!(inner, Type::Stack(element, _) if self.may_nest(outer, element)) => {
                    true
                }
                Some(TypeDefKind::SerEnum { .. }) => true,
                Some(TypeDefKind::Newtype(ty)) => self.may_nest(outer, ty),
                Some(TypeDefKind::Struct(fields)) => fields
                    .iter()
                    .all(|f| !matches!(f.ty, Type::Varbit(_)) && self.may_nest(outer, &f.ty)),
                _ => matches!(
                    inner,
                    Type::Bit(_) | Type::Int(_) | Type::Varbit(_) | Type::Bool
                ),
            },
            Container::HeaderUnion => matches!(def, Some(TypeDefKind::Header(_))),
            Container::Stack => {
                !matches!(inner, Type::Varbit(_)) && self.may_nest(Container::Struct, inner)
            }
            Container::Newtype => match def {
                Some(TypeDefKind::Newtype(_) | TypeDefKind::SerEnum { .. }) => true,
                _ => matches!(inner, Type::Bit(_) | Type::Int(_) | Type::Bool),
            },
            Container::ValueSet => match def {
                Some(TypeDefKind::Struct(fields)) => {
                    fields.iter().all(|f| self.may_nest(outer, &f.ty))
                }
                Some(TypeDefKind::SerEnum { .. } | TypeDefKind::Enum(_)) => true,
                Some(TypeDefKind::Newtype(ty)) => self.may_nest(outer, ty),
                _ => match inner {
                    Type::Tuple(items) => items.iter().all(|ty| self.may_nest(outer, ty)),
                    _ => matches!(
                        inner,
                        Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error
                    ),
                },
            },
        }
    }

    pub fn contains_copy_of(&self, ty: &Type, decl: &ast::Decl) -> bool {
        self.any(ty, &|part| match part {
            Type::Extern(name, _) => *name == decl.name.text,
            Type::Named(id) => self.origins[id.index()]
                .as_ref()
                .is_some_and(|origin| std::ptr::eq(origin.decl, decl)),
            _ => false,
        })
    }

    /// The type of an expression that adapts to the type of its use: a literal without width, a list, a record, `{#}`.
    pub fn is_flexible(&self, ty: &Type) -> bool {
        matches!(ty, Type::InfInt | Type::Tuple(_) | Type::Unknown) || self.is_unknown_struct(ty)
    }

    pub fn is_newtype(&self, ty: &Type) -> bool {
        matches!(self.def(ty), Some(TypeDefKind::Newtype(_)))
    }

    pub fn can_be_invalid(&self, ty: &Type) -> bool {
        matches!(
            self.def(ty),
            Some(TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_))
        )
    }

    pub fn is_unknown_struct(&self, ty: &Type) -> bool {
        matches!(ty, Type::Named(id) if self.unknown_structs.contains(id))
    }

    /// The representation of a serializable enum.
    pub fn serializable(&self, ty: &Type) -> Option<Type> {
        match self.def(ty) {
            Some(TypeDefKind::SerEnum { repr, .. }) => Some(repr.clone()),
            _ => None,
        }
    }

    /// The type under newtypes and serializable enums.
    pub fn representation(&self, ty: &Type) -> Type {
        match self.def(ty) {
            Some(TypeDefKind::Newtype(inner)) => self.representation(inner),
            Some(TypeDefKind::SerEnum { repr, .. }) => repr.clone(),
            _ => ty.clone(),
        }
    }

    /// Section "Explicit casts" of the specification.
    pub fn castable(&self, from: &Type, to: &Type) -> bool {
        if from == to {
            return true;
        }
        match (self.def(from), self.def(to)) {
            (_, Some(TypeDefKind::Newtype(inner))) if from == inner => true,
            (Some(TypeDefKind::Newtype(inner)), _) if to == inner => true,
            (_, Some(TypeDefKind::Newtype(inner)))
                if self.is_newtype(inner) || *from == Type::InfInt =>
            {
                self.castable(from, inner)
            }
            (Some(TypeDefKind::Newtype(inner)), _) if self.is_newtype(inner) => {
                self.castable(inner, to)
            }
            (_, Some(TypeDefKind::Newtype(_))) | (Some(TypeDefKind::Newtype(_)), _) => false,
            (_, Some(TypeDefKind::SerEnum { repr, .. })) => self.castable(from, repr),
            (Some(TypeDefKind::SerEnum { repr, .. }), _) => self.castable(repr, to),
            _ => match (from, to) {
                (Type::Bit(1), Type::Bool) | (Type::Bool, Type::Bit(1)) => true,
                (Type::Bit(_), Type::Bit(_)) | (Type::Int(_), Type::Int(_)) => true,
                (Type::Bit(a), Type::Int(b)) | (Type::Int(a), Type::Bit(b)) => a == b,
                (Type::InfInt, Type::Bit(_) | Type::Int(_)) => true,
                (Type::Bit(_) | Type::Int(_), Type::InfInt) => true,
                _ => false,
            },
        }
    }

    pub fn comparable(&self, ty: &Type) -> bool {
        match ty {
            Type::Void | Type::Extern(..) | Type::Unknown | Type::List(_) | Type::Variable(_) => {
                false
            }
            ty if self.is_unknown_struct(ty) => false,
            Type::Stack(element, _) => self.comparable(element),
            Type::Tuple(items) => items.iter().all(|item| self.comparable(item)),
            Type::Named(id) => match &self.defs[id.index()].kind {
                TypeDefKind::Struct(fields)
                | TypeDefKind::Header(fields)
                | TypeDefKind::HeaderUnion(fields) => {
                    fields.iter().all(|field| self.comparable(&field.ty))
                }
                TypeDefKind::Newtype(inner) => self.comparable(inner),
                TypeDefKind::Enum(_) | TypeDefKind::SerEnum { .. } => true,
            },
            _ => true,
        }
    }

    /// The element types of a type that a list expression can make; `None` for other types.
    pub fn element_types(&self, ty: &Type, count: usize) -> Option<Vec<Type>> {
        Some(match ty {
            Type::Tuple(items) => items.clone(),
            Type::Stack(element, size) => vec![(**element).clone(); *size as usize],
            Type::List(element) => vec![(**element).clone(); count],
            _ => self
                .struct_fields(ty)?
                .iter()
                .map(|field| field.ty.clone())
                .collect(),
        })
    }

    pub fn struct_fields(&self, ty: &Type) -> Option<&Vec<Field>> {
        match self.def(ty) {
            Some(TypeDefKind::Struct(fields) | TypeDefKind::Header(fields)) => Some(fields),
            _ => None,
        }
    }

    pub fn can_emit(&self, ty: &Type) -> bool {
        match ty {
            Type::Variable(_) => true,
            Type::Stack(element, _) => self.can_emit(element),
            Type::Tuple(items) => items.iter().all(|item| self.can_emit(item)),
            _ => match self.def(ty) {
                Some(TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_)) => true,
                Some(TypeDefKind::Struct(fields)) => fields.iter().all(|f| self.can_emit(&f.ty)),
                _ => false,
            },
        }
    }

    pub fn flatten_type(&self, ty: &Type, parts: &mut Vec<Type>) {
        match (ty, self.def(ty)) {
            (Type::Tuple(items), _) => items.iter().for_each(|item| self.flatten_type(item, parts)),
            (_, Some(TypeDefKind::Struct(fields))) => {
                fields
                    .iter()
                    .for_each(|field| self.flatten_type(&field.ty, parts));
            }
            _ => parts.push(ty.clone()),
        }
    }

    /// The least and the greatest size; an invalid header counts as a valid one.
    pub fn size_bits(&self, ty: &Type) -> Option<(u64, u64)> {
        let sum = |types: Vec<&Type>| {
            types.into_iter().try_fold((0, 0), |(min, max), ty| {
                let (a, b) = self.size_bits(ty)?;
                Some((min + a, max + b))
            })
        };
        Some(match ty {
            Type::Bool => (1, 1),
            Type::Bit(width) | Type::Int(width) => (u64::from(*width), u64::from(*width)),
            Type::Varbit(width) => (0, u64::from(*width)),
            Type::Stack(element, size) => {
                let (min, max) = self.size_bits(element)?;
                (min * u64::from(*size), max * u64::from(*size))
            }
            Type::Tuple(items) => sum(items.iter().collect())?,
            Type::Named(id) => match &self.defs[id.index()].kind {
                TypeDefKind::Struct(fields) | TypeDefKind::Header(fields) => {
                    sum(fields.iter().map(|f| &f.ty).collect())?
                }
                TypeDefKind::HeaderUnion(fields) => {
                    let sizes = fields
                        .iter()
                        .map(|f| self.size_bits(&f.ty))
                        .collect::<Option<Vec<_>>>()?;
                    (
                        sizes.iter().map(|size| size.0).min().unwrap_or(0),
                        sizes.iter().map(|size| size.1).max().unwrap_or(0),
                    )
                }
                TypeDefKind::SerEnum { repr, .. } => self.size_bits(repr)?,
                TypeDefKind::Newtype(inner) => self.size_bits(inner)?,
                TypeDefKind::Enum(_) => return None,
            },
            _ => return None,
        })
    }
}
