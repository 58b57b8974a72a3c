// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names as the control plane knows them. The front end puts the pipeline's name before all names of objects in its blocks.
//! P4Info has it before those of tables and of extern objects, also where `@name(".x")` leaves it out, and not before those
//! of actions and value sets.

use quench_p4_frontend::ir::{self, PackageInstance, Value};

/// The program under these names.
pub fn renamed(program: &ir::Program) -> ir::Program {
    let mut program = program.clone();
    let pipe = program.main.as_ref().and_then(|main| pipe(&program, main));
    let Some(prefix) = pipe.map(|pipe| format!("{pipe}.")) else {
        return program;
    };
    let local = |name: &str| name.strip_prefix(&prefix).unwrap_or(name).to_owned();
    let object = |name: &str| format!("{prefix}{}", local(name));
    for action in &mut program.actions {
        action.name = local(&action.name);
    }
    for set in &mut program.value_sets {
        set.name = local(&set.name);
    }
    for table in &mut program.tables {
        table.name = object(&table.name);
    }
    for instance in &mut program.externs {
        instance.name = object(&instance.name);
    }
    program
}

/// The name of the first pipeline: its controls have it before the names of their types.
fn pipe(program: &ir::Program, main: &PackageInstance) -> Option<String> {
    let (_, Value::Package(pipeline)) = main.args.first()? else {
        return None;
    };
    pipeline.args.iter().find_map(|(_, value)| match value {
        Value::Control(id) => {
            let control = &program.controls[id.index()];
            let pipe = control.name.strip_suffix(&control.type_name)?;
            pipe.strip_suffix('.').map(str::to_owned)
        }
        _ => None,
    })
}
