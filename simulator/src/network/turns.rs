// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Turns of a host's connections on its link, where the host's card chooses which of them sends next.
//!
//! A connection that has a packet to send waits for its turn while the link is busy or others wait, and makes the packet
//! only then. So a short message waits for one packet of each other connection and not for their windows, and a packet
//! that waits for its turn is not in flight. ACKs and NACKs need no turn: they wait in the link's queue, which goes first.

use std::collections::VecDeque;

use super::alarm::Alarm;
use crate::time::Ns;

/// The connections of one host that wait for their turn.
#[derive(Debug, Default)]
pub struct Turns {
    /// Their ends, in order; each is here once.
    waiting: VecDeque<u32>,
    /// The time of the next turn.
    alarm: Alarm,
}

impl Turns {
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// An end comes last.
    pub fn wait(&mut self, end: u32) {
        self.waiting.push_back(end);
    }

    pub fn next(&mut self) -> Option<u32> {
        self.waiting.pop_front()
    }

    /// An end that waits is gone: its number may be another's soon.
    pub fn forget(&mut self, end: u32) {
        self.waiting.retain(|&waiting| waiting != end);
    }

    /// The next turn is at `at`. Returns the time for which an event has to be scheduled; none if one is, or nobody waits.
    pub fn plan(&mut self, at: Ns) -> Option<Ns> {
        match self.waiting.is_empty() {
            true => None,
            false => self.alarm.set(at),
        }
    }

    /// Is the event that was scheduled for this time, which is now, the valid one?
    pub fn fires(&mut self, now: Ns) -> bool {
        self.alarm.fires(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_is_gone_gets_no_turn_and_others_keep_theirs() {
        let mut turns = Turns::default();
        for end in [4, 2, 6] {
            turns.wait(end);
        }
        turns.forget(2);
        assert_eq!(
            [turns.next(), turns.next(), turns.next()],
            [Some(4), Some(6), None]
        );
        assert_eq!(turns.plan(5), None, "nobody waits");
    }
}
