// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state that only programs for TNA have: the metadata of ports, and the exclusion ids of multicast.

use pyo3::prelude::*;
use quench_dataplane::control::Change;

use super::PyControl;
use crate::number::Num;

#[pymethods]
impl PyControl {
    fn set_port_metadata(&self, py: Python<'_>, port: Num<u32>, bits: Num<u64>) -> PyResult<()> {
        self.target
            .write(py, Change::PortMetadataSet(port.0, bits.0))
    }

    fn port_metadata(&self, py: Python<'_>, port: Num<u32>) -> PyResult<u64> {
        self.target
            .try_look(py, |switch, _| switch.port_metadata(port.0))
    }

    #[pyo3(signature = (group, rid, id_))]
    fn set_level1_exclusion(
        &self,
        py: Python<'_>,
        group: Num<u16>,
        rid: Num<u16>,
        id_: Option<Num<u16>>,
    ) -> PyResult<()> {
        let id = id_.map(|id| id.0);
        self.target.try_change(py, |switch, _| {
            switch.set_level1_exclusion(group.0, rid.0, id)
        })
    }

    fn set_level2_exclusion(
        &self,
        py: Python<'_>,
        id_: Num<u16>,
        ports: Vec<Num<u32>>,
    ) -> PyResult<()> {
        let ports: Vec<u32> = ports.into_iter().map(|port| port.0).collect();
        self.target
            .try_change(py, |switch, _| switch.set_level2_exclusion(id_.0, &ports))
    }

    #[pyo3(signature = (port, queue=Num(0)))]
    fn set_deflection(
        &self,
        py: Python<'_>,
        port: Option<Num<u32>>,
        queue: Num<u16>,
    ) -> PyResult<()> {
        let way = port.map(|port| (port.0, queue.0));
        self.target
            .try_change(py, |switch, _| switch.set_deflection(way))
    }
}
