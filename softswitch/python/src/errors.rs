// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of the compiler, and of interfaces.

use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;
use quench_dataplane::control::ErrorCode;
use quench_python_control::errors::refused;
use quench_realtime::{PortError, StartError};

pyo3::create_exception!(
    quench_switch._native,
    CompileError,
    PyException,
    "The program is not valid P4-16, or uses what the compiler does not support."
);

/// A `CompileError` with its `diagnostics`, of which `errors` are errors and the others warnings.
pub fn compile_error(diagnostics: Vec<String>, errors: usize) -> PyErr {
    Python::attach(|py| {
        let raised = CompileError::new_err(diagnostics.join("\n"));
        let value = raised.value(py);
        let set = value
            .setattr("diagnostics", diagnostics)
            .and_then(|()| value.setattr("error_count", errors));
        set.err().unwrap_or(raised)
    })
}

pub fn port_error(error: PortError) -> PyErr {
    let message = error.to_string();
    match error {
        PortError::InUse(_) => refused(ErrorCode::AlreadyExists, message),
        PortError::NotFound(_) => refused(ErrorCode::NotFound, message),
        PortError::OutOfRange(_) | PortError::CpuPort(_) | PortError::DropPort(_) => {
            refused(ErrorCode::InvalidArgument, message)
        }
        PortError::Xdp { .. } => refused(ErrorCode::FailedPrecondition, message),
        PortError::Interface { source, .. } | PortError::Capture { source, .. } => {
            match source.raw_os_error() {
                Some(errno) => PyOSError::new_err((errno, message)),
                None => PyOSError::new_err(message),
            }
        }
    }
}

pub fn start_error(error: StartError) -> PyErr {
    match error {
        StartError::Running | StartError::Failed(_) => {
            refused(ErrorCode::FailedPrecondition, error.to_string())
        }
        StartError::Io(source) => source.into(),
    }
}
