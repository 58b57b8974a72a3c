// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `VirtualSwitch`: the data plane under the caller's clock.

use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_dataplane::control::ErrorCode;
use quench_dataplane::switch::{Output, Switch, SwitchConfig};
use quench_python_control::control::PyControl;
use quench_python_control::convert::Py_;
use quench_python_control::errors::refused;
use quench_python_control::number::Num;
use quench_python_control::target::Target;
use quench_realtime::DigestMessage;

use crate::realtime::{digest_lists, switch_config, DigestList};

struct State {
    switch: Switch,
    /// The latest time that the caller gave.
    now_ns: u64,
    digests: Vec<DigestMessage>,
}

struct Virtual {
    state: Mutex<State>,
    turn: Mutex<()>,
}

impl Target for Virtual {
    fn inspect(&self, look: &mut (dyn FnMut(&Switch, u64) + Send)) {
        let state = self.state.lock();
        look(&state.switch, state.now_ns);
    }

    fn control(&self, change: &mut (dyn FnMut(&mut Switch, u64) + Send)) {
        let mut state = self.state.lock();
        let now_ns = state.now_ns;
        change(&mut state.switch, now_ns);
    }

    fn turn(&self) -> &Mutex<()> {
        &self.turn
    }

    fn stats(&self) -> Vec<(&'static str, u64)> {
        self.state.lock().switch.stats()
    }
}

impl State {
    /// False, and nothing happens, when the time lies before one that was given earlier.
    fn set_now(&mut self, now_ns: u64) -> bool {
        let forward = now_ns >= self.now_ns;
        if forward {
            self.now_ns = now_ns;
        }
        forward
    }

    fn advance(&mut self) -> Vec<(u32, Vec<u8>, u64)> {
        let mut packets = Vec::new();
        let Self {
            switch,
            now_ns,
            digests,
        } = self;
        switch.advance(*now_ns, &mut |output| match output {
            Output::Packet {
                port,
                bytes,
                time_ns,
            } => packets.push((port, bytes.into_vec(), time_ns)),
            Output::Digest {
                id,
                fields,
                time_ns,
            } => digests.push(DigestMessage {
                id,
                fields,
                time_ns,
            }),
        });
        packets
    }
}

#[pyclass(extends = PyControl, module = "quench_switch._native", frozen)]
pub struct VirtualSwitch {
    target: Arc<Virtual>,
}

fn backwards(now_ns: u64) -> PyErr {
    let message = format!("{now_ns} ns lies before a time that the switch was already given");
    refused(ErrorCode::InvalidArgument, message)
}

#[pymethods]
impl VirtualSwitch {
    #[new]
    #[pyo3(signature = (*, cpu_port = None, drop_port = Num(511), seed = Num(1), priority_queues = Num(1), slowdown = Num(1), interpreted = false))]
    fn new(
        cpu_port: Option<Num<u32>>,
        drop_port: Num<u32>,
        seed: Num<u64>,
        priority_queues: Num<u32>,
        slowdown: Num<u32>,
        interpreted: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let config = switch_config(cpu_port, drop_port, seed, priority_queues, slowdown)?;
        let state = State {
            switch: Switch::new(SwitchConfig {
                interpreted,
                ..config
            }),
            now_ns: 0,
            digests: Vec::new(),
        };
        let target = Arc::new(Virtual {
            state: Mutex::new(state),
            turn: Mutex::new(()),
        });
        let control = PyControl::new(Arc::clone(&target) as Arc<dyn Target>);
        Ok(PyClassInitializer::from(control).add_subclass(Self { target }))
    }

    #[getter]
    fn is_compiled(&self, py: Python<'_>) -> bool {
        py.detach(|| self.target.state.lock().switch.is_compiled())
    }

    fn receive(
        &self,
        py: Python<'_>,
        port: Num<u32>,
        packet: Py_<Vec<u8>>,
        now_ns: Num<u64>,
    ) -> PyResult<()> {
        let forward = py.detach(|| {
            let mut state = self.target.state.lock();
            let forward = state.set_now(now_ns.0);
            if forward {
                state.switch.receive(now_ns.0, port.0, &packet.0);
            }
            forward
        });
        forward.then_some(()).ok_or_else(|| backwards(now_ns.0))
    }

    fn set_port_up(&self, py: Python<'_>, port: Num<u32>, up: bool) {
        py.detach(|| {
            let state = &mut *self.target.state.lock();
            state.switch.set_port_up(port.0, up, state.now_ns);
        });
    }

    fn next_event_ns(&self, py: Python<'_>) -> Option<u64> {
        py.detach(|| self.target.state.lock().switch.next_event_ns())
    }

    fn advance<'py>(
        &self,
        py: Python<'py>,
        now_ns: Num<u64>,
    ) -> PyResult<Vec<(u32, Bound<'py, PyBytes>, u64)>> {
        let packets = py.detach(|| {
            let mut state = self.target.state.lock();
            state.set_now(now_ns.0).then(|| state.advance())
        });
        let packets = packets.ok_or_else(|| backwards(now_ns.0))?;
        Ok(packets
            .into_iter()
            .map(|(port, bytes, time_ns)| (port, PyBytes::new(py, &bytes), time_ns))
            .collect())
    }

    fn take_digests<'py>(&self, py: Python<'py>) -> PyResult<Vec<DigestList<'py>>> {
        let digests = py.detach(|| std::mem::take(&mut self.target.state.lock().digests));
        digest_lists(py, &digests)
    }
}
