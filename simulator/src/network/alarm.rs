// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The next timer event of one object, where events in the queue cannot be cancelled.

use crate::time::Ns;

/// The time of an object's earliest scheduled event; only that one is valid. An object that comes to be due earlier
/// schedules another event and leaves the later one in the queue, where it is stale: [`Alarm::fires`] is false for it.
#[derive(Debug)]
pub struct Alarm {
    /// [`Ns::MAX`]: no event is scheduled.
    at: Ns,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { at: Ns::MAX }
    }
}

impl Alarm {
    /// The object is due at `at`. Returns the time of the event that has to be scheduled; none if one is scheduled for
    /// that time or earlier.
    #[inline]
    pub fn set(&mut self, at: Ns) -> Option<Ns> {
        if at >= self.at {
            return None;
        }
        self.at = at;
        Some(at)
    }

    /// Is the event that was scheduled for this time, which is now, the valid one? It is used up if so.
    #[inline]
    pub fn fires(&mut self, now: Ns) -> bool {
        let fires = now == self.at;
        if fires {
            self.at = Ns::MAX;
        }
        fires
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_earliest_event_fires_and_only_once() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(20), Some(20));
        assert_eq!(alarm.set(20), None, "it is scheduled");
        assert_eq!(alarm.set(30), None, "an earlier one is scheduled");
        assert_eq!(alarm.set(10), Some(10));
        assert!(alarm.fires(10));
        assert!(!alarm.fires(10));
        assert!(!alarm.fires(20), "it is stale");
        assert_eq!(alarm.set(40), Some(40));
    }
}
