// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One-way delays of packets.

use crate::time::{to_s, Ns};

/// Sums over the delays of a source's packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delays {
    pkts: u64,
    sum_ns: u64,
    differences: u64,
    sum_of_differences_ns: u64,
}

impl Delays {
    /// Adds a delay; `last` is that of the packet before on the same connection.
    pub fn add(&mut self, delay_ns: Ns, last: &mut Option<Ns>) {
        self.pkts += 1;
        self.sum_ns += delay_ns;
        if let Some(last) = last.replace(delay_ns) {
            self.differences += 1;
            self.sum_of_differences_ns += delay_ns.abs_diff(last);
        }
    }

    pub fn mean_s(&self) -> Option<f64> {
        (self.pkts > 0).then(|| to_s(self.sum_ns) / self.pkts as f64)
    }

    /// Mean absolute difference of the delays of two packets that arrived one after another.
    pub fn jitter_s(&self) -> Option<f64> {
        (self.differences > 0).then(|| to_s(self.sum_of_differences_ns) / self.differences as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_jitter_by_hand() {
        let mut delays = Delays::default();
        let mut last = None;
        for delay_ms in [10, 30, 20] {
            delays.add(delay_ms * 1_000_000, &mut last);
        }
        assert_eq!(delays.mean_s(), Some(0.02));
        assert_eq!(delays.jitter_s(), Some(0.015));
    }

    #[test]
    fn one_packet_has_no_jitter_and_none_no_mean() {
        let mut delays = Delays::default();
        assert_eq!(delays.mean_s(), None);
        delays.add(5, &mut None);
        assert_eq!((delays.mean_s(), delays.jitter_s()), (Some(5e-9), None));
    }
}
