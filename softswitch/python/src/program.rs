// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What is loaded, as dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quench_dataplane::control::{
    ActionInfo, ArrayInfo, DigestInfo, FieldInfo, KeyFieldInfo, ProfileInfo, ProgramInfo,
    RegisterInfo, TableInfo, ValueSetInfo,
};

use crate::convert::Py_;

type Dict<'py> = PyResult<Bound<'py, PyDict>>;

pub fn program_dict<'py>(py: Python<'py>, program: &ProgramInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("tables", list(py, &program.tables, table)?)?;
    dict.set_item("actions", list(py, &program.actions, action)?)?;
    dict.set_item("registers", list(py, &program.registers, register)?)?;
    dict.set_item("counters", list(py, &program.counters, array)?)?;
    dict.set_item("meters", list(py, &program.meters, array)?)?;
    dict.set_item("profiles", list(py, &program.profiles, profile)?)?;
    dict.set_item("value_sets", list(py, &program.value_sets, value_set)?)?;
    dict.set_item("digests", list(py, &program.digests, digest)?)?;
    Ok(dict)
}

fn list<'py, T>(
    py: Python<'py>,
    items: &[T],
    dict: impl Fn(Python<'py>, &T) -> Dict<'py>,
) -> PyResult<Bound<'py, PyList>> {
    let dicts: PyResult<Vec<_>> = items.iter().map(|item| dict(py, item)).collect();
    PyList::new(py, dicts?)
}

fn table<'py>(py: Python<'py>, info: &TableInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("id", info.id)?;
    dict.set_item("key", list(py, &info.key, key_field)?)?;
    dict.set_item("actions", &info.actions)?;
    dict.set_item("default_action", info.default_action.as_ref().map(Py_))?;
    dict.set_item("const_default_action", info.const_default_action)?;
    dict.set_item("size", info.size)?;
    dict.set_item("direct_counter", info.direct_counter)?;
    dict.set_item("direct_meter", &info.direct_meter)?;
    dict.set_item("profile", &info.profile)?;
    dict.set_item("const_entries", info.const_entries)?;
    dict.set_item("support_timeout", info.support_timeout)?;
    Ok(dict)
}

fn key_field<'py>(py: Python<'py>, info: &KeyFieldInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("match", info.kind.as_str())?;
    dict.set_item("bits", info.bits)?;
    Ok(dict)
}

fn field<'py>(py: Python<'py>, info: &FieldInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("bits", info.bits)?;
    Ok(dict)
}

fn action<'py>(py: Python<'py>, info: &ActionInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("id", info.id)?;
    dict.set_item("params", list(py, &info.params, field)?)?;
    Ok(dict)
}

fn register<'py>(py: Python<'py>, info: &RegisterInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("size", info.size)?;
    dict.set_item("bits", info.bits)?;
    Ok(dict)
}

fn array<'py>(py: Python<'py>, info: &ArrayInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("size", info.size)?;
    dict.set_item("unit", info.unit.as_str())?;
    dict.set_item("direct_table", &info.direct_table)?;
    Ok(dict)
}

fn profile<'py>(py: Python<'py>, info: &ProfileInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("size", info.size)?;
    dict.set_item("selector", info.selector)?;
    Ok(dict)
}

fn value_set<'py>(py: Python<'py>, info: &ValueSetInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("size", info.size)?;
    dict.set_item("key_bits", &info.key_bits)?;
    Ok(dict)
}

fn digest<'py>(py: Python<'py>, info: &DigestInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("id", info.id)?;
    dict.set_item("name", &info.name)?;
    dict.set_item("fields", list(py, &info.fields, field)?)?;
    Ok(dict)
}
