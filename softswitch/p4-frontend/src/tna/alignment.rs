// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: headers are whole bytes.

use std::collections::HashSet;

use super::blocks::Block;
use super::walk::{walk, Item};
use super::widths;
use crate::ast::Annotation;
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, Field, Program, Type, TypeDefKind, TypeId};

/// Looks at the headers that are extracted and emitted. One that is `@flexible`, or a part of it, the back end lays out
/// itself.
pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    let mut seen = HashSet::new();
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let Callee::ParamMethod { method, .. } = &call.callee else {
                return;
            };
            if let ("extract" | "emit", Some(arg)) = (method.as_str(), call.args.first()) {
                check_type(program, &arg.expr.ty, &mut seen, diagnostics);
            }
        });
    }
}

fn check_type(
    program: &Program,
    ty: &Type,
    seen: &mut HashSet<TypeId>,
    diagnostics: &mut Diagnostics,
) {
    let id = match ty {
        Type::Named(id) => *id,
        Type::Stack(element, _) => return check_type(program, element, seen, diagnostics),
        _ => return,
    };
    if !seen.insert(id) {
        return;
    }
    let def = &program.types[id.index()];
    match &def.kind {
        TypeDefKind::Struct(fields) | TypeDefKind::HeaderUnion(fields) => {
            for field in fields {
                check_type(program, &field.ty, seen, diagnostics);
            }
        }
        TypeDefKind::Header(_) if !is_flexible(program, ty) => {
            let bits = widths::with_fields(program, ty, widths::scalar);
            if let Some(bits) = bits.filter(|bits| bits % 8 != 0) {
                diagnostics.error(
                    def.span,
                    format!(
                        "header `{}` has {bits} bits: Tofino's headers are whole bytes",
                        def.name
                    ),
                );
            }
        }
        _ => {}
    }
}

/// Whether the type, a field of it or the type of a field is marked.
fn is_flexible(program: &Program, ty: &Type) -> bool {
    let marked = |annotations: &[Annotation]| annotations.iter().any(|a| a.name.text == "flexible");
    let Type::Named(id) = ty else {
        return false;
    };
    let def = &program.types[id.index()];
    marked(&def.annotations)
        || match &def.kind {
            TypeDefKind::Struct(fields) | TypeDefKind::Header(fields) => {
                let mut fields = fields.iter();
                fields.any(|f: &Field| marked(&f.annotations) || is_flexible(program, &f.ty))
            }
            _ => false,
        }
}
