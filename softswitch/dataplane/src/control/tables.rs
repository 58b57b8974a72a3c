// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about tables.

use crate::exec::core::Core;
use crate::externs::meter::Meter;
use crate::model::error::{ControlError, ControlResult, ErrorCode};
use crate::model::values::{CounterValue, Entry, EntryData, MatchField, Page, TableAction};
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

impl Core {
    pub(super) fn table_index(&self, name: &str) -> ControlResult<usize> {
        found(
            self.program
                .tables
                .iter()
                .position(|table| table.name == name),
            "table",
            name,
        )
    }

    pub(super) fn table_ref(&self, name: &str) -> ControlResult<(&TableDef, &Table)> {
        let index = self.table_index(name)?;
        Ok((&self.program.tables[index], &self.tables.tables[index]))
    }

    /// A canonical key and its entry.
    pub(super) fn locate(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<(Vec<MatchField>, Option<u32>)> {
        let def = &self.program.tables[table];
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
        let slot = self.tables.tables[table].find(&key, priority);
        Ok((key, slot))
    }

    pub(super) fn existing(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<u32> {
        match self.locate(table, key, priority)?.1 {
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

    /// Refuses what would change a table of which all entries are constant.
    fn mutable(&self, table: usize) -> ControlResult<()> {
        let def = &self.program.tables[table];
        if def.const_entries {
            return refuse(
                ErrorCode::PermissionDenied,
                format!("the entries of table '{}' are constant", def.name),
            );
        }
        Ok(())
    }

    /// An entry that may change.
    fn mutable_entry(&self, table: usize, key: &[MatchField], priority: i32) -> ControlResult<u32> {
        self.mutable(table)?;
        let slot = self.existing(table, key, priority)?;
        if self.tables.tables[table].entry(slot).is_const {
            let name = &self.program.tables[table].name;
            return refuse(
                ErrorCode::PermissionDenied,
                format!("this entry of table '{name}' is constant"),
            );
        }
        Ok(slot)
    }

    pub(super) fn resolve(&self, table: usize, action: &TableAction) -> ControlResult<EntryAction> {
        let def = &self.program.tables[table];
        match (action, def.profile) {
            (TableAction::Action(call), None) => self
                .bind(def, &call.name, &call.params)
                .map(EntryAction::Direct),
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
                    calls.push(self.bind(def, &member.action.name, &member.action.params)?);
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

    pub(super) fn bind(
        &self,
        def: &TableDef,
        name: &str,
        params: &[Vec<u8>],
    ) -> ControlResult<Bound> {
        let actions = &self.program.actions;
        let mut known = def.actions.iter().copied();
        match known.find(|&action| actions[action as usize].name == name) {
            Some(action) => Bound::new(action, &actions[action as usize], params),
            None => refuse(
                ErrorCode::InvalidArgument,
                format!("table '{}' has no action '{name}'", def.name),
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

    fn check_timeout(&self, table: usize, idle_timeout_ns: u64) -> ControlResult<()> {
        let def = &self.program.tables[table];
        if idle_timeout_ns > 0 && !def.support_timeout {
            let message = format!("table '{}' does not support idle timeouts", def.name);
            return refuse(ErrorCode::InvalidArgument, message);
        }
        Ok(())
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
    pub fn table_insert(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let table = core.table_index(table)?;
        core.mutable(table)?;
        let (key, slot) = core.locate(table, key, priority)?;
        let def = &core.program.tables[table];
        if slot.is_some() {
            let message = format!("table '{}' already has an entry with this key", def.name);
            return refuse(ErrorCode::AlreadyExists, message);
        }
        if core.tables.tables[table].len() as u64 >= def.size {
            let message = format!("table '{}' is full: it has {} entries", def.name, def.size);
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        core.check_timeout(table, data.idle_timeout_ns)?;
        let action = core.resolve(table, &data.action)?;
        core.count_use(table, &action, |uses| uses + 1);
        let entry = EntryState {
            key,
            priority,
            is_const: false,
            action,
            metadata: data.metadata,
            idle_timeout_ns: data.idle_timeout_ns,
            last_hit_ns: now_ns,
            expired: false,
            counter: CounterValue::default(),
            meter: core.program.tables[table].new_meter(),
        };
        let slot = core.tables.tables[table].insert(&core.program.tables[table], entry);
        core.reset_cells(table, slot, now_ns);
        Ok(())
    }

    pub fn table_modify(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let table = core.table_index(table)?;
        let slot = core.mutable_entry(table, key, priority)?;
        core.check_timeout(table, data.idle_timeout_ns)?;
        let action = core.resolve(table, &data.action)?;
        core.count_use(table, &action, |uses| uses + 1);
        let entry = core.tables.tables[table].entry_mut(slot);
        let before_bytes = entry.footprint_bytes();
        let old = std::mem::replace(&mut entry.action, action);
        entry.metadata = data.metadata;
        entry.idle_timeout_ns = data.idle_timeout_ns;
        entry.last_hit_ns = now_ns;
        entry.expired = false;
        let after_bytes = entry.footprint_bytes();
        let footprint_bytes = &mut core.tables.tables[table].footprint_bytes;
        *footprint_bytes = *footprint_bytes - before_bytes + after_bytes;
        core.count_use(table, &old, |uses| uses - 1);
        Ok(())
    }

    pub fn table_delete(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let table = core.table_index(table)?;
        let slot = core.mutable_entry(table, key, priority)?;
        let entry = core.tables.tables[table].remove(&core.program.tables[table], slot);
        core.count_use(table, &entry.action, |uses| uses - 1);
        Ok(())
    }

    pub fn table_get(
        &self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        now_ns: u64,
    ) -> ControlResult<Option<Entry>> {
        let core = self.loaded()?;
        let index = core.table_index(table)?;
        let slot = core.locate(index, key, priority)?.1;
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
