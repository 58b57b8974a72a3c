// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Python module `quench_simulator._native`; `quench_simulator/_native.pyi` documents it.
//!
//! In: calls from Python. Out: calls of the simulator, and its results as Python values. Begin with `simulation.rs`; of
//! the switch's `python-control` are the calls for a router.

#![forbid(unsafe_code)]

mod json_value;
mod results;
mod simulation;

use pyo3::prelude::*;
use quench_python_control::{install_logger, register};

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    install_logger(module.py(), &[])?;
    register(module)?;
    module.add("MAX_THREADS", quench_simulator::MAX_THREADS)?;
    module.add(
        "HOST_IPV6_PREFIX",
        quench_simulator::packet::roce::IPV6_PREFIX,
    )?;
    module.add_class::<simulation::PySimulation>()?;
    module.add_function(wrap_pyfunction!(simulation::host_algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::check_stack, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::stack_ip_version, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::check_source, module)?)?;
    Ok(())
}
