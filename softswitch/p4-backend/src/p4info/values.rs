// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values as the control plane writes them: their widths, their bytes, and `@p4runtime_translation`.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};
use quench_p4_frontend::ast::{Annotation, AnnotationBody, AnnotationTokenKind};
use quench_p4_frontend::ir::{self, Type, TypeDefKind, Value};
use quench_p4_frontend::span::Span;

use super::named::def;
use crate::annotation;
use crate::error::{not_supported, Error, Result};

/// The type that a controller uses instead, by `@p4runtime_translation`.
pub enum ControllerType {
    String,
    Bits(u32),
}

/// Bits of a value as the control plane writes it; 0 for strings.
pub fn bitwidth(program: &ir::Program, ty: &Type, span: Span) -> Result<u32> {
    match ty {
        Type::Bit(width) | Type::Int(width) => return Ok(*width),
        Type::Bool => return Ok(1),
        Type::Error => return Ok(0),
        _ => {}
    }
    let Some(def) = def(program, ty) else {
        return not_supported(span, "a value of this type in P4Runtime");
    };
    match (&def.kind, translation(&def.annotations)?) {
        (TypeDefKind::Newtype(_), Some((_, ControllerType::String))) => Ok(0),
        (TypeDefKind::Newtype(_), Some((_, ControllerType::Bits(width)))) => Ok(width),
        (TypeDefKind::Newtype(inner), None) => {
            bitwidth(program, untranslated(program, inner), span)
        }
        (TypeDefKind::SerEnum { repr, .. }, _) => bitwidth(program, repr, span),
        (TypeDefKind::Enum(_), _) => Ok(0),
        _ => not_supported(span, format!("a value of type '{}' in P4Runtime", def.name)),
    }
}

/// The type at the end of a chain of new types.
pub fn untranslated<'a>(program: &'a ir::Program, mut ty: &'a Type) -> &'a Type {
    while let Some(TypeDefKind::Newtype(inner)) = def(program, ty).map(|def| &def.kind) {
        ty = inner;
    }
    ty
}

/// The URI and the controller's type in `@p4runtime_translation("uri", bit<W> or W or string)`.
pub fn translation(annotations: &[Annotation]) -> Result<Option<(String, ControllerType)>> {
    let Some(found) = annotation::find(annotations, "p4runtime_translation") else {
        return Ok(None);
    };
    let wrong = || {
        Error::new(
            found.span,
            "expected @p4runtime_translation(\"URI\", string), or bit<W> instead of string",
        )
    };
    let AnnotationBody::Unstructured(tokens) = &found.body else {
        return Err(wrong());
    };
    let width = |value: &BigInt| value.to_u32().map(ControllerType::Bits);
    let kinds: Vec<_> = tokens.iter().map(|t| (&t.kind, t.text.as_str())).collect();
    let controller_type = match kinds.as_slice() {
        [(AnnotationTokenKind::String, _), (_, ","), rest @ ..] => match rest {
            [(AnnotationTokenKind::Identifier, "string")] => Some(ControllerType::String),
            [(AnnotationTokenKind::Integer(value), _)] => width(value),
            [(_, "bit"), (_, "<"), (AnnotationTokenKind::Integer(value), _), (_, ">")] => {
                width(value)
            }
            _ => None,
        },
        _ => None,
    };
    let controller_type = controller_type.ok_or_else(wrong)?;
    Ok(Some((tokens[0].text.clone(), controller_type)))
}

/// The number that stands for a value of an action's parameter or of a key.
pub fn number(value: &Value, span: Span) -> Result<BigInt> {
    match value {
        Value::Int(value) => Ok(value.clone()),
        Value::Bool(value) => Ok(u32::from(*value).into()),
        Value::Error(index) | Value::Enum(_, index) => Ok((*index).into()),
        _ => not_supported(span, "an argument or key of this type in P4Runtime"),
    }
}

/// A value as a controller writes it: bytes, or the digits of the number where the type is translated to strings.
pub fn controller_bytes(
    program: &ir::Program,
    ty: &Type,
    value: &Value,
    span: Span,
) -> Result<Vec<u8>> {
    let value = number(value, span)?;
    let annotations = def(program, ty).map_or(&[][..], |def| &def.annotations);
    if let Some((_, ControllerType::String)) = translation(annotations)? {
        return Ok(value.to_string().into_bytes());
    }
    let width = bitwidth(program, ty, span)?;
    // P4Info gives no width to an `error` and to an enum without one.
    let needed = if width == 0 { value.bits() } else { 0 };
    let width = width.max(u32::try_from(needed).unwrap_or(u32::MAX));
    Ok(value_bytes(&value, width))
}

/// A value of `width` bits as whole bytes, in two's complement.
pub fn value_bytes(value: &BigInt, width: u32) -> Vec<u8> {
    let unsigned = if value.is_negative() {
        value + (BigInt::one() << width)
    } else {
        value.clone()
    };
    let digits = unsigned.to_bytes_be().1;
    let length = (width as usize).div_ceil(8).max(1);
    let mut bytes = vec![0; length.saturating_sub(digits.len())];
    bytes.extend(&digits[digits.len().saturating_sub(length)..]);
    bytes
}
