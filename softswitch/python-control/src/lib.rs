// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts that native modules with a data plane have in common: the class `Control`, its values and errors, and
//! the logger.
//!
//! Native modules share no types of PyO3: each registers the classes of this crate as its own. So Python code takes a
//! control by the protocol in `quench_switch/_native.pyi`. There is one `DataPlaneError`, for which every module asks
//! the Python package.
//!
//! No lock is ever taken while the interpreter's is held: a data plane may log, which needs the interpreter's lock
//! while it has its own.
//!
//! In: calls from Python, for a [`target::Target`]. Out: calls of the data plane, and Python values. Begin with
//! `control/mod.rs`.

#![forbid(unsafe_code)]

pub mod control;
pub mod convert;
pub mod errors;
mod logger;
pub mod number;
pub mod p4runtime;
mod ports;
pub mod program;
pub mod target;
mod traces;

use pyo3::prelude::*;

pub use logger::install_logger;

/// Adds the classes that a control consists of to a native module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<control::PyControl>()?;
    module.add_class::<control::batch::PyBatch>()?;
    module.add_class::<traces::Traces>()
}
