// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The rules of Tofino 1 that can be decided on a program's source (`--arch tna`).
//!
//! They are those that p4c's Tofino back end and the architecture's public description have beyond the language. A rule is
//! here only if a program that breaks it is certainly refused by the hardware: what depends on how tables are placed, fields
//! are packed or expressions are simplified is left to the back end. Each rule looks only at what a packet can reach.
//!
//! In: the checked program. Out: errors. Begin with `walk.rs`, which finds the code that a packet can reach; then any
//! rule, for each is a file.

mod alignment;
mod arithmetic;
mod blocks;
mod conditions;
mod copies;
mod direct;
mod hashes;
mod immediates;
mod keys;
mod origins;
mod parsing;
mod paths;
mod places;
mod registers;
mod selects;
mod sharing;
mod uses;
mod walk;

use crate::diagnostics::Diagnostics;
use crate::ir::{ExternId, ExternInstance, Program, Value};

/// Reports where the program breaks a rule.
pub(crate) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    let Some(blocks) = blocks::blocks(program, diagnostics) else {
        return;
    };
    places::check(program, &blocks, diagnostics);
    paths::check(program, &blocks, diagnostics);
    sharing::check(program, &blocks, diagnostics);
    registers::check(program, &blocks, diagnostics);
    arithmetic::check(program, &blocks, diagnostics);
    keys::check(program, &blocks, diagnostics);
    direct::check(program, &blocks, diagnostics);
    hashes::check(program, &blocks, diagnostics);
    immediates::check(program, &blocks, diagnostics);
    selects::check(program, &blocks, diagnostics);
    parsing::check(program, &blocks, diagnostics);
    conditions::check(program, &blocks, diagnostics);
    copies::check(program, &blocks, diagnostics);
    alignment::check(program, &blocks, diagnostics);
}

fn instance(program: &Program, id: ExternId) -> &ExternInstance {
    &program.externs[id.index()]
}

/// The register that a register action works on: its constructor's argument.
fn register_of(program: &Program, id: ExternId) -> Option<ExternId> {
    let action = instance(program, id);
    match action.type_name.as_str() {
        "Register" | "DirectRegister" => Some(id),
        "RegisterAction" | "DirectRegisterAction" => {
            action.args.iter().find_map(|(_, value)| match value {
                Value::Extern(register) => Some(*register),
                _ => None,
            })
        }
        _ => None,
    }
}
