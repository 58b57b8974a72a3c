// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Traces`: packets' traces as they become ready.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_dataplane::trace::{Consumer, Filter};

use crate::control::PyControl;
use crate::number::Num;

#[pyclass(module = "quench_switch._native", frozen)]
pub struct Traces {
    session: Consumer,
}

#[pymethods]
impl Traces {
    fn take<'py>(&self, py: Python<'py>, size_bytes: Num<u32>) -> Vec<Bound<'py, PyBytes>> {
        let traces = py.detach(|| self.session.take(size_bytes.0 as usize));
        traces.iter().map(|trace| PyBytes::new(py, trace)).collect()
    }

    #[getter]
    fn lost(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.session.lost())
    }

    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        py.detach(|| self.session.is_done())
    }
}

#[pymethods]
impl PyControl {
    #[pyo3(signature = (*, port = None, packets = None, trace_bytes = Num(65_536), waiting_bytes = Num(16_777_216)))]
    fn trace(
        &self,
        py: Python<'_>,
        port: Option<Num<u32>>,
        packets: Option<Num<u64>>,
        trace_bytes: Num<u32>,
        waiting_bytes: Num<u32>,
    ) -> PyResult<Traces> {
        let filter = Filter {
            port: port.map(|port| port.0),
            packets: packets.map_or(u64::MAX, |packets| packets.0),
            trace_bytes: trace_bytes.0 as usize,
            waiting_bytes: waiting_bytes.0 as usize,
        };
        let session = self
            .target()
            .try_change(py, |switch, _| switch.trace(filter))?;
        Ok(Traces { session })
    }
}
