// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Simulation`: a network in virtual time, with control of its routers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use quench_dataplane::control::ErrorCode;
use quench_dataplane::switch::Switch;
use quench_python_control::control::PyControl;
use quench_python_control::errors::refused;
use quench_python_control::number::Num;
use quench_python_control::target::Target;
use quench_simulator::cc::Algorithm;
use quench_simulator::packet::{Carrier, IpVersion};
use quench_simulator::time::Ns;
use quench_simulator::{stacks, traffic, Controller, Error, Scenario, Simulation};

use crate::json_value::to_python;
use crate::results::results_dict;

/// The simulated time that passes before a signal, such as that of Ctrl-C, comes to its handler.
const SLICE_NS: Ns = 100_000_000;

/// A network, and whether it runs: it is locked for its run, in which Python functions are called.
struct Shared {
    network: Mutex<Simulation>,
    /// Held by whoever changes tables of routers.
    turn: Mutex<()>,
    running: AtomicBool,
}

impl Shared {
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

/// Says when a run is over, however it ends.
struct Run<'a>(&'a AtomicBool);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The window algorithms by name, and whether source quenches reach each.
#[pyfunction]
pub fn host_algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);

    for name in Algorithm::names() {
        let algorithm = Algorithm::find(name).ok_or_else(|| PyRuntimeError::new_err(name))?;
        found.set_item(name, algorithm.obeys_quench())?;
    }
    Ok(found)
}

/// Checks one of a scenario's stacks.
#[pyfunction]
pub fn check_stack(json: &str) -> PyResult<()> {
    stacks::check(json).map_err(placed)
}

/// The version of the IP packets of one of a scenario's stacks.
#[pyfunction]
pub fn stack_ip_version(json: &str) -> PyResult<u8> {
    let transport = stacks::from_json(json).map_err(placed)?;
    Ok(match transport.carrier() {
        Carrier::Roce(IpVersion::V6) => 6,
        Carrier::Roce(IpVersion::V4) | Carrier::Tcp | Carrier::Own(_) => 4,
    })
}

/// Checks one of a scenario's sources, all but its names of hosts and stacks.
#[pyfunction]
pub fn check_source(json: &str) -> PyResult<()> {
    traffic::check_source(json).map_err(placed)
}

fn placed(error: Error) -> PyErr {
    PyValueError::new_err((error.place, error.problem))
}

fn running() -> PyErr {
    PyRuntimeError::new_err(
        "the simulation is running: use it and its routers when run_until has returned, \
         not in the controller that it calls",
    )
}

/// A router of a simulation.
struct Router {
    shared: Arc<Shared>,
    /// It has one of this name.
    name: String,
}

impl Router {
    fn with<R>(&self, work: impl FnOnce(&mut Switch, Ns) -> R) -> R {
        let mut network = self.shared.network.lock();
        let now_ns = network.now_ns();
        let switch = network.router_mut(&self.name);
        work(switch.expect("routers stay what they are"), now_ns)
    }
}

impl Target for Router {
    fn ready(&self) -> PyResult<()> {
        self.shared.check_idle()
    }

    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send)) {
        self.with(|switch, now_ns| look(switch, now_ns));
    }

    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send)) {
        self.with(|switch, now_ns| change(switch, now_ns));
    }

    fn turn(&self) -> &Mutex<()> {
        &self.shared.turn
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

#[pyclass(name = "Simulation", module = "quench_simulator._native", frozen)]
pub struct PySimulation {
    shared: Arc<Shared>,
}

fn invalid(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl PySimulation {
    #[new]
    #[pyo3(signature = (scenario_json, program_json, threads = Num(1u32)))]
    fn new(
        py: Python<'_>,
        scenario_json: &str,
        program_json: &str,
        threads: Num<u32>,
    ) -> PyResult<Self> {
        let network = py.detach(|| {
            let scenario = Scenario::from_json(scenario_json)?;
            let mut network = Simulation::new(scenario, program_json)?;
            network.set_threads(threads.0 as usize)?;
            Ok(network)
        });
        let shared = Shared {
            network: Mutex::new(network.map_err(invalid)?),
            turn: Mutex::new(()),
            running: AtomicBool::new(false),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    fn router(&self, py: Python<'_>, name: String) -> PyResult<PyControl> {
        self.shared.check_idle()?;
        let shared = Arc::clone(&self.shared);
        let known = py.detach(|| shared.network.lock().router_mut(&name).is_some());
        if !known {
            let message = format!("there is no router {name:?}");
            return Err(refused(ErrorCode::NotFound, message));
        }
        Ok(PyControl::new(Arc::new(Router { shared, name })))
    }

    #[getter]
    fn cells(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.check_idle()?;
        Ok(py.detach(|| self.shared.network.lock().cells()))
    }

    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<Ns> {
        self.shared.check_idle()?;
        Ok(py.detach(|| self.shared.network.lock().now_ns()))
    }

    #[getter]
    fn duration_ns(&self, py: Python<'_>) -> PyResult<Ns> {
        self.shared.check_idle()?;
        Ok(py.detach(|| self.shared.network.lock().duration_ns()))
    }

    fn run_until(&self, py: Python<'_>, until_ns: Num<u64>, controller: Py<PyAny>) -> PyResult<()> {
        let _run = self.shared.begin()?;
        let mut callback = Callback {
            function: controller,
            raised: None,
        };
        loop {
            let done = py.detach(|| {
                let mut network = self.shared.network.lock();
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

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shared.check_idle()?;
        let snapshot = py.detach(|| self.shared.network.lock().snapshot());
        to_python(py, &snapshot)
    }

    fn forget_records(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.check_idle()?;
        py.detach(|| self.shared.network.lock().forget_records());
        Ok(())
    }

    fn set_rate(&self, py: Python<'_>, direction: &str, rate_bps: f64) -> PyResult<()> {
        self.shared.check_idle()?;
        let set = py.detach(|| self.shared.network.lock().set_rate(direction, rate_bps));
        set.map_err(invalid)
    }

    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.check_idle()?;
        let results = py.detach(|| self.shared.network.lock().results());
        results_dict(py, results)
    }
}
