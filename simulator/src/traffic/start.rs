// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A random start, so that the sources of a scenario are not synchronised.

use super::app::Ctx;
use super::distribution::uniform;
use crate::time::from_s;

/// Sets the timer for a source's first action, at a time drawn evenly from now to `spread_s` from now. A spread of 0
/// draws no random number.
pub(super) fn schedule_start(spread_s: f64, token: u64, ctx: &mut dyn Ctx) {
    let wait_s = if spread_s == 0.0 {
        0.0
    } else {
        uniform(ctx.rng()) * spread_s
    };
    ctx.set_timer(ctx.now() + from_s(wait_s), token);
}
