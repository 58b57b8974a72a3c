// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A fixed set of each target's inputs, in one executable; or as many others as variables of the environment say.

mod targets;
mod tna;

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    let parsed = value.parse();
    Some(parsed.unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// Where a run of other inputs begins: another place in each, unless the environment repeats one.
fn seed() -> u64 {
    number("QUENCH_TEST_SEED").unwrap_or_else(|| fastrand::u64(..))
}
