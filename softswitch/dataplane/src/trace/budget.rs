// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The time that traces may take, as a part of the time that passes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::time::{clock_gettime, ClockId};

/// A part of the time: so many percent, divided by so many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub percent: u32,
    pub of: u32,
}

impl Share {
    fn of_ns(self, elapsed_ns: u64) -> u64 {
        let percents = u128::from(elapsed_ns) * u128::from(self.percent);
        // At most a hundredth of what fits, as long as there are at most 100 percent.
        (percents / (100 * u128::from(self.of.max(1)))) as u64
    }
}

/// The rest of a part.
#[derive(Debug)]
pub(super) struct Budget {
    /// The most that may be taken at once.
    burst_ns: u64,
    /// Below 0 where the last packet took more than there was.
    left_ns: i64,
    /// When the part was last counted, once it was.
    counted_ns: Option<u64>,
}

impl Budget {
    pub fn new(burst_ns: u64) -> Self {
        Self {
            burst_ns,
            left_ns: 0,
            counted_ns: None,
        }
    }

    pub fn has_some(&mut self, now_ns: u64, share: Share) -> bool {
        let more_ns = match self.counted_ns.replace(now_ns) {
            Some(before) => share.of_ns(now_ns.saturating_sub(before)),
            None => self.burst_ns,
        };
        let left_ns = self.left_ns.saturating_add_unsigned(more_ns);
        self.left_ns = left_ns.min(self.burst_ns as i64);
        self.left_ns > 0
    }

    pub fn spend(&mut self, time_ns: u64) {
        self.left_ns = self.left_ns.saturating_sub_unsigned(time_ns);
    }
}

/// Locks a budget, which is whole even where a thread ended in the middle.
pub(super) fn budget(shared: &Mutex<Budget>) -> MutexGuard<'_, Budget> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processor time of this thread: what others take of the machine is not its own.
pub(crate) fn thread_time_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
