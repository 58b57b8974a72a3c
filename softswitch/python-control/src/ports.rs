// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Options and state of a port as dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quench_dataplane::control::{ErrorCode, PortOptions, PortState, QueueState};
use quench_dataplane::tm::{PortStats, SchedulerKind};

use crate::convert::Py_;
use crate::errors::refused;
use crate::number::Num;

/// More queues than fit here are also more than a port can have.
fn queue_number(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The options of single queues.
fn by_queue<T>(
    value: &Bound<'_, PyAny>,
    extract: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<(u8, T)>> {
    value
        .cast::<PyDict>()?
        .iter()
        .map(|(queue, value)| {
            Ok((
                queue_number(queue.extract::<Num<u64>>()?.0),
                extract(&value)?,
            ))
        })
        .collect()
}

fn scheduler(name: &str) -> PyResult<SchedulerKind> {
    SchedulerKind::named(name).ok_or_else(|| {
        let known = SchedulerKind::ALL.map(SchedulerKind::name).join(", ");
        let message = format!("there is no scheduler {name:?}, only {known}");
        refused(ErrorCode::InvalidArgument, message)
    })
}

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<PortOptions> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut options = PortOptions::default();
        for (name, value) in object.cast::<PyDict>()?.iter() {
            let name: String = name.extract()?;
            let number = || Ok::<_, PyErr>(Some(value.extract::<Num<u64>>()?.0));
            let numbers = || by_queue(&value, |value| Ok(value.extract::<Num<u64>>()?.0));
            match name.as_str() {
                "rate_bps" => options.rate_bps = number()?,
                "rate_pps" => options.rate_pps = number()?,
                "capacity_pkts" => options.capacity_pkts = number()?,
                "capacity_bytes" => options.capacity_bytes = number()?,
                "queue_capacity_pkts" => options.queue_capacity_pkts = numbers()?,
                "queue_capacity_bytes" => options.queue_capacity_bytes = numbers()?,
                "queue_rate_pps" => options.queue_rate_pps = numbers()?,
                "queues" => options.queues = number()?.map(queue_number),
                "scheduler" => options.scheduler = Some(scheduler(&value.extract::<String>()?)?),
                "weights" => options.weights = by_queue(&value, |weight| weight.extract())?,
                "delay_ns" => options.delay_ns = number()?,
                "loss" => options.loss = Some(value.extract()?),
                "hold" => options.hold = Some(value.extract()?),
                "overhead_bytes" => options.overhead_bytes = Some(value.extract::<Num<i32>>()?.0),
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
    let by_queue = |item: fn(&QueueState) -> u64| {
        let dict = PyDict::new(py);
        for (number, queue) in state.per_queue.iter().enumerate() {
            dict.set_item(number, item(queue))?;
        }
        Ok::<_, PyErr>(dict)
    };
    dict.set_item(
        "queue_capacity_pkts",
        by_queue(|queue| queue.capacity.pkts)?,
    )?;
    dict.set_item(
        "queue_capacity_bytes",
        by_queue(|queue| queue.capacity.bytes)?,
    )?;
    dict.set_item("queue_rate_pps", by_queue(|queue| queue.rate_pps)?)?;
    dict.set_item("queues", state.queues)?;
    dict.set_item("scheduler", state.scheduler.name())?;
    let weights = PyDict::new(py);
    for (number, queue) in state.per_queue.iter().enumerate() {
        weights.set_item(number, queue.weight)?;
    }
    dict.set_item("weights", weights)?;
    dict.set_item("delay_ns", state.delay_ns)?;
    dict.set_item("loss", state.loss)?;
    dict.set_item("hold", state.hold)?;
    dict.set_item("overhead_bytes", state.overhead_bytes)?;
    let pkts: Vec<u64> = state
        .per_queue
        .iter()
        .map(|queue| queue.depth.pkts)
        .collect();
    let bytes: Vec<u64> = state
        .per_queue
        .iter()
        .map(|queue| queue.depth.bytes)
        .collect();
    dict.set_item("queue_pkts", pkts)?;
    dict.set_item("queue_bytes", bytes)?;
    set_stats(&dict, &state.stats, "queue_")?;
    dict.set_item("rx_pkts", state.rx_pkts)?;
    dict.set_item("rx_bytes", state.rx_bytes)?;
    dict.set_item("lost_on_link_pkts", state.lost_on_link_pkts)?;
    dict.set_item("stats_ns", state.stats.stats_ns)?;
    let queue_stats = PyList::empty(py);
    for queue in &state.per_queue {
        let dict = PyDict::new(py);
        dict.set_item("pkts", queue.depth.pkts)?;
        dict.set_item("bytes", queue.depth.bytes)?;
        set_stats(&dict, &queue.stats, "")?;
        queue_stats.append(dict)?;
    }
    dict.set_item("queue_stats", queue_stats)?;
    Ok(dict)
}

/// The statistics of a port or of a queue; `prefix` stands before the names of the depths.
fn set_stats(dict: &Bound<'_, PyDict>, stats: &PortStats, prefix: &str) -> PyResult<()> {
    dict.set_item("enqueued_pkts", stats.enqueued_pkts)?;
    dict.set_item("dropped_full_pkts", stats.dropped_full_pkts)?;
    dict.set_item("tx_pkts", stats.tx_pkts)?;
    dict.set_item("tx_bytes", stats.tx_bytes)?;
    dict.set_item(format!("{prefix}mean_pkts"), stats.queue_pkts.mean)?;
    dict.set_item(format!("{prefix}sd_pkts"), stats.queue_pkts.sd)?;
    dict.set_item(format!("{prefix}max_pkts"), stats.max_depth.pkts)?;
    dict.set_item(format!("{prefix}mean_bytes"), stats.queue_bytes.mean)?;
    dict.set_item(format!("{prefix}sd_bytes"), stats.queue_bytes.sd)?;
    dict.set_item(format!("{prefix}max_bytes"), stats.max_depth.bytes)
}
