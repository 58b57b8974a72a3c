// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The program under the names of P4Info, so that JSON and P4Info agree.

use std::collections::HashMap;

use quench_p4_frontend::ir;

use crate::names::Names;
use crate::object_names::ObjectNames;

pub fn renamed(program: &ir::Program) -> ir::Program {
    let names = ObjectNames::behind_pipe(program);
    let local = |name: &mut String| *name = names.local(name).to_owned();
    let object = |name: &mut String| *name = names.object(name).into_owned();
    let mut renamed = program.clone();
    let actions = renamed.actions.iter_mut();
    actions.for_each(|action| local(&mut action.name));
    let sets = renamed.value_sets.iter_mut();
    sets.for_each(|set| object(&mut set.name));
    let tables = renamed.tables.iter_mut();
    tables.for_each(|table| object(&mut table.name));
    let externs = renamed.externs.iter_mut();
    externs.for_each(|instance| object(&mut instance.name));
    number_repeated(&mut renamed.externs);
    renamed
}

/// An instance in a block may hide one around it, and both have one hierarchical name. The first keeps it. Those that the
/// control plane sees are an error of P4Info; the others, such as math units, get a number.
fn number_repeated(externs: &mut [ir::ExternInstance]) {
    let mut names: HashMap<String, Names> = HashMap::new();
    let mut repeated = Vec::new();
    for instance in externs {
        let of_type = names.entry(instance.type_name.clone()).or_default();
        if !of_type.insert(&instance.name) {
            repeated.push(instance);
        }
    }
    // All names of the program are taken by now: a number makes none of them.
    for instance in repeated {
        let of_type = names.entry(instance.type_name.clone()).or_default();
        instance.name = of_type.unique(&instance.name);
    }
}
