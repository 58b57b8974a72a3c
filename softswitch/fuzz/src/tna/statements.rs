// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The statements of controls: each piece of the input adds some, and what they use, to one of the controls.

use std::fmt::Write;

use super::assignment::{assignment, intrinsic};
use super::choices::Choices;
use super::control::Control;
use super::expression::condition;
use super::externs;
use super::table::{self, Table};

/// One part of the program.
pub(super) fn add(c: &mut Choices<'_>, control: &mut Control) {
    let statements = match c.below(5) {
        0 => branch(c, control, 2),
        1 | 2 => applied(c, control),
        3 => {
            let scope = control.scope.clone();
            externs::used(c, control, &scope)
        }
        _ => block(c, control, 2),
    };
    control.body.push_str(&statements);
}

/// Some statements of the control's own code.
fn block(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    (0..1 + c.below(3))
        .map(|_| statement(c, control, depth))
        .collect()
}

fn statement(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    match c.below(9) {
        5 if depth > 0 => branch(c, control, depth - 1),
        6 => {
            let method = *c.of(&["setValid", "setInvalid"]);
            format!("        {}.{method}();\n", c.of(&control.scope.headers))
        }
        7 => intrinsic(c, control),
        8 if depth < 2 && c.one_in(4) => format!("        {}\n", c.of(&["exit;", "return;"])),
        _ => assignment(c, &control.scope),
    }
}

fn branch(c: &mut Choices<'_>, control: &mut Control, depth: u32) -> String {
    let which = condition(c, &control.scope, 2);
    let mut out = format!("        if ({which}) {{\n{}", block(c, control, depth));
    if c.one_in(2) {
        let _ = write!(out, "        }} else {{\n{}", block(c, control, depth));
    }
    out.push_str("        }\n");
    out
}

/// A table, and code behind each outcome.
fn applied(c: &mut Choices<'_>, control: &mut Control) -> String {
    let Table { name, actions } = table::declared(c, control);
    match c.below(4) {
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
