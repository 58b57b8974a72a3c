// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Simulation`: a network in virtual time, with control of its routers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use quench_dataplane::control::{Control, ErrorCode};
use quench_dataplane::switch::Switch;
use quench_netsim::time::Ns;
use quench_netsim::{Controller, Error, Scenario, Simulation};

use crate::control::PyControl;
use crate::errors::refused;
use crate::number::Num;
use crate::simulation_results::results_dict;
use crate::target::Target;

/// How much simulated time passes before a signal, such as that of Ctrl-C, comes to its handler.
const SLICE_NS: Ns = 100_000_000;

/// A router of a simulation.
struct Router {
    network: Arc<Mutex<Simulation>>,
    /// It has one of this name.
    name: String,
}

impl Router {
    fn with<R>(&self, work: impl FnOnce(&mut Switch, Ns) -> R) -> R {
        let mut network = self.network.lock();
        let now_ns = network.now_ns();
        let switch = network.router_mut(&self.name);
        work(switch.expect("routers stay what they are"), now_ns)
    }
}

impl Target for Router {
    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send)) {
        self.with(|switch, now_ns| look(switch, now_ns));
    }

    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send)) {
        self.with(|switch, now_ns| change(switch, now_ns));
    }

    fn stats(&self) -> Vec<(&'static str, u64)> {
        self.with(|switch, _| switch.stats())
    }
}

/// Passes packet-ins on to a Python function. After it has raised, nothing is passed on.
struct Callback {
    function: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Callback {
    fn call(&self, router: usize, now: Ns, bytes: &[u8]) -> PyResult<Option<Vec<u8>>> {
        Python::attach(|py| {
            let packet = PyBytes::new(py, bytes);
            let answer = self.function.call1(py, (router, now, packet))?;
            answer.extract(py)
        })
    }
}

impl Controller for Callback {
    fn packet_in(&mut self, router: usize, now: Ns, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.raised.is_some() {
            return None;
        }
        self.call(router, now, bytes).unwrap_or_else(|error| {
            self.raised = Some(error);
            None
        })
    }
}

#[pyclass(name = "Simulation", module = "quench_switch._native", frozen)]
pub struct PySimulation {
    network: Arc<Mutex<Simulation>>,
    running: AtomicBool,
}

/// Says when a run is over, however it ends.
struct Run<'a>(&'a AtomicBool);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl PySimulation {
    /// Refuses what the function that answers packet-ins may not do: it would wait for the run to end.
    fn check_idle(&self) -> PyResult<()> {
        if self.running.load(Ordering::Acquire) {
            return Err(running());
        }
        Ok(())
    }

    fn begin(&self) -> PyResult<Run<'_>> {
        if self.running.swap(true, Ordering::AcqRel) {
            return Err(running());
        }
        Ok(Run(&self.running))
    }
}

fn running() -> PyErr {
    PyRuntimeError::new_err("the simulation is running")
}

fn invalid(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl PySimulation {
    #[new]
    fn new(py: Python<'_>, scenario_json: &str, program_json: &str) -> PyResult<Self> {
        let network = py.detach(|| {
            let scenario = Scenario::from_json(scenario_json)?;
            Simulation::new(scenario, program_json)
        });
        Ok(Self {
            network: Arc::new(Mutex::new(network.map_err(invalid)?)),
            running: AtomicBool::new(false),
        })
    }

    fn router(&self, py: Python<'_>, name: String) -> PyResult<PyControl> {
        self.check_idle()?;
        let network = Arc::clone(&self.network);
        let known = py.detach(|| network.lock().router_mut(&name).is_some());
        if !known {
            let message = format!("there is no router {name:?}");
            return Err(refused(ErrorCode::NotFound, message));
        }
        Ok(PyControl::new(Arc::new(Router { network, name })))
    }

    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<Ns> {
        self.check_idle()?;
        Ok(py.detach(|| self.network.lock().now_ns()))
    }

    #[getter]
    fn duration_ns(&self, py: Python<'_>) -> PyResult<Ns> {
        self.check_idle()?;
        Ok(py.detach(|| self.network.lock().duration_ns()))
    }

    fn run_until(&self, py: Python<'_>, until_ns: Num<u64>, controller: Py<PyAny>) -> PyResult<()> {
        let _run = self.begin()?;
        let mut callback = Callback {
            function: controller,
            raised: None,
        };
        loop {
            let done = py.detach(|| {
                let mut network = self.network.lock();
                let end = until_ns.0.min(network.duration_ns());
                let slice_end = network.now_ns().saturating_add(SLICE_NS).min(end);
                let ran = network.run_until(slice_end, &mut callback);
                ran.map(|()| slice_end == end)
            });
            if let Some(error) = callback.raised.take() {
                return Err(error);
            }
            let done = done.map_err(invalid)?;
            py.check_signals()?;
            if done {
                return Ok(());
            }
        }
    }

    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check_idle()?;
        let results = py.detach(|| self.network.lock().results());
        results_dict(py, results)
    }
}
