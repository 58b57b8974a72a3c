// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The compiler.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_p4_frontend::{Failure, Level, Levels, Options, Severity};

use crate::errors::compile_error;

#[pyclass(module = "quench_switch._native", frozen)]
pub struct CompileOutput {
    #[pyo3(get)]
    json: String,
    #[pyo3(get)]
    p4info_text: String,
    p4info_binary: Vec<u8>,
    #[pyo3(get)]
    entries_text: String,
    entries_binary: Vec<u8>,
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl CompileOutput {
    #[getter]
    fn p4info_binary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.p4info_binary)
    }

    #[getter]
    fn entries_binary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.entries_binary)
    }
}

/// `-D NAME` and `-D NAME=VALUE`.
fn define(text: String) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text, None),
    }
}

/// The treatment of warnings, given as `disable=NAME`, `warn=NAME` and `error=NAME` in the order of the command line.
fn levels(given: &[String]) -> PyResult<Levels> {
    let mut levels = Levels::default();
    for text in given {
        let (level, name) = text.split_once('=').unwrap_or((text, ""));
        let level = match level {
            "disable" => Level::Disabled,
            "warn" => Level::Warning,
            "error" => Level::Error,
            _ => {
                let message = format!("'{text}': use disable=NAME, warn=NAME or error=NAME");
                return Err(PyValueError::new_err(message));
            }
        };
        levels.set(name, level).map_err(PyValueError::new_err)?;
    }
    Ok(levels)
}

fn failure(failure: Failure) -> PyErr {
    let found = failure.diagnostics.iter();
    let errors = found
        .clone()
        .filter(|found| found.severity == Severity::Error);
    let errors = errors.count();
    compile_error(
        found.map(|found| found.render(&failure.sources)).collect(),
        errors,
    )
}

#[pyfunction]
#[pyo3(signature = (path, include_dirs = Vec::new(), defines = Vec::new(), undefines = Vec::new(), std = "p4-16", warnings = Vec::new(), arch = "v1model"))]
#[allow(clippy::too_many_arguments)]
pub fn compile_p4(
    py: Python<'_>,
    path: PathBuf,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
    undefines: Vec<String>,
    std: &str,
    warnings: Vec<String>,
    arch: &str,
) -> PyResult<CompileOutput> {
    let options = Options {
        include_dirs,
        defines: defines.into_iter().map(define).collect(),
        undefines,
        std: std.parse().map_err(PyValueError::new_err)?,
        arch: arch.parse().map_err(PyValueError::new_err)?,
        warnings: levels(&warnings)?,
    };
    let compiled = py
        .detach(|| quench_p4_backend::compile(&path, &options))
        .map_err(failure)?;
    Ok(CompileOutput {
        json: compiled.json,
        p4info_text: compiled.p4info_text,
        p4info_binary: compiled.p4info_binary,
        entries_text: compiled.entries_text,
        entries_binary: compiled.entries_binary,
        warnings: compiled.warnings,
    })
}

#[pyfunction]
#[pyo3(signature = (path, include_dirs = Vec::new(), defines = Vec::new(), undefines = Vec::new(), arch = "v1model"))]
pub fn preprocess_p4(
    py: Python<'_>,
    path: PathBuf,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
    undefines: Vec<String>,
    arch: &str,
) -> PyResult<String> {
    let options = Options {
        include_dirs,
        defines: defines.into_iter().map(define).collect(),
        undefines,
        arch: arch.parse().map_err(PyValueError::new_err)?,
        ..Options::default()
    };
    let preprocessed = py.detach(|| quench_p4_frontend::preprocess_to_string(&path, &options));
    Ok(preprocessed.map_err(failure)?.0)
}
