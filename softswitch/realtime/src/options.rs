// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of a switch that are about its threads and its interfaces.

use std::time::Duration;

use crate::wire::IoMode;

/// The most threads of a switch: each has room for a batch of packets of its own.
pub const MAX_THREADS: u32 = 64;

/// The threads of a switch.
#[derive(Debug, Clone)]
pub struct Threads {
    /// Their number, 1 to [`MAX_THREADS`].
    pub count: usize,
    /// The threads that share what arrives on one port, by its flows; at most `count` do.
    pub readers: usize,
    /// Each thread runs on one of these processors, in their order; on any where there are none.
    pub cpus: Vec<usize>,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            count: 1,
            readers: 1,
            cpus: Vec::new(),
        }
    }
}

/// The way of packets between the interfaces and the switch.
#[derive(Debug, Clone, Copy, Default)]
pub struct IoOptions {
    pub mode: IoMode,
    /// The time for which each thread waits busily before it sleeps.
    pub busy: Duration,
}
