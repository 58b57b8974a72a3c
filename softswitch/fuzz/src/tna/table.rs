// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: actions, keys of all kinds, and constant entries or those of a control plane.

use std::fmt::Write;

use super::assignment::{assignment, intrinsic};
use super::choices::Choices;
use super::control::Control;
use super::expression::constant;
use super::scope::{Scope, Ty};
use super::{direct, externs, routine};

pub(super) struct Table {
    pub name: String,
    pub actions: Vec<Action>,
}

/// Its name and the types of its parameters.
type Action = (String, Vec<Ty>);

/// Declares a table in the control.
pub(super) fn declared(c: &mut Choices<'_>, control: &mut Control) -> Table {
    let direct = direct::owned(c, control);
    let actions: Vec<_> = (0..1 + c.below(3))
        .map(|_| action(c, control, direct.as_ref()))
        .collect();
    let name = control.name("table");
    let keys = keys(c, &control.scope);
    let mut out = format!("    table {name} {{\n        key = {{\n");
    for key in &keys {
        let _ = writeln!(out, "            {}: {};", key.path, key.kind);
    }
    let selector = direct.is_none() && c.one_in(6);
    let implementation = selector.then(|| chosen(c, control, &mut out));
    out.push_str("        }\n        actions = {\n");
    for (action, _) in &actions {
        let _ = writeln!(out, "            {action};");
    }
    out.push_str("            @defaultonly NoAction;\n        }\n");
    let default = match c.below(3) {
        0 => "const default_action = NoAction();".to_owned(),
        1 => "default_action = NoAction();".to_owned(),
        // The entry's own objects are only for entries.
        _ if direct.is_none() && implementation.is_none() => {
            format!("default_action = {};", called(c, &actions))
        }
        _ => "const default_action = NoAction();".to_owned(),
    };
    let _ = writeln!(out, "        {default}");
    match (&implementation, &direct) {
        (Some(implementation), _) => {
            let _ = writeln!(out, "        implementation = {implementation};");
        }
        (None, Some(direct)) => {
            let _ = writeln!(out, "        {} = {};", direct.property, direct.name);
        }
        (None, None) if c.one_in(2) => out.push_str(&entries(c, &keys, &actions)),
        (None, None) => {}
    }
    out.push_str("        size = 64;\n    }\n");
    control.declarations.push_str(&out);
    Table { name, actions }
}

fn action(c: &mut Choices<'_>, control: &mut Control, direct: Option<&direct::Direct>) -> Action {
    let name = control.name("act");
    let params: Vec<Ty> = (0..c.below(3)).map(|_| Ty::number(c)).collect();
    let mut scope = control.scope.clone();
    for (number, ty) in params.iter().enumerate() {
        scope.add(format!("p{number}"), *ty, false);
    }
    let mut body = String::new();
    for _ in 0..1 + c.below(3) {
        body.push_str(&match c.below(9) {
            8 => routine::again(c, control, &scope).unwrap_or_default(),
            6 => intrinsic(c, control),
            7 => externs::used(c, control, &scope),
            _ => assignment(c, &scope),
        });
    }
    if let (Some(direct), false) = (direct, c.one_in(4)) {
        body.push_str(&direct.call(c, control, &scope));
    }
    let list: Vec<_> = params
        .iter()
        .enumerate()
        .map(|(number, ty)| format!("{ty} p{number}"))
        .collect();
    let _ = write!(
        control.declarations,
        "    action {name}({}) {{\n{body}    }}\n",
        list.join(", ")
    );
    (name, params)
}

struct Key {
    path: String,
    ty: Ty,
    kind: &'static str,
}

const MAX_RANGE_BITS: u32 = 20;

fn keys(c: &mut Choices<'_>, scope: &Scope) -> Vec<Key> {
    let kinds = c.below(3);
    let count = 1 + c.below(3);
    let key = |number: usize, c: &mut Choices<'_>| {
        let field = scope.any(c);
        let kind = match (kinds, field.ty) {
            (1, Ty::Bit(_)) if number == 0 => "lpm",
            (2, Ty::Bit(bits)) if bits <= MAX_RANGE_BITS && c.one_in(2) => "range",
            (2, Ty::Bit(_)) => "ternary",
            _ => "exact",
        };
        let (path, ty) = match field.ty {
            Ty::Bit(bits @ 9..) if kind == "exact" && c.one_in(3) => {
                let low = c.below(bits as usize - 8);
                (format!("{}[{}:{low}]", field.path, low + 7), Ty::Bit(8))
            }
            ty => (field.path.clone(), ty),
        };
        Key { path, ty, kind }
    };
    let mut keys: Vec<Key> = Vec::new();
    for number in 0..count {
        let key = key(number, c);
        if keys.iter().all(|known| known.path != key.path) {
            keys.push(key);
        }
    }
    if c.one_in(4) {
        let path = format!("{}.isValid()", c.of(&scope.headers).path);
        let (ty, kind) = (Ty::Bool, "exact");
        keys.push(Key { path, ty, kind });
    }
    keys
}

/// The keys of the hash that picks a member, and the selector.
fn chosen(c: &mut Choices<'_>, control: &mut Control, keys: &mut String) -> String {
    let field = control
        .scope
        .where_(c, |field| matches!(field.ty, Ty::Bit(_)));
    let field = field.expect("metadata has one").path.clone();
    let _ = writeln!(keys, "            {field}: selector;");
    let name = control.name("selector");
    let mode = *c.of(&["FAIR", "RESILIENT"]);
    let _ = write!(
        control.declarations,
        "    Hash<bit<16>>(HashAlgorithm_t.CRC16) {name}_hash;
    ActionProfile(64) {name}_members;
    ActionSelector({name}_members, {name}_hash, SelectorMode_t.{mode}, 8, 8) {name};\n"
    );
    name
}

fn called(c: &mut Choices<'_>, actions: &[Action]) -> String {
    let (action, params) = c.of(actions);
    let args: Vec<_> = params.iter().map(|ty| constant(c, *ty)).collect();
    format!("{action}({})", args.join(", "))
}

fn entries(c: &mut Choices<'_>, keys: &[Key], actions: &[Action]) -> String {
    let mut out = "        const entries = {\n".to_owned();
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..1 + c.below(4) {
        let key: Vec<_> = keys.iter().map(|key| matched(c, key)).collect();
        let key = key.join(", ");
        let action = called(c, actions);
        if !seen.contains(&key) {
            let _ = writeln!(out, "            ({key}): {action};");
            seen.push(key);
        }
    }
    out.push_str("        }\n");
    out
}

fn matched(c: &mut Choices<'_>, key: &Key) -> String {
    let bits = key.ty.bits();
    let value = |c: &mut Choices<'_>| c.number(bits);
    match key.kind {
        "lpm" => {
            let spare = c.below(bits as usize + 1) as u32;
            let all = u128::MAX >> (128 - bits);
            let mask = all & all.checked_shl(spare).unwrap_or(0);
            format!("{bits}w{} &&& {bits}w{mask}", value(c) & mask)
        }
        "ternary" if c.one_in(4) => "_".to_owned(),
        "ternary" => {
            let mask = value(c);
            format!("{bits}w{} &&& {bits}w{mask}", value(c) & mask)
        }
        "range" => {
            let (a, b) = (value(c), value(c));
            format!("{bits}w{}..{bits}w{}", a.min(b), a.max(b))
        }
        _ => constant(c, key.ty),
    }
}
