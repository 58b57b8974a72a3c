// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Python module `quench_switch._native`; `quench_switch/_native.pyi` documents it.
//!
//! No lock is ever taken while the interpreter's is held: the switch's thread may log, which needs
//! the interpreter's lock while it has its own.
//!
//! In: calls from Python. Out: calls of `realtime`, `dataplane` and the compiler, and their results as Python values.
//! Begin with `virtual_switch.rs`; `python-control` has the calls that all switches share.

#![forbid(unsafe_code)]

mod compile;
mod errors;
mod grpc;
mod pcap;
mod realtime;
mod virtual_switch;

use pyo3::prelude::*;
use quench_python_control::{install_logger, p4runtime, program, register};

/// The log targets of this module beside the data plane's.
const LOGGERS: [&str; 4] = [
    "quench_grpc",
    "quench_p4_backend",
    "quench_p4_frontend",
    "quench_realtime",
];

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    install_logger(py, &LOGGERS)?;
    register(module)?;
    module.add("MAX_THREADS", quench_realtime::MAX_THREADS)?;
    module.add("CompileError", py.get_type::<errors::CompileError>())?;
    module.add_class::<compile::CompileOutput>()?;
    module.add_function(wrap_pyfunction!(compile::compile_p4, module)?)?;
    module.add_function(wrap_pyfunction!(compile::preprocess_p4, module)?)?;
    module.add_class::<grpc::GrpcServer>()?;
    module.add_class::<p4runtime::KeyForm>()?;
    module.add_class::<p4runtime::Updates>()?;
    module.add_class::<p4runtime::Forms>()?;
    module.add_class::<program::PyProgram>()?;
    module.add_class::<virtual_switch::VirtualSwitch>()?;
    module.add_class::<realtime::PyRealtimeSwitch>()?;
    module.add_function(wrap_pyfunction!(program::check_program_size, module)?)?;
    module.add_function(wrap_pyfunction!(pcap::read_pcap, module)?)?;
    Ok(())
}
