// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Results of a simulation for Python: plain values as dictionaries, long series as NumPy arrays.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quench_dataplane::tm::Weighed;
use quench_simulator::measure::{DirectionResults, Messages, Occupancy, Results, Series};
use quench_simulator::time::{to_s, Ns};
use quench_simulator::traffic::{Call, File, Object, Record};

use crate::json_value::to_python;

pub fn results_dict<'py>(py: Python<'py>, results: Results) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("now_s", results.now_s)?;
    dict.set_item("measured_s", results.measured_s)?;
    dict.set_item("events", results.events)?;
    dict.set_item("directions", directions_list(py, &results.directions)?)?;
    dict.set_item("sources", to_python(py, &results.sources)?)?;
    dict.set_item("routers", to_python(py, &results.routers)?)?;
    dict.set_item("hosts", to_python(py, &results.hosts)?)?;
    let records = records_dict(py, results.records)?;
    records.set_item("messages", messages_dict(py, results.messages)?)?;
    dict.set_item("records", records)?;
    let series: PyResult<Vec<_>> = results
        .series
        .into_iter()
        .map(|series| series_dict(py, series))
        .collect();
    dict.set_item("series", PyList::new(py, series?)?)?;
    Ok(dict)
}

/// Those whose queue's distribution is kept have it as `depths`, and so have their queues.
fn directions_list<'py>(
    py: Python<'py>,
    directions: &[DirectionResults],
) -> PyResult<Bound<'py, PyAny>> {
    let list = to_python(py, &directions)?;
    for (index, direction) in directions.iter().enumerate() {
        let dict = list.get_item(index)?;
        set_depths(&dict, &direction.queue)?;
        for (number, queue) in direction.queues.iter().enumerate() {
            set_depths(&dict.get_item("queues")?.get_item(number)?, &queue.queue)?;
        }
    }
    Ok(list)
}

/// Columns: the depths in bytes, how long each lasted, and how often it came about.
fn set_depths(dict: &Bound<'_, PyAny>, queue: &Occupancy) -> PyResult<()> {
    let Some(depths) = &queue.depths else {
        return Ok(());
    };
    let py = dict.py();
    let columns = PyDict::new(py);
    let column = |value: fn(Weighed) -> u64| PyArray1::from_iter(py, depths.all().map(value));
    columns.set_item("bytes", column(|depth| depth.bytes))?;
    columns.set_item("lasted_ns", column(|depth| depth.lasted_ns))?;
    columns.set_item("changes", column(|depth| depth.changes))?;
    dict.set_item("depths", columns)
}

/// Times in seconds and values, a row for each point.
fn series_dict(py: Python<'_>, series: Series) -> PyResult<Bound<'_, PyDict>> {
    let times: Vec<f64> = series
        .samples
        .iter()
        .map(|&sample| sample as f64 * series.interval_s)
        .collect();
    let shape = [times.len(), series.columns.len()];
    let dict = PyDict::new(py);
    dict.set_item("name", series.name)?;
    dict.set_item("columns", series.columns)?;
    dict.set_item("time_s", PyArray1::from_vec(py, times))?;
    let values = PyArray1::from_vec(py, series.values).reshape(shape)?;
    dict.set_item("values", values)?;
    Ok(dict)
}

/// Records of one kind, and the places of their sources.
struct Table<T> {
    sources: Vec<u64>,
    rows: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl<T> Table<T> {
    fn push(&mut self, source: usize, row: T) {
        self.sources.push(source as u64);
        self.rows.push(row);
    }

    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("source", PyArray1::from_slice(py, &self.sources))?;
        Ok(dict)
    }

    fn whole(&self, dict: &Bound<'_, PyDict>, name: &str, value: fn(&T) -> u64) -> PyResult<()> {
        let values = self.rows.iter().map(value);
        dict.set_item(name, PyArray1::from_iter(dict.py(), values))
    }

    fn real(&self, dict: &Bound<'_, PyDict>, name: &str, value: fn(&T) -> f64) -> PyResult<()> {
        let values = self.rows.iter().map(value);
        dict.set_item(name, PyArray1::from_iter(dict.py(), values))
    }
}

/// NaN for an event that did not happen.
fn time_s(time: Option<Ns>) -> f64 {
    time.map_or(f64::NAN, to_s)
}

fn number(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// One table for each kind, a column for each field.
fn records_dict(py: Python<'_>, records: Vec<(usize, Record)>) -> PyResult<Bound<'_, PyDict>> {
    let mut objects = Table::<Object>::default();
    let mut files = Table::<File>::default();
    let mut calls = Table::<Call>::default();
    for (source, record) in records {
        match record {
            Record::Object(object) => objects.push(source, object),
            Record::File(file) => files.push(source, file),
            Record::Call(call) => calls.push(source, call),
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("objects", objects_dict(py, &objects)?)?;
    dict.set_item("files", files_dict(py, &files)?)?;
    dict.set_item("calls", calls_dict(py, &calls)?)?;
    Ok(dict)
}

fn objects_dict<'py>(py: Python<'py>, table: &Table<Object>) -> PyResult<Bound<'py, PyDict>> {
    let dict = table.dict(py)?;
    table.whole(&dict, "session", |object| object.session)?;
    table.whole(&dict, "page", |object| object.page)?;
    table.whole(&dict, "bytes", |object| object.bytes)?;
    table.real(&dict, "requested_s", |object| to_s(object.requested_ns))?;
    table.real(&dict, "acked_s", |object| time_s(object.acked_ns))?;
    Ok(dict)
}

fn files_dict<'py>(py: Python<'py>, table: &Table<File>) -> PyResult<Bound<'py, PyDict>> {
    let dict = table.dict(py)?;
    table.whole(&dict, "bytes", |file| file.bytes)?;
    table.real(&dict, "started_s", |file| to_s(file.started_ns))?;
    table.real(&dict, "acked_s", |file| time_s(file.acked_ns))?;
    Ok(dict)
}

/// Times in nanoseconds; that of an acknowledgement that never came is the largest.
fn messages_dict(py: Python<'_>, messages: Messages) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("source", PyArray1::from_vec(py, messages.source))?;
    dict.set_item("from", PyArray1::from_vec(py, messages.from))?;
    dict.set_item("to", PyArray1::from_vec(py, messages.to))?;
    dict.set_item("bytes", PyArray1::from_vec(py, messages.bytes))?;
    dict.set_item("started_ns", PyArray1::from_vec(py, messages.started_ns))?;
    dict.set_item("acked_ns", PyArray1::from_vec(py, messages.acked_ns))?;
    Ok(dict)
}

fn calls_dict<'py>(py: Python<'py>, table: &Table<Call>) -> PyResult<Bound<'py, PyDict>> {
    let dict = table.dict(py)?;
    table.whole(&dict, "number", |call| call.number)?;
    table.whole(&dict, "blocked", |call| call.blocked.into())?;
    table.real(&dict, "started_s", |call| to_s(call.started_ns))?;
    table.real(&dict, "ended_s", |call| to_s(call.ended_ns))?;
    table.whole(&dict, "sent_pkts", |call| call.sent_pkts)?;
    table.whole(&dict, "received_pkts", |call| call.received_pkts)?;
    table.real(&dict, "mean_delay_s", |call| number(call.mean_delay_s))?;
    table.real(&dict, "max_delay_s", |call| number(call.max_delay_s))?;
    table.real(&dict, "jitter_s", |call| number(call.jitter_s))?;
    Ok(dict)
}
