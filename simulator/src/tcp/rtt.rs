// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Estimation of the round-trip time, and the retransmission timeout (RTO).

use super::config::Timer;
use super::stack::TimerSettings;
use crate::time::Ns;

/// Largest back-off, as a power of 2. `max_rto_s` is reached before.
const MAX_BACKOFF_SHIFT: u32 = 16;
/// ns-2's largest back-off factor.
const NS2_MAX_BACKOFF: u64 = 64;
/// Back-off factor beyond which ns-2 discards the smoothed RTT.
const NS2_DISTRUST_BACKOFF: u64 = 8;

/// Estimates the round-trip time from samples of segments that were sent once (Karn's algorithm, RFC 6298 section 3).
#[derive(Debug, Clone)]
pub(super) struct Estimator {
    settings: TimerSettings,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// RFC 6298, in nanoseconds.
    Smooth {
        /// Smoothed RTT and its variation; none before the first sample.
        estimate: Option<(Ns, Ns)>,
        backoff_shift: u32,
    },
    Ticks(Ticks),
}

/// Jacobson's integer arithmetic: the smoothed RTT in eighths of a tick, the variation in quarters.
#[derive(Debug, Clone)]
struct Ticks {
    srtt: i64,
    rttvar: i64,
    /// The timeout in ticks; none before the first sample.
    rto: Option<i64>,
    backoff: u64,
    /// The time from a tick of the clock to the simulation's beginning.
    phase_ns: Ns,
}

impl Estimator {
    /// `phase` decides how long after a tick of the clock the simulation began, for a clock of ticks.
    pub fn new(settings: TimerSettings, phase: u64) -> Self {
        let kind = match settings.kind {
            Timer::Ns2 => Kind::Ticks(Ticks {
                srtt: 0,
                rttvar: 0,
                rto: None,
                backoff: 1,
                phase_ns: phase % settings.clock_ns,
            }),
            Timer::Rfc6298 | Timer::Linux => Kind::Smooth {
                estimate: None,
                backoff_shift: 0,
            },
        };
        Self { settings, kind }
    }

    /// A segment sent at `sent` was acknowledged at `now`.
    pub fn sample(&mut self, sent: Ns, now: Ns) {
        let rtt = now - sent;

        match &mut self.kind {
            Kind::Ticks(ticks) => ticks.sample(sent, rtt, self.settings.clock_ns),
            Kind::Smooth { estimate, .. } => {
                *estimate = Some(match *estimate {
                    None => (rtt, rtt / 2),
                    Some((srtt, rttvar)) => {
                        ((7 * srtt + rtt) / 8, (3 * rttvar + srtt.abs_diff(rtt)) / 4)
                    }
                });
            }
        }
    }

    /// The current RTO, back-off included.
    pub fn rto_ns(&self) -> Ns {
        let TimerSettings {
            kind,
            clock_ns,
            initial_ns,
            min_ns,
            max_ns,
        } = self.settings;

        match &self.kind {
            Kind::Ticks(ticks) => {
                let once = ticks.rto.map_or(initial_ns, |rto| rto as u64 * clock_ns);
                once.saturating_mul(ticks.backoff)
                    .max(min_ns)
                    .min(max_ns)
                    .max(2 * clock_ns)
            }
            Kind::Smooth {
                estimate,
                backoff_shift,
            } => {
                let once = match *estimate {
                    None => initial_ns,
                    Some((srtt, rttvar)) if kind == Timer::Linux => srtt + (4 * rttvar).max(min_ns),
                    Some((srtt, rttvar)) => (srtt + (4 * rttvar).max(clock_ns)).max(min_ns),
                };
                let in_ticks = once.div_ceil(clock_ns) * clock_ns;
                in_ticks.saturating_mul(1 << backoff_shift).min(max_ns)
            }
        }
    }

    /// Doubles the RTO, because the timer has fired (RFC 6298 section 5.5).
    pub fn back_off(&mut self) {
        match &mut self.kind {
            Kind::Ticks(ticks) => ticks.back_off(),
            Kind::Smooth { backoff_shift, .. } => {
                *backoff_shift = (*backoff_shift + 1).min(MAX_BACKOFF_SHIFT);
            }
        }
    }

    pub fn end_back_off(&mut self) {
        match &mut self.kind {
            Kind::Ticks(ticks) => ticks.backoff = 1,
            Kind::Smooth { backoff_shift, .. } => *backoff_shift = 0,
        }
    }

    /// Without a sample so far: begins anew, with this RTO.
    pub fn start_again(&mut self, initial_ns: Ns) {
        self.settings.initial_ns = initial_ns;
        self.end_back_off();
    }

    /// The smoothed RTT; none before the first sample. A clock of ticks keeps it in eighths of one.
    pub fn srtt_ns(&self) -> Option<Ns> {
        match &self.kind {
            Kind::Ticks(ticks) => ticks
                .rto
                .map(|_| (ticks.srtt as u64 * self.settings.clock_ns) >> 3),
            Kind::Smooth { estimate, .. } => estimate.map(|(srtt, _)| srtt),
        }
    }
}

impl Ticks {
    fn sample(&mut self, sent: Ns, rtt: Ns, clock_ns: Ns) {
        // The ticks that passed during the round trip, at least one.
        let into_tick = (sent + self.phase_ns) % clock_ns;
        let measured = (((rtt + into_tick) / clock_ns) as i64).max(1);

        if self.srtt == 0 {
            self.srtt = measured << 3;
            self.rttvar = measured << 1;
        } else {
            let error = measured - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
        }
        self.rto = Some(((self.rttvar << 3) + self.srtt) >> 3);
    }

    fn back_off(&mut self) {
        if self.backoff < NS2_MAX_BACKOFF {
            self.backoff *= 2;
        }
        if self.backoff > NS2_DISTRUST_BACKOFF {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

    fn settings(kind: Timer, min_ms: u64) -> TimerSettings {
        TimerSettings {
            kind,
            clock_ns: if kind == Timer::Ns2 { 100 * MS } else { MS },
            initial_ns: 3000 * MS,
            min_ns: min_ms * MS,
            max_ns: 60_000 * MS,
        }
    }

    #[test]
    fn rfc_6298_by_hand() {
        let mut estimator = Estimator::new(settings(Timer::Rfc6298, 200), 0);
        assert_eq!((estimator.rto_ns(), estimator.srtt_ns()), (3000 * MS, None));

        // SRTT 100, RTTVAR 50; then RTTVAR (3*50 + 60)/4 = 52.5 and SRTT (7*100 + 160)/8 = 107.5.
        estimator.sample(0, 100 * MS);
        assert_eq!(estimator.rto_ns(), 300 * MS);
        estimator.sample(0, 160 * MS);
        assert_eq!(estimator.srtt_ns(), Some(107_500_000));
        // 317.5 ms, in whole ticks of the clock.
        assert_eq!(estimator.rto_ns(), 318 * MS);
        estimator.back_off();
        estimator.back_off();
        assert_eq!(estimator.rto_ns(), 1272 * MS);
        (0..10).for_each(|_| estimator.back_off());
        assert_eq!(estimator.rto_ns(), 60_000 * MS);
        estimator.end_back_off();
        assert_eq!(estimator.rto_ns(), 318 * MS);
    }

    #[test]
    fn the_least_rto_bounds_the_sum_or_the_variation() {
        for (kind, expected) in [(Timer::Rfc6298, 200), (Timer::Linux, 210)] {
            let mut estimator = Estimator::new(settings(kind, 200), 0);
            (0..100).for_each(|_| estimator.sample(0, 10 * MS));
            assert_eq!(estimator.rto_ns(), expected * MS, "{kind:?}");
        }
    }

    #[test]
    fn ticks_by_hand() {
        let mut estimator = Estimator::new(settings(Timer::Ns2, 1000), 0);
        assert_eq!(estimator.rto_ns(), 3000 * MS);

        // Sent 30 ms into a tick, 290 ms later: 3 ticks. SRTT 24/8, variation 6/4, RTO (48 + 24) >> 3 = 9 ticks.
        estimator.sample(30 * MS, 320 * MS);
        assert_eq!(estimator.srtt_ns(), Some(300 * MS));
        assert_eq!(estimator.rto_ns(), 1000 * MS);
        estimator.back_off();
        // The least RTO counts after the back-off.
        assert_eq!(estimator.rto_ns(), 1800 * MS);
        // 1 tick: error -2, SRTT 22/8, variation 6 + 2 - 1 = 7, RTO (56 + 22) >> 3 = 9.
        estimator.sample(0, 150 * MS);
        assert_eq!(estimator.srtt_ns(), Some(275 * MS));
        assert_eq!(estimator.rto_ns(), 1800 * MS);
        // Beyond a factor of eight ns-2 discards the smoothed RTT.
        (0..3).for_each(|_| estimator.back_off());
        assert_eq!(estimator.srtt_ns(), Some(0));
        assert_eq!(estimator.rto_ns(), 14_400 * MS);
        estimator.end_back_off();
        estimator.sample(0, 250 * MS);
        assert_eq!(estimator.srtt_ns(), Some(200 * MS));
    }

    #[test]
    fn a_tick_may_pass_within_a_short_round_trip() {
        for (phase_ms, ticks) in [(0, 1), (50, 2)] {
            let mut estimator = Estimator::new(settings(Timer::Ns2, 200), phase_ms * MS);
            estimator.sample(340 * MS, 450 * MS);
            assert_eq!(estimator.srtt_ns(), Some(ticks * 100 * MS), "{phase_ms}");
        }
    }
}
