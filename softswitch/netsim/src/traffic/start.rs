// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Starting at a random time, so that the sources of a scenario do not move in step.

use super::app::Ctx;
use super::distribution::uniform;
use crate::time::{from_s, Ns};

/// When a source's first action is due: even over `spread_s` from now on. A spread of 0 takes no random number.
pub(super) fn first_action_ns(spread_s: f64, ctx: &mut dyn Ctx) -> Ns {
    if spread_s == 0.0 {
        return ctx.now();
    }
    ctx.now() + from_s(uniform(ctx.rng()) * spread_s)
}
