// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The next event of every port, earliest first.

use super::limits::PortId;

/// At most one pending event a port. Events of the same time come in the order of scheduling.
///
/// The list is sorted, the next event at its end: few ports have one at a time, and for those no heap is as fast.
/// With at most [`FEW`], not even a search is.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    pending: Vec<(u64, PortId)>,
    scheduled: Vec<bool>,
}

/// Events that are compared one by one.
const FEW: usize = 12;

impl EventQueue {
    /// Schedule `port` at `at_ns`; it must not be scheduled already.
    #[inline]
    pub fn schedule(&mut self, port: PortId, at_ns: u64) {
        let index = port as usize;
        if index >= self.scheduled.len() {
            self.scheduled.resize(index + 1, false);
        }
        debug_assert!(!self.scheduled[index], "port {port} is scheduled twice");
        self.scheduled[index] = true;
        let mut place = self.pending.len();
        if place > FEW {
            place = self
                .pending
                .partition_point(|(other_ns, _)| *other_ns > at_ns);
            return self.pending.insert(place, (at_ns, port));
        }
        self.pending.push((at_ns, port));
        while place > 0 && self.pending[place - 1].0 <= at_ns {
            self.pending.swap(place - 1, place);
            place -= 1;
        }
    }

    /// Schedule `port` at `at_ns`, unless it is scheduled already.
    #[inline]
    pub fn ensure(&mut self, port: PortId, at_ns: u64) {
        if !self.is_scheduled(port) {
            self.schedule(port, at_ns);
        }
    }

    #[inline]
    pub fn is_scheduled(&self, port: PortId) -> bool {
        self.scheduled
            .get(port as usize)
            .is_some_and(|scheduled| *scheduled)
    }

    pub fn cancel(&mut self, port: PortId) {
        if self.is_scheduled(port) {
            self.scheduled[port as usize] = false;
            self.pending.retain(|(_, other)| *other != port);
        }
    }

    pub fn clear(&mut self) {
        self.pending.clear();
        self.scheduled.fill(false);
    }

    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        self.pending.last().map(|(at_ns, _)| *at_ns)
    }

    /// The earliest event, if it is due at `now_ns`.
    #[inline]
    pub fn pop_due(&mut self, now_ns: u64) -> Option<(u64, PortId)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        let (at_ns, port) = self.pending.pop()?;
        self.scheduled[port as usize] = false;
        Some((at_ns, port))
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
