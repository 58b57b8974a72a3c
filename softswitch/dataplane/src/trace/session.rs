// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One consumer of traces: the packets that it asked for, and the memory that its traces may take.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Traced packets of a session, copies included, that may be inside the switch at a time.
const MAX_OPEN: u64 = 256;

/// The packets that a session traces, and its share of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Packets of this ingress port; of all ports where there is none.
    pub port: Option<u32>,
    /// Received packets to trace; copies of them come on top.
    pub packets: u64,
    /// Of one trace, encoded. Events that do not fit are left out and counted.
    pub trace_bytes: usize,
    /// Of all traces that wait to be taken. Further ones are lost and counted.
    pub waiting_bytes: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            port: None,
            packets: u64::MAX,
            trace_bytes: 64 << 10,
            waiting_bytes: 16 << 20,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    begun: u64,
    /// Packets inside the switch.
    open: u64,
    waiting: VecDeque<Arc<[u8]>>,
    waiting_bytes: usize,
    lost: u64,
}

/// One consumer of traces. The switch forgets it when the consumer does.
#[derive(Debug)]
pub struct Session {
    filter: Filter,
    state: Mutex<State>,
}

impl Session {
    pub(super) fn new(filter: Filter) -> Self {
        Self {
            filter,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a few assignments: the state is whole even where a thread ended in the middle.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Traces that are ready, oldest first, up to `bytes` but at least one.
    pub fn take(&self, bytes: usize) -> Vec<Arc<[u8]>> {
        let mut state = self.state();
        let (mut taken, mut size) = (Vec::new(), 0);
        while let Some(first) = state.waiting.front() {
            size += first.len();
            if size > bytes && !taken.is_empty() {
                break;
            }
            state.waiting_bytes -= first.len();
            taken.extend(state.waiting.pop_front());
        }
        taken
    }

    /// Traces that were lost because nobody took the earlier ones, or because too many packets were under way.
    pub fn lost(&self) -> u64 {
        self.state().lost
    }

    /// No trace will ever come again: all packets that were asked for are traced and taken.
    pub fn is_done(&self) -> bool {
        let state = self.state();
        state.begun >= self.filter.packets && state.open == 0 && state.waiting.is_empty()
    }

    pub(super) fn trace_bytes(&self) -> usize {
        self.filter.trace_bytes
    }

    /// Whether a packet that arrived at a port is to be traced.
    pub(super) fn begins(&self, port: u32) -> bool {
        if self.filter.port.is_some_and(|wanted| wanted != port) {
            return false;
        }
        let mut state = self.state();
        if state.begun >= self.filter.packets {
            return false;
        }
        state.begun += 1;
        Self::open(&mut state)
    }

    /// Whether a copy of a traced packet is to be traced.
    pub(super) fn follows(&self) -> bool {
        Self::open(&mut self.state())
    }

    fn open(state: &mut State) -> bool {
        if state.open >= MAX_OPEN {
            state.lost += 1;
            return false;
        }
        state.open += 1;
        true
    }

    pub(super) fn finish(&self, trace: Arc<[u8]>) {
        let mut state = self.state();
        state.open -= 1;
        if state.waiting_bytes.saturating_add(trace.len()) > self.filter.waiting_bytes {
            state.lost += 1;
            return;
        }
        state.waiting_bytes += trace.len();
        state.waiting.push_back(trace);
    }
}
