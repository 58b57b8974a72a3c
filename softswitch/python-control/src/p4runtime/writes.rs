// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `KeyForm`, `Updates` and `Forms`: the updates of P4Runtime's `Write` of which there may be very many.

use super::pipeline::{forms, key_form, malformed, refusal};
use crate::control::batch::PyBatch;
use crate::control::{counter_value, PyControl};
use crate::convert::{self, key_list, rates, Key, PyRates, Py_};
use crate::errors::data_plane_error;
use crate::number::Num;
use prost::Message;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use quench_dataplane::control::{ControlError, ControlResult};
use quench_p4runtime::actions::ProfileForm;
use quench_p4runtime::entries::{self, Direct, Server, Staged};
use quench_p4runtime::keys;
use quench_p4runtime::messages::{FieldMatch, Group, TableAction, TableEntry};
use quench_p4runtime::updates::{split, Given, Item};

/// The match fields of a table or value set, as P4Info has them.
#[pyclass(module = "quench_switch._native", frozen)]
pub struct KeyForm(keys::KeyForm);

#[pymethods]
impl KeyForm {
    #[new]
    fn new(what: String, fields: Bound<'_, PyAny>) -> PyResult<Self> {
        key_form(what, &fields).map(Self)
    }

    fn decode<'py>(
        &self,
        py: Python<'py>,
        matches: Vec<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyList>> {
        let matches = matches.iter().map(|bytes| FieldMatch::decode(&**bytes));
        let matches: Vec<_> = matches.collect::<Result<_, _>>().map_err(malformed)?;
        let key = self.0.decode(&matches).map_err(data_plane_error)?;
        key_list(py, &key)
    }

    /// The `FieldMatch` messages of a key.
    fn encode<'py>(&self, py: Python<'py>, key: Key) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let matches = self
            .0
            .encode(&convert::key(key))
            .map_err(data_plane_error)?;
        let matches = matches.iter();
        Ok(matches
            .map(|each| PyBytes::new(py, &each.encode_to_vec()))
            .collect())
    }

    fn entry_key<'py>(&self, py: Python<'py>, entry: &[u8]) -> PyResult<(Bound<'py, PyList>, i32)> {
        let entry = TableEntry::decode(entry).map_err(malformed)?;
        let (key, priority) = self.0.entry_key(&entry).map_err(data_plane_error)?;
        Ok((key_list(py, &key)?, priority))
    }
}

/// The updates of a `WriteRequest`.
#[pyclass(module = "quench_switch._native")]
pub struct Updates {
    header: Vec<u8>,
    updates: quench_p4runtime::updates::Updates,
}

#[pymethods]
impl Updates {
    /// With more than `most` updates there is their number alone.
    #[new]
    fn new(request: &[u8], most: usize) -> PyResult<Self> {
        let (header, updates) = split(request, most).map_err(malformed)?;
        Ok(Self { header, updates })
    }

    fn __len__(&self) -> usize {
        self.updates.count
    }

    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.header)
    }

    /// Puts one of the others in its place once more.
    fn put(&mut self, place: usize, update: &[u8]) -> PyResult<()> {
        let items = &mut self.updates.items;
        let item = items.get_mut(place);
        *item.ok_or_else(|| PyValueError::new_err("there is no such place"))? = Item::of(update);
        Ok(())
    }

    /// The places and the bytes of those that `Forms` does not take.
    fn others<'py>(&self, py: Python<'py>) -> Vec<(usize, Bound<'py, PyBytes>)> {
        let items = self.updates.items.iter().enumerate();
        let others = items.filter_map(|(place, item)| match &item.update {
            Given::Other(bytes) => Some((place, PyBytes::new(py, bytes))),
            Given::Decoded(_) => None,
        });
        others.collect()
    }
}

/// The server's part in an update.
struct PyServer<'a> {
    direct: &'a Py<PyAny>,
    may_write: Option<Py<PyAny>>,
}

impl Server for PyServer<'_> {
    fn may_write(&self, kind: &'static str, table: u32, object: u32) -> ControlResult<()> {
        let Some(may_write) = &self.may_write else {
            return Ok(());
        };
        Python::attach(|py| match may_write.call1(py, (kind, table, object)) {
            Ok(_) => Ok(()),
            Err(error) => Err(refusal(py, error)),
        })
    }

    fn direct(&self, entry: &[u8]) -> ControlResult<Direct> {
        type Given = (Option<(Num<u64>, Num<u64>)>, Option<PyRates>);
        Python::attach(|py| {
            let given = self.direct.call1(py, (PyBytes::new(py, entry),));
            let given = given.and_then(|given| given.extract::<Given>(py));
            let (counter, meter) = given.map_err(|error| refusal(py, error))?;
            Ok(Direct {
                counter: counter.map(|(packets, bytes)| counter_value(packets, bytes)),
                rates: meter.map(rates),
            })
        })
    }
}

/// The part of a pipeline config that is about entries and members.
#[pyclass(module = "quench_switch._native", frozen)]
pub struct Forms {
    pub(super) forms: entries::Forms,
    direct: Py<PyAny>,
}

type Refused = (usize, Py<PyAny>);

fn raised(py: Python<'_>, error: ControlError) -> Py<PyAny> {
    data_plane_error(error).into_value(py).into_any()
}

impl Forms {
    pub(super) fn profile(&self, id: u32) -> PyResult<&ProfileForm> {
        let profile = self.forms.profiles.get(&id);
        let profile = profile.ok_or_else(|| PyValueError::new_err("no profile has this id"))?;
        Ok(profile)
    }

    fn server(&self, may_write: Option<Py<PyAny>>) -> PyServer<'_> {
        PyServer {
            direct: &self.direct,
            may_write,
        }
    }

    /// Stages updates until one is not decoded, or is refused if that is to `end` it.
    fn staged(&self, server: &PyServer<'_>, items: &[Item], ends: bool) -> Vec<Staged> {
        let mut staged = Vec::new();
        for item in items {
            let Given::Decoded(update) = &item.update else {
                break;
            };
            let each = self.forms.stage(server, update, item.size_bytes);
            let is_refused = each.1.is_err();
            staged.push(each);
            if is_refused && ends {
                break;
            }
        }
        staged
    }
}

/// The classes of this module, for a data plane of the same native module.
#[pymethods]
impl PyControl {
    fn forms(
        &self,
        pipeline: Bound<'_, PyAny>,
        direct: Py<PyAny>,
        metadata_bytes: usize,
        state_factor: usize,
        state_bytes: usize,
    ) -> PyResult<Forms> {
        let limits = (metadata_bytes, state_factor, state_bytes);
        let forms = self::forms(&pipeline, limits)?;
        Ok(Forms { forms, direct })
    }

    fn updates(&self, given: Vec<PyBackedBytes>) -> Updates {
        let mut updates = quench_p4runtime::updates::Updates::default();
        given.iter().for_each(|bytes| updates.push(bytes));
        let header = Vec::new();
        Updates { header, updates }
    }
}

#[pymethods]
impl Forms {
    /// The server, which has this, is reached by its method.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.direct)
    }

    /// The place behind the last one that was looked at, the number of changes of the batch after each update, and the
    /// refusal of the next one, if it was refused.
    #[pyo3(signature = (batch, updates, first, may_write))]
    fn stage(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyBatch>,
        updates: &Updates,
        first: usize,
        may_write: Option<Py<PyAny>>,
    ) -> (Vec<usize>, Option<Py<PyAny>>) {
        let server = self.server(may_write);
        let items = &updates.updates.items[first..];
        let staged = py.detach(|| self.staged(&server, items, true));
        let mut ends = Vec::new();
        for (changes, result) in staged {
            let end = batch.get().add(changes);
            match result {
                Ok(()) => ends.push(end),
                Err(error) => return (ends, Some(raised(py, error))),
            }
        }
        (ends, None)
    }

    /// Applies updates one after the other, each of which may be refused on its own: up to which place, and the
    /// refusals.
    #[pyo3(signature = (control, updates, first, end, may_write))]
    fn apply(
        &self,
        py: Python<'_>,
        control: &Bound<'_, PyControl>,
        updates: &Updates,
        first: usize,
        end: usize,
        may_write: Option<Py<PyAny>>,
    ) -> PyResult<(usize, Vec<Refused>)> {
        let server = self.server(may_write);
        let items = &updates.updates.items[first..end];
        let target = control.get().target();
        target.ready()?;
        let results = py.detach(|| {
            let staged = self.staged(&server, items, false);
            let mut planner = None;
            target.inspect(&mut |switch, _| planner = Some(switch.planner()));
            let planner = planner.expect("a target calls the closure");
            // They are made and freed while packets pass.
            let plans = staged.into_iter();
            let plans = plans.map(|(changes, result)| (planner.plan(changes), result));
            let mut plans: Vec<_> = plans.collect();
            let mut results = Vec::with_capacity(plans.len());
            target.control(&mut |switch, now_ns| {
                results.extend(plans.iter_mut().map(|(plan, result)| {
                    // One that is refused may be refused for what comes before the reason, too.
                    let applied = switch.carry_out(plan, now_ns, result.is_ok());
                    let result = std::mem::replace(result, Ok(()));
                    applied.map_err(|refused| refused.error).and(result)
                }));
            });
            results
        });
        let next = first + results.len();
        let places = (first..).zip(results);
        let refused = places.filter_map(|(place, result)| Some((place, raised(py, result.err()?))));
        Ok((next, refused.collect()))
    }

    /// The action of a table's entry, as the data plane takes it.
    fn table_action<'py>(
        &self,
        py: Python<'py>,
        table: u32,
        action: &[u8],
        is_default: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let action = TableAction::decode(action).map_err(malformed)?;
        let table = self.forms.table(table).map_err(data_plane_error)?;
        let action = table
            .action(Some(&action), is_default)
            .map_err(data_plane_error)?;
        Ok(Py_(&action).into_pyobject(py)?.into_any())
    }

    /// The members of a group of a profile: id, weight and watched port.
    fn group_members(&self, group: &[u8]) -> PyResult<Vec<(u32, u32, Option<u32>)>> {
        let group = Group::decode(group).map_err(malformed)?;
        let profile = self.profile(group.profile_id)?;
        let members = profile.group(&group).map_err(data_plane_error)?;
        let members = members.into_iter();
        Ok(members
            .map(|each| (each.member, each.weight, each.watch_port))
            .collect())
    }
}
