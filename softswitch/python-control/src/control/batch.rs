// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Batch`: the calls of `Control` that change something, kept until all of them happen at one moment.

use std::sync::Arc;

use pyo3::prelude::*;
use quench_dataplane::control::{BatchError, Change};

use super::PyControl;
use crate::errors::data_plane_error;
use crate::target::{Deferred, Target};

#[pyclass(name = "Batch", extends = PyControl, module = "quench_switch._native", frozen)]
pub struct PyBatch {
    deferred: Arc<Deferred>,
}

#[pymethods]
impl PyControl {
    /// Changes that wait until they are applied together.
    fn batch(&self, py: Python<'_>) -> PyResult<Py<PyBatch>> {
        let deferred = Arc::new(Deferred::new(Arc::clone(&self.target)));
        let control = PyControl::new(Arc::clone(&deferred) as Arc<dyn Target>);
        Py::new(
            py,
            PyClassInitializer::from(control).add_subclass(PyBatch { deferred }),
        )
    }
}

impl PyBatch {
    /// Adds changes; gives the number of those that wait then.
    pub fn add(&self, changes: Vec<Change>) -> usize {
        self.deferred.add(changes)
    }
}

#[pymethods]
impl PyBatch {
    fn __len__(&self) -> usize {
        self.deferred.len()
    }

    /// The place of the first change that is refused, and why; then nothing has changed.
    #[pyo3(signature = (keep = true, in_parts = false))]
    fn apply(
        &self,
        py: Python<'_>,
        keep: bool,
        in_parts: bool,
    ) -> PyResult<Option<(usize, Py<PyAny>)>> {
        match self.deferred.apply(py, keep, in_parts)? {
            Ok(()) => Ok(None),
            Err(BatchError { place, error }) => {
                let error = data_plane_error(error).into_value(py).into_any();
                Ok(Some((place, error)))
            }
        }
    }
}
