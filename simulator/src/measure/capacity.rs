// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The capacity of a direction: the bits that its rate allows over time.

use crate::time::Ns;

/// The integral of a rate that may change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capacity {
    /// None: unlimited.
    rate_bps: Option<u64>,
    /// Another rate, and when it begins.
    next: Option<(Ns, u64)>,
    since_ns: Ns,
    /// Integral of the rate up to `since_ns`, in bits per second times nanoseconds.
    bit_ns: u128,
    /// The rate was unlimited for a while.
    unlimited: bool,
}

impl Capacity {
    pub fn new(rate_bps: Option<u64>) -> Self {
        Self {
            rate_bps,
            ..Self::default()
        }
    }

    /// Another rate, from the end of the packet in transmission on, of which `unsent_bit_ns` has not left yet.
    pub fn set_rate(&mut self, now: Ns, rate_bps: u64, unsent_bit_ns: u128) {
        self.integrate(now);
        let rate = u128::from(self.rate_bps.unwrap_or(1).max(1));
        let left_ns = u64::try_from(unsent_bit_ns / rate).unwrap_or(Ns::MAX);
        self.next = Some((now.saturating_add(left_ns), rate_bps));
    }

    pub fn reset(&mut self, now: Ns) {
        self.integrate(now);
        self.bit_ns = 0;
        self.unlimited = false;
    }

    /// Bits times nanoseconds of a second that could have crossed since the reset; none if the rate was not always
    /// limited.
    pub fn bit_ns(&self, now: Ns) -> Option<u128> {
        let mut at_now = *self;
        at_now.integrate(now);
        (!at_now.unlimited && at_now.rate_bps.is_some()).then_some(at_now.bit_ns)
    }

    fn integrate(&mut self, now: Ns) {
        if let Some((at, rate_bps)) = self.next.filter(|(at, _)| *at <= now) {
            self.integrate_rate(at);
            self.rate_bps = Some(rate_bps);
            self.next = None;
        }
        self.integrate_rate(now);
    }

    fn integrate_rate(&mut self, now: Ns) {
        let duration = now.saturating_sub(self.since_ns);
        match self.rate_bps {
            Some(rate) => self.bit_ns += u128::from(rate) * u128::from(duration),
            None => self.unlimited |= duration > 0,
        }
        self.since_ns += duration;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::NS_PER_S;

    const S: u128 = NS_PER_S as u128;

    #[test]
    fn the_capacity_follows_the_rate() {
        let mut capacity = Capacity::new(Some(1_000));
        capacity.reset(NS_PER_S);
        capacity.set_rate(3 * NS_PER_S, 500, 0);
        assert_eq!(capacity.bit_ns(4 * NS_PER_S), Some(2_500 * S));
    }

    #[test]
    fn another_rate_begins_when_the_packet_in_transmission_has_left() {
        let mut capacity = Capacity::new(Some(1_000));
        capacity.set_rate(NS_PER_S, 10, 2_000 * S);
        assert_eq!(capacity.bit_ns(2 * NS_PER_S), Some(2_000 * S));
        // The last change before that counts.
        capacity.set_rate(2 * NS_PER_S, 100, 1_000 * S);
        assert_eq!(capacity.bit_ns(4 * NS_PER_S), Some(3_100 * S));
        capacity.reset(4 * NS_PER_S);
        assert_eq!(capacity.bit_ns(5 * NS_PER_S), Some(100 * S));
    }

    #[test]
    fn an_unlimited_rate_has_no_capacity() {
        let mut capacity = Capacity::new(None);
        assert_eq!(capacity.bit_ns(NS_PER_S), None);
        capacity.set_rate(NS_PER_S, 1, 0);
        assert_eq!(capacity.bit_ns(2 * NS_PER_S), None);
        capacity.reset(2 * NS_PER_S);
        assert_eq!(capacity.bit_ns(3 * NS_PER_S), Some(S));
    }
}
