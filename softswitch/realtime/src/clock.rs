// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch's clock and its alarm.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::{clock_gettime, ClockId as Clock};

/// `CLOCK_MONOTONIC` in nanoseconds, the time of the data plane.
pub fn now_ns() -> u64 {
    let now = clock_gettime(Clock::CLOCK_MONOTONIC).expect("Linux always has CLOCK_MONOTONIC");
    Duration::from(now).as_nanos() as u64
}

/// The difference between the time since the epoch and [`now_ns`]: the same for the whole run,
/// so that times of different captures can be compared.
pub fn epoch_offset_ns() -> i128 {
    static OFFSET_NS: OnceLock<i128> = OnceLock::new();
    *OFFSET_NS.get_or_init(|| {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        wall.as_nanos() as i128 - i128::from(now_ns())
    })
}

/// A timer that makes its descriptor readable at an absolute time.
#[derive(Debug)]
pub struct Alarm {
    timer: TimerFd,
    set_for_ns: Option<u64>,
}

impl Alarm {
    pub fn new() -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        Ok(Self {
            timer,
            set_for_ns: None,
        })
    }

    /// Ring at `at_ns`, at once if that has passed; `None` never rings.
    pub fn set(&mut self, at_ns: Option<u64>) -> io::Result<()> {
        if self.set_for_ns == at_ns {
            return Ok(());
        }
        match at_ns {
            // A zero time would disarm the timer, and one beyond i64 is refused.
            Some(at_ns) => {
                let at = Duration::from_nanos(at_ns.clamp(1, i64::MAX as u64));
                let expiration = Expiration::OneShot(TimeSpec::from_duration(at));
                self.timer
                    .set(expiration, TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            }
            None => self.timer.unset()?,
        }
        self.set_for_ns = at_ns;
        Ok(())
    }

    /// The alarm has rung: setting it again for the same time rings again.
    pub fn rang(&mut self) {
        self.set_for_ns = None;
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}
