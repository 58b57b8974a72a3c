// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about low-pass filters and random drops (`Lpf`, `Wred`), and the cells of entries.

use std::ops::Range;

use super::arrays::{at, cell, inside};
use super::tables::refuse;
use crate::exec::core::Core;
use crate::externs::filter_array::{FilterCell, FilterSetting};
use crate::externs::meter::Meter;
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::values::{CounterValue, FilterConfig, MatchField};
use crate::program::table::DirectCells;
use crate::switch::Switch;

/// A cell that belongs to an entry, as it stood.
pub(super) enum SavedCell {
    Register(usize, Vec<u64>),
    Filter(usize, FilterCell),
    Counter(usize, CounterValue),
    Meter(usize, Meter),
}

impl Core {
    pub(super) fn filter(&self, name: &str) -> ControlResult<usize> {
        let filters = &self.program.info.filters;
        match filters.iter().position(|filter| filter.name == name) {
            Some(index) => Ok(index),
            None => refuse(
                ErrorCode::NotFound,
                format!("the program has no filter called '{name}'"),
            ),
        }
    }

    /// A filter that is no table's.
    pub(super) fn indirect_filter(&self, name: &str) -> ControlResult<usize> {
        let index = self.filter(name)?;
        match &self.program.info.filters[index].direct_table {
            None => Ok(index),
            Some(table) => refuse(
                ErrorCode::InvalidArgument,
                format!(
                    "filter '{name}' is direct: its settings belong to entries of table '{table}'"
                ),
            ),
        }
    }

    /// A direct filter and its cell of an entry.
    pub(super) fn direct_filter(
        &self,
        name: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<(usize, usize)> {
        let index = self.filter(name)?;
        let Some(table) = &self.program.info.filters[index].direct_table else {
            return refuse(
                ErrorCode::InvalidArgument,
                format!("filter '{name}' belongs to no table"),
            );
        };
        let table = self.table_index(table)?;
        let slot = self.existing(table, key, priority)?;
        let (slot, size) = (slot as usize, self.externs.filters[index].cells.len());
        cell(
            (slot < size).then_some((index, slot)),
            "filter",
            name,
            slot as u64,
            size,
        )
    }

    fn filter_setting(
        &self,
        filter: usize,
        config: Option<FilterConfig>,
    ) -> ControlResult<FilterSetting> {
        let setting = FilterSetting::new(self.externs.filters[filter].kind, config);
        let name = &self.program.info.filters[filter].name;
        setting.or_else(|error| {
            refuse(
                ErrorCode::InvalidArgument,
                format!("filter '{name}': {error}"),
            )
        })
    }

    /// The cells of a slot of a table.
    pub(super) fn cells_of(&self, table: usize, slot: u32) -> Vec<SavedCell> {
        let cells = self.program.tables[table].direct_cells.iter();
        let slot = slot as usize;
        let saved = cells.filter_map(|&cells| match cells {
            DirectCells::Register(register) => {
                let limbs = self.externs.registers[register as usize].standing(&(slot..slot + 1));
                Some(SavedCell::Register(register as usize, limbs?))
            }
            DirectCells::Filter(filter) => {
                let cell = self.externs.filters[filter as usize].cells.get(slot);
                Some(SavedCell::Filter(filter as usize, *cell?))
            }
            DirectCells::Counter(counter) => {
                let cell = self.externs.counters[counter as usize].cells.get(slot);
                Some(SavedCell::Counter(counter as usize, *cell?))
            }
            DirectCells::Meter(meter) => {
                let cell = self.externs.meters[meter as usize].cells.get(slot);
                Some(SavedCell::Meter(meter as usize, *cell?))
            }
        });
        saved.collect()
    }

    pub(super) fn put_back_cells(&mut self, slot: u32, cells: Vec<SavedCell>) {
        let slot = slot as usize;
        for cell in cells {
            match cell {
                SavedCell::Register(register, limbs) => {
                    self.externs.registers[register].put_back(slot, &limbs);
                }
                SavedCell::Filter(filter, cell) => {
                    self.externs.filters[filter].cells[slot] = cell;
                }
                SavedCell::Counter(counter, cell) => {
                    self.externs.counters[counter].cells[slot] = cell;
                }
                SavedCell::Meter(meter, cell) => {
                    self.externs.meters[meter].cells[slot] = cell;
                }
            }
        }
    }

    /// Lets the cells of an entry that is new begin anew.
    pub(super) fn reset_cells(&mut self, table: usize, slot: u32, now_ns: u64) {
        for &cells in &self.program.tables[table].direct_cells {
            match cells {
                DirectCells::Register(register) => {
                    self.externs.registers[register as usize].reset(slot.into());
                }
                DirectCells::Filter(filter) => {
                    let array = &mut self.externs.filters[filter as usize];
                    array.reset(slot as usize, now_ns);
                }
                DirectCells::Counter(counter) => {
                    let cells = &mut self.externs.counters[counter as usize].cells;
                    if let Some(cell) = cells.get_mut(slot as usize) {
                        *cell = CounterValue::default();
                    }
                }
                DirectCells::Meter(meter) => {
                    let cells = &mut self.externs.meters[meter as usize].cells;
                    if let Some(cell) = cells.get_mut(slot as usize) {
                        *cell = Meter::default();
                    }
                }
            }
        }
    }
}

impl Switch {
    /// The settings of a cell as they were given; `None` where none were.
    pub fn filter_config(&self, name: &str, index: u64) -> ControlResult<Option<FilterConfig>> {
        let core = self.loaded()?;
        let cells = &core.externs.filters[core.indirect_filter(name)?].cells;
        cell(
            cells.get(at(index)).map(FilterCell::config),
            "filter",
            name,
            index,
            cells.len(),
        )
    }

    /// The average of a cell, as the last packet left it.
    pub fn filter_value(&self, name: &str, index: u64) -> ControlResult<u32> {
        let core = self.loaded()?;
        let cells = &core.externs.filters[core.filter(name)?].cells;
        cell(
            cells.get(at(index)).map(FilterCell::value),
            "filter",
            name,
            index,
            cells.len(),
        )
    }

    /// `None` brings the settings of the beginning back. The averages begin anew.
    pub fn set_filter_config(
        &mut self,
        name: &str,
        index: u64,
        config: Option<FilterConfig>,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.filter_fill(name, index..index.saturating_add(1), config, now_ns)
    }

    /// The same settings in all cells of a range.
    pub fn filter_fill(
        &mut self,
        name: &str,
        range: Range<u64>,
        config: Option<FilterConfig>,
        now_ns: u64,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let filter = core.indirect_filter(name)?;
        let setting = core.filter_setting(filter, config)?;
        let chip_ns = core.externs.chip_ns(now_ns);
        let cells = &mut core.externs.filters[filter].cells;
        let range = inside(&range, "filter", name, cells.len())?;
        cells[range].fill(FilterCell::new(setting, chip_ns));
        Ok(())
    }

    /// As [`Self::filter_config`], of an entry of the table that the filter belongs to.
    pub fn direct_filter_config(
        &self,
        name: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<Option<FilterConfig>> {
        let core = self.loaded()?;
        let (filter, slot) = core.direct_filter(name, key, priority)?;
        Ok(core.externs.filters[filter].cells[slot].config())
    }

    /// As [`Self::set_filter_config`], of an entry.
    pub fn set_direct_filter_config(
        &mut self,
        name: &str,
        key: &[MatchField],
        priority: i32,
        config: Option<FilterConfig>,
        now_ns: u64,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let (filter, slot) = core.direct_filter(name, key, priority)?;
        let setting = core.filter_setting(filter, config)?;
        let chip_ns = core.externs.chip_ns(now_ns);
        core.externs.filters[filter].cells[slot] = FilterCell::new(setting, chip_ns);
        Ok(())
    }
}
