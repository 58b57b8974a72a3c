// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables, conditions, action calls and how they follow each other.

use std::collections::HashMap;
use std::mem::size_of;

use super::json::Json;
use super::loader::Loader;
use super::value::{hex_bytes, pair, text};
use super::{cost, declared, flow, json, limits};
use crate::model::ids::END;
use crate::model::info::MatchKind;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::table::{Algorithm, DirectMeter, KeyField, NextNodes, TableDef};
use crate::program::{Calculation, ControlNode, Pipeline};
use crate::state::loc::Loc;
use crate::tables::profile::Profile;
use crate::tables::table::Table;
use crate::tables::Tables;

/// All pipelines with their tables and profiles.
#[derive(Default)]
pub struct ControlBlocks {
    pub pipelines: Vec<Pipeline>,
    pub tables: Vec<TableDef>,
    pub selectors: Vec<Option<Calculation>>,
    pub state: Tables,
    profile_names: HashMap<String, u32>,
}

/// Nodes of one pipeline by name.
type Nodes<'a> = HashMap<&'a str, u32>;

fn next(nodes: &Nodes<'_>, name: Option<&str>) -> LoadResult<u32> {
    match name {
        None => Ok(END),
        Some(name) => match nodes.get(name) {
            Some(&node) => Ok(node),
            None => fail(format!(
                "there is no table, condition or action call named '{name}'"
            )),
        },
    }
}

impl Loader<'_> {
    pub fn load_pipelines(&mut self) -> LoadResult<ControlBlocks> {
        let mut blocks = ControlBlocks::default();
        for (number, pipeline) in self.pipelines()?.into_iter().enumerate() {
            let loaded = self.pipeline(pipeline, &mut blocks);
            let loaded = loaded.within(|| format!("pipeline '{}'", pipeline.name))?;
            blocks.pipelines.push(Pipeline {
                number: number as u32,
                ..loaded
            });
        }
        blocks.state.tables = blocks.tables.iter().map(Table::new).collect();
        Ok(blocks)
    }

    fn pipeline(
        &mut self,
        pipeline: &json::Pipeline,
        blocks: &mut ControlBlocks,
    ) -> LoadResult<Pipeline> {
        for profile in &pipeline.action_profiles {
            let place = || format!("action profile '{}'", profile.name);
            self.profile(profile, blocks).within(place)?;
        }
        let mut nodes = Nodes::new();
        let names = pipeline.tables.iter().map(|table| table.name.as_str());
        let names = names.chain(
            pipeline
                .conditionals
                .iter()
                .map(|condition| condition.name.as_str()),
        );
        for (i, name) in names
            .chain(pipeline.action_calls.iter().map(|call| call.name.as_str()))
            .enumerate()
        {
            if nodes.insert(name, i as u32).is_some() {
                return fail(format!("there are two nodes called '{name}'"));
            }
        }
        let mut loaded = Pipeline {
            name: pipeline.name.clone(),
            number: 0,
            nodes: Vec::new(),
            first: next(&nodes, pipeline.init_table.as_deref())?,
            work: Vec::new(),
        };
        let mut condition_work = 0;
        for table in &pipeline.tables {
            let def = self
                .table(table, &nodes, blocks)
                .within(|| format!("table '{}'", table.name))?;
            loaded
                .nodes
                .push(ControlNode::Table(blocks.tables.len() as u32));
            blocks.tables.push(def);
        }
        for branch in &pipeline.conditionals {
            let place = || format!("condition '{}'", branch.name);
            let mark = self.b.mark();
            let condition = self.condition(&branch.expression).within(place)?;
            condition_work = self.b.work_since(&mark).max(condition_work);
            let yes = next(&nodes, branch.true_next.as_deref()).within(place)?;
            let no = next(&nodes, branch.false_next.as_deref()).within(place)?;
            loaded.nodes.push(ControlNode::Branch(condition, yes, no));
        }
        for call in &pipeline.action_calls {
            let place = || format!("action call '{}'", call.name);
            let action = self.action_by_id(call.action_id).within(place)?;
            if !self.actions[action as usize].params.is_empty() {
                return fail("its action has parameters").within(place);
            }
            let node = ControlNode::Call(
                action,
                next(&nodes, call.next_node.as_deref()).within(place)?,
            );
            loaded.nodes.push(node);
        }
        if flow::pipeline_loops(&loaded, &blocks.tables) {
            let nodes = loaded.nodes.iter();
            let works = nodes.map(|node| self.work_of_node(node, &blocks.tables) + condition_work);
            loaded.work = works.map(cost::units).collect();
        }
        Ok(loaded)
    }

    fn profile(
        &mut self,
        profile: &json::ActionProfile,
        blocks: &mut ControlBlocks,
    ) -> LoadResult<u32> {
        let name = &profile.name;
        let index = blocks.selectors.len() as u32;
        let selector = profile.selector.as_ref();
        let input = selector
            .map(|selector| self.selector_hash(name, selector))
            .transpose()?;
        let groups_may = declared::group_limits(profile)?;
        if blocks.profile_names.insert(name.clone(), index).is_some() {
            return fail(format!("there are two action profiles called '{name}'"));
        }
        blocks.state.profiles.push(Profile::new(
            name.clone(),
            profile.max_size,
            input.is_some(),
            groups_may,
        ));
        blocks.selectors.push(input);
        Ok(index)
    }

    fn table(
        &mut self,
        table: &json::Table,
        nodes: &Nodes<'_>,
        blocks: &mut ControlBlocks,
    ) -> LoadResult<TableDef> {
        let key = self.key(&table.key)?;
        // One word at least: a key of 0 bits is one key, too.
        let key_words = key.last().map_or(0, |field| {
            (field.at + field.nbytes()).div_ceil(8).max(1) as usize
        });
        let algorithm = algorithm(&table.match_type, &key)?;
        let profile = match table.kind.as_str() {
            "simple" => None,
            "indirect" | "indirect_ws" => Some(self.table_profile(table, blocks)?),
            other => return fail(format!("unknown type '{other}'")),
        };
        let with_groups =
            profile.is_some_and(|profile| blocks.selectors[profile as usize].is_some());
        let actions = self.table_actions(table)?;
        limits::TABLE_ENTRIES.allow(table.max_size.unwrap_or(0))?;
        let default = table.default_entry.as_ref();
        Ok(TableDef {
            name: table.name.clone(),
            next: self.next_nodes(table, &actions, nodes)?,
            key,
            key_words,
            algorithm,
            size: declared::table_size(table),
            actions,
            direct_counter: table.with_counters && !self.kind.has_cells_of_entries(),
            direct_meter: self.direct_meter(table)?,
            entry_index: self.entry_index(table)?,
            direct_cells: self.direct_cells(table)?,
            profile,
            with_groups,
            support_timeout: table.support_timeout,
            const_entries: table.entries.is_some(),
            const_default_action: default.is_some_and(|entry| entry.action_const),
            const_default_entry: default.is_some_and(|entry| entry.action_entry_const),
        })
    }

    fn key(&mut self, key: &[json::TableKey]) -> LoadResult<Vec<KeyField>> {
        let mut fields = Vec::new();
        let mut at = 0;
        for (i, field) in key.iter().enumerate() {
            let place = || format!("key field {i}");
            let kind = match field.match_type.as_str() {
                "exact" => MatchKind::Exact,
                "lpm" => MatchKind::Lpm,
                "ternary" => MatchKind::Ternary,
                "range" => MatchKind::Range,
                "optional" => MatchKind::Optional,
                "valid" => MatchKind::Valid,
                other => return fail(format!("unknown match type '{other}'")).within(place),
            };
            let (loc, name) = if kind == MatchKind::Valid && field.target.as_str().is_some() {
                let header = text(&field.target)?;
                let id = self.headers.names.header(header).within(place)?;
                (
                    self.headers.layout.headers[id as usize].valid,
                    header.to_owned(),
                )
            } else {
                let (header, name) = pair(&field.target).within(place)?;
                (
                    self.headers.field(header, name).within(place)?.1,
                    format!("{header}.{name}"),
                )
            };
            let nbytes = loc.bits.div_ceil(8);
            let mask = field
                .mask
                .as_deref()
                .map(|mask| hex_bytes(mask, nbytes as usize))
                .transpose();
            let name = field.name.clone().unwrap_or(name);
            fields.push(KeyField {
                name,
                kind,
                loc,
                at,
                mask: mask.within(place)?,
            });
            at += nbytes;
            limits::KEY_BYTES.allow(at.into())?;
        }
        Ok(fields)
    }

    fn table_profile(
        &mut self,
        table: &json::Table,
        blocks: &mut ControlBlocks,
    ) -> LoadResult<u32> {
        match (&table.action_profile, &table.act_prof_name) {
            (Some(name), _) => match blocks.profile_names.get(name) {
                Some(&index) => Ok(index),
                None => fail(format!("there is no action profile called '{name}'")),
            },
            (None, Some(name)) => {
                let profile = json::ActionProfile {
                    name: name.clone(),
                    max_size: 0,
                    selector: table.selector.clone(),
                    max_group_size: None,
                    num_groups: None,
                };
                self.profile(&profile, blocks)
            }
            (None, None) => fail("an indirect table without an action profile"),
        }
    }

    fn table_actions(&self, table: &json::Table) -> LoadResult<Vec<u32>> {
        match &table.action_ids {
            Some(ids) => ids.iter().map(|&id| self.action_by_id(id)).collect(),
            None => table
                .actions
                .iter()
                .map(|name| self.action_by_name(name))
                .collect(),
        }
    }

    fn action_by_name(&self, name: &str) -> LoadResult<u32> {
        match self.actions.iter().position(|action| action.name == name) {
            Some(index) => Ok(index as u32),
            None => fail(format!("there is no action called '{name}'")),
        }
    }

    fn next_nodes(
        &self,
        table: &json::Table,
        actions: &[u32],
        nodes: &Nodes<'_>,
    ) -> LoadResult<NextNodes> {
        let target = |json: &Json| match json {
            Json::Null => Ok(END),
            json => next(nodes, Some(text(json)?)),
        };
        let decided = |name: &str| table.next_tables.get(name).map(target).transpose();
        let (hit, miss) = (decided("__HIT__")?, decided("__MISS__")?);
        if hit.is_some() != miss.is_some() {
            return fail("'next_tables' has only one of '__HIT__' and '__MISS__'");
        }
        self.memory
            .take_all(self.actions.len() as u64, size_of::<u32>() as u64)?;
        let mut by_action = vec![END; self.actions.len()];
        if hit.is_none() {
            for &action in actions {
                let name = &self.actions[action as usize].name;
                match table.next_tables.get(name) {
                    Some(json) => by_action[action as usize] = target(json)?,
                    None => return fail(format!("'next_tables' says nothing of action '{name}'")),
                }
            }
        }
        let base = next(nodes, table.base_default_next.as_deref())?;
        Ok(NextNodes {
            by_action,
            hit,
            miss,
            base,
        })
    }

    fn entry_index(&self, table: &json::Table) -> LoadResult<Option<Loc>> {
        let Some((header, field)) = &table.entry_index else {
            return Ok(None);
        };
        let (_, place) = self.headers.field(header, field)?;
        match place.bits {
            1..=64 => Ok(Some(place)),
            bits => fail(format!("an 'entry_index' of {bits} bits")),
        }
    }

    fn direct_meter(&self, table: &json::Table) -> LoadResult<Option<DirectMeter>> {
        let Some(name) = &table.direct_meters else {
            return Ok(None);
        };
        let Some(meter) = self
            .root
            .meter_arrays
            .iter()
            .find(|meter| meter.name == *name && meter.is_direct)
        else {
            return fail(format!("there is no direct meter called '{name}'"));
        };
        if self.kind.has_cells_of_entries() {
            return Ok(None);
        }
        let Some((header, field)) = &meter.result_target else {
            return fail(format!("direct meter '{name}' has no result_target"));
        };
        let (_, target) = self
            .headers
            .field(header, field)
            .within(|| format!("direct meter '{name}'"))?;
        Ok(Some(DirectMeter {
            def: declared::meter_def(self.kind, meter)?,
            target,
        }))
    }
}

fn algorithm(match_type: &str, key: &[KeyField]) -> LoadResult<Algorithm> {
    let fits = |kinds: &[MatchKind]| key.iter().all(|field| kinds.contains(&field.kind));
    use MatchKind::{Exact, Lpm, Valid};
    match match_type {
        "exact" if fits(&[Exact, Valid]) => Ok(Algorithm::Exact),
        "lpm" if fits(&[Exact, Valid, Lpm]) => {
            let mut prefixes = key
                .iter()
                .enumerate()
                .filter(|(_, field)| field.kind == Lpm);
            match (prefixes.next(), prefixes.next()) {
                (Some((field, _)), None) => Ok(Algorithm::Lpm(field as u32)),
                (None, _) => Ok(Algorithm::Exact),
                _ => fail("there is more than one 'lpm' field"),
            }
        }
        "ternary" | "range" | "optional" => Ok(Algorithm::Ternary),
        "exact" | "lpm" => fail(format!(
            "'{match_type}' does not suit the kinds of its key fields"
        )),
        other => fail(format!("unknown match type '{other}'")),
    }
}
