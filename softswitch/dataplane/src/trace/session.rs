// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One consumer of traces: the packets that it asked for, and the memory that its traces may take.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::budget::{budget, Budget, Share};

/// Traced packets of a session, copies included, that may be inside the switch at a time.
const MAX_OPEN: u64 = 256;

/// Time that a session may take at once.
pub(super) const BURST_NS: u64 = 1_000_000;

/// The packets that a session traces, and its share of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Packets of this ingress port; of all ports where there is none.
    pub port: Option<u32>,
    /// Traces of received packets that are wanted; those of copies come on top.
    pub packets: u64,
    /// The limit of one trace, encoded. Events that do not fit are left out and counted.
    pub trace_bytes: usize,
    /// The limit of all traces that wait to be taken. Further ones are lost and counted.
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

#[derive(Debug)]
struct State {
    /// Traces that are not lost, of packets that were received.
    begun: u64,
    time: Budget,
    /// Nobody takes traces any more.
    is_closed: bool,
    /// Packets inside the switch.
    open: u64,
    waiting: VecDeque<Arc<[u8]>>,
    waiting_bytes: usize,
    lost: u64,
}

/// The traces of one consumer.
#[derive(Debug)]
pub struct Session {
    filter: Filter,
    state: Mutex<State>,
    /// The time of all sessions together.
    all: Arc<Mutex<Budget>>,
}

/// A session as its consumer holds it. The switch forgets the session with it, whatever packets are still traced.
#[derive(Debug)]
pub struct Consumer(Arc<Session>);

impl Consumer {
    pub(super) fn of(session: Arc<Session>) -> Self {
        Self(session)
    }
}

impl Deref for Consumer {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting = VecDeque::new();
        state.waiting_bytes = 0;
    }
}

impl Session {
    pub(super) fn new(filter: Filter, all: Arc<Mutex<Budget>>) -> Self {
        let state = State {
            begun: 0,
            time: Budget::new(BURST_NS),
            is_closed: false,
            open: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            lost: 0,
        };
        Self {
            filter,
            state: Mutex::new(state),
            all,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
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

    /// Traces that were lost because there was no time for them, nobody took the earlier ones, or too many packets were
    /// under way.
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

    /// Whether a packet that arrived at a port is to be traced: if there is time and room for it.
    pub(super) fn begins(&self, port: u32, now_ns: u64, share: Option<Share>) -> bool {
        if self.filter.port.is_some_and(|wanted| wanted != port) {
            return false;
        }
        let mut state = self.state();
        if state.begun >= self.filter.packets {
            return false;
        }
        if share.is_some_and(|share| !self.has_time(&mut state, now_ns, share)) {
            state.lost += 1;
            return false;
        }
        let begins = self.open(&mut state);
        state.begun += u64::from(begins);
        begins
    }

    /// Whether a copy of a traced packet is to be traced.
    pub(super) fn follows(&self) -> bool {
        self.open(&mut self.state())
    }

    fn open(&self, state: &mut State) -> bool {
        let most_bytes = self.filter.trace_bytes.min(self.filter.waiting_bytes);
        if state.is_closed {
            return false;
        }
        if state.open >= MAX_OPEN || !self.has_room(state, most_bytes) {
            state.lost += 1;
            return false;
        }
        state.open += 1;
        true
    }

    fn has_room(&self, state: &State, bytes: usize) -> bool {
        state.waiting_bytes.saturating_add(bytes) <= self.filter.waiting_bytes
    }

    fn has_time(&self, state: &mut State, now_ns: u64, share: Share) -> bool {
        let all = Share { of: 1, ..share };
        let has_time = state.time.has_some(now_ns, share);
        budget(&self.all).has_some(now_ns, all) && has_time
    }

    /// A trace of the session took some time.
    pub(super) fn spend(&self, time_ns: u64) {
        self.state().time.spend(time_ns);
        budget(&self.all).spend(time_ns);
    }

    /// The trace of a packet that was received, or of a copy.
    pub(super) fn finish(&self, trace: Arc<[u8]>, is_copy: bool) {
        let mut state = self.state();
        state.open -= 1;
        if state.is_closed {
            return;
        }
        if !self.has_room(&state, trace.len()) {
            state.lost += 1;
            state.begun -= u64::from(!is_copy);
            return;
        }
        state.waiting_bytes += trace.len();
        state.waiting.push_back(trace);
    }
}
