// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about tables.

use crate::exec::core::Core;
use crate::externs::meter::Meter;
use crate::model::error::{ControlError, ControlResult, ErrorCode};
use crate::model::values::{ActionCall, Entry, MatchField, Page, TableAction};
use crate::program::table::TableDef;
use crate::program::Program;
use crate::switch::Switch;
use crate::tables::bound::Bound;
use crate::tables::entry::{EntryAction, EntryState, OneShot};
use crate::tables::key::canonical_key;
use crate::tables::profile::Choices;
use crate::tables::table::Table;

pub(super) fn refuse<T>(code: ErrorCode, message: impl Into<String>) -> ControlResult<T> {
    Err(ControlError::new(code, message))
}

fn found<T>(value: Option<T>, what: &str, name: &str) -> ControlResult<T> {
    match value {
        Some(value) => Ok(value),
        None => refuse(
            ErrorCode::NotFound,
            format!("the program has no {what} called '{name}'"),
        ),
    }
}

pub(super) fn table_index(program: &Program, name: &str) -> ControlResult<usize> {
    let mut tables = program.tables.iter();
    found(tables.position(|table| table.name == name), "table", name)
}

/// Refuses what would change a table of which all entries are constant.
pub(super) fn mutable(def: &TableDef) -> ControlResult<()> {
    if def.const_entries {
        return refuse(
            ErrorCode::PermissionDenied,
            format!("the entries of table '{}' are constant", def.name),
        );
    }
    Ok(())
}

/// The canonical key of an entry.
pub(super) fn canonical_name(
    def: &TableDef,
    key: &[MatchField],
    priority: i32,
) -> ControlResult<Vec<MatchField>> {
    if def.key.is_empty() {
        return refuse(
            ErrorCode::InvalidArgument,
            format!("table '{}' has no key and so no entries", def.name),
        );
    }
    let key = canonical_key(def, key)?;
    if !def.has_priorities() && priority != 0 {
        let message = format!(
            "table '{}' has no priorities, but priority {priority} is given",
            def.name
        );
        return refuse(ErrorCode::InvalidArgument, message);
    }
    Ok(key)
}

pub(super) fn bind(
    program: &Program,
    def: &TableDef,
    name: &str,
    params: &[Vec<u8>],
) -> ControlResult<Bound> {
    let mut known = def.actions.iter().copied();
    match known.find(|&action| program.actions[action as usize].name == name) {
        Some(action) => Bound::new(action, &program.actions[action as usize], params),
        None => refuse(
            ErrorCode::InvalidArgument,
            format!("table '{}' has no action '{name}'", def.name),
        ),
    }
}

impl Core {
    pub(super) fn table_index(&self, name: &str) -> ControlResult<usize> {
        table_index(&self.program, name)
    }

    pub(super) fn table_ref(&self, name: &str) -> ControlResult<(&TableDef, &Table)> {
        let index = self.table_index(name)?;
        Ok((&self.program.tables[index], &self.tables.tables[index]))
    }

    /// The entry of a key, if there is one.
    fn locate(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<Option<u32>> {
        let key = canonical_name(&self.program.tables[table], key, priority)?;
        Ok(self.tables.tables[table].find(&key, priority))
    }

    pub(super) fn existing(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<u32> {
        match self.locate(table, key, priority)? {
            Some(slot) => Ok(slot),
            None => {
                let name = &self.program.tables[table].name;
                refuse(
                    ErrorCode::NotFound,
                    format!("table '{name}' has no entry with this key"),
                )
            }
        }
    }

    pub(super) fn resolve(&self, table: usize, action: &TableAction) -> ControlResult<EntryAction> {
        let def = &self.program.tables[table];
        match (action, def.profile) {
            (TableAction::Action(call), None) => {
                bind(&self.program, def, &call.name, &call.params).map(EntryAction::Direct)
            }
            (TableAction::Member(id), Some(profile)) => self.tables.profiles[profile as usize]
                .member_slot(*id)
                .map(EntryAction::Member),
            (TableAction::Group(id), Some(profile)) if def.with_groups => self.tables.profiles
                [profile as usize]
                .group_slot(*id)
                .map(EntryAction::Group),
            (TableAction::OneShot(set), Some(profile)) if def.with_groups => {
                let profile = &self.tables.profiles[profile as usize];
                profile.check_only_one_shots()?;
                let weights = set.members.iter().map(|member| u64::from(member.weight));
                profile.check_weights(weights.sum())?;
                let mut calls = Vec::new();
                for member in &set.members {
                    if member.weight == 0 {
                        return refuse(
                            ErrorCode::InvalidArgument,
                            "an action of a one-shot set has weight 0",
                        );
                    }
                    let ActionCall { name, params } = &member.action;
                    calls.push(bind(&self.program, def, name, params)?);
                }
                let all = set.members.iter().enumerate();
                let all = all.map(|(i, member)| (i as u32, member.weight, member.watch_port));
                let mode = profile.groups_may.mode;
                let choices = Choices::new(mode, all, &self.tables.ports_down);
                Ok(EntryAction::OneShot(Box::new(OneShot {
                    set: set.clone(),
                    calls,
                    choices,
                })))
            }
            (_, None) => refuse(
                ErrorCode::InvalidArgument,
                format!(
                    "table '{}' has no action profile: its entries take an action",
                    def.name
                ),
            ),
            (TableAction::Action(_), Some(_)) => refuse(
                ErrorCode::InvalidArgument,
                format!(
                    "table '{}' has an action profile: its entries take members or groups",
                    def.name
                ),
            ),
            (_, Some(_)) => refuse(
                ErrorCode::InvalidArgument,
                format!(
                    "table '{}' has no action selector: its entries take members",
                    def.name
                ),
            ),
        }
    }

    /// Notes that an entry uses, or no longer uses, a member, a group or a set of its own.
    pub(super) fn count_use(&mut self, table: usize, action: &EntryAction, change: fn(u32) -> u32) {
        let Some(profile) = self.program.tables[table].profile else {
            return;
        };
        let profile = &mut self.tables.profiles[profile as usize];
        let uses = match action {
            EntryAction::Member(slot) => &mut profile.member_mut(*slot).uses,
            EntryAction::Group(slot) => &mut profile.group_mut(*slot).uses,
            EntryAction::OneShot(_) => &mut profile.one_shots,
            EntryAction::Direct(_) => return,
        };
        *uses = change(*uses);
    }

    pub(super) fn report(&self, table: usize, entry: &EntryState, now_ns: u64) -> Entry {
        let def = &self.program.tables[table];
        let meter = self.meter_of(table, entry);
        Entry {
            key: entry.key.clone(),
            priority: entry.priority,
            action: self.describe(def, &entry.action),
            is_const: def.const_entries || entry.is_const,
            metadata: entry.metadata.clone(),
            idle_timeout_ns: entry.idle_timeout_ns,
            since_hit_ns: def
                .support_timeout
                .then(|| now_ns.saturating_sub(entry.last_hit_ns)),
            counter: self.counter_of(table, entry),
            meter: meter.and_then(Meter::rates),
            color_counts: meter.map(|meter| meter.counts),
        }
    }

    pub(super) fn describe(&self, def: &TableDef, action: &EntryAction) -> TableAction {
        let Program { actions, .. } = &*self.program;
        let profile =
            || &self.tables.profiles[def.profile.expect("members belong to a profile") as usize];
        match action {
            EntryAction::Direct(call) => TableAction::Action(call.call(actions)),
            EntryAction::Member(slot) => TableAction::Member(profile().member(*slot).id),
            EntryAction::Group(slot) => TableAction::Group(profile().group(*slot).config.id),
            EntryAction::OneShot(held) => TableAction::OneShot(held.set.clone()),
        }
    }
}

impl Switch {
    pub fn table_get(
        &self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        now_ns: u64,
    ) -> ControlResult<Option<Entry>> {
        let core = self.loaded()?;
        let index = core.table_index(table)?;
        let slot = core.locate(index, key, priority)?;
        Ok(slot.map(|slot| core.report(index, core.tables.tables[index].entry(slot), now_ns)))
    }

    pub fn table_entries(&self, table: &str, now_ns: u64) -> ControlResult<Vec<Entry>> {
        let core = self.loaded()?;
        let index = core.table_index(table)?;
        Ok(core.tables.tables[index]
            .entries()
            .map(|entry| core.report(index, entry, now_ns))
            .collect())
    }

    /// Up to `count` entries from a place on, 0 at first, and the place to go on from. Entries that come and go between
    /// two calls may be missed; no other is, and none comes twice.
    pub fn table_page(
        &self,
        table: &str,
        from: usize,
        count: usize,
        now_ns: u64,
    ) -> ControlResult<Page<Entry>> {
        let core = self.loaded()?;
        let index = core.table_index(table)?;
        let (page, next) = core.tables.tables[index].page(from, count);
        let entries = page.into_iter();
        Ok((
            entries
                .map(|entry| core.report(index, entry, now_ns))
                .collect(),
            next,
        ))
    }
}
