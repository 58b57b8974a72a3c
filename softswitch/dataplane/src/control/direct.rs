// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about what belongs to entries: direct counters, direct meters, idle timeouts.

use super::tables::refuse;
use super::{ControlResult, CounterValue, Entry, ErrorCode, MatchField, MeterRates};
use crate::externs::meter::Meter;
use crate::switch::Switch;
use crate::tables::entry::EntryState;

impl Switch {
    pub fn direct_counter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.table_index(table)?;
        if !core.program.tables[index].direct_counter {
            return refuse(
                ErrorCode::InvalidArgument,
                format!("table '{table}' has no direct counter"),
            );
        }
        let slot = core.existing(index, key, priority)?;
        core.tables.tables[index].entry_mut(slot).counter = value;
        Ok(())
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
        let index = core.table_index(table)?;
        if core.program.tables[index].direct_meter.is_none() {
            return refuse(
                ErrorCode::InvalidArgument,
                format!("table '{table}' has no direct meter"),
            );
        }
        check_rates(rates)?;
        let slot = core.existing(index, key, priority)?;
        core.tables.tables[index].entry_mut(slot).meter = Meter::new(rates);
        Ok(())
    }

    /// The direct counter of the table's default action; `None` without direct counters.
    pub fn default_counter_read(&self, table: &str) -> ControlResult<Option<CounterValue>> {
        let core = self.loaded()?;
        let (def, state) = core.table_ref(table)?;
        Ok(def.direct_counter.then_some(state.default_counter))
    }

    pub fn default_counter_write(&mut self, table: &str, value: CounterValue) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.table_index(table)?;
        if !core.program.tables[index].direct_counter {
            return refuse(
                ErrorCode::InvalidArgument,
                format!("table '{table}' has no direct counter"),
            );
        }
        core.tables.tables[index].default_counter = value;
        Ok(())
    }

    /// Up to `count` entries whose idle timeout ran out, with their table; each is reported once until hit again.
    pub fn expired_entries(&mut self, now_ns: u64, count: usize) -> Vec<(String, Entry)> {
        let Some(core) = &mut self.core else {
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

/// RFC 2698: the peak rate is at least the committed rate.
pub(super) fn check_rates(rates: Option<MeterRates>) -> ControlResult<()> {
    match rates {
        Some(rates) if rates.pir < rates.cir => refuse(
            ErrorCode::InvalidArgument,
            format!(
                "the peak rate {} is below the committed rate {}",
                rates.pir, rates.cir
            ),
        ),
        _ => Ok(()),
    }
}
