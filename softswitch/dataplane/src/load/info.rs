// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The objects of a program that the control plane can name.

use super::loader::Loader;
use super::tables::ControlBlocks;
use super::value::hex_bits;
use crate::model::info::{
    ActionInfo, ArrayInfo, DigestInfo, FieldInfo, FilterInfo, KeyFieldInfo, ProfileInfo,
    ProgramInfo, RegisterInfo, TableInfo, Unit, ValueSetInfo,
};
use crate::model::load_error::LoadResult;
use crate::model::values::{ActionCall, TableAction};

pub fn build(loader: &Loader<'_>, blocks: &ControlBlocks) -> LoadResult<ProgramInfo> {
    let root = loader.root;
    let digests = root.learn_lists.iter().map(|list| {
        let fields = list.elements.iter().enumerate().map(|(i, element)| {
            let named = element.name.clone();
            let name = named.or_else(|| {
                element
                    .value
                    .as_array()?
                    .get(1)?
                    .as_str()
                    .map(str::to_owned)
            });
            let name = name.unwrap_or_else(|| format!("field{i}"));
            Ok(FieldInfo {
                name,
                bits: loader.digest_bits(element)?,
            })
        });
        Ok(DigestInfo {
            id: list.id,
            name: list.name.clone(),
            fields: fields.collect::<LoadResult<_>>()?,
        })
    });
    Ok(ProgramInfo {
        tables: tables(loader, blocks)?,
        actions: root
            .actions
            .iter()
            .map(|action| {
                let params = action.runtime_data.iter();
                let params = params.map(|param| FieldInfo {
                    name: param.name.clone(),
                    bits: param.bitwidth,
                });
                ActionInfo {
                    name: action.name.clone(),
                    id: action.id,
                    params: params.collect(),
                }
            })
            .collect(),
        registers: root
            .register_arrays
            .iter()
            .zip(&loader.arrays.registers)
            .map(|(register, array)| RegisterInfo {
                name: register.name.clone(),
                size: array.len() as u64,
                bits: register.bitwidth,
            })
            .collect(),
        counters: root
            .counter_arrays
            .iter()
            .map(|counter| ArrayInfo {
                name: counter.name.clone(),
                size: if counter.is_direct {
                    0
                } else {
                    counter.size.unwrap_or(0)
                },
                unit: Unit::Both,
                direct_table: counter.binding.clone().filter(|_| counter.is_direct),
            })
            .collect(),
        meters: root
            .meter_arrays
            .iter()
            .map(|meter| ArrayInfo {
                name: meter.name.clone(),
                size: if meter.is_direct { 0 } else { meter.size },
                unit: if meter.unit == "bytes" {
                    Unit::Bytes
                } else {
                    Unit::Packets
                },
                direct_table: meter.binding.clone().filter(|_| meter.is_direct),
            })
            .collect(),
        filters: root
            .filter_arrays
            .iter()
            .zip(&loader.arrays.filters)
            .map(|(filter, array)| FilterInfo {
                name: filter.name.clone(),
                kind: array.kind.as_str(),
                size: array.cells.len() as u64,
                direct_table: filter.binding.clone().filter(|_| filter.is_direct),
            })
            .collect(),
        profiles: blocks
            .state
            .profiles
            .iter()
            .map(|profile| ProfileInfo {
                name: profile.name.clone(),
                size: profile.size,
                selector: profile.with_groups,
            })
            .collect(),
        value_sets: root
            .parse_vsets
            .iter()
            .zip(&loader.value_set_bits)
            .map(|(set, bits)| ValueSetInfo {
                name: set.name.clone(),
                size: set.max_size.unwrap_or(0),
                key_bits: if bits.is_empty() {
                    vec![set.compressed_bitwidth]
                } else {
                    bits.clone()
                },
            })
            .collect(),
        digests: digests.collect::<LoadResult<_>>()?,
        errors: root.errors.clone(),
        enums: root
            .enums
            .iter()
            .map(|declared| (declared.name.clone(), declared.entries.clone()))
            .collect(),
    })
}

fn tables(loader: &Loader<'_>, blocks: &ControlBlocks) -> LoadResult<Vec<TableInfo>> {
    let pipelines = loader.pipelines()?.into_iter();
    let all = pipelines.flat_map(|pipeline| &pipeline.tables);
    all.zip(&blocks.tables)
        .map(|(table, def)| {
            let name = |action: u32| loader.actions[action as usize].name.clone();
            let default_action = table.default_entry.as_ref().map(|entry| {
                let index = loader.action_by_id(entry.action_id)?;
                let action = &loader.actions[index as usize];
                let params = action
                    .params
                    .iter()
                    .zip(&entry.action_data)
                    .map(|(loc, text)| hex_bits(text, loc.bits));
                let params = params.collect::<LoadResult<_>>()?;
                Ok(TableAction::Action(ActionCall {
                    name: action.name.clone(),
                    params,
                }))
            });
            Ok(TableInfo {
                name: table.name.clone(),
                id: table.id,
                key: def
                    .key
                    .iter()
                    .map(|field| KeyFieldInfo {
                        name: field.name.clone(),
                        kind: field.kind,
                        bits: field.bits(),
                    })
                    .collect(),
                actions: def.actions.iter().map(|&action| name(action)).collect(),
                action_ids: def
                    .actions
                    .iter()
                    .map(|&action| loader.root.actions[action as usize].id)
                    .collect(),
                default_action: default_action.transpose()?,
                const_default_action: def.const_default_action,
                size: def.size,
                direct_counter: def.direct_counter || def.counter_cells().is_some(),
                direct_meter: table.direct_meters.clone(),
                profile: def
                    .profile
                    .map(|profile| blocks.state.profiles[profile as usize].name.clone()),
                const_entries: def.const_entries,
                support_timeout: def.support_timeout,
            })
        })
        .collect()
}
