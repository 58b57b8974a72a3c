// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A target of the fuzzers.

use fastrand::Rng;

/// Inputs of one kind, and the property that is checked for each.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Whether the input is correct. Panics where the oracle is broken.
    pub run: fn(&[u8]) -> bool,
    /// Inputs that are refused may be mutated further.
    pub keeps_refused: bool,
    /// Another input like the first; pieces come from the second.
    pub mutate: fn(&[u8], &[u8], &mut Rng) -> Vec<u8>,
    /// Inputs to start from.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
}
