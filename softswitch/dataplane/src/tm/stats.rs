// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters of a port or of one of its queues, and the time-weighted moments of what waits there.

use super::depths::Depths;
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
#[derive(Debug, Clone, Default)]
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
    /// The distribution of the depth, where somebody has asked for it.
    depths: Option<Box<Depths>>,
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

    /// Begins again at `now_ns`, with the depth that there is.
    pub fn reset(&mut self, now_ns: u64) {
        let depths = self.depths.is_some().then(Box::default);
        *self = Self {
            depths,
            ..Self::new(now_ns, self.depth)
        };
    }

    /// From `now_ns` on the distribution of the depth is kept, too.
    pub fn keep_depths(&mut self, now_ns: u64) {
        self.integrate(now_ns);
        self.depths.get_or_insert_default();
    }

    /// The distribution of the depth up to `now_ns`; none if it is not kept.
    pub fn depths(&self, now_ns: u64) -> Option<Depths> {
        let mut depths = self.depths.as_deref()?.clone();
        let duration_ns = now_ns.saturating_sub(self.until_ns);
        if duration_ns > 0 {
            depths.lasted(self.depth.bytes, duration_ns);
        }
        Some(depths)
    }

    /// The depth is `depth` from `now_ns` on.
    pub fn depth_changed(&mut self, now_ns: u64, depth: Depth) {
        self.integrate(now_ns);
        self.depth = depth;
        self.max_depth.pkts = self.max_depth.pkts.max(depth.pkts);
        self.max_depth.bytes = self.max_depth.bytes.max(depth.bytes);
        if let Some(depths) = &mut self.depths {
            depths.changed(depth.bytes);
        }
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
        if let Some(depths) = &mut self.depths {
            depths.changed(u64::from(len_bytes));
            depths.changed(0);
        }
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
        let duration_ns = now_ns.saturating_sub(self.until_ns);
        let (mut pkts, mut bytes) = (self.pkts, self.bytes);
        pkts.add(self.depth.pkts, duration_ns);
        bytes.add(self.depth.bytes, duration_ns);
        let stats_ns = self.until_ns + duration_ns - self.since_ns;
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
            queue_pkts: pkts.moments(stats_ns, self.depth.pkts),
            queue_bytes: bytes.moments(stats_ns, self.depth.bytes),
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
        if let Some(depths) = &mut self.depths {
            depths.lasted(self.depth.bytes, duration_ns);
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

    /// Percentiles are the caller's. The weights are those of a model that keeps every depth.
    #[test]
    fn the_distribution_has_the_time_and_the_changes_of_each_depth() {
        let mut recorder = Recorder::new(0, depth(2));
        assert_eq!(recorder.depths(50), None);
        recorder.keep_depths(100);
        let mut random = 1u64;
        let (mut now, mut bytes, mut waiting) = (100, 2000, vec![1000; 2]);
        let mut lasted = std::collections::BTreeMap::<u64, (u64, u64)>::new();
        for _ in 0..2000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            let (wait, len) = (random >> 33 & 63, (random >> 40 & 255) as u32);
            lasted.entry(bytes).or_default().0 += wait;
            now += wait;
            match random >> 62 {
                0 if !waiting.is_empty() => {
                    let gone = waiting.remove(0);
                    recorder.dequeued(now, gone);
                    bytes -= u64::from(gone);
                }
                1 if waiting.is_empty() => {
                    recorder.passed(now, len);
                    lasted.entry(u64::from(len)).or_default().1 += 1;
                }
                _ if waiting.len() < 3 => {
                    waiting.push(len);
                    recorder.enqueued(now, len);
                    bytes += u64::from(len);
                }
                _ => continue,
            }
            lasted.entry(bytes).or_default().1 += 1;
        }
        lasted.entry(bytes).or_default().0 += 7;
        let depths = recorder.depths(now + 7).expect("they are kept");
        // All depths from the first departures on are below 512 bytes, which are exact.
        for weighed in depths.all().filter(|weighed| weighed.bytes < 512) {
            let expected = lasted.get(&weighed.bytes).copied();
            assert_eq!(expected, Some((weighed.lasted_ns, weighed.changes)));
        }
        let sums = depths.all().fold((0, 0), |sum, each| {
            (sum.0 + each.lasted_ns, sum.1 + each.changes)
        });
        let expected = lasted
            .values()
            .fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
        assert_eq!(sums, expected);
        assert_eq!(recorder.stats(now + 7).stats_ns, now + 7);
        recorder.reset(now);
        let again = recorder.depths(now + 5).expect("they are still kept");
        let now_bytes: Vec<_> = again
            .all()
            .map(|each| (each.bytes, each.lasted_ns))
            .collect();
        assert_eq!(now_bytes.len(), 1);
        assert_eq!(now_bytes[0].1, 5);
    }

    #[test]
    fn with_no_time_passed_the_mean_is_the_present_depth() {
        let stats = Recorder::new(7, depth(2)).stats(7);
        assert_eq!(stats.queue_pkts, Moments { mean: 2.0, sd: 0.0 });
        assert_eq!(stats.stats_ns, 0);
    }
}
