// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts of a program's JSON that all architectures write alike.

use quench_p4_frontend::ir::{self, TypeDefKind};
use quench_p4_frontend::span::Span;

use crate::emit::Emitter;
use crate::error::{Result, Warnings};
use crate::json;
use crate::lower::{FieldList, Lower};

/// Adds what all blocks share: lists, value sets, names, and the packet state. The architecture's own enums are left out:
/// the packet state never holds their values.
pub fn finish(
    mut emitter: Emitter<'_>,
    mut lower: Lower<'_>,
    own_enums: &[&str],
    span: Span,
) -> Result<(json::Program, Warnings)> {
    let ir = emitter.ir;
    emitter.calculations(&lower.objects);
    lists(&mut emitter, &lower);
    value_sets(&mut emitter, &lower)?;
    names(&mut emitter.program, ir, own_enums);
    lower.layout.finish(span)?;
    let program = &mut emitter.program;
    program.header_types = lower.layout.types;
    program.headers = lower.layout.headers;
    program.header_stacks = lower.layout.stacks;
    program.header_union_types = lower.layout.union_types;
    program.header_unions = lower.layout.unions;
    program.header_union_stacks = lower.layout.union_stacks;
    program.field_aliases = lower.layout.aliases;
    Ok((emitter.program, lower.warnings))
}

fn lists(emitter: &mut Emitter<'_>, lower: &Lower<'_>) {
    let convert = |lists: &[FieldList], emitter: &Emitter<'_>| {
        lists
            .iter()
            .enumerate()
            .map(|(index, list)| json::FieldList {
                // simple_switch takes 0 for "no list".
                id: index + 1,
                name: list.name.clone(),
                source_info: emitter.source_info(list.span),
                elements: list.elements.clone(),
            })
            .collect()
    };
    emitter.program.field_lists = convert(&lower.objects.field_lists, emitter);
    emitter.program.learn_lists = convert(&lower.objects.learn_lists, emitter);
}

fn value_sets(emitter: &mut Emitter<'_>, lower: &Lower<'_>) -> Result<()> {
    for (id, set) in lower.objects.value_sets.iter().enumerate() {
        let set = &emitter.ir.value_sets[set.index()];
        let vset = json::ParseVset {
            name: set.name.clone(),
            id,
            compressed_bitwidth: lower.value_set_bits(&set.element)?,
            max_size: set.size,
        };
        emitter.program.parse_vsets.push(vset);
    }
    Ok(())
}

/// Names of errors and enum members, for logs and tools.
fn names(program: &mut json::Program, ir: &ir::Program, own_enums: &[&str]) {
    program.errors = ir.errors.iter().cloned().zip(0..).collect();
    for def in &ir.types {
        if let TypeDefKind::Enum(members) = &def.kind {
            if !own_enums.contains(&def.name.as_str()) {
                program.enums.push(json::Enum {
                    name: def.name.clone(),
                    entries: members.iter().cloned().zip(0..).collect(),
                });
            }
        }
    }
}
