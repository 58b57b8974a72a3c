// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's packet generator: settings of applications as dictionaries.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use quench_dataplane::control::{GeneratorApp, GeneratorCounts, Trigger};

use super::PyControl;
use crate::convert::Py_;
use crate::number::Num;

fn trigger(value: &Bound<'_, PyAny>) -> PyResult<Trigger> {
    let tuple = value.cast::<PyTuple>()?;
    let number = |index| Ok::<_, PyErr>(tuple.get_item(index)?.extract::<Num<u32>>()?.0);
    let tag: String = tuple.get_item(0)?.extract()?;
    Ok(match (tag.as_str(), tuple.len()) {
        ("one_shot", 2) => Trigger::OneShot {
            after_ns: number(1)?,
        },
        ("periodic", 2) => Trigger::Periodic {
            every_ns: number(1)?,
        },
        ("port_down", 1) => Trigger::PortDown,
        ("recirculated", 3) => Trigger::Recirculated {
            value: number(1)?,
            mask: number(2)?,
        },
        _ => return Err(PyValueError::new_err(format!("not a trigger: {value:?}"))),
    })
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<GeneratorApp> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let dict = object.cast::<PyDict>()?;
        let needed = |name: &'static str| {
            let missing = || PyKeyError::new_err(name);
            dict.get_item(name)?.ok_or_else(missing)
        };
        let mut app = GeneratorApp {
            trigger: trigger(&needed("trigger")?)?,
            packet: needed("packet")?.extract::<Py_<Vec<u8>>>()?.0,
            batches: 1,
            packets: 1,
            batch_gap_ns: 0,
            packet_gap_ns: 0,
            source_port: 68,
            increments_port: false,
        };
        for (name, value) in dict.iter() {
            let name: String = name.extract()?;
            let number = || Ok::<_, PyErr>(value.extract::<Num<u32>>()?.0);
            match name.as_str() {
                "trigger" | "packet" => (),
                "batches" => app.batches = number()?,
                "packets" => app.packets = number()?,
                "batch_gap_ns" => app.batch_gap_ns = number()?,
                "packet_gap_ns" => app.packet_gap_ns = number()?,
                "source_port" => app.source_port = value.extract::<Num<u16>>()?.0,
                "increments_port" => app.increments_port = value.extract()?,
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "an application of the packet generator has no {name:?}"
                    )))
                }
            }
        }
        Ok(Self(app))
    }
}

fn app_dict<'py>(
    py: Python<'py>,
    app: &GeneratorApp,
    counts: GeneratorCounts,
) -> PyResult<Bound<'py, PyDict>> {
    let trigger = match app.trigger {
        Trigger::OneShot { after_ns } => ("one_shot", after_ns).into_pyobject(py)?,
        Trigger::Periodic { every_ns } => ("periodic", every_ns).into_pyobject(py)?,
        Trigger::PortDown => ("port_down",).into_pyobject(py)?,
        Trigger::Recirculated { value, mask } => ("recirculated", value, mask).into_pyobject(py)?,
    };
    let dict = PyDict::new(py);
    dict.set_item("trigger", trigger)?;
    dict.set_item("packet", PyBytes::new(py, &app.packet))?;
    dict.set_item("batches", app.batches)?;
    dict.set_item("packets", app.packets)?;
    dict.set_item("batch_gap_ns", app.batch_gap_ns)?;
    dict.set_item("packet_gap_ns", app.packet_gap_ns)?;
    dict.set_item("source_port", app.source_port)?;
    dict.set_item("increments_port", app.increments_port)?;
    dict.set_item("sent_triggers", counts.triggers)?;
    dict.set_item("sent_batches", counts.batches)?;
    dict.set_item("sent_packets", counts.packets)?;
    dict.set_item("lost_triggers", counts.lost_triggers)?;
    Ok(dict)
}

#[pymethods]
impl PyControl {
    #[pyo3(signature = (number, app))]
    fn set_generator(
        &self,
        py: Python<'_>,
        number: Num<u32>,
        app: Option<Py_<GeneratorApp>>,
    ) -> PyResult<()> {
        let app = app.map(|app| app.0);
        self.target.try_change(py, |switch, now_ns| {
            switch.set_generator(number.0 as usize, app, now_ns)
        })
    }

    fn generator<'py>(
        &self,
        py: Python<'py>,
        number: Num<u32>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let found = self
            .target
            .try_look(py, |switch, _| switch.generator(number.0 as usize))?;
        found
            .map(|(app, counts)| app_dict(py, &app, counts))
            .transpose()
    }

    fn clear_port_down(&self, py: Python<'_>, port: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.clear_port_down(port.0))
    }
}
