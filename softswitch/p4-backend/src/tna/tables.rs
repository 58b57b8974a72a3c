// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of TNA's tables.

use quench_p4_frontend::ir::{self, ExternId};
use quench_p4_frontend::suggest::closest;
use quench_p4_frontend::Warning;

use super::arguments::{argument, optional_argument};
use super::hashes::Function;
use super::registers::array_name;
use super::state::{self, entry_index};
use crate::emit::size_argument;
use crate::error::{not_supported, Result};
use crate::json::{self, Expr};
use crate::lower::{Lower, LoweredTable, Profile};

/// All that the language and TNA know.
const PROPERTIES: [&str; 15] = [
    "key",
    "actions",
    "default_action",
    "entries",
    "size",
    "largest_priority_wins",
    "implementation",
    "counters",
    "meters",
    "registers",
    "filters",
    "idle_timeout",
    "alpm",
    "atcam",
    "proxy_hash",
];

pub fn property(
    lower: &mut Lower<'_>,
    property: &ir::Property,
    table: &mut LoweredTable,
) -> Result<()> {
    let ir = lower.ir;
    let type_of = |id: &ExternId| ir.externs[id.index()].type_name.as_str();
    match (property.name.as_str(), &property.value) {
        ("implementation", ir::Value::Extern(id)) => match type_of(id) {
            "ActionProfile" => {
                table.profile = Some(Profile {
                    instance: *id,
                    size: size_argument(&ir.externs[id.index()])?,
                    selector: None,
                    groups: json::Groups::default(),
                    has_default: true,
                });
            }
            "ActionSelector" => table.profile = Some(selector(lower, *id)?),
            // The place of the entries in the hardware makes no difference to what matches.
            "Atcam" | "Alpm" => {}
            other => {
                return not_supported(
                    property.span,
                    format_args!("{other} as a table's implementation"),
                )
            }
        },
        ("counters", ir::Value::Extern(id)) => {
            table.direct_counter = Some(*id);
            number_entries(lower, table)?;
        }
        ("meters", ir::Value::Extern(id)) => {
            table.direct_meter = Some(*id);
            number_entries(lower, table)?;
        }
        ("registers" | "filters", ir::Value::Extern(id)) => {
            table.direct_objects.push(*id);
            number_entries(lower, table)?;
        }
        ("idle_timeout", ir::Value::Bool(on)) => table.support_timeout = *on,
        ("alpm" | "atcam" | "proxy_hash", _) => {}
        (name, _) => {
            let hint = match closest(name, PROPERTIES) {
                Some(other) if other != name => format!(": did you mean {other}?"),
                _ => String::new(),
            };
            lower.warnings.push((
                Warning::IgnoreProperty,
                property.span,
                format!("table property {name} is not known to TNA and has no effect{hint}"),
            ));
        }
    }
    Ok(())
}

/// Has the table write the number of the entry that matches.
fn number_entries(lower: &mut Lower<'_>, table: &mut LoweredTable) -> Result<()> {
    if let Expr::Field(header, field) = entry_index(lower)? {
        table.entry_index = Some((header, field));
    }
    Ok(())
}

/// The control plane knows a selector under the name of its action profile, where it has one.
fn selector(lower: &mut Lower<'_>, id: ExternId) -> Result<Profile> {
    let ir = lower.ir;
    let object = &ir.externs[id.index()];
    let instance = match optional_argument(ir, id, "action_profile") {
        Some(ir::Value::Extern(profile)) => *profile,
        _ => id,
    };
    let hash = Function::of(lower, argument(ir, id, "hash")?)?;
    let number = |name: &str| match optional_argument(ir, id, name) {
        Some(ir::Value::Int(value)) => u64::try_from(value.clone()).ok(),
        _ => None,
    };
    let up = match optional_argument(ir, id, "reg") {
        Some(ir::Value::Extern(register)) => Some(array_name(&ir.externs[register.index()])),
        _ if state::of(lower).selector_bits.contains(&id) => Some(array_name(object)),
        _ => None,
    };
    let mode = match optional_argument(ir, id, "mode") {
        Some(ir::Value::Enum(_, 0)) => "fair",
        _ => "resilient",
    };
    Ok(Profile {
        instance,
        size: size_argument(&ir.externs[instance.index()])?,
        selector: Some(json::Selector {
            algo: hash.algorithm.to_owned(),
            input: Vec::new(),
            crc: hash.crc,
            bits: Some(hash.bits),
            mode: Some(mode),
        }),
        groups: json::Groups {
            max_group_size: number("max_group_size"),
            num_groups: number("num_groups"),
            up,
        },
        has_default: true,
    })
}
