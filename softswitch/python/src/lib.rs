// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Python module `quench_switch._native`; `quench_switch/_native.pyi` documents it.
//!
//! No lock is ever taken while the interpreter's is held: the switch's thread may log, which needs
//! the interpreter's lock while it has its own.
//!
//! In: calls from Python. Out: calls of `switchd`, `netsim`, `dataplane` and the compiler, and their results as Python
//! values. Begin with `virtual_switch.rs`; `control` has the calls that all switches share.

#![forbid(unsafe_code)]

mod compile;
mod control;
mod convert;
mod errors;
mod grpc;
mod json_value;
mod number;
mod ports;
mod program;
mod realtime;
mod simulation;
mod simulation_results;
mod target;
mod traces;
mod virtual_switch;

use log::LevelFilter;
use pyo3::prelude::*;

/// The log targets of this module; `p4` is the program's own `log_msg`.
const LOGGERS: [&str; 8] = [
    "_native",
    "p4",
    "quench_dataplane",
    "quench_grpc",
    "quench_netsim",
    "quench_p4_bmv2",
    "quench_p4_frontend",
    "quench_switchd",
];

/// Sends messages of our own crates to Python's logging. Others may log while they have a lock, as HTTP/2's does: that
/// would take the interpreter's, against the rule above, and a stranger could cause as many messages as he wants.
fn logger(py: Python<'_>) -> PyResult<pyo3_log::Logger> {
    // Levels are asked of Python each time, so that a program may change them while running.
    let logger = pyo3_log::Logger::new(py, pyo3_log::Caching::Loggers)?.filter(LevelFilter::Off);
    let ours = LOGGERS.iter();
    Ok(ours.fold(logger, |logger, name| {
        logger.filter_target((*name).to_owned(), LevelFilter::Debug)
    }))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // A second interpreter in the process finds the logger in place.
    let _ = logger(py)?.install();
    module.add("CompileError", py.get_type::<errors::CompileError>())?;
    module.add("DataPlaneError", py.get_type::<errors::DataPlaneError>())?;
    module.add_class::<compile::CompileOutput>()?;
    module.add_function(wrap_pyfunction!(compile::compile_p4, module)?)?;
    module.add_function(wrap_pyfunction!(compile::preprocess_p4, module)?)?;
    module.add_class::<grpc::GrpcServer>()?;
    module.add_class::<program::PyProgram>()?;
    module.add_class::<control::PyControl>()?;
    module.add_class::<control::PyBatch>()?;
    module.add_class::<virtual_switch::VirtualSwitch>()?;
    module.add_class::<realtime::PyRealtimeSwitch>()?;
    module.add_class::<simulation::PySimulation>()?;
    module.add_class::<traces::Traces>()?;
    module.add_function(wrap_pyfunction!(program::check_program_size, module)?)?;
    module.add_function(wrap_pyfunction!(traces::read_pcap, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::host_algorithms, module)?)?;
    Ok(())
}
