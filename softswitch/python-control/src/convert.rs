// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values of the control interface as Python tuples and dictionaries.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyTuple};
use quench_dataplane::control::{
    ActionCall, ColorCounts, CounterValue, Entry, ErrorCode, Group, GroupMember, MatchField,
    MeterRates, OneShotMember, OneShotSet, Replica, TableAction,
};

use crate::errors::refused;
use crate::number::Num;

/// A value of the data plane that Python code passes or receives.
pub struct Py_<T>(pub T);

type Object<'py> = Bound<'py, PyAny>;

fn bytes<'py>(py: Python<'py>, value: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, value)
}

/// The tag of a tagged tuple, such as `"exact"` of `("exact", value)`.
fn tag(tuple: &Bound<'_, PyTuple>) -> PyResult<String> {
    tuple.get_item(0)?.extract()
}

fn unknown(what: &str, object: &Borrowed<'_, '_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("not a {what}: {object:?}"))
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<Vec<u8>> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.extract::<PyBackedBytes>()?.to_vec()))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<MatchField> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self(MatchField::DontCare));
        }
        let tuple = object.cast::<PyTuple>()?.to_owned();
        let value =
            |index: usize| Ok::<_, PyErr>(tuple.get_item(index)?.extract::<Py_<Vec<u8>>>()?.0);
        Ok(Self(match (tag(&tuple)?.as_str(), tuple.len()) {
            ("exact", 2) => MatchField::Exact(value(1)?),
            ("lpm", 3) => MatchField::Lpm(value(1)?, tuple.get_item(2)?.extract::<Num<u32>>()?.0),
            ("ternary", 3) => MatchField::Ternary(value(1)?, value(2)?),
            ("range", 3) => MatchField::Range(value(1)?, value(2)?),
            ("optional", 2) => MatchField::Optional(value(1)?),
            _ => return Err(unknown("match field", &object)),
        }))
    }
}

impl<'py> IntoPyObject<'py> for Py_<&MatchField> {
    type Target = PyAny;
    type Output = Object<'py>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Object<'py>> {
        let tuple = match self.0 {
            MatchField::Exact(value) => ("exact", bytes(py, value)).into_pyobject(py)?,
            MatchField::Lpm(value, len) => ("lpm", bytes(py, value), *len).into_pyobject(py)?,
            MatchField::Ternary(value, mask) => {
                ("ternary", bytes(py, value), bytes(py, mask)).into_pyobject(py)?
            }
            MatchField::Range(low, high) => {
                ("range", bytes(py, low), bytes(py, high)).into_pyobject(py)?
            }
            MatchField::Optional(value) => ("optional", bytes(py, value)).into_pyobject(py)?,
            MatchField::DontCare => return Ok(py.None().into_bound(py)),
        };
        Ok(tuple.into_any())
    }
}

/// A key or a value-set member.
pub type Key = Vec<Py_<MatchField>>;

pub fn key(fields: Key) -> Vec<MatchField> {
    fields.into_iter().map(|field| field.0).collect()
}

pub fn key_list<'py>(py: Python<'py>, fields: &[MatchField]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, fields.iter().map(Py_))
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<ActionCall> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (name, params): (String, Vec<Py_<Vec<u8>>>) = object.extract()?;
        Ok(Self(ActionCall {
            name,
            params: params.into_iter().map(|param| param.0).collect(),
        }))
    }
}

impl<'py> IntoPyObject<'py> for Py_<&ActionCall> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        (&self.0.name, params(py, self.0)?).into_pyobject(py)
    }
}

fn params<'py>(py: Python<'py>, action: &ActionCall) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, action.params.iter().map(|param| bytes(py, param)))
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<TableAction> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let tuple = object.cast::<PyTuple>()?.to_owned();
        Ok(Self(match (tag(&tuple)?.as_str(), tuple.len()) {
            ("action", 3) => {
                TableAction::Action(tuple.get_slice(1, 3).extract::<Py_<ActionCall>>()?.0)
            }
            ("member", 2) => TableAction::Member(tuple.get_item(1)?.extract::<Num<u32>>()?.0),
            ("group", 2) => TableAction::Group(tuple.get_item(1)?.extract::<Num<u32>>()?.0),
            ("oneshot", 4) => {
                let members: Vec<Py_<OneShotMember>> = tuple.get_item(1)?.extract()?;
                TableAction::OneShot(OneShotSet {
                    members: members.into_iter().map(|member| member.0).collect(),
                    random: tuple.get_item(2)?.extract()?,
                    note: tuple.get_item(3)?.extract::<u8>()?,
                })
            }
            _ => return Err(unknown("table action", &object)),
        }))
    }
}

impl<'py> IntoPyObject<'py> for Py_<&TableAction> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0 {
            TableAction::Action(action) => {
                ("action", &action.name, params(py, action)?).into_pyobject(py)
            }
            TableAction::Member(member) => ("member", *member).into_pyobject(py),
            TableAction::Group(group) => ("group", *group).into_pyobject(py),
            TableAction::OneShot(set) => {
                let members: PyResult<Vec<_>> = set
                    .members
                    .iter()
                    .map(|m| {
                        (
                            &m.action.name,
                            params(py, &m.action)?,
                            m.weight,
                            m.watch_port,
                        )
                            .into_pyobject(py)
                    })
                    .collect();
                ("oneshot", members?, set.random, set.note).into_pyobject(py)
            }
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<OneShotMember> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        type Fields = (String, Vec<Py_<Vec<u8>>>, Num<u32>, Option<Num<u32>>);
        let (name, params, weight, watch_port): Fields = object.extract()?;
        let params = params.into_iter().map(|param| param.0).collect();
        let action = ActionCall { name, params };
        Ok(Self(OneShotMember {
            action,
            weight: weight.0,
            watch_port: watch_port.map(|port| port.0),
        }))
    }
}

/// (member id, weight, watch port or None).
pub type PyGroupMember = (Num<u32>, Num<u32>, Option<Num<u32>>);

pub fn group(id: u32, members: Vec<PyGroupMember>, max_size: u32) -> Group {
    let members = members
        .into_iter()
        .map(|(member, weight, watch_port)| GroupMember {
            member: member.0,
            weight: weight.0,
            watch_port: watch_port.map(|port| port.0),
        })
        .collect();
    Group {
        id,
        members,
        max_size,
    }
}

/// (group id, members, max size).
pub type GroupTuple = (u32, Vec<(u32, u32, Option<u32>)>, u32);

pub fn group_tuple(group: Group) -> GroupTuple {
    let members = group
        .members
        .iter()
        .map(|m| (m.member, m.weight, m.watch_port))
        .collect();
    (group.id, members, group.max_size)
}

/// A rate of a meter per second: whole, or a `float` with a fraction.
#[derive(Clone, Copy)]
pub struct Rate {
    whole: u64,
    billionths: u32,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Rate {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let Ok(float) = object.cast::<PyFloat>() else {
            return object.extract::<Num<u64>>().map(|Num(whole)| Self {
                whole,
                billionths: 0,
            });
        };
        let rate = float.value();
        let billionths = (rate.fract() * 1e9).round();
        // A float of 2^53 and more is whole.
        if !(0.0..=u64::MAX as f64).contains(&rate) || (rate > 0.0 && rate < 5e-10) {
            let message = format!("a meter's rate of {rate} is neither 0 nor from 1e-9 to 1.8e19");
            return Err(refused(ErrorCode::OutOfRange, message));
        }
        let (carry, billionths) = match billionths {
            1e9 => (1, 0),
            part => (0, part as u32),
        };
        Ok(Self {
            whole: (rate.trunc() as u64).saturating_add(carry),
            billionths,
        })
    }
}

impl<'py> IntoPyObject<'py> for Rate {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.billionths {
            0 => Ok(self.whole.into_pyobject(py)?.into_any()),
            part => {
                let rate = self.whole as f64 + f64::from(part) / 1e9;
                Ok(PyFloat::new(py, rate).into_any())
            }
        }
    }
}

/// (cir, cburst, pir, pburst, eburst).
pub type PyRates = (Rate, Num<u64>, Rate, Num<u64>, Num<u64>);

pub fn rates((cir, cburst, pir, pburst, eburst): PyRates) -> MeterRates {
    MeterRates {
        cir: cir.whole,
        cir_billionths: cir.billionths,
        cburst: cburst.0,
        pir: pir.whole,
        pir_billionths: pir.billionths,
        pburst: pburst.0,
        eburst: eburst.0,
    }
}

pub type RatesTuple = (Rate, u64, Rate, u64, u64);

pub fn rates_tuple(rates: MeterRates) -> RatesTuple {
    let committed = Rate {
        whole: rates.cir,
        billionths: rates.cir_billionths,
    };
    let peak = Rate {
        whole: rates.pir,
        billionths: rates.pir_billionths,
    };
    (committed, rates.cburst, peak, rates.pburst, rates.eburst)
}

/// (packets, bytes) of green, yellow and red.
pub type ColorsTuple = [(u64, u64); 3];

pub fn colors_tuple(counts: ColorCounts) -> ColorsTuple {
    counts.map(counter_tuple)
}

pub fn counter_tuple(value: CounterValue) -> (u64, u64) {
    (value.packets, value.bytes)
}

pub fn replicas(pairs: Vec<(Num<u32>, Num<u16>)>) -> Vec<Replica> {
    pairs
        .into_iter()
        .map(|(port, rid)| Replica {
            port: port.0,
            rid: rid.0,
        })
        .collect()
}

pub fn replica_tuples(replicas: &[Replica]) -> Vec<(u32, u16)> {
    replicas
        .iter()
        .map(|replica| (replica.port, replica.rid))
        .collect()
}

pub fn entry_dict<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("key", key_list(py, &entry.key)?)?;
    dict.set_item("priority", entry.priority)?;
    dict.set_item("action", Py_(&entry.action))?;
    dict.set_item("is_const", entry.is_const)?;
    dict.set_item("metadata", bytes(py, &entry.metadata))?;
    dict.set_item("idle_timeout_ns", entry.idle_timeout_ns)?;
    dict.set_item("since_hit_ns", entry.since_hit_ns)?;
    dict.set_item("counter", entry.counter.map(counter_tuple))?;
    dict.set_item("meter", entry.meter.map(rates_tuple))?;
    dict.set_item("colors", entry.color_counts.map(colors_tuple))?;
    Ok(dict)
}

pub fn bytes_list<'py>(py: Python<'py>, values: &[Vec<u8>]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, values.iter().map(|value| bytes(py, value)))
}
