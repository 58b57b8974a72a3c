// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The rate of a port, and the time at which it is next free.

use std::num::NonZeroU64;

const NS_PER_S: u64 = 1_000_000_000;

/// The rate of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rate {
    /// Packets leave as soon as they arrive.
    #[default]
    Unlimited,
    /// Bits per second: a packet of `n` bytes occupies the port for `8 n / rate` seconds.
    Bps(NonZeroU64),
    /// Packets per second: every packet occupies the port for `1 / rate` seconds.
    Pps(NonZeroU64),
}

impl Rate {
    /// Bits per second, 0 for unlimited.
    pub fn bps(rate_bps: u64) -> Self {
        NonZeroU64::new(rate_bps).map_or(Self::Unlimited, Self::Bps)
    }

    /// Packets per second, 0 for unlimited.
    pub fn pps(rate_pps: u64) -> Self {
        NonZeroU64::new(rate_pps).map_or(Self::Unlimited, Self::Pps)
    }
}

/// The time at which the transmitter of one port is free.
#[derive(Debug, Default)]
pub struct Transmitter {
    free_ns: u64,
    /// The remainder by which `free_ns` was rounded down, in `1 / carry_rate` nanoseconds.
    carry: u64,
    carry_rate: u64,
    /// The bit rate of the last packet; 0 where it had none.
    rate_bps: u64,
}

impl Transmitter {
    #[inline]
    pub fn free_ns(&self) -> u64 {
        self.free_ns
    }

    /// Occupy the transmitter from `start_ns` on for a packet; returns when the packet has left.
    ///
    /// With a bit rate that is when its last bit has. With a packet rate it is the start of its
    /// slot, as in BMv2: the rest of the slot only keeps the next packet away.
    #[inline]
    pub fn occupy(&mut self, start_ns: u64, rate: Rate, len_bytes: u32) -> u64 {
        self.rate_bps = match rate {
            Rate::Bps(rate_bps) => rate_bps.get(),
            Rate::Unlimited | Rate::Pps(_) => 0,
        };
        match rate {
            Rate::Unlimited => {
                self.extend(start_ns, 0, 1);
                start_ns
            }
            Rate::Bps(rate_bps) => {
                let bits_ns = u64::from(len_bytes).saturating_mul(8 * NS_PER_S);
                self.extend(start_ns, bits_ns, rate_bps.get());
                self.free_ns
            }
            Rate::Pps(rate_pps) => {
                self.extend(start_ns, NS_PER_S, rate_pps.get());
                start_ns
            }
        }
    }

    /// The part of the last packet that has not left by `now_ns`, in bits times ns of a second. It is exact.
    pub fn unsent_bit_ns(&self, now_ns: u64) -> u128 {
        let Some(left_ns) = self.free_ns.checked_sub(now_ns) else {
            return 0;
        };
        if self.rate_bps == 0 {
            return 0;
        }
        u128::from(left_ns) * u128::from(self.rate_bps) + u128::from(self.carry)
    }

    fn extend(&mut self, start_ns: u64, amount: u64, rate: u64) {
        // An idle gap ends the busy period, and another rate has other fractions.
        if start_ns != self.free_ns || rate != self.carry_rate {
            self.carry = 0;
        }
        let amount = amount.saturating_add(self.carry);
        self.free_ns = start_ns.saturating_add(amount / rate);
        self.carry = amount % rate;
        self.carry_rate = rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_packet_rate_sends_at_the_start_of_the_slot() {
        let mut transmitter = Transmitter::default();
        assert_eq!(transmitter.occupy(5, Rate::pps(1000), 1500), 5);
        assert_eq!(transmitter.free_ns(), 1_000_005);
    }

    #[test]
    fn a_packet_dropped_by_egress_costs_nothing_at_a_bit_rate_but_a_slot_at_a_packet_rate() {
        let mut transmitter = Transmitter::default();
        transmitter.occupy(5, Rate::bps(8), 0);
        assert_eq!(transmitter.free_ns(), 5);
        transmitter.occupy(5, Rate::pps(8), 0);
        assert_eq!(transmitter.free_ns(), 5 + 125_000_000);
    }

    #[test]
    fn no_rate_or_length_overflows() {
        let mut transmitter = Transmitter::default();
        transmitter.occupy(u64::MAX - 1, Rate::bps(1), u32::MAX);
        assert_eq!(transmitter.free_ns(), u64::MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

        #[test]
        fn a_busy_port_has_sent_at_any_time_what_its_rate_allows(
            rate_bps in 1u64..400_000_000_000,
            start_ns in 0u64..1 << 40,
            lengths in proptest::collection::vec(1u32..9_216, 1..50),
            part in 0.0..=1.0,
        ) {
            let mut transmitter = Transmitter::default();
            let mut last_start_ns = start_ns;
            let mut end_ns = start_ns;
            for len in &lengths {
                last_start_ns = end_ns;
                end_ns = transmitter.occupy(end_ns, Rate::bps(rate_bps), *len);
            }
            let now_ns = last_start_ns + ((end_ns - last_start_ns) as f64 * part) as u64;
            let begun: u128 = lengths.iter().map(|len| u128::from(*len) * 8).sum();
            let sent = begun * u128::from(NS_PER_S) - transmitter.unsent_bit_ns(now_ns);
            prop_assert_eq!(sent, u128::from(now_ns - start_ns) * u128::from(rate_bps));
        }

        #[test]
        fn a_busy_period_never_drifts(
            rate_bps in 1_000u64..400_000_000_000,
            start_ns in 0u64..1 << 40,
            lengths in proptest::collection::vec(1u32..9_216, 1..200),
        ) {
            let mut transmitter = Transmitter::default();
            let mut next_ns = start_ns;
            for len in &lengths {
                next_ns = transmitter.occupy(next_ns, Rate::bps(rate_bps), *len);
            }
            let bits: u128 = lengths.iter().map(|len| u128::from(*len) * 8).sum();
            let exact_ns = u128::from(start_ns) + bits * u128::from(NS_PER_S) / u128::from(rate_bps);
            prop_assert_eq!(u128::from(next_ns), exact_ns);
        }
    }
}
