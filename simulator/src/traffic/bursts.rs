// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The times of packets that are sent evenly during bursts, with silence between the bursts.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::distribution::Distribution;
use crate::time::{Ns, NS_PER_S};

/// One process of bursts. Exactly one wake-up is due at any time. If a burst ends before the next packet is due, the
/// rest of the interval is kept for the next burst, so the mean rate is exact however short the bursts are.
#[derive(Debug, Clone)]
pub(super) struct Bursts {
    interval_ns: Ns,
    /// Length of a burst and of the silence after it; none: one burst without end.
    periods: Option<(Distribution, Distribution)>,
    on: bool,
    /// The time at which the burst or the silence ends.
    until_ns: Ns,
    /// The time at which the next packet is due; during silence, the time from the beginning of the next burst.
    packet_ns: Ns,
}

/// The result of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WakeUp {
    /// A packet is due now.
    pub send: bool,
    /// The next wake-up.
    pub next_ns: Ns,
}

impl Bursts {
    pub fn new(interval_ns: Ns, periods: Option<(Distribution, Distribution)>) -> Self {
        Self {
            interval_ns,
            periods,
            on: false,
            until_ns: 0,
            packet_ns: 0,
        }
    }

    /// To be called first at any time, which begins a burst, then at each `next_ns`.
    pub fn wake_up(&mut self, now: Ns, rng: &mut Xoshiro256PlusPlus) -> WakeUp {
        if !self.on {
            self.on = true;
            self.until_ns = match &self.periods {
                Some((on, _)) => now.saturating_add(on.sample_ns(rng)),
                None => Ns::MAX,
            };
            self.packet_ns = now.saturating_add(self.packet_ns);
        }
        let send = self.packet_ns <= now && now < self.until_ns;
        if send {
            self.packet_ns = now + self.interval_ns;
        }
        match &self.periods {
            Some((_, off)) if now >= self.until_ns => {
                self.on = false;
                self.packet_ns -= now;
                self.until_ns = now.saturating_add(off.sample_ns(rng));
                WakeUp {
                    send,
                    next_ns: self.until_ns,
                }
            }
            _ => WakeUp {
                send,
                next_ns: self.packet_ns.min(self.until_ns),
            },
        }
    }
}

/// The time from packet to packet at a rate, to the nearest nanosecond but at least one.
pub(super) fn interval_ns(bytes: u32, rate_bps: f64) -> Ns {
    ((f64::from(bytes) * 8.0 * NS_PER_S as f64 / rate_bps).round() as Ns).max(1)
}
