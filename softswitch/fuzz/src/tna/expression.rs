// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions of a given type, in parentheses where it matters.

use super::choices::Choices;
use super::scope::{Field, Scope, Ty};

pub(super) fn constant(c: &mut Choices<'_>, ty: Ty) -> String {
    match ty {
        Ty::Bool => ["true", "false"][c.below(2)].to_owned(),
        Ty::Bit(bits) => format!("{bits}w{}", c.number(bits)),
        Ty::Int(bits) => {
            let number = c.number(bits - 1);
            // No second name for 0: entries with it would have one key.
            match number > 0 && c.one_in(2) {
                true => format!("(-{bits}s{number})"),
                false => format!("{bits}s{number}"),
            }
        }
    }
}

/// A field, as a value of the type.
fn adapted(c: &mut Choices<'_>, field: &Field, ty: Ty) -> String {
    let path = &field.path;
    match (field.ty, ty) {
        (from, to) if from == to => path.clone(),
        (Ty::Bit(from), Ty::Bit(bits)) if from > bits => {
            let low = c.below((from - bits + 1) as usize) as u32;
            format!("{path}[{}:{low}]", low + bits - 1)
        }
        (Ty::Bit(_) | Ty::Int(_), Ty::Bit(bits)) if bits == field.ty.bits() => {
            format!("((bit<{bits}>) {path})")
        }
        (Ty::Int(_), Ty::Int(bits)) => format!("((int<{bits}>) {path})"),
        (Ty::Int(from), Ty::Bit(bits)) => format!("((bit<{bits}>) (bit<{from}>) {path})"),
        (Ty::Bool, Ty::Bit(1)) => format!("((bit<1>) {path})"),
        (Ty::Bool, Ty::Bit(bits)) => format!("((bit<{bits}>) (bit<1>) {path})"),
        (_, Ty::Bit(bits)) => format!("((bit<{bits}>) {path})"),
        (_, Ty::Int(bits)) => {
            let inner = adapted(c, field, Ty::Bit(bits));
            format!("((int<{bits}>) {inner})")
        }
        (_, Ty::Bool) => {
            let inner = adapted(c, field, Ty::Bit(1));
            format!("((bool) {inner})")
        }
    }
}

/// A field as it is, a part of it or a wider copy.
pub(super) fn field(c: &mut Choices<'_>, scope: &Scope, ty: Ty) -> String {
    if !c.one_in(3) {
        if let Some(field) = scope.of_type(c, ty) {
            return field.path.clone();
        }
    }
    let field = scope.any(c);
    adapted(c, field, ty)
}

fn leaf(c: &mut Choices<'_>, scope: &Scope, ty: Ty) -> String {
    match c.one_in(3) {
        true => constant(c, ty),
        false => field(c, scope, ty),
    }
}

pub(super) fn expression(c: &mut Choices<'_>, scope: &Scope, ty: Ty, depth: u32) -> String {
    if depth == 0 {
        return leaf(c, scope, ty);
    }
    let (Ty::Bit(bits) | Ty::Int(bits)) = ty else {
        return truth(c, scope, depth);
    };
    let below = depth - 1;
    let operand = |c: &mut Choices<'_>| expression(c, scope, ty, below);
    match c.below(16) {
        0 => leaf(c, scope, ty),
        1..=7 => {
            let operator = *c.of(&["+", "-", "&", "|", "^", "|+|", "|-|"]);
            let (a, b) = (operand(c), operand(c));
            format!("({a} {operator} {b})")
        }
        8 => format!("({}{})", c.of(&["~", "-"]), operand(c)),
        9 => {
            let operator = *c.of(&["<<", ">>"]);
            let amount = c.below(bits as usize + 2);
            format!("({} {operator} {amount})", operand(c))
        }
        10 => {
            let name = *c.of(&["min", "max"]);
            let (a, b) = (operand(c), operand(c));
            format!("{name}({a}, {b})")
        }
        11 | 12 => {
            let which = truth(c, scope, below);
            let (a, b) = (operand(c), operand(c));
            format!("({which} ? {a} : {b})")
        }
        13 => {
            // Through another width and back.
            let other = Ty::number(c);
            let inner = expression(c, scope, other, below);
            cast(&inner, other, ty)
        }
        14 => match ty {
            Ty::Bit(2..) => {
                let high = 1 + c.below(bits as usize - 1) as u32;
                let a = expression(c, scope, Ty::Bit(high), below);
                let b = expression(c, scope, Ty::Bit(bits - high), below);
                format!("({a} ++ {b})")
            }
            _ => {
                let factor = 1u128 << c.below((bits as usize).div_ceil(2));
                match ty {
                    Ty::Bit(_) => format!("({} * {bits}w{factor})", operand(c)),
                    _ => format!("(-{})", operand(c)),
                }
            }
        },
        _ => match ty {
            Ty::Bit(1..=120) => {
                let wider = bits + 1 + c.below((128 - bits) as usize) as u32;
                let low = c.below((wider - bits + 1) as usize) as u32;
                let inner = expression(c, scope, Ty::Bit(wider), below);
                format!("({inner}[{}:{low}])", low + bits - 1)
            }
            _ => leaf(c, scope, ty),
        },
    }
}

pub(super) fn cast(inner: &str, from: Ty, to: Ty) -> String {
    let (wide, signed) = (to.bits(), matches!(to, Ty::Int(_)));
    match (from, to) {
        (from, to) if from == to => inner.to_owned(),
        (Ty::Bit(_), Ty::Bit(_)) | (Ty::Int(_), Ty::Int(_)) => format!("(({to}) {inner})"),
        // Only the sign or the width changes at a time.
        _ if from.bits() == wide => format!("(({to}) {inner})"),
        _ if signed => format!("(({to}) (bit<{wide}>) {inner})"),
        _ => format!("(({to}) (bit<{}>) {inner})", from.bits()),
    }
}

/// A truth value of an action's data.
fn truth(c: &mut Choices<'_>, scope: &Scope, depth: u32) -> String {
    if depth == 0 {
        return atom(c, scope);
    }
    match c.below(5) {
        0 | 1 => {
            let operator = *c.of(&["==", "!=", "<", "<=", ">", ">="]);
            let ty = Ty::number(c);
            let a = expression(c, scope, ty, depth - 1);
            let b = expression(c, scope, ty, depth - 1);
            format!("({a} {operator} {b})")
        }
        2 => atom(c, scope),
        3 => format!("!{}", truth(c, scope, depth - 1)),
        _ => {
            let operator = *c.of(&["&&", "||"]);
            let (a, b) = (truth(c, scope, depth - 1), truth(c, scope, depth - 1));
            format!("({a} {operator} {b})")
        }
    }
}

/// A comparison that a gateway can do: fields for equality, a field and a constant for order.
fn atom(c: &mut Choices<'_>, scope: &Scope) -> String {
    let any = scope.any(c);
    let (path, ty) = (&any.path, any.ty);
    match (c.below(5), ty) {
        (_, Ty::Bool) => path.clone(),
        (0 | 1, _) => {
            let operator = *c.of(&["==", "!="]);
            format!("({path} {operator} {})", leaf(c, scope, ty))
        }
        (4, _) if !scope.headers.is_empty() => format!("{}.isValid()", c.of(&scope.headers).path),
        _ => {
            let operator = *c.of(&["<", "<=", ">", ">="]);
            format!("({path} {operator} {})", constant(c, ty))
        }
    }
}

/// The condition of an `if`.
pub(super) fn condition(c: &mut Choices<'_>, scope: &Scope, depth: u32) -> String {
    if depth == 0 {
        return atom(c, scope);
    }
    match c.below(4) {
        0 | 1 => atom(c, scope),
        2 => format!("!{}", condition(c, scope, depth - 1)),
        _ => {
            let operator = *c.of(&["&&", "||"]);
            let (a, b) = (
                condition(c, scope, depth - 1),
                condition(c, scope, depth - 1),
            );
            format!("({a} {operator} {b})")
        }
    }
}

/// An index into an array: its type, the array's size, which is beyond the largest index for some and below it for others, and its value.
pub(super) fn index(c: &mut Choices<'_>, scope: &Scope) -> (Ty, u32, String) {
    let ty = Ty::Bit(*c.of(&[8, 4, 9]));
    let size = *c.of(&[256, 16, 5]);
    let index = match c.one_in(4) {
        true => expression(c, scope, ty, 1),
        false => field(c, scope, ty),
    };
    (ty, size, index)
}
