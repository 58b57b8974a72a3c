// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: each direct counter, meter, register and filter belongs to one table, whose property names it and whose actions
//! use it. A register that no table names may be used outside of tables.

use std::collections::HashMap;

use super::blocks::Block;
use super::instances::{instance, register_of};
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, ExternId, Program, Table, TableId, Value};
use crate::span::Span;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    let mut owners: HashMap<ExternId, (TableId, Span)> = HashMap::new();
    let mut outside: Vec<(ExternId, Span)> = Vec::new();
    for block in blocks {
        walk(program, block.root, &mut |item, at| match item {
            Item::Table(id, _) => check_owner(program, id, &mut owners, diagnostics),
            // The calls within a register action were checked where the action is executed.
            Item::Call(call) if at.method_of.is_none() => {
                if let Callee::ExternMethod { instance: id, .. } = &call.callee {
                    let object = register_of(program, *id).unwrap_or(*id);
                    match at.action_of {
                        Some(table) => {
                            let table = &program.tables[table.index()];
                            check_call(program, object, table, call.span, diagnostics);
                        }
                        None => outside.push((object, call.span)),
                    }
                }
            }
            _ => {}
        });
    }
    for (object, span) in outside {
        check_outside(
            program,
            object,
            owners.contains_key(&object),
            span,
            diagnostics,
        );
    }
}

/// The property of the table that names such an instance.
fn property(type_name: &str) -> Option<&'static str> {
    Some(match type_name {
        "DirectCounter" => "counters",
        "DirectMeter" => "meters",
        "DirectRegister" => "registers",
        "DirectLpf" | "DirectWred" => "filters",
        _ => return None,
    })
}

fn check_owner(
    program: &Program,
    id: TableId,
    owners: &mut HashMap<ExternId, (TableId, Span)>,
    diagnostics: &mut Diagnostics,
) {
    for named in &program.tables[id.index()].properties {
        let Value::Extern(direct) = &named.value else {
            continue;
        };
        let owned = instance(program, *direct);
        if property(&owned.type_name).is_none() {
            continue;
        }
        match owners.get(direct) {
            Some((other, span)) if *other != id => {
                diagnostics
                    .error(
                        named.span,
                        format!(
                            "`{}` belongs to two tables: a `{}` belongs to one",
                            owned.name, owned.type_name
                        ),
                    )
                    .note(*span, "the other one names it here");
            }
            Some(_) => {}
            None => {
                owners.insert(*direct, (id, named.span));
            }
        }
    }
}

fn check_call(
    program: &Program,
    id: ExternId,
    table: &Table,
    span: Span,
    diagnostics: &mut Diagnostics,
) {
    let called = instance(program, id);
    let Some(property) = property(&called.type_name) else {
        return;
    };
    let named = table.properties.iter().find(|named| named.name == property);
    if named.map(|named| &named.value) != Some(&Value::Extern(id)) {
        diagnostics
            .error(
                span,
                format!(
                    "`{}` is used in an action of table `{}`, which does not name it: add `{property} = ...` to the table",
                    called.name, table.name
                ),
            )
            .note(table.span, "the table is here");
    }
}

/// p4c gives a statement outside of tables a table without keys, and a direct register there one cell.
fn check_outside(
    program: &Program,
    id: ExternId,
    is_owned: bool,
    span: Span,
    diagnostics: &mut Diagnostics,
) {
    let called = instance(program, id);
    let is_register = called.type_name == "DirectRegister";
    if property(&called.type_name).is_some() && (is_owned || !is_register) {
        diagnostics.error(
            span,
            format!(
                "`{}` is used outside of its table's actions: a `{}` has one place for each entry",
                called.name, called.type_name
            ),
        );
    }
}
