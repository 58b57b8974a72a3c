// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of inputs by how far they got: a fuzzer that is stopped by the first check finds nothing behind it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

const REPORT_EVERY_S: u64 = 10;

/// Since the process started.
pub struct Counts {
    pub inputs: AtomicU64,
    /// Inputs that are a correct program.
    pub accepted: AtomicU64,
    pub packets: AtomicU64,
    reported_s: AtomicU64,
}

pub static COUNTS: Counts = Counts {
    inputs: AtomicU64::new(0),
    accepted: AtomicU64::new(0),
    packets: AtomicU64::new(0),
    reported_s: AtomicU64::new(0),
};

impl Counts {
    pub fn input(&self) {
        self.inputs.fetch_add(1, Ordering::Relaxed);
    }

    pub fn accept(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub fn packet(&self) {
        self.packets.fetch_add(1, Ordering::Relaxed);
    }

    /// A line on standard error, where libFuzzer writes too, every ten seconds.
    pub fn report(&self) {
        static START: OnceLock<Instant> = OnceLock::new();
        let now_s = START.get_or_init(Instant::now).elapsed().as_secs();
        if now_s < self.reported_s.load(Ordering::Relaxed) + REPORT_EVERY_S {
            return;
        }
        self.reported_s.store(now_s, Ordering::Relaxed);
        eprintln!("after {now_s} s: {self}");
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [inputs, accepted, packets] =
            [&self.inputs, &self.accepted, &self.packets].map(|n| n.load(Ordering::Relaxed));
        write!(f, "{inputs} inputs, {accepted} accepted, {packets} packets")
    }
}
