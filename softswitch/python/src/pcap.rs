// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `read_pcap`: packets to trace.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_capture::{read, Captured, Reading};
use quench_python_control::number::Num;

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
