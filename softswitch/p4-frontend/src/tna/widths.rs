// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Widths of types in bits; `None` where a type has none that is known here.

use crate::ir::{Program, Type, TypeDefKind};

/// Width of a type of integers.
pub(super) fn integer(program: &Program, ty: &Type) -> Option<u32> {
    match representation(program, ty) {
        Type::Bit(bits) | Type::Int(bits) => Some(*bits),
        _ => None,
    }
}

/// Width of a type of integers or truth values.
pub(super) fn scalar(program: &Program, ty: &Type) -> Option<u32> {
    match representation(program, ty) {
        Type::Bool => Some(1),
        _ => integer(program, ty),
    }
}

/// The sum of `width` over all fields of a struct, header or tuple; `width` itself of any other type.
pub(super) fn with_fields(
    program: &Program,
    ty: &Type,
    width: fn(&Program, &Type) -> Option<u32>,
) -> Option<u64> {
    let parts: Vec<&Type> = match ty {
        Type::Tuple(types) => types.iter().collect(),
        Type::Named(id) => match &program.types[id.index()].kind {
            TypeDefKind::Struct(fields) | TypeDefKind::Header(fields) => {
                fields.iter().map(|field| &field.ty).collect()
            }
            _ => return width(program, ty).map(u64::from),
        },
        _ => return width(program, ty).map(u64::from),
    };
    parts.into_iter().try_fold(0u64, |sum, part| {
        sum.checked_add(with_fields(program, part, width)?)
    })
}

/// The type that serializable enums and new types stand for.
fn representation<'p>(program: &'p Program, mut ty: &'p Type) -> &'p Type {
    while let Type::Named(id) = ty {
        match &program.types[id.index()].kind {
            TypeDefKind::SerEnum { repr: inner, .. } | TypeDefKind::Newtype(inner) => ty = inner,
            _ => break,
        }
    }
    ty
}
