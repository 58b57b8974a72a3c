// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about what belongs to entries: direct counters, direct meters, idle timeouts.

use super::arrays::{cell, setting};
use super::tables::refuse;
use crate::exec::core::Core;
use crate::externs::meter::{Meter, MeterKind, MeterSetting};
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{ColorCounts, CounterValue, Entry, MatchField, MeterRates};
use crate::switch::Switch;
use crate::tables::entry::EntryState;

impl Core {
    pub(super) fn counted_table(&self, table: &str) -> ControlResult<usize> {
        let index = self.table_index(table)?;
        let def = &self.program.tables[index];
        match def.direct_counter || def.counter_cells().is_some() {
            true => Ok(index),
            false => refuse(
                ErrorCode::InvalidArgument,
                format!("table '{table}' has no direct counter"),
            ),
        }
    }

    pub(super) fn metered_table(&self, table: &str) -> ControlResult<usize> {
        let index = self.table_index(table)?;
        let def = &self.program.tables[index];
        match def.direct_meter.is_some() || def.meter_cells().is_some() {
            true => Ok(index),
            false => refuse(
                ErrorCode::InvalidArgument,
                format!("table '{table}' has no direct meter"),
            ),
        }
    }

    /// Rates of a table's direct meters.
    pub(super) fn direct_setting(
        &self,
        table: &str,
        rates: Option<MeterRates>,
    ) -> ControlResult<MeterSetting> {
        let index = self.metered_table(table)?;
        let def = &self.program.tables[index];
        let kind = match def.meter_cells() {
            Some(array) => self.externs.meters[array].def.kind,
            None => def
                .direct_meter
                .map_or(MeterKind::Exact, |meter| meter.def.kind),
        };
        setting(kind, rates)
    }

    fn direct_meter(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<&mut Meter> {
        let index = self.metered_table(table)?;
        let slot = self.existing(index, key, priority)?;
        let Some(array) = self.program.tables[index].meter_cells() else {
            let entry = self.tables.tables[index].entry_mut(slot);
            return Ok(entry.meter.get_or_insert_default());
        };
        let cells = &mut self.externs.meters[array].cells;
        let count = cells.len();
        let found = cells.get_mut(slot as usize);
        cell(found, "direct meter of table", table, slot.into(), count)
    }

    /// The direct counter of an entry.
    pub(super) fn counter_of(&self, table: usize, entry: &EntryState) -> Option<CounterValue> {
        let def = &self.program.tables[table];
        match def.counter_cells() {
            Some(array) => {
                let slot = self.tables.tables[table].find(&entry.key, entry.priority)?;
                self.externs.counters[array]
                    .cells
                    .get(slot as usize)
                    .copied()
            }
            None => def.direct_counter.then_some(entry.counter),
        }
    }

    /// The direct meter of an entry.
    pub(super) fn meter_of<'a>(&'a self, table: usize, entry: &'a EntryState) -> Option<&'a Meter> {
        let def = &self.program.tables[table];
        match def.meter_cells() {
            Some(array) => {
                let slot = self.tables.tables[table].find(&entry.key, entry.priority)?;
                self.externs.meters[array].cells.get(slot as usize)
            }
            None => entry.meter.as_deref(),
        }
    }
}

impl Switch {
    pub fn direct_counter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.counted_table(table)?;
        let slot = core.existing(index, key, priority)?;
        let Some(array) = core.program.tables[index].counter_cells() else {
            core.tables.tables[index].entry_mut(slot).counter = value;
            return Ok(());
        };
        let cells = &mut core.externs.counters[array].cells;
        let count = cells.len();
        let found = cells.get_mut(slot as usize);
        let set = found.map(|cell| *cell = value);
        cell(set, "direct counter of table", table, slot.into(), count)
    }

    /// `None` removes the rates: every packet is green.
    pub fn direct_meter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let setting = core.direct_setting(table, rates)?;
        core.direct_meter(table, key, priority)?.set(setting);
        Ok(())
    }

    /// Counts the colours of an entry's meter from 0 again.
    pub fn direct_colors_clear(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        core.direct_meter(table, key, priority)?.counts = ColorCounts::default();
        Ok(())
    }

    /// Up to `count` entries whose idle timeout ran out, with their table; each is reported once until hit again.
    pub fn expired_entries(&mut self, now_ns: u64, count: usize) -> Vec<(String, Entry)> {
        let Some(core) = &mut self.fabric.core else {
            return Vec::new();
        };
        let mut expired = Vec::new();
        for index in 0..core.tables.tables.len() {
            if !core.program.tables[index].support_timeout {
                continue;
            }
            let over = |entry: &EntryState| {
                let idle_ns = now_ns.saturating_sub(entry.last_hit_ns);
                entry.idle_timeout_ns > 0 && !entry.expired && idle_ns >= entry.idle_timeout_ns
            };
            let left = count - expired.len();
            let name = &core.program.tables[index].name;
            let due = core.tables.tables[index].entries();
            for entry in due.filter(|entry| over(entry)).take(left) {
                expired.push((name.clone(), core.report(index, entry, now_ns)));
            }
            let due = core.tables.tables[index].entries_mut();
            due.filter(|entry| over(entry))
                .take(left)
                .for_each(|entry| entry.expired = true);
        }
        expired
    }
}
