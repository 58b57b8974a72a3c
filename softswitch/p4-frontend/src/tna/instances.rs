// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Extern objects by their numbers.

use crate::ir::{ExternId, ExternInstance, Program, Value};

pub(super) fn instance(program: &Program, id: ExternId) -> &ExternInstance {
    &program.externs[id.index()]
}

/// The register that a register action works on: its constructor's argument.
pub(super) fn register_of(program: &Program, id: ExternId) -> Option<ExternId> {
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
