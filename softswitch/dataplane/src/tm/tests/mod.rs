// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The traffic manager and the link as their users see them.

mod link;
mod model;
mod pass;
mod pause;
mod port;
mod shared;
mod shares;

use super::*;

fn manager(config: PortConfig) -> TrafficManager<u32> {
    TrafficManager::new(config).expect("the configuration is valid")
}

/// Everything due by `now_ns`, with egress letting each packet through unchanged.
fn drain(manager: &mut TrafficManager<u32>, now_ns: u64) -> Vec<Dequeued<u32>> {
    let mut out = Vec::new();
    while let Some(dequeued) = manager.poll(now_ns) {
        manager.transmitted(dequeued.port, dequeued.len_bytes);
        out.push(dequeued);
    }
    out
}

fn items(dequeued: &[Dequeued<u32>]) -> Vec<u32> {
    dequeued.iter().map(|d| d.item).collect()
}
