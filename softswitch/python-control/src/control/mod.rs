// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Control`: the calls that all switches share.
//!
//! In: dictionaries and tuples from Python. Out: requests of the data plane's control interface. Begin with
//! `tables.rs`; `batch.rs` has the same calls for requests that happen together.

pub(crate) mod batch;
mod externs;
mod filters;
mod generator;
mod profiles;
mod replication;
mod tables;
mod tna;

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quench_dataplane::control::{Change, CounterValue, CustomCrcParams, PortOptions};

use crate::convert::Py_;
use crate::number::Num;
use crate::ports::port_dict;
use crate::program::{program_dict, PyProgram};
use crate::target::Target;

#[pyclass(name = "Control", module = "quench_switch._native", subclass, frozen)]
pub struct PyControl {
    target: Arc<dyn Target>,
}

impl PyControl {
    pub fn new(target: Arc<dyn Target>) -> Self {
        Self { target }
    }

    /// The switch that the calls are for.
    pub fn target(&self) -> &(dyn Target + 'static) {
        &*self.target
    }
}

#[pymethods]
impl PyControl {
    fn load(&self, py: Python<'_>, program: Source) -> PyResult<()> {
        match program {
            Source::Json(json) => self.target.try_change(py, |switch, now_ns| {
                switch.settle(now_ns);
                switch.load_json(&json)
            }),
            Source::Program(program) => {
                let shared = &program.get().shared;
                self.target.change(py, |switch, now_ns| {
                    switch.settle(now_ns);
                    switch.load(&shared.lock());
                })
            }
        }
    }

    /// The memory that the control plane's state takes, roughly.
    fn state_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.target.look(py, |switch, _| switch.state_bytes())
    }

    /// Refuses where the state, with what may come, would take more memory than there is for it.
    fn room_check(&self, py: Python<'_>, coming_bytes: usize, most_bytes: usize) -> PyResult<()> {
        let change = Change::RoomCheck {
            coming_bytes,
            most_bytes,
        };
        self.target.write(py, change)
    }

    fn unload(&self, py: Python<'_>) -> PyResult<()> {
        self.target.change(py, |switch, _| switch.unload())
    }

    fn program<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let program = self
            .target
            .look(py, |switch, _| switch.program().cloned())?;
        program
            .map(|program| program_dict(py, &program))
            .transpose()
    }

    /// The parameters of a calculation that is a custom CRC of so many bits.
    #[allow(clippy::too_many_arguments)]
    fn set_custom_crc(
        &self,
        py: Python<'_>,
        calculation: &str,
        width: u32,
        polynomial: Num<u64>,
        initial_remainder: Num<u64>,
        final_xor: Num<u64>,
        reflects_data: bool,
        reflects_remainder: bool,
    ) -> PyResult<()> {
        let params = CustomCrcParams {
            polynomial: polynomial.0,
            initial_remainder: initial_remainder.0,
            final_xor: final_xor.0,
            reflects_data,
            reflects_remainder,
        };
        self.target.try_change(py, |switch, _| {
            switch.set_custom_crc(calculation, width, params)
        })
    }

    fn port_set(&self, py: Python<'_>, port: Num<u32>, options: Py_<PortOptions>) -> PyResult<()> {
        self.target.try_change(py, |switch, now_ns| {
            switch.port_set(port.0, &options.0, now_ns)
        })
    }

    fn port_get<'py>(&self, py: Python<'py>, port: Num<u32>) -> PyResult<Bound<'py, PyDict>> {
        let state = self
            .target
            .try_look(py, |switch, now_ns| switch.port_get(port.0, now_ns))?;
        port_dict(py, &state)
    }

    fn port_reset_stats(&self, py: Python<'_>, port: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, now_ns| switch.port_reset_stats(port.0, now_ns))
    }

    fn ports(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.target.look(py, |switch, _| switch.ports())
    }

    fn stats(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, u64>> {
        Ok(self.target.counts(py)?.into_iter().collect())
    }
}

/// A program as a compiled object or as JSON.
#[derive(FromPyObject)]
enum Source {
    Program(Py<PyProgram>),
    Json(String),
}

pub fn counter_value(packets: Num<u64>, bytes: Num<u64>) -> CounterValue {
    CounterValue {
        packets: packets.0,
        bytes: bytes.0,
    }
}
