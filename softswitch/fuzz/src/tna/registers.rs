// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers: what their unit computes with one or two words.

use std::fmt::Write;

use super::assignment::result;
use super::choices::Choices;
use super::control::Control;
use super::expression::{constant, field, index};
use super::scope::{Scope, Ty};

pub(super) fn cell(c: &mut Choices<'_>) -> Ty {
    let bits = *c.of(&[32, 16, 8]);
    match c.one_in(3) {
        true => Ty::Int(bits),
        false => Ty::Bit(bits),
    }
}

/// Declares a register and its actions; the statement that runs one of them.
pub(super) fn used(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    let (index_ty, size, index) = index(c, scope);
    let register = control.name("cells");
    match c.below(8) {
        0..=4 => {}
        5 => {
            let ty = *c.of(&["bit<1>", "bit<8>", "int<16>"]);
            let _ = writeln!(
                control.declarations,
                "    Register<{ty}, {index_ty}>({size}) {register};"
            );
            let call = format!("{register}.read({index})");
            let ty = match ty {
                "bit<1>" => Ty::Bit(1),
                "bit<8>" => Ty::Bit(8),
                _ => Ty::Int(16),
            };
            return match c.one_in(2) {
                true => result(c, scope, ty, &call),
                false => format!(
                    "        {register}.write({index}, {});\n",
                    field(c, scope, ty)
                ),
            };
        }
        _ => return bits(c, control, scope, &register, (index_ty, size, index)),
    }
    let word = cell(c);
    let pair = c.one_in(3);
    let (cell, initial) = match pair {
        true => (
            format!("pair{}_t", shown(word)),
            format!("{{{}, {}}}", constant(c, word), constant(c, word)),
        ),
        false => (word.to_string(), constant(c, word)),
    };
    let initial = match c.one_in(2) {
        true => format!(", {initial}"),
        false => String::new(),
    };
    let _ = writeln!(
        control.declarations,
        "    Register<{cell}, {index_ty}>({size}{initial}) {register};"
    );
    let body = body(c, control, word, pair);
    let action = declare(
        control,
        &format!("RegisterAction<{cell}, {index_ty}, {word}>({register})"),
        &cell,
        word,
        &body,
    );
    let call = match c.one_in(6) {
        true => format!("{action}.execute_log()"),
        false => format!("{action}.execute({index})"),
    };
    result(c, scope, word, &call)
}

/// The name of the structure of two words.
pub(super) fn shown(word: Ty) -> String {
    match word {
        Ty::Int(bits) => format!("s{bits}"),
        word => format!("b{}", word.bits()),
    }
}

pub(super) fn direct_action(
    c: &mut Choices<'_>,
    control: &mut Control,
    register: &str,
    word: Ty,
) -> String {
    let body = body(c, control, word, false);
    let kind = format!("DirectRegisterAction<{word}, {word}>({register})");
    declare(control, &kind, &word.to_string(), word, &body)
}

fn declare(control: &mut Control, kind: &str, cell: &str, given: Ty, body: &str) -> String {
    let action = control.name("alu");
    let _ = write!(
        control.declarations,
        "    {kind} {action} = {{
        void apply(inout {cell} value, out {given} rv) {{\n{body}        }}\n    }};\n"
    );
    action
}

/// Single bits are set, cleared and read.
fn bits(
    c: &mut Choices<'_>,
    control: &mut Control,
    scope: &Scope,
    register: &str,
    (index_ty, size, index): (Ty, u32, String),
) -> String {
    let _ = writeln!(
        control.declarations,
        "    Register<bit<1>, {index_ty}>({size}) {register};"
    );
    let value = *c.of(&["1", "0"]);
    let body = match c.one_in(2) {
        true => format!("            rv = ~value;\n            value = {value};\n"),
        false => format!("            rv = value;\n            value = {value};\n"),
    };
    let kind = format!("RegisterAction<bit<1>, {index_ty}, bit<1>>({register})");
    let action = declare(control, &kind, "bit<1>", Ty::Bit(1), &body);
    result(c, scope, Ty::Bit(1), &format!("{action}.execute({index})"))
}

fn body(c: &mut Choices<'_>, control: &mut Control, word: Ty, pair: bool) -> String {
    let words: &[&str] = match pair {
        true => &["value.low", "value.high"],
        false => &["value"],
    };
    let compare = |c: &mut Choices<'_>, control: &mut Control| {
        let operator = *c.of(&[">", "<", "==", "!=", ">=", "<="]);
        let other = operand(c, control, word);
        format!("{} {operator} {other}", c.of(words))
    };
    let mut out = String::new();
    if c.one_in(4) {
        let _ = writeln!(out, "            rv = {};", words[0]);
    }
    for target in words {
        let first = update(c, control, word, words);
        match c.below(3) {
            0 => {
                let _ = writeln!(out, "            {target} = {first};");
            }
            1 => {
                let which = compare(c, control);
                let _ = writeln!(out, "            if ({which}) {{\n                {target} = {first};\n            }}");
            }
            _ => {
                let which = compare(c, control);
                let second = update(c, control, word, words);
                let _ = writeln!(
                    out,
                    "            if ({which}) {{\n                {target} = {first};\n            }} else {{\n                {target} = {second};\n            }}"
                );
            }
        }
    }
    let given = match c.below(5) {
        0 | 1 => words[0].to_owned(),
        2 => words[words.len() - 1].to_owned(),
        3 => {
            let (a, b) = (compare(c, control), compare(c, control));
            match word {
                Ty::Bit(_) => format!("this.predicate({a}, {b})"),
                _ => words[0].to_owned(),
            }
        }
        _ => return out + &format!("            rv = {};\n", operand(c, control, word)),
    };
    out + &format!("            rv = {given};\n")
}

/// A value from the packet, a constant, or a parameter that the control plane sets.
fn operand(c: &mut Choices<'_>, control: &mut Control, word: Ty) -> String {
    match c.below(6) {
        4 => constant(c, word),
        5 => {
            let name = control.name("param");
            let initial = constant(c, word);
            let _ = writeln!(
                control.declarations,
                "    RegisterParam<{word}>({initial}) {name};"
            );
            format!("{name}.read()")
        }
        _ => {
            let scope = control.scope.clone();
            field(c, &scope, word)
        }
    }
}

/// The new value of a word.
fn update(c: &mut Choices<'_>, control: &mut Control, word: Ty, words: &[&str]) -> String {
    let old = *c.of(words);
    match c.below(10) {
        8 => {
            let method = *c.of(&["min", "max"]);
            format!("{method}({old}, {})", operand(c, control, word))
        }
        9 if matches!(word, Ty::Bit(_)) => {
            let name = control.name("math");
            let operation = *c.of(&["MUL", "SQR", "SQRT", "DIV", "RSQR", "RSQRT"]);
            let factor = 1 + c.below(20);
            let _ = writeln!(
                control.declarations,
                "    MathUnit<{word}>(MathOp_t.{operation}, {factor}) {name};"
            );
            let argument = match c.one_in(2) {
                true => old.to_owned(),
                false => operand(c, control, word),
            };
            format!("{name}.execute({argument})")
        }
        7 => operand(c, control, word),
        _ => {
            let operator = *c.of(&["+", "-", "|+|", "|-|", "&", "|", "^"]);
            format!("{old} {operator} {}", operand(c, control, word))
        }
    }
}
