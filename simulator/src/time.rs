// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Simulated time.

/// Nanoseconds since the simulation began.
pub type Ns = u64;

pub const NS_PER_S: u64 = 1_000_000_000;
pub const NS_PER_US: u64 = 1_000;

/// Seconds to the nearest nanosecond; a negative time, or NaN, becomes 0.
pub fn from_s(seconds: f64) -> Ns {
    (seconds * NS_PER_S as f64).round() as Ns
}

pub fn to_s(ns: Ns) -> f64 {
    ns as f64 / NS_PER_S as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_the_nearest_nanosecond() {
        assert_eq!(from_s(0.1 + 0.2), 300_000_000);
        assert_eq!(from_s(-1.0), 0);
        assert_eq!(from_s(f64::NAN), 0);
        assert_eq!(to_s(1_500_000_000), 1.5);
    }
}
