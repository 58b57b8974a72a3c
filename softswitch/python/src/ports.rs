// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Options and state of a port as dictionaries.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quench_dataplane::control::{ErrorCode, PortOptions, PortState};

use crate::convert::Py_;
use crate::errors::refused;
use crate::number::Num;

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<PortOptions> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut options = PortOptions::default();
        for (name, value) in object.cast::<PyDict>()?.iter() {
            let name: String = name.extract()?;
            let number = || Ok::<_, PyErr>(Some(value.extract::<Num<u64>>()?.0));
            match name.as_str() {
                "rate_bps" => options.rate_bps = number()?,
                "rate_pps" => options.rate_pps = number()?,
                "capacity_pkts" => options.capacity_pkts = number()?,
                "capacity_bytes" => options.capacity_bytes = number()?,
                // More queues than fit here are also more than a port can have.
                "queues" => options.queues = number()?.map(|n| u8::try_from(n).unwrap_or(u8::MAX)),
                "delay_ns" => options.delay_ns = number()?,
                "loss" => options.loss = Some(value.extract()?),
                "hold" => options.hold = Some(value.extract()?),
                _ => {
                    let message = format!("a port has no option {name:?}");
                    return Err(refused(ErrorCode::InvalidArgument, message));
                }
            }
        }
        Ok(Self(options))
    }
}

pub fn port_dict<'py>(py: Python<'py>, state: &PortState) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("rate_bps", state.rate_bps)?;
    dict.set_item("rate_pps", state.rate_pps)?;
    dict.set_item("capacity_pkts", state.capacity_pkts)?;
    dict.set_item("capacity_bytes", state.capacity_bytes)?;
    dict.set_item("queues", state.queues)?;
    dict.set_item("delay_ns", state.delay_ns)?;
    dict.set_item("loss", state.loss)?;
    dict.set_item("hold", state.hold)?;
    dict.set_item("queue_pkts", &state.queue_pkts)?;
    dict.set_item("queue_bytes", &state.queue_bytes)?;
    dict.set_item("enqueued_pkts", state.enqueued_pkts)?;
    dict.set_item("dropped_full_pkts", state.dropped_full_pkts)?;
    dict.set_item("tx_pkts", state.tx_pkts)?;
    dict.set_item("tx_bytes", state.tx_bytes)?;
    dict.set_item("rx_pkts", state.rx_pkts)?;
    dict.set_item("rx_bytes", state.rx_bytes)?;
    dict.set_item("lost_on_link_pkts", state.lost_on_link_pkts)?;
    dict.set_item("queue_mean_pkts", state.queue_mean_pkts)?;
    dict.set_item("queue_sd_pkts", state.queue_sd_pkts)?;
    dict.set_item("queue_mean_bytes", state.queue_mean_bytes)?;
    dict.set_item("queue_sd_bytes", state.queue_sd_bytes)?;
    dict.set_item("stats_ns", state.stats_ns)?;
    Ok(dict)
}
