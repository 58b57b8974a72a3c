// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The next event of every port, earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::PortId;

/// At most one pending event a port. Events of the same time come in the order of scheduling.
///
/// A cancelled event stays in the heap until it reaches the top; `armed` tells it from a live one.
/// The top is always live, so that looking at it needs no change.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<(u64, u64, PortId)>>,
    armed: Vec<Option<u64>>,
    next_stamp: u64,
}

impl EventQueue {
    /// Schedule `port` at `at_ns`; it must not be scheduled already.
    pub fn schedule(&mut self, port: PortId, at_ns: u64) {
        let index = port as usize;
        if index >= self.armed.len() {
            self.armed.resize(index + 1, None);
        }
        debug_assert!(
            self.armed[index].is_none(),
            "port {port} is scheduled twice"
        );
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        self.armed[index] = Some(stamp);
        self.heap.push(Reverse((at_ns, stamp, port)));
    }

    pub fn is_scheduled(&self, port: PortId) -> bool {
        self.armed.get(port as usize).is_some_and(Option::is_some)
    }

    pub fn cancel(&mut self, port: PortId) {
        if let Some(armed) = self.armed.get_mut(port as usize) {
            *armed = None;
            self.drop_stale();
        }
    }

    pub fn clear(&mut self) {
        self.heap.clear();
        self.armed.fill(None);
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at_ns, _, _))| *at_ns)
    }

    /// The earliest event, if it is due at `now_ns`.
    pub fn pop_due(&mut self, now_ns: u64) -> Option<(u64, PortId)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        let Reverse((at_ns, _, port)) = self.heap.pop()?;
        self.armed[port as usize] = None;
        self.drop_stale();
        Some((at_ns, port))
    }

    fn drop_stale(&mut self) {
        while let Some(Reverse((_, stamp, port))) = self.heap.peek() {
            if self.armed[*port as usize] == Some(*stamp) {
                return;
            }
            self.heap.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earliest_first_and_ties_in_scheduling_order() {
        let mut events = EventQueue::default();
        events.schedule(7, 20);
        events.schedule(9, 10);
        events.schedule(3, 20);
        assert_eq!(events.next_ns(), Some(10));
        assert_eq!(events.pop_due(9), None);
        assert_eq!(events.pop_due(10), Some((10, 9)));
        assert_eq!(events.pop_due(30), Some((20, 7)));
        assert_eq!(events.pop_due(30), Some((20, 3)));
        assert_eq!(events.next_ns(), None);
    }

    #[test]
    fn a_cancelled_event_is_never_seen_and_can_be_scheduled_anew() {
        let mut events = EventQueue::default();
        events.schedule(1, 10);
        events.schedule(2, 15);
        events.cancel(1);
        assert!(!events.is_scheduled(1));
        assert_eq!(events.next_ns(), Some(15));
        events.schedule(1, 20);
        assert_eq!(events.pop_due(100), Some((15, 2)));
        assert_eq!(events.pop_due(100), Some((20, 1)));
        assert_eq!(events.pop_due(100), None);
    }
}
