// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `DataPlaneError`, of which there is one for all native modules: a class of the Python package.

use pyo3::prelude::*;
use quench_dataplane::control::{ControlError, ErrorCode};

pyo3::import_exception!(quench_switch.errors, DataPlaneError);

/// A `DataPlaneError` with its `code` and `message`.
pub fn data_plane_error(error: ControlError) -> PyErr {
    Python::attach(|py| {
        let raised = DataPlaneError::new_err(error.message.clone());
        let value = raised.value(py);
        let attributes = value
            .setattr("code", error.code.as_str())
            .and_then(|()| value.setattr("message", &error.message));
        attributes.err().unwrap_or(raised)
    })
}

pub fn refused(code: ErrorCode, message: impl Into<String>) -> PyErr {
    data_plane_error(ControlError::new(code, message))
}
