// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables as the control plane sees them.

use num_traits::ToPrimitive;
use quench_p4_frontend::ir;
use serde_json::{Map, Value};

use super::emitter::Emitter;
use crate::error::{not_supported, Error, Result};
use crate::json::{hex, DefaultEntry, Key, Table};
use crate::lower::{Lower, LoweredTable};

/// Number of entries of a table without `size`.
pub const DEFAULT_SIZE: u64 = 1024;
/// Most elements of a register, counter, meter or action profile: P4Info has 31 bits for a register's `size`. A larger
/// number was below 0 before it became unsigned, and no memory holds it.
const MAX_SIZE: u64 = i32::MAX as u64;

impl<'a> Emitter<'a> {
    pub fn table(
        &mut self,
        table: &ir::Table,
        lowered: &LoweredTable,
        lower: &Lower<'a>,
        base_default_next: Option<String>,
        next_tables: Map<String, Value>,
    ) -> Result<Table> {
        let id = self.table_count;
        self.table_count += 1;
        let kind = match &lowered.profile {
            None => "simple",
            Some(profile) if profile.selector.is_some() => "indirect_ws",
            Some(_) => "indirect",
        };
        let name = |id: ir::ExternId| self.ir.externs[id.index()].name.clone();
        let entries = self.entries(table, lowered, lower)?;
        let default_entry = match table.default_action.action {
            Some(index) if lowered.profile.as_ref().is_none_or(|p| p.has_default) => {
                Some(DefaultEntry {
                    action_id: lowered.actions[index],
                    action_const: table.default_action.is_const,
                    action_data: self.action_data(
                        lowered.actions[index],
                        &table.default_action.args,
                        lower,
                        table.span,
                    )?,
                    action_entry_const: table.default_action.is_const,
                })
            }
            _ => None,
        };
        Ok(Table {
            name: table.name.clone(),
            id,
            source_info: self.source_info(table.span),
            key: lowered
                .keys
                .iter()
                .map(|key| Key {
                    match_type: match key.match_kind.as_str() {
                        "optional" => "ternary".to_owned(),
                        kind => kind.to_owned(),
                    },
                    name: key.name.clone(),
                    target: key.field.clone(),
                    mask: None,
                })
                .collect(),
            match_type: match_type(lowered).to_owned(),
            kind,
            action_profile: lowered.profile.as_ref().map(|p| name(p.instance)),
            max_size: match (&entries, table.size) {
                (Some(entries), size) => (entries.len() as u64).max(size.unwrap_or(0)),
                (None, Some(size)) if size > 0 && !table.keys.is_empty() => size,
                (None, _) => DEFAULT_SIZE,
            },
            with_counters: lowered.direct_counter.is_some(),
            support_timeout: lowered.support_timeout,
            direct_meters: lowered.direct_meter.map(name),
            entry_index: lowered.entry_index.clone(),
            action_ids: lowered.actions.clone(),
            actions: lowered
                .actions
                .iter()
                .map(|&action| lower.actions[action].name.clone())
                .collect(),
            base_default_next,
            next_tables,
            default_entry,
            entries,
        })
    }

    /// Arguments as bytes, each in its parameter's width.
    pub(super) fn action_data(
        &self,
        action: usize,
        args: &[ir::Value],
        lower: &Lower<'a>,
        span: quench_p4_frontend::span::Span,
    ) -> Result<Vec<String>> {
        args.iter()
            .zip(&lower.actions[action].parameters)
            .map(|(arg, (_, bits))| {
                let Some(value) = crate::lower::constant_bits(arg, *bits) else {
                    return not_supported(span, "an action argument of this type");
                };
                Ok(hex(&value, *bits))
            })
            .collect()
    }
}

fn match_type(table: &LoweredTable) -> &'static str {
    let has = |kinds: &[&str]| {
        table
            .keys
            .iter()
            .any(|key| kinds.contains(&key.match_kind.as_str()))
    };
    if has(&["range"]) {
        "range"
    } else if has(&["ternary", "optional"]) {
        "ternary"
    } else if has(&["lpm"]) {
        "lpm"
    } else {
        "exact"
    }
}

/// The constructor's `size`, at least 1.
pub fn size_argument(instance: &ir::ExternInstance) -> Result<u64> {
    let size = instance.args.iter().find(|(name, _)| name == "size");
    match size {
        Some((_, ir::Value::Int(size))) => match size.to_u64() {
            Some(size @ 1..=MAX_SIZE) => Ok(size),
            _ => Err(Error::new(
                instance.span,
                format_args!("{size} elements: 1 to {MAX_SIZE} are possible"),
            )),
        },
        _ => not_supported(instance.span, "this size"),
    }
}

/// The constructor's argument of an enum type, by name.
pub fn enum_argument(ir: &ir::Program, instance: &ir::ExternInstance) -> Result<String> {
    for (_, value) in &instance.args {
        if let ir::Value::Enum(ty, index) = value {
            if let ir::TypeDefKind::Enum(members) = &ir.types[ty.index()].kind {
                return Ok(members[*index as usize].clone());
            }
        }
    }
    not_supported(instance.span, format_args!("this {}", instance.type_name))
}
