// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about default actions and the direct resources of packets without an entry.

use super::tables::{bind, refuse};
use crate::exec::core::Core;
use crate::externs::meter::Meter;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{ColorCounts, CounterValue, MeterRates, TableAction};
use crate::switch::Switch;
use crate::tables::entry::EntryAction;

impl Core {
    fn default_meter(&mut self, table: &str) -> ControlResult<&mut Meter> {
        let index = self.metered_table(table)?;
        Ok(&mut self.tables.tables[index].default_meter)
    }
}

impl Switch {
    pub fn table_default(&self, table: &str) -> ControlResult<Option<TableAction>> {
        let core = self.loaded()?;
        let (def, state) = core.table_ref(table)?;
        Ok(state
            .default
            .as_ref()
            .map(|action| core.describe(def, action)))
    }

    /// `None` restores the program's own default.
    pub fn table_set_default(
        &mut self,
        table: &str,
        action: Option<TableAction>,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let table = core.table_index(table)?;
        let def = &core.program.tables[table];
        let new = match &action {
            None => core.tables.tables[table].initial_default.clone(),
            Some(TableAction::Action(call)) if def.profile.is_some() => Some(EntryAction::Direct(
                bind(&core.program, def, &call.name, &call.params)?,
            )),
            Some(action) => Some(core.resolve(table, action)?),
        };
        if action.is_some() && (def.const_default_action || def.const_default_entry) {
            return refuse(
                ErrorCode::PermissionDenied,
                format!("the default action of table '{}' is constant", def.name),
            );
        }
        if let Some(new) = &new {
            core.count_use(table, new, |uses| uses + 1);
        }
        let old = std::mem::replace(&mut core.tables.tables[table].default, new);
        if let Some(old) = old {
            core.count_use(table, &old, |uses| uses - 1);
        }
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
        let index = core.counted_table(table)?;
        core.tables.tables[index].default_counter = value;
        Ok(())
    }

    /// As [`Self::direct_meter_write`], of packets without an entry.
    pub fn default_meter_write(
        &mut self,
        table: &str,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let setting = core.direct_setting(table, rates)?;
        core.default_meter(table)?.set(setting);
        Ok(())
    }

    pub fn default_colors_clear(&mut self, table: &str) -> ControlResult<()> {
        self.loaded_mut()?.default_meter(table)?.counts = ColorCounts::default();
        Ok(())
    }

    /// The rates of the default action's direct meter, and what it coloured; `None` without direct meters.
    pub fn default_meter_read(
        &self,
        table: &str,
    ) -> ControlResult<Option<(Option<MeterRates>, ColorCounts)>> {
        let (def, state) = self.loaded()?.table_ref(table)?;
        let meter = &state.default_meter;
        Ok(def.direct_meter.map(|_| (meter.rates(), meter.counts)))
    }
}
