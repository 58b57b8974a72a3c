// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One consumer of traces: the packets that it asked for, and the memory that its traces may take.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Traced packets of a session, copies included, that may be inside the switch at a time.
const MAX_OPEN: u64 = 256;

/// Time that a session may take at once.
const BURST_NS: u64 = 2_000_000;

/// A session's part of the time: so many percent, divided by so many sessions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub percent: u32,
    pub of: u32,
}

impl Share {
    fn of_ns(self, elapsed_ns: u64) -> u64 {
        let percents = u128::from(elapsed_ns) * u128::from(self.percent);
        // At most a hundredth of what fits.
        (percents / (100 * u128::from(self.of.max(1)))) as u64
    }
}

/// The packets that a session traces, and its share of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Packets of this ingress port; of all ports where there is none.
    pub port: Option<u32>,
    /// Traces of received packets that are wanted; those of copies come on top.
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
    /// Traces that are not lost, of packets that were received.
    begun: u64,
    /// Time that is left of the session's part. Below 0 where the last packet took more than there was.
    left_ns: i64,
    /// When the part was last counted, once it was.
    counted_ns: Option<u64>,
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
        if share.is_some_and(|share| !state.has_time(now_ns, share)) {
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

    /// A trace of the session took some time.
    pub(super) fn spend(&self, time_ns: u64) {
        let mut state = self.state();
        state.left_ns = state.left_ns.saturating_sub_unsigned(time_ns);
    }

    /// The trace of a packet that was received, or of a copy.
    pub(super) fn finish(&self, trace: Arc<[u8]>, is_copy: bool) {
        let mut state = self.state();
        state.open -= 1;
        if !self.has_room(&state, trace.len()) {
            state.lost += 1;
            state.begun -= u64::from(!is_copy);
            return;
        }
        state.waiting_bytes += trace.len();
        state.waiting.push_back(trace);
    }
}

impl State {
    fn has_time(&mut self, now_ns: u64, share: Share) -> bool {
        let more_ns = match self.counted_ns.replace(now_ns) {
            Some(before) => share.of_ns(now_ns.saturating_sub(before)),
            None => BURST_NS,
        };
        let left_ns = self.left_ns.saturating_add_unsigned(more_ns);
        self.left_ns = left_ns.min(BURST_NS as i64);
        self.left_ns > 0
    }
}
