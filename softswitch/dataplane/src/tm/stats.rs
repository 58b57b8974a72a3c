// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters of a port or of one of its queues, and the time-weighted moments of what waits there.

use crate::model::values::Depth;

/// Counts of a port, or of one of its queues, since the port's statistics were last reset.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PortStats {
    pub enqueued_pkts: u64,
    pub enqueued_bytes: u64,
    /// Packets that found their queue full.
    pub dropped_full_pkts: u64,
    pub dropped_full_bytes: u64,
    /// Packets that egress dropped. They were enqueued.
    pub dropped_egress_pkts: u64,
    pub dropped_egress_bytes: u64,
    /// Packets whose egress an assertion or the limit of operations ended: no counter of the program has them.
    pub given_up_pkts: u64,
    /// Packets that egress let through, counted when their transmission begins.
    pub tx_pkts: u64,
    pub tx_bytes: u64,
    /// Packets in all queues of the port, or in this queue.
    pub queue_pkts: Moments,
    /// Bytes in all queues of the port, or in this queue.
    pub queue_bytes: Moments,
    /// The most that there was of each.
    pub max_depth: Depth,
    /// The time that the moments were taken for.
    pub stats_ns: u64,
}

/// Mean and standard deviation over time, each value weighted by how long it lasted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    pub mean: f64,
    pub sd: f64,
}

/// Exact integrals of a step function and of its square.
#[derive(Debug, Clone, Copy, Default)]
struct Integral {
    sum: u128,
    sum_of_squares: u128,
}

impl Integral {
    fn add(&mut self, value: u64, duration_ns: u64) {
        let weighted = u128::from(value) * u128::from(duration_ns);
        self.sum += weighted;
        self.sum_of_squares = self
            .sum_of_squares
            .saturating_add(weighted * u128::from(value));
    }

    fn moments(&self, duration_ns: u64, value: u64) -> Moments {
        if duration_ns == 0 {
            return Moments {
                mean: value as f64,
                sd: 0.0,
            };
        }
        let mean = self.sum as f64 / duration_ns as f64;
        // n * sum(x^2) - sum(x)^2 in integers: the difference of two large floats would cancel.
        let n = u128::from(duration_ns);
        let variance = match (
            n.checked_mul(self.sum_of_squares),
            self.sum.checked_mul(self.sum),
        ) {
            (Some(a), Some(b)) => (a - b) as f64 / (n as f64 * n as f64),
            _ => (self.sum_of_squares as f64 / n as f64 - mean * mean).max(0.0),
        };
        Moments {
            mean,
            sd: variance.sqrt(),
        }
    }
}

/// Follows the depth of one port, or of one queue, through time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recorder {
    enqueued_pkts: u64,
    enqueued_bytes: u64,
    dropped_full_pkts: u64,
    dropped_full_bytes: u64,
    dropped_egress_pkts: u64,
    dropped_egress_bytes: u64,
    given_up_pkts: u64,
    tx_pkts: u64,
    tx_bytes: u64,
    since_ns: u64,
    until_ns: u64,
    depth: Depth,
    max_depth: Depth,
    pkts: Integral,
    bytes: Integral,
}

impl Recorder {
    pub fn new(now_ns: u64, depth: Depth) -> Self {
        Self {
            since_ns: now_ns,
            until_ns: now_ns,
            depth,
            max_depth: depth,
            ..Self::default()
        }
    }

    /// The depth is `depth` from `now_ns` on.
    pub fn depth_changed(&mut self, now_ns: u64, depth: Depth) {
        self.integrate(now_ns);
        self.depth = depth;
        self.max_depth.pkts = self.max_depth.pkts.max(depth.pkts);
        self.max_depth.bytes = self.max_depth.bytes.max(depth.bytes);
    }

    /// A packet of `len_bytes` was added at `now_ns`.
    #[inline]
    pub fn enqueued(&mut self, now_ns: u64, len_bytes: u32) {
        self.enqueued_pkts += 1;
        self.enqueued_bytes += u64::from(len_bytes);
        let depth = Depth {
            pkts: self.depth.pkts + 1,
            bytes: self.depth.bytes + u64::from(len_bytes),
        };
        self.depth_changed(now_ns, depth);
    }

    /// A packet of `len_bytes` was removed at `now_ns`.
    pub fn dequeued(&mut self, now_ns: u64, len_bytes: u32) {
        let depth = Depth {
            pkts: self.depth.pkts - 1,
            bytes: self.depth.bytes - u64::from(len_bytes),
        };
        self.depth_changed(now_ns, depth);
    }

    /// A packet of `len_bytes` was added to nothing at `now_ns` and removed at once.
    #[inline]
    pub fn passed(&mut self, now_ns: u64, len_bytes: u32) {
        self.integrate(now_ns);
        self.enqueued_pkts += 1;
        self.enqueued_bytes += u64::from(len_bytes);
        self.max_depth.pkts = self.max_depth.pkts.max(1);
        self.max_depth.bytes = self.max_depth.bytes.max(u64::from(len_bytes));
    }

    /// A packet of `len_bytes` found the queue full.
    pub fn dropped_full(&mut self, len_bytes: u32) {
        self.dropped_full_pkts += 1;
        self.dropped_full_bytes += u64::from(len_bytes);
    }

    /// Egress dropped a packet that counted for `len_bytes` in its queue.
    pub fn dropped_egress(&mut self, len_bytes: u32) {
        self.dropped_egress_pkts += 1;
        self.dropped_egress_bytes += u64::from(len_bytes);
    }

    /// The egress of a packet was ended.
    pub fn given_up(&mut self) {
        self.given_up_pkts += 1;
    }

    /// Egress let a packet of `len_bytes` through.
    #[inline]
    pub fn sent(&mut self, len_bytes: u32) {
        self.tx_pkts += 1;
        self.tx_bytes += u64::from(len_bytes);
    }

    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// The statistics up to `now_ns`.
    pub fn stats(&self, now_ns: u64) -> PortStats {
        let mut at_now = *self;
        at_now.integrate(now_ns);
        let stats_ns = at_now.until_ns - at_now.since_ns;
        PortStats {
            enqueued_pkts: self.enqueued_pkts,
            enqueued_bytes: self.enqueued_bytes,
            dropped_full_pkts: self.dropped_full_pkts,
            dropped_full_bytes: self.dropped_full_bytes,
            dropped_egress_pkts: self.dropped_egress_pkts,
            dropped_egress_bytes: self.dropped_egress_bytes,
            given_up_pkts: self.given_up_pkts,
            tx_pkts: self.tx_pkts,
            tx_bytes: self.tx_bytes,
            queue_pkts: at_now.pkts.moments(stats_ns, self.depth.pkts),
            queue_bytes: at_now.bytes.moments(stats_ns, self.depth.bytes),
            max_depth: self.max_depth,
            stats_ns,
        }
    }

    #[inline]
    fn integrate(&mut self, now_ns: u64) {
        let duration_ns = now_ns.saturating_sub(self.until_ns);
        // Most packets find an idle port, and wait for no time.
        if duration_ns == 0 {
            return;
        }
        if self.depth.pkts == 0 {
            self.until_ns += duration_ns;
            return;
        }
        self.pkts.add(self.depth.pkts, duration_ns);
        self.bytes.add(self.depth.bytes, duration_ns);
        self.until_ns += duration_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(pkts: u64) -> Depth {
        Depth {
            pkts,
            bytes: pkts * 1000,
        }
    }

    #[test]
    fn moments_weigh_each_depth_by_its_duration() {
        let mut recorder = Recorder::new(100, depth(0));
        recorder.depth_changed(200, depth(4));
        recorder.depth_changed(500, depth(1));
        let stats = recorder.stats(600);
        let mean = (0.0 * 100.0 + 4.0 * 300.0 + 1.0 * 100.0) / 500.0;
        let variance = (0.0 * 100.0 + 16.0 * 300.0 + 1.0 * 100.0) / 500.0 - mean * mean;
        assert!((stats.queue_pkts.mean - mean).abs() < 1e-12);
        assert!((stats.queue_pkts.sd - f64::sqrt(variance)).abs() < 1e-12);
        assert!((stats.queue_bytes.mean - mean * 1000.0).abs() < 1e-9);
        assert_eq!(stats.stats_ns, 500);
    }

    #[test]
    fn a_constant_queue_has_no_deviation_even_after_days() {
        let mut recorder = Recorder::new(0, depth(3));
        recorder.depth_changed(86_400_000_000_000, depth(3));
        let stats = recorder.stats(864_000_000_000_000);
        assert_eq!(
            stats.queue_bytes,
            Moments {
                mean: 3000.0,
                sd: 0.0
            }
        );
    }

    #[test]
    fn with_no_time_passed_the_mean_is_the_present_depth() {
        let stats = Recorder::new(7, depth(2)).stats(7);
        assert_eq!(stats.queue_pkts, Moments { mean: 2.0, sd: 0.0 });
        assert_eq!(stats.stats_ns, 0);
    }
}
