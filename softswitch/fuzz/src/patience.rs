// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The longest time that an input may take.

use std::time::Duration;

use rustix::time::{clock_gettime, ClockId};

/// The limit of one input, in processor time: a busy machine makes no failures.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The processor time that this process has taken.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
