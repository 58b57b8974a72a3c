// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions, and actions that a control calls without a table.

use std::fmt::Write;

use super::assignment::{assignment, intrinsic, result};
use super::callable::{arguments, list, metadata, params, Callable};
use super::choices::Choices;
use super::control::Control;
use super::expression::{condition, constant, expression};
use super::externs;
use super::scope::{Scope, Ty};

/// Declares a function before the control, which can call it from now on.
pub(super) fn function(c: &mut Choices<'_>, control: &mut Control) -> Callable {
    let name = control.global("function");
    let mut params = params(c, &control.scope, "a");
    if c.one_in(4) {
        params.push(metadata());
    }
    let result = (!c.one_in(4)).then(|| Ty::any(c));
    let mut scope = Scope::default();
    let mut body = String::new();
    for param in &params {
        param.enter(&mut scope, &control.scope);
        body.push_str(&param.start(c));
    }
    let ty = Ty::any(c);
    let _ = writeln!(body, "        {ty} x = {};", constant(c, ty));
    scope.add("x", ty, true);
    let back = |c: &mut Choices<'_>, scope: &Scope| match result {
        Some(ty) => format!("return {};", expression(c, scope, ty, 2)),
        None => "return;".to_owned(),
    };
    for _ in 0..1 + c.below(3) {
        if c.one_in(4) {
            let which = condition(c, &scope, 1);
            let _ = writeln!(body, "        if ({which}) {{");
            body.push_str(&assignment(c, &scope));
            let _ = writeln!(body, "        {}\n        }}", back(c, &scope));
        }
        body.push_str(&assignment(c, &scope));
    }
    if result.is_some() {
        let _ = writeln!(body, "        {}", back(c, &scope));
    }
    let given = result.map_or("void".to_owned(), |ty| ty.to_string());
    let list = list(&params);
    let _ = write!(control.outside, "{given} {name}({list}) {{\n{body}}}\n");
    let function = Callable {
        name,
        params,
        result,
    };
    control.functions.push(function.clone());
    function
}

/// Declares an action that is called once, so that it can use objects.
pub(super) fn action(c: &mut Choices<'_>, control: &mut Control) -> Callable {
    let name = control.name("act");
    let params = params(c, &control.scope, "a");
    let mut scope = control.scope.clone();
    let mut body = String::new();
    for param in &params {
        param.enter(&mut scope, &control.scope);
        body.push_str(&param.start(c));
    }
    for _ in 0..1 + c.below(3) {
        body.push_str(&match c.below(6) {
            4 => intrinsic(c, control),
            5 => externs::used(c, control, &scope),
            _ => assignment(c, &scope),
        });
    }
    let list = list(&params);
    let _ = write!(
        control.declarations,
        "    action {name}({list}) {{\n{body}    }}\n"
    );
    Callable {
        name,
        params,
        result: None,
    }
}

/// A statement with a call.
pub(super) fn call(c: &mut Choices<'_>, scope: &Scope, called: &Callable) -> String {
    let args = arguments(c, scope, &called.params).join(", ");
    let call = format!("{}({args})", called.name);
    match called.result {
        None => format!("        {call};\n"),
        Some(ty @ (Ty::Bit(_) | Ty::Int(_))) if c.one_in(3) => {
            let operator = *c.of(&["+", "-", "^", "|+|"]);
            let other = expression(c, scope, ty, 1);
            result(c, scope, ty, &format!("({call} {operator} {other})"))
        }
        Some(ty) => result(c, scope, ty, &call),
    }
}

/// A call of a function that there is already, if there is one.
pub(super) fn again(c: &mut Choices<'_>, control: &Control, scope: &Scope) -> Option<String> {
    let all = &control.functions;
    let function = (!all.is_empty()).then(|| c.of(all))?;
    Some(call(c, scope, function))
}
