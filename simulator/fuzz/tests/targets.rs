// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The target without coverage.

use quench_fuzz::short;
use quench_simulator_fuzz::FRAMES;

#[test]
fn frames_hold() {
    short::holds(
        &FRAMES,
        1000,
        env!("CARGO_MANIFEST_DIR"),
        env!("CARGO_TARGET_TMPDIR"),
    );
}
