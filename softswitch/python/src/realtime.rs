// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `RealtimeSwitch`: the data plane on Linux interfaces.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use quench_dataplane::control::ErrorCode;
use quench_dataplane::switch::{Switch, SwitchConfig};
use quench_python_control::control::PyControl;
use quench_python_control::convert::{bytes_list, Py_};
use quench_python_control::errors::refused;
use quench_python_control::number::Num;
use quench_python_control::target::Target;
use quench_realtime::{DigestMessage, IoMode, IoOptions, RealtimeSwitch, Threads, MAX_THREADS};

use crate::errors::{port_error, start_error};

/// The longest time that a wait may keep a signal, such as that of Ctrl-C, from its handler.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

struct Realtime {
    switch: RealtimeSwitch,
    turn: Mutex<()>,
}

impl Target for Realtime {
    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send)) {
        self.switch.inspect(look);
    }

    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send)) {
        self.switch.control(change);
    }

    fn turn(&self) -> &Mutex<()> {
        &self.turn
    }

    fn stats(&self) -> Vec<(&'static str, u64)> {
        self.switch.stats()
    }
}

/// (digest id, messages each a list of field values, time in ns).
pub type DigestList<'py> = (u32, Bound<'py, PyList>, u64);

/// Messages in order; neighbours of the same digest share a list, with the time of the first.
pub fn digest_lists<'py>(
    py: Python<'py>,
    messages: &[DigestMessage],
) -> PyResult<Vec<DigestList<'py>>> {
    messages
        .chunk_by(|a, b| a.id == b.id)
        .map(|chunk| {
            let values: PyResult<Vec<_>> = chunk
                .iter()
                .map(|message| bytes_list(py, &message.fields))
                .collect();
            Ok((chunk[0].id, PyList::new(py, values?)?, chunk[0].time_ns))
        })
        .collect()
}

/// The fixed properties of a switch, checked.
pub fn switch_config(
    cpu_port: Option<Num<u32>>,
    drop_port: Num<u32>,
    seed: Num<u64>,
    priority_queues: Num<u32>,
    slowdown: Num<u32>,
) -> PyResult<SwitchConfig> {
    let invalid = |message: String| Err(refused(ErrorCode::InvalidArgument, message));
    let cpu_port = cpu_port.map(|port| port.0);
    if let Some(port) = cpu_port.filter(|port| !(1..=510).contains(port)) {
        return invalid(format!("CPU port {port} is not between 1 and 510"));
    }
    if drop_port.0 > 511 {
        return invalid(format!(
            "drop port {} is not between 0 and 511",
            drop_port.0
        ));
    }
    if cpu_port == Some(drop_port.0) {
        return invalid(format!(
            "port {} cannot be both the CPU port and the drop port",
            drop_port.0
        ));
    }
    if slowdown.0 == 0 {
        return invalid("the clock of a chip runs at least 1 time slower, not 0 times".to_owned());
    }
    match u8::try_from(priority_queues.0) {
        Ok(priority_queues @ 1..=8) => Ok(SwitchConfig {
            cpu_port,
            drop_port: drop_port.0,
            seed: seed.0,
            priority_queues,
            slowdown: slowdown.0,
            ..SwitchConfig::default()
        }),
        _ => invalid(format!(
            "a port has 1 to 8 queues, not {}",
            priority_queues.0
        )),
    }
}

/// The threads of a switch, checked.
fn switch_threads(count: u32, readers: u32, cpus: &[Num<u32>]) -> PyResult<Threads> {
    if !(1..=MAX_THREADS).contains(&count) {
        let message = format!("a switch has 1 to {MAX_THREADS} threads, not {count}");
        return Err(refused(ErrorCode::InvalidArgument, message));
    }
    if !(1..=count).contains(&readers) {
        let message = format!("1 to {count} threads share a port's packets, not {readers}");
        return Err(refused(ErrorCode::InvalidArgument, message));
    }
    Ok(Threads {
        count: count as usize,
        readers: readers as usize,
        cpus: cpus.iter().map(|cpu| cpu.0 as usize).collect(),
    })
}

/// The longest busy waiting before sleep: beyond it, sleeping saves nothing any more.
const MAX_POLL_US: u32 = 1_000_000;

/// The way of packets between the interfaces and the switch, checked.
fn io_options(io: &str, poll_us: Num<u32>) -> PyResult<IoOptions> {
    let invalid = |message: String| Err(refused(ErrorCode::InvalidArgument, message));
    let mode = match io {
        "packet" => IoMode::Packet,
        "xdp" => IoMode::Xdp,
        "auto" => IoMode::Auto,
        _ => return invalid(format!("io is packet, xdp or auto, not {io:.20}")),
    };
    if poll_us.0 > MAX_POLL_US {
        return invalid(format!(
            "the switch waits busily for {MAX_POLL_US} us at most, not {}",
            poll_us.0
        ));
    }
    let busy = Duration::from_micros(poll_us.0.into());
    Ok(IoOptions { mode, busy })
}

#[pyclass(name = "RealtimeSwitch", extends = PyControl, module = "quench_switch._native", frozen)]
pub struct PyRealtimeSwitch {
    target: Arc<Realtime>,
    #[pyo3(get)]
    device_id: u64,
}

impl PyRealtimeSwitch {
    fn switch(&self) -> &RealtimeSwitch {
        &self.target.switch
    }

    /// Wait in short turns, so that signal handlers run and their exceptions end the wait.
    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        timeout_ns: u64,
        take: impl Fn(&RealtimeSwitch, Duration) -> Vec<T> + Sync,
    ) -> PyResult<Vec<T>> {
        let start = Instant::now();
        let timeout = Duration::from_nanos(timeout_ns);
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            let items = py.detach(|| take(self.switch(), left.min(SIGNAL_CHECK)));
            py.check_signals()?;
            if !items.is_empty() || left <= SIGNAL_CHECK || !self.switch().is_open() {
                return Ok(items);
            }
        }
    }
}

#[pymethods]
impl PyRealtimeSwitch {
    #[new]
    #[pyo3(signature = (*, device_id = Num(0), cpu_port = None, drop_port = Num(511), seed = Num(1), priority_queues = Num(1), slowdown = Num(1), threads = Num(1), fanout = Num(1), cpus = Vec::new(), io = "packet", poll_us = Num(0)))]
    #[expect(clippy::too_many_arguments, reason = "Python's are named")]
    fn new(
        device_id: Num<u64>,
        cpu_port: Option<Num<u32>>,
        drop_port: Num<u32>,
        seed: Num<u64>,
        priority_queues: Num<u32>,
        slowdown: Num<u32>,
        threads: Num<u32>,
        fanout: Num<u32>,
        cpus: Vec<Num<u32>>,
        io: &str,
        poll_us: Num<u32>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let config = switch_config(cpu_port, drop_port, seed, priority_queues, slowdown)?;
        let threads = switch_threads(threads.0, fanout.0, &cpus)?;
        let io = io_options(io, poll_us)?;
        let target = Arc::new(Realtime {
            switch: RealtimeSwitch::new(config, threads, io)?,
            turn: Mutex::new(()),
        });
        let control = PyControl::new(Arc::clone(&target) as Arc<dyn Target>);
        Ok(PyClassInitializer::from(control).add_subclass(Self {
            target,
            device_id: device_id.0,
        }))
    }

    #[pyo3(signature = (port, interface, pcap_prefix = None))]
    fn add_port(
        &self,
        py: Python<'_>,
        port: Num<u32>,
        interface: &str,
        pcap_prefix: Option<PathBuf>,
    ) -> PyResult<()> {
        py.detach(|| {
            self.switch()
                .add_port(port.0, interface, pcap_prefix.as_deref())
        })
        .map_err(port_error)
    }

    fn remove_port(&self, py: Python<'_>, port: Num<u32>) -> PyResult<()> {
        py.detach(|| self.switch().remove_port(port.0))
            .map_err(port_error)
    }

    fn start(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.switch().start()).map_err(start_error)
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.switch().stop());
    }

    #[getter]
    fn failure(&self) -> Option<&str> {
        self.switch().failure()
    }

    fn packet_out(&self, py: Python<'_>, packet: Py_<Vec<u8>>) -> PyResult<()> {
        match py.detach(|| self.switch().packet_out(&packet.0)) {
            true => Ok(()),
            false => Err(refused(
                ErrorCode::FailedPrecondition,
                "the switch has no CPU port",
            )),
        }
    }

    fn wait_cpu<'py>(
        &self,
        py: Python<'py>,
        timeout_ns: Num<u64>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, u64)>> {
        let packets = self.wait(py, timeout_ns.0, RealtimeSwitch::wait_cpu)?;
        Ok(packets
            .iter()
            .map(|packet| (PyBytes::new(py, &packet.bytes), packet.time_ns))
            .collect())
    }

    fn wait_digests<'py>(
        &self,
        py: Python<'py>,
        timeout_ns: Num<u64>,
    ) -> PyResult<Vec<DigestList<'py>>> {
        let messages = self.wait(py, timeout_ns.0, RealtimeSwitch::wait_digests)?;
        digest_lists(py, &messages)
    }
}

impl Drop for PyRealtimeSwitch {
    fn drop(&mut self) {
        // The caller holds the interpreter's lock, which the thread may need to log.
        let stopped = Python::try_attach(|py| py.detach(|| self.switch().stop()));
        if stopped.is_none() {
            self.switch().stop();
        }
    }
}
