// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements of a control's own code: blocks, branches, loops, and code behind each outcome of a table.

use std::fmt::Write;

use super::assignment::{assignment, intrinsic};
use super::choices::Choices;
use super::control::Control;
use super::expression::{condition, constant};
use super::routine;
use super::scope::{Field, Scope, Stack, Ty};
use super::table::{self, Table};

/// Some statements of the control's own code.
pub(super) fn block(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    (0..1 + c.below(3))
        .map(|_| statement(c, control, depth))
        .collect()
}

fn statement(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    match c.below(14) {
        5 if depth > 0 => branch(c, control, depth - 1),
        6 => {
            let method = *c.of(&["setValid", "setInvalid"]);
            format!(
                "        {}.{method}();\n",
                c.of(&control.scope.headers).path
            )
        }
        7 => intrinsic(c, control),
        8 if depth < 2 && c.one_in(4) => format!("        {}\n", c.of(&["exit;", "return;"])),
        9 | 10 if !control.scope.stacks.is_empty() => stack(c, &control.scope),
        11 if depth > 0 => repeated(c, control, depth - 1),
        12 if depth > 0 => switch(c, control, depth - 1),
        13 => routine::again(c, control, &control.scope).unwrap_or_default(),
        _ => assignment(c, &control.scope),
    }
}

/// Elements of a stack move, or one is copied.
fn stack(c: &mut Choices<'_>, scope: &Scope) -> String {
    let Stack { path, size } = c.of(&scope.stacks);
    let count = 1 + c.below(*size);
    match c.below(3) {
        0 => format!("        {path}.push_front({count});\n"),
        1 => format!("        {path}.pop_front({count});\n"),
        _ => format!(
            "        {path}[{}] = {path}[{}];\n",
            count - 1,
            c.below(*size)
        ),
    }
}

/// A loop that ends by itself, if code in it does not leave it before.
fn repeated(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    let number = control.name("i");
    let last = c.below(4);
    let left = c.one_in(2);
    let head = match c.one_in(3) {
        true => format!("bit<8> {number} = 0; {number} <= {last}; {number} = {number} + 1"),
        false => format!("bit<8> {number} in 0..{last}"),
    };
    let outside = control.scope.fields.len();
    control.scope.add(number, Ty::Bit(8), false);
    let mut body = block(c, control, depth);
    if left {
        let which = condition(c, &control.scope, 1);
        let way = *c.of(&["break", "continue"]);
        let _ = writeln!(body, "        if ({which}) {{ {way}; }}");
        body.push_str(&block(c, control, 0));
    }
    control.scope.fields.truncate(outside);
    format!("        for ({head}) {{\n{body}        }}\n")
}

/// By the value of a field; a label may have the code of the next.
fn switch(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    let number = |field: &Field| field.ty != Ty::Bool;
    let field = control.scope.where_(c, number).expect("metadata has one");
    let (path, ty) = (field.path.clone(), field.ty);
    let mut out = format!("        switch ({path}) {{\n");
    let mut seen = Vec::new();
    for _ in 0..1 + c.below(3) {
        let label = constant(c, ty);
        if seen.contains(&label) {
            continue;
        }
        let _ = write!(out, "        {label}: ");
        seen.push(label);
        if !c.one_in(4) {
            let _ = writeln!(out, "{{\n{}        }}", block(c, control, depth));
        }
    }
    let _ = write!(
        out,
        "        default: {{\n{}        }}\n        }}\n",
        block(c, control, depth)
    );
    out
}

pub(super) fn branch(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    let which = condition(c, &control.scope, 2);
    let mut out = format!("        if ({which}) {{\n{}", block(c, control, depth));
    if c.one_in(2) {
        let _ = write!(out, "        }} else {{\n{}", block(c, control, depth));
    }
    out.push_str("        }\n");
    out
}

/// A table, and code behind each outcome.
pub(super) fn applied(c: &mut Choices<'_>, control: &mut Control) -> String {
    let outcome = c.below(4);
    let Table { name, actions } = table::declared(c, control);
    match outcome {
        0 => format!("        {name}.apply();\n"),
        1 => {
            let outcome = *c.of(&["hit", "miss"]);
            let not = *c.of(&["", "!"]);
            let (yes, no) = (block(c, control, 1), block(c, control, 1));
            format!("        if ({not}{name}.apply().{outcome}) {{\n{yes}        }} else {{\n{no}        }}\n")
        }
        _ => {
            let mut out = format!("        switch ({name}.apply().action_run) {{\n");
            for (action, _) in &actions {
                if c.one_in(3) {
                    continue;
                }
                let _ = writeln!(
                    out,
                    "        {action}: {{\n{}        }}",
                    block(c, control, 1)
                );
            }
            let _ = write!(
                out,
                "        default: {{\n{}        }}\n        }}\n",
                block(c, control, 1)
            );
            out
        }
    }
}
