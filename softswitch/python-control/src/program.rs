// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The loaded program as dictionaries.

use std::collections::HashMap;
use std::fmt::{self, Formatter};

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quench_dataplane::control::{
    ActionInfo, ArrayInfo, ControlError, DigestInfo, ErrorCode, FieldInfo, FilterInfo,
    KeyFieldInfo, ProfileInfo, ProgramInfo, RegisterInfo, TableInfo, ValueSetInfo,
};

use quench_dataplane::switch::{Reached, SharedProgram, TableReached};
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::convert::Py_;
use crate::errors::data_plane_error;

/// A program that is read and checked once, and may be loaded into several switches.
#[pyclass(name = "Program", module = "quench_switch._native", frozen)]
pub struct PyProgram {
    pub shared: Mutex<SharedProgram>,
    info: ProgramInfo,
    headers: Vec<HeaderType>,
}

/// Parts of the JSON that only the control plane reads: a field's width is a number, or `"*"`.
#[derive(Deserialize)]
struct Headers {
    #[serde(default)]
    header_types: Vec<HeaderType>,
}

#[derive(Deserialize)]
struct HeaderType {
    #[serde(default)]
    fields: Vec<HeaderField>,
}

/// A name, a width, and what may follow. `serde`'s untagged enums would keep all of that until they know the variant.
struct HeaderField {
    name: String,
    /// None where it varies.
    bits: Option<u32>,
}

impl<'de> Deserialize<'de> for HeaderField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FieldParts)
    }
}

struct FieldParts;

impl<'de> Visitor<'de> for FieldParts {
    type Value = HeaderField;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name and width")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<HeaderField, A::Error> {
        let missing = |parts| de::Error::invalid_length(parts, &FieldParts);
        let name = parts.next_element()?.ok_or_else(|| missing(0))?;
        let Width(bits) = parts.next_element()?.ok_or_else(|| missing(1))?;
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(HeaderField { name, bits })
    }
}

struct Width(Option<u32>);

impl<'de> Deserialize<'de> for Width {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WidthParts)
    }
}

struct WidthParts;

impl Visitor<'_> for WidthParts {
    type Value = Width;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bits, or \"*\"")
    }

    fn visit_u64<E: de::Error>(self, bits: u64) -> Result<Width, E> {
        let invalid = |_| E::invalid_value(de::Unexpected::Unsigned(bits), &self);
        Ok(Width(Some(u32::try_from(bits).map_err(invalid)?)))
    }

    fn visit_str<E>(self, _: &str) -> Result<Width, E> {
        Ok(Width(None))
    }
}

/// Refuses BMv2 JSON that is larger than any program may be.
#[pyfunction]
pub fn check_program_size(json: &str) -> PyResult<()> {
    SharedProgram::check_size(json).map_err(data_plane_error)
}

impl HeaderType {
    fn widths(&self) -> Vec<(&str, u32)> {
        let known = self.fields.iter();
        let known = known.filter_map(|field| Some((field.name.as_str(), field.bits?)));
        known.collect()
    }
}

#[pymethods]
impl PyProgram {
    /// Takes long for a large program: the interpreter is left to others, and no switch is held.
    #[new]
    #[pyo3(signature = (json, *, interpreted = false, recorded = false, entries = None))]
    fn new(
        py: Python<'_>,
        json: &str,
        interpreted: bool,
        recorded: bool,
        entries: Option<HashMap<String, Option<u64>>>,
    ) -> PyResult<Self> {
        let read = || {
            let mut shared = match recorded {
                true => SharedProgram::recorded(json)?,
                false => SharedProgram::interpreted(json)?,
            };
            if let Some(tables) = &entries {
                shared.set_entries(tables);
            }
            if !recorded && !interpreted {
                shared = shared.compiled();
            }
            let headers: Headers = serde_json::from_str(json).map_err(|error| {
                ControlError::new(ErrorCode::InvalidArgument, error.to_string())
            })?;
            Ok(Self {
                info: shared.info().clone(),
                shared: Mutex::new(shared),
                headers: headers.header_types,
            })
        };
        py.detach(read).map_err(data_plane_error)
    }

    fn info<'py>(&self, py: Python<'py>) -> Dict<'py> {
        program_dict(py, &self.info)
    }

    /// Counts of the parts that packets reached, in the order of the JSON; `None` where they are not recorded.
    fn reached<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let reached = py.detach(|| self.shared.lock().reached());
        reached
            .map(|reached| reached_dict(py, &reached))
            .transpose()
    }

    /// The fields of fixed width of each header type: name and bits.
    fn header_types(&self) -> Vec<Vec<(&str, u32)>> {
        self.headers.iter().map(HeaderType::widths).collect()
    }
}

type Dict<'py> = PyResult<Bound<'py, PyDict>>;

fn reached_dict<'py>(py: Python<'py>, reached: &Reached) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("states", &reached.states)?;
    for (name, conditions) in &reached.pipelines {
        dict.set_item(name, conditions)?;
    }
    let table = |py, table: &TableReached| {
        let dict = PyDict::new(py);
        dict.set_item("entries", &table.entries)?;
        dict.set_item("misses", table.misses)?;
        dict.set_item("actions", &table.actions)?;
        Ok(dict)
    };
    dict.set_item("tables", list(py, &reached.tables, table)?)?;
    Ok(dict)
}

pub fn program_dict<'py>(py: Python<'py>, program: &ProgramInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("tables", list(py, &program.tables, table)?)?;
    dict.set_item("actions", list(py, &program.actions, action)?)?;
    dict.set_item("registers", list(py, &program.registers, register)?)?;
    dict.set_item("counters", list(py, &program.counters, array)?)?;
    dict.set_item("meters", list(py, &program.meters, array)?)?;
    dict.set_item("filters", list(py, &program.filters, filter)?)?;
    dict.set_item("profiles", list(py, &program.profiles, profile)?)?;
    dict.set_item("value_sets", list(py, &program.value_sets, value_set)?)?;
    dict.set_item("digests", list(py, &program.digests, digest)?)?;
    dict.set_item("errors", &program.errors)?;
    dict.set_item("enums", &program.enums)?;
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
    dict.set_item("action_ids", &info.action_ids)?;
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

fn filter<'py>(py: Python<'py>, info: &FilterInfo) -> Dict<'py> {
    let dict = PyDict::new(py);
    dict.set_item("name", &info.name)?;
    dict.set_item("kind", info.kind)?;
    dict.set_item("size", info.size)?;
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
