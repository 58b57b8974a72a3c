// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters, meters, registers and parser value sets.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use quench_dataplane::control::{Change, ControlResult};

use super::{counter_value, PyControl};
use crate::convert::{
    bytes_list, colors_tuple, counter_tuple, key, key_list, rates, rates_tuple, ColorsTuple, Key,
    PyRates, Py_, RatesTuple,
};
use crate::number::Num;

pub(super) fn range(first: u64, count: u64) -> Range<u64> {
    first..first.saturating_add(count)
}

#[pymethods]
impl PyControl {
    fn counter_read(&self, py: Python<'_>, counter: &str, index: Num<u64>) -> PyResult<(u64, u64)> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.counter_read(counter, index.0))?;
        Ok(counter_tuple(value))
    }

    fn counter_write(
        &self,
        py: Python<'_>,
        counter: String,
        index: Num<u64>,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let value = counter_value(packets, bytes_);
        let cells = range(index.0, 1);
        self.target
            .write(py, Change::CounterWrite(counter, cells, value))
    }

    fn counter_read_all(&self, py: Python<'_>, counter: &str) -> PyResult<Vec<(u64, u64)>> {
        let values = self
            .target
            .try_look(py, |switch, _| switch.counter_read_all(counter))?;
        Ok(values.into_iter().map(counter_tuple).collect())
    }

    fn meter_read(
        &self,
        py: Python<'_>,
        meter: &str,
        index: Num<u64>,
    ) -> PyResult<Option<RatesTuple>> {
        let rates = self
            .target
            .try_look(py, |switch, _| switch.meter_read(meter, index.0))?;
        Ok(rates.map(rates_tuple))
    }

    fn meter_read_all(&self, py: Python<'_>, meter: &str) -> PyResult<Vec<Option<RatesTuple>>> {
        let rates = self
            .target
            .try_look(py, |switch, _| switch.meter_read_all(meter))?;
        Ok(rates
            .into_iter()
            .map(|rates| rates.map(rates_tuple))
            .collect())
    }

    #[pyo3(signature = (meter, index, rates))]
    fn meter_write(
        &self,
        py: Python<'_>,
        meter: String,
        index: Num<u64>,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let rates = rates.map(self::rates);
        let cells = range(index.0, 1);
        self.target
            .write(py, Change::MeterWrite(meter, cells, rates))
    }

    fn register_read<'py>(
        &self,
        py: Python<'py>,
        register: &str,
        index: Num<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.register_read(register, index.0))?;
        Ok(PyBytes::new(py, &value))
    }

    fn register_write(
        &self,
        py: Python<'_>,
        register: String,
        index: Num<u64>,
        value: Py_<Vec<u8>>,
    ) -> PyResult<()> {
        let cells = range(index.0, 1);
        self.target
            .write(py, Change::RegisterWrite(register, cells, value.0))
    }

    fn register_read_all<'py>(
        &self,
        py: Python<'py>,
        register: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let values = self
            .target
            .try_look(py, |switch, _| switch.register_read_all(register))?;
        bytes_list(py, &values)
    }

    fn counter_read_range(
        &self,
        py: Python<'_>,
        counter: &str,
        first: u64,
        count: u64,
    ) -> PyResult<Vec<(u64, u64)>> {
        let values = self.target.try_look(py, |switch, _| {
            range(first, count)
                .map(|index| switch.counter_read(counter, index).map(counter_tuple))
                .collect::<ControlResult<_>>()
        })?;
        Ok(values)
    }

    fn meter_read_range(
        &self,
        py: Python<'_>,
        meter: &str,
        first: u64,
        count: u64,
    ) -> PyResult<Vec<Option<RatesTuple>>> {
        let values = self.target.try_look(py, |switch, _| {
            range(first, count)
                .map(|index| Ok(switch.meter_read(meter, index)?.map(rates_tuple)))
                .collect::<ControlResult<_>>()
        })?;
        Ok(values)
    }

    /// (packets, bytes) of green, yellow and red.
    fn meter_colors_range(
        &self,
        py: Python<'_>,
        meter: &str,
        first: u64,
        count: u64,
    ) -> PyResult<Vec<ColorsTuple>> {
        let values = self.target.try_look(py, |switch, _| {
            range(first, count)
                .map(|index| Ok(colors_tuple(switch.meter_colors(meter, index)?)))
                .collect::<ControlResult<_>>()
        })?;
        Ok(values)
    }

    /// The colours of all cells of a range are counted from 0 again.
    fn meter_colors_clear(
        &self,
        py: Python<'_>,
        meter: String,
        first: u64,
        count: u64,
    ) -> PyResult<()> {
        let cells = range(first, count);
        self.target
            .write(py, Change::MeterColorsClear(meter, cells))
    }

    fn register_read_range<'py>(
        &self,
        py: Python<'py>,
        register: &str,
        first: u64,
        count: u64,
    ) -> PyResult<Bound<'py, PyList>> {
        let values: Vec<_> = self.target.try_look(py, |switch, _| {
            range(first, count)
                .map(|index| switch.register_read(register, index))
                .collect::<ControlResult<_>>()
        })?;
        bytes_list(py, &values)
    }

    /// The same value in all cells of a range.
    #[pyo3(signature = (counter, first, count, packets, bytes_))]
    fn counter_fill(
        &self,
        py: Python<'_>,
        counter: String,
        first: u64,
        count: u64,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let value = counter_value(packets, bytes_);
        let cells = range(first, count);
        self.target
            .write(py, Change::CounterWrite(counter, cells, value))
    }

    #[pyo3(signature = (meter, first, count, rates))]
    fn meter_fill(
        &self,
        py: Python<'_>,
        meter: String,
        first: u64,
        count: u64,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let rates = rates.map(self::rates);
        let cells = range(first, count);
        self.target
            .write(py, Change::MeterWrite(meter, cells, rates))
    }

    fn register_fill(
        &self,
        py: Python<'_>,
        register: String,
        first: u64,
        count: u64,
        value: Py_<Vec<u8>>,
    ) -> PyResult<()> {
        let cells = range(first, count);
        self.target
            .write(py, Change::RegisterWrite(register, cells, value.0))
    }

    fn value_set_read<'py>(
        &self,
        py: Python<'py>,
        value_set: &str,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let members = self
            .target
            .try_look(py, |switch, _| switch.value_set_read(value_set))?;
        members.iter().map(|member| key_list(py, member)).collect()
    }

    fn value_set_write(
        &self,
        py: Python<'_>,
        value_set: String,
        members: Vec<Key>,
    ) -> PyResult<()> {
        let members: Vec<_> = members.into_iter().map(key).collect();
        self.target
            .write(py, Change::ValueSetWrite(value_set, members))
    }
}
