// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Traces`: packets' traces as they become ready. `read_pcap`: packets to trace.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_capture::{read, Captured, Reading};
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

/// Time in ns, bytes, and bytes that were not captured, of each packet.
type Packets<'py> = Vec<(u64, Bound<'py, PyBytes>, u32)>;

/// The packets, and whether the file ends inside the record behind them.
#[pyfunction]
pub fn read_pcap(
    py: Python<'_>,
    path: PathBuf,
    most_bytes: Num<u32>,
) -> PyResult<(Packets<'_>, bool)> {
    let Reading { packets, is_cut } = py
        .detach(|| read(&path, u64::from(most_bytes.0)))
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string())))?;
    let row = |packet: &Captured| {
        let bytes = PyBytes::new(py, &packet.bytes);
        (packet.time_ns, bytes, packet.missing_bytes)
    };
    Ok((packets.iter().map(row).collect(), is_cut))
}
