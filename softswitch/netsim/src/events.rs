// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What happens next.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::mem;

use crate::time::Ns;

/// Something that is due. The numbers are places in the simulation's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A packet of a host's link reaches the other end.
    Wire(u32),
    /// A router has something to do.
    Router(u32),
    /// A timer of an end of a connection.
    Tcp(u32),
    /// A timer of a source.
    Timer(u32),
    /// A source begins.
    Start(u32),
    /// The controller's answer reaches a router.
    PacketOut(u32),
    /// A link changes.
    Change(u32),
    /// Time series and averages are sampled.
    Sample,
    /// Statistics begin.
    WarmUp,
}

#[derive(Debug, Clone, Copy)]
struct Due {
    at: Ns,
    stamp: u64,
    event: Event,
}

impl Due {
    fn key(&self) -> u128 {
        u128::from(self.at) << 64 | u128::from(self.stamp)
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    /// The earliest is the greatest: the heap has the greatest on top.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// All events to come, the earliest first; events of one time in the order in which they were added.
///
/// Most events bring about another one, and that soon: it takes the place on top of the heap, which the event that has
/// just happened keeps until then.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: BinaryHeap<Due>,
    next_stamp: u64,
    /// The event on top has happened.
    top_is_over: bool,
}

impl EventQueue {
    pub fn add(&mut self, at: Ns, event: Event) {
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        let due = Due { at, stamp, event };
        if mem::take(&mut self.top_is_over) {
            if let Some(mut top) = self.heap.peek_mut() {
                *top = due;
                return;
            }
        }
        self.heap.push(due);
    }

    /// The next event, if it is due by `until`.
    pub fn pop(&mut self, until: Ns) -> Option<(Ns, Event)> {
        if mem::take(&mut self.top_is_over) {
            self.heap.pop();
        }
        let next = self.heap.peek().filter(|next| next.at <= until)?;
        self.top_is_over = true;
        Some((next.at, next.event))
    }

    /// Events added so far.
    pub fn added(&self) -> u64 {
        self.next_stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_ties_in_the_order_of_adding() {
        let mut events = EventQueue::default();
        events.add(20, Event::Wire(1));
        events.add(10, Event::Sample);
        events.add(20, Event::Tcp(2));
        events.add(20, Event::Router(0));
        assert_eq!(events.pop(9), None);
        assert_eq!(events.pop(10), Some((10, Event::Sample)));
        assert_eq!(events.pop(19), None);
        assert_eq!(events.pop(99), Some((20, Event::Wire(1))));
        assert_eq!(events.pop(99), Some((20, Event::Tcp(2))));
        assert_eq!(events.pop(99), Some((20, Event::Router(0))));
        assert_eq!(events.pop(99), None);
        assert_eq!(events.added(), 4);
    }

    #[test]
    fn events_that_bring_about_others_keep_the_order() {
        // Each event adds up to three more, at once or later, as far as a thousand.
        let mut events = EventQueue::default();
        let mut happened = Vec::new();
        let mut added = vec![(5, 0), (3, 1), (3, 2)];
        for &(at, place) in &added {
            events.add(at, Event::Wire(place));
        }
        while let Some((at, event)) = events.pop(Ns::MAX) {
            let Event::Wire(place) = event else {
                panic!("{event:?} was not added");
            };
            happened.push((at, place));
            for step in 0..u64::from(place) * 7 % 4 {
                let (at, place) = (at + step * u64::from(place) % 5, added.len() as u32);
                if place < 1000 {
                    events.add(at, Event::Wire(place));
                    added.push((at, place));
                }
            }
        }
        // By time, and by the order of adding.
        added.sort_unstable();
        assert_eq!(added.len(), 1000);
        assert_eq!(happened, added);
    }
}
