// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: types of the elements of registers, and the number of register actions of each.

use std::collections::BTreeMap;

use super::blocks::Block;
use super::instances::{instance, register_of};
use super::walk::{walk, Item};
use super::widths;
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, ExternId, Program, Type, TypeDefKind};
use crate::span::Span;

/// Programs that the unit of a register has room for.
const MAX_ACTIONS: usize = 4;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    let mut actions: BTreeMap<ExternId, Vec<ExternId>> = BTreeMap::new();
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let Callee::ExternMethod { instance: id, .. } = &call.callee else {
                return;
            };
            let Some(register) = register_of(program, *id) else {
                return;
            };
            let of_register = actions.entry(register).or_default();
            if *id != register && !of_register.contains(id) {
                of_register.push(*id);
            }
        });
    }
    for (register, used) in actions {
        check_element(program, register, diagnostics);
        for action in &used {
            check_action(program, register, *action, diagnostics);
        }
        if let Some(fifth) = used.get(MAX_ACTIONS) {
            let name = &instance(program, register).name;
            diagnostics.error(
                instance(program, *fifth).span,
                format!(
                    "register `{name}` has {} register actions: Tofino has room for {MAX_ACTIONS}",
                    used.len()
                ),
            );
        }
    }
}

fn check_element(program: &Program, id: ExternId, diagnostics: &mut Diagnostics) {
    let register = instance(program, id);
    let Some(element) = register.type_args.first() else {
        return;
    };
    if fits(program, element) == Some(false) {
        diagnostics.error(
            register.span,
            format!(
                "register `{}` cannot have elements of this type: Tofino's are of 1, 8, 16, 32 or 64 bits, or a pair of 8, 16 or 32",
                register.name
            ),
        );
    }
}

/// Whether an element of a register can have the type; `None` where that is not known.
fn fits(program: &Program, ty: &Type) -> Option<bool> {
    if let Type::Named(id) = ty {
        if let TypeDefKind::Struct(fields) = &program.types[id.index()].kind {
            let widths: Vec<_> = fields
                .iter()
                .map(|f| widths::integer(program, &f.ty))
                .collect();
            return match widths.as_slice() {
                [Some(one)] => Some(matches!(one, 8 | 16 | 32 | 64)),
                [Some(one), Some(other)] => Some(one == other && matches!(one, 8 | 16 | 32)),
                [_] | [_, _] => None,
                _ => Some(false),
            };
        }
    }
    widths::integer(program, ty).map(|bits| matches!(bits, 1 | 8 | 16 | 32 | 64))
}

/// A register action sees elements of the size that the register has. It may see several neighbours as one when its index has
/// that many bits less.
fn check_action(
    program: &Program,
    register: ExternId,
    action: ExternId,
    diagnostics: &mut Diagnostics,
) {
    let (register, action) = (instance(program, register), instance(program, action));
    let size = |types: &[Type], n: usize| {
        types
            .get(n)
            .and_then(|ty| widths::with_fields(program, ty, widths::integer))
    };
    let (Some(wanted), Some(found)) = (size(&register.type_args, 0), size(&action.type_args, 0))
    else {
        return;
    };
    if wanted == found {
        return;
    }
    let grouped = match (size(&register.type_args, 1), size(&action.type_args, 1)) {
        (Some(a), Some(b)) if a >= b => shifted(wanted, a - b) == Some(found),
        (Some(a), Some(b)) => shifted(found, b - a) == Some(wanted),
        _ => return,
    };
    if !grouped {
        report_size(
            action.span,
            &action.name,
            found,
            &register.name,
            wanted,
            diagnostics,
        );
    }
}

fn shifted(bits: u64, by: u64) -> Option<u64> {
    bits.checked_mul(1u64.checked_shl(u32::try_from(by).ok()?)?)
}

fn report_size(
    span: Span,
    action: &str,
    found: u64,
    register: &str,
    wanted: u64,
    diagnostics: &mut Diagnostics,
) {
    diagnostics.error(
        span,
        format!("register action `{action}` works on elements of {found} bits, but those of register `{register}` have {wanted}"),
    );
}
