// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: entries, default actions and direct resources.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quench_dataplane::control::{Change, EntryData, EntryName, TableAction};

use super::{counter_value, PyControl};
use crate::convert::{
    colors_tuple, counter_tuple, entry_dict, key, rates, rates_tuple, ColorsTuple, Key, PyRates,
    Py_, RatesTuple,
};
use crate::number::Num;

fn entry_name(table: String, key: Key, priority: i32) -> EntryName {
    EntryName {
        table,
        key: self::key(key),
        priority,
    }
}

#[pymethods]
impl PyControl {
    #[pyo3(signature = (table, key, priority, action, metadata = Py_(Vec::new()), idle_timeout_ns = Num(0)))]
    #[allow(clippy::too_many_arguments)]
    fn table_insert(
        &self,
        py: Python<'_>,
        table: String,
        key: Key,
        priority: i32,
        action: Py_<TableAction>,
        metadata: Py_<Vec<u8>>,
        idle_timeout_ns: Num<u64>,
    ) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        let data = entry_data(action, metadata, idle_timeout_ns);
        self.target.write(py, Change::TableInsert(entry, data))
    }

    #[pyo3(signature = (table, key, priority, action, metadata = Py_(Vec::new()), idle_timeout_ns = Num(0)))]
    #[allow(clippy::too_many_arguments)]
    fn table_modify(
        &self,
        py: Python<'_>,
        table: String,
        key: Key,
        priority: i32,
        action: Option<Py_<TableAction>>,
        metadata: Py_<Vec<u8>>,
        idle_timeout_ns: Num<u64>,
    ) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        let change = match action {
            Some(action) => {
                Change::TableModify(entry, entry_data(action, metadata, idle_timeout_ns))
            }
            None => Change::TableKeepAction {
                entry,
                metadata: metadata.0,
                idle_timeout_ns: idle_timeout_ns.0,
            },
        };
        self.target.write(py, change)
    }

    fn table_delete(&self, py: Python<'_>, table: String, key: Key, priority: i32) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        self.target.write(py, Change::TableDelete(entry))
    }

    /// Refuses where there is no such entry.
    fn table_check(&self, py: Python<'_>, table: String, key: Key, priority: i32) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        self.target.write(py, Change::TableCheck(entry))
    }

    fn table_get<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        key: Key,
        priority: i32,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let key = self::key(key);
        let entry = self.target.try_look(py, |switch, now_ns| {
            switch.table_get(table, &key, priority, now_ns)
        })?;
        entry.map(|entry| entry_dict(py, &entry)).transpose()
    }

    fn table_entries<'py>(
        &self,
        py: Python<'py>,
        table: &str,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let entries = self
            .target
            .try_look(py, |switch, now_ns| switch.table_entries(table, now_ns))?;
        entries.iter().map(|entry| entry_dict(py, entry)).collect()
    }

    /// Entries, and the place to go on from.
    fn table_page<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        from_: usize,
        count: usize,
    ) -> PyResult<(Vec<Bound<'py, PyDict>>, Option<usize>)> {
        let (entries, next) = self.target.try_look(py, |switch, now_ns| {
            switch.table_page(table, from_, count, now_ns)
        })?;
        let dicts: PyResult<_> = entries.iter().map(|entry| entry_dict(py, entry)).collect();
        Ok((dicts?, next))
    }

    fn table_default<'py>(
        &self,
        py: Python<'py>,
        table: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let action = self
            .target
            .try_look(py, |switch, _| switch.table_default(table))?;
        action
            .map(|action| Ok(Py_(&action).into_pyobject(py)?.into_any()))
            .transpose()
    }

    #[pyo3(signature = (table, action))]
    fn table_set_default(
        &self,
        py: Python<'_>,
        table: String,
        action: Option<Py_<TableAction>>,
    ) -> PyResult<()> {
        let action = action.map(|action| action.0);
        self.target
            .write(py, Change::TableSetDefault(table, action))
    }

    #[allow(clippy::too_many_arguments)]
    fn direct_counter_write(
        &self,
        py: Python<'_>,
        table: String,
        key: Key,
        priority: i32,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        let value = counter_value(packets, bytes_);
        self.target
            .write(py, Change::DirectCounterWrite(entry, value))
    }

    #[pyo3(signature = (table, key, priority, rates))]
    fn direct_meter_write(
        &self,
        py: Python<'_>,
        table: String,
        key: Key,
        priority: i32,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        let rates = rates.map(self::rates);
        self.target
            .write(py, Change::DirectMeterWrite(entry, rates))
    }

    /// The colours of an entry's meter are counted from 0 again.
    fn direct_colors_clear(
        &self,
        py: Python<'_>,
        table: String,
        key: Key,
        priority: i32,
    ) -> PyResult<()> {
        let entry = entry_name(table, key, priority);
        self.target.write(py, Change::DirectColorsClear(entry))
    }

    #[pyo3(signature = (table, rates))]
    fn default_meter_write(
        &self,
        py: Python<'_>,
        table: String,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let rates = rates.map(self::rates);
        self.target
            .write(py, Change::DefaultMeterWrite(table, rates))
    }

    fn default_colors_clear(&self, py: Python<'_>, table: String) -> PyResult<()> {
        self.target.write(py, Change::DefaultColorsClear(table))
    }

    /// Rates and colours; `None` without direct meters.
    fn default_meter_read(
        &self,
        py: Python<'_>,
        table: &str,
    ) -> PyResult<Option<(Option<RatesTuple>, ColorsTuple)>> {
        let meter = self
            .target
            .try_look(py, |switch, _| switch.default_meter_read(table))?;
        Ok(meter.map(|(rates, colors)| (rates.map(rates_tuple), colors_tuple(colors))))
    }

    fn default_counter_read(&self, py: Python<'_>, table: &str) -> PyResult<Option<(u64, u64)>> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.default_counter_read(table))?;
        Ok(value.map(counter_tuple))
    }

    fn default_counter_write(
        &self,
        py: Python<'_>,
        table: String,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let value = counter_value(packets, bytes_);
        self.target
            .write(py, Change::DefaultCounterWrite(table, value))
    }

    fn expired_entries<'py>(
        &self,
        py: Python<'py>,
        count: usize,
    ) -> PyResult<Vec<(String, Bound<'py, PyDict>)>> {
        let expired = self
            .target
            .change(py, |switch, now_ns| switch.expired_entries(now_ns, count))?;
        expired
            .into_iter()
            .map(|(table, entry)| Ok((table, entry_dict(py, &entry)?)))
            .collect()
    }
}

fn entry_data(
    action: Py_<TableAction>,
    metadata: Py_<Vec<u8>>,
    idle_timeout_ns: Num<u64>,
) -> EntryData {
    EntryData {
        action: action.0,
        metadata: metadata.0,
        idle_timeout_ns: idle_timeout_ns.0,
    }
}
