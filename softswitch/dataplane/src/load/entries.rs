// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Default actions and entries that the program itself gives.

use std::collections::HashMap;
use std::mem::size_of;

use super::json;
use super::limits::Total;
use super::value::{hex_bits, hex_bytes};
use crate::model::info::MatchKind;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::model::values::{CounterValue, MatchField};
use crate::program::table::TableDef;
use crate::program::Program;
use crate::tables::bound::Bound;
use crate::tables::entry::{EntryAction, EntryState};
use crate::tables::key::canonical_key;
use crate::tables::Tables;

pub fn insert(
    pipelines: &[&json::Pipeline],
    program: &Program,
    tables: &mut Tables,
    action_ids: &HashMap<u32, u32>,
    memory: &Total,
) -> LoadResult<()> {
    let pipelines = pipelines.iter().copied();
    let all = pipelines.flat_map(|pipeline| &pipeline.tables);
    for (i, table) in all.enumerate() {
        let place = || format!("table '{}'", table.name);
        let def = &program.tables[i];
        let state = &mut tables.tables[i];
        if let Some(entry) = &table.default_entry {
            let call = bind(
                program,
                def,
                action_ids,
                entry.action_id,
                &entry.action_data,
                memory,
            );
            let call = call.within(|| "default entry".to_owned()).within(place)?;
            state.initial_default = Some(EntryAction::Direct(call));
            state.default = state.initial_default.clone();
        }
        let entries = table.entries.as_deref().unwrap_or_default();
        if !entries.is_empty() && def.profile.is_some() {
            return fail("entries of the program in a table with an action profile").within(place);
        }
        // In the JSON the smaller number wins, in the control interface the larger one.
        let last = entries
            .iter()
            .map(|entry| entry.priority)
            .max()
            .unwrap_or(0);
        for (j, entry) in entries.iter().enumerate() {
            let loaded = one(program, def, action_ids, entry, last, memory);
            let loaded = loaded.within(|| format!("entry {j}")).within(place)?;
            if state.find(&loaded.key, loaded.priority).is_some() {
                return fail("there is another entry with this key")
                    .within(|| format!("entry {j}"))
                    .within(place);
            }
            state.insert(def, loaded);
        }
    }
    Ok(())
}

fn one(
    program: &Program,
    def: &TableDef,
    action_ids: &HashMap<u32, u32>,
    entry: &json::TableEntry,
    last_priority: i64,
    memory: &Total,
) -> LoadResult<EntryState> {
    if entry.match_key.len() != def.key.len() {
        return fail(format!(
            "{} key fields instead of {}",
            entry.match_key.len(),
            def.key.len()
        ));
    }
    // As the control plane sees it, and packed: a value and a mask each.
    memory.take_all(4, 8 * def.key_words as u64)?;
    memory.take(size_of::<EntryState>() as u64)?;
    let mut key = Vec::new();
    for (field, value) in def.key.iter().zip(&entry.match_key) {
        if value.match_type != field.kind.as_str() {
            return fail(format!(
                "key field '{}' is matched '{}'",
                field.name,
                field.kind.as_str()
            ));
        }
        let nbytes = field.nbytes() as usize;
        let number = |text: Option<&str>| match text {
            Some(text) => hex_bytes(text, nbytes),
            None => fail("a value is missing"),
        };
        let plain = value.key.as_str();
        let loaded = match field.kind {
            MatchKind::Valid => match (value.key.as_bool(), plain) {
                (Some(valid), _) => Ok(MatchField::Exact(vec![u8::from(valid)])),
                (None, text) => number(text).map(MatchField::Exact),
            },
            MatchKind::Exact => number(plain).map(MatchField::Exact),
            MatchKind::Optional => number(plain).map(MatchField::Optional),
            MatchKind::Lpm => match value.prefix_length {
                Some(prefix) => number(plain).map(|number| MatchField::Lpm(number, prefix)),
                None => fail("the prefix length is missing"),
            },
            MatchKind::Ternary => number(plain)
                .and_then(|plain| Ok(MatchField::Ternary(plain, number(value.mask.as_deref())?))),
            MatchKind::Range => number(value.start.as_deref())
                .and_then(|low| Ok(MatchField::Range(low, number(value.end.as_deref())?))),
        };
        key.push(loaded.within(|| format!("key field '{}'", field.name))?);
    }
    let key = match canonical_key(def, &key) {
        Ok(key) => key,
        Err(error) => return fail(error.message),
    };
    let action = &entry.action_entry;
    let call = bind(
        program,
        def,
        action_ids,
        action.action_id,
        &action.action_data,
        memory,
    )?;
    let priority = match (def.has_priorities(), entry.p4runtime_priority) {
        (true, Some(given)) if given > 0 => Some(given.into()),
        (true, Some(given)) => return fail(format!("p4runtime_priority {given} is not positive")),
        (true, None) => last_priority
            .checked_sub(entry.priority)
            .and_then(|behind| behind.checked_add(1)),
        (false, _) => Some(0),
    };
    let Some(priority) = priority.and_then(|priority| i32::try_from(priority).ok()) else {
        return fail(format!(
            "priority {} is too far from {last_priority}, the last one",
            entry.priority
        ));
    };
    Ok(EntryState {
        key,
        priority,
        is_const: entry.is_const,
        action: EntryAction::Direct(call),
        metadata: Vec::new(),
        idle_timeout_ns: 0,
        last_hit_ns: 0,
        expired: false,
        counter: CounterValue::default(),
        meter: def.new_meter(),
    })
}

fn bind(
    program: &Program,
    def: &TableDef,
    action_ids: &HashMap<u32, u32>,
    id: u32,
    data: &[String],
    memory: &Total,
) -> LoadResult<Bound> {
    let Some(&index) = action_ids.get(&id) else {
        return fail(format!("there is no action with the id {id}"));
    };
    let action = &program.actions[index as usize];
    if !def.actions.contains(&index) {
        return fail(format!(
            "action '{}' is not one of the table's",
            action.name
        ));
    }
    if data.len() != action.params.len() {
        let expected = action.params.len();
        return fail(format!(
            "{} parameters for action '{}', which has {expected}",
            data.len(),
            action.name
        ));
    }
    // Default actions are kept three times: as they are, as the program gave them, and for the control plane.
    memory.take_all(3, action.data_bytes as u64)?;
    let params = action
        .params
        .iter()
        .zip(data)
        .map(|(loc, text)| hex_bits(text, loc.bits));
    let params: Vec<Vec<u8>> = params.collect::<LoadResult<_>>()?;
    match Bound::new(index, action, &params) {
        Ok(bound) => Ok(bound),
        Err(error) => fail(error.message),
    }
}
