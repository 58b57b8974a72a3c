// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The primitives of v1model's extension: `time_ns`, `enqueued` and `queue_depth`.

use super::env::Env;
use crate::model::ids::Value;
use crate::model::values::Depth;
use crate::program::Target;
use crate::state::stored::Stored;

/// A number of 32 bits in a program.
fn saturated(number: u64) -> Stored {
    whole(number.min(u32::MAX.into()))
}

fn whole(number: u64) -> Stored {
    Stored::Medium(number.into())
}

impl Env<'_> {
    pub(super) fn time(&mut self, target: &Target, params: &[u8]) {
        self.write(target, whole(self.now_ns), params);
    }

    pub(super) fn enqueued(&mut self, [ns, pkts, bytes]: &[Target; 3], params: &[u8]) {
        let entry = self.packet.entry;
        self.write(ns, whole(entry.at_ns), params);
        self.write(pkts, saturated(entry.depth.pkts), params);
        self.write(bytes, saturated(entry.depth.bytes), params);
    }

    pub(super) fn queue_depth(
        &mut self,
        [port, queue]: [Value; 2],
        [pkts, bytes]: &[Target; 2],
        params: &[u8],
    ) {
        let ctx = self.ctx(params);
        let (port, queue) = (ctx.low64(port), ctx.low64(queue));
        let depth = match (self.queues, u32::try_from(port), u8::try_from(queue)) {
            (Some(queues), Ok(port), Ok(queue)) => queues.depth(port, queue),
            _ => Depth::default(),
        };
        self.write(pkts, saturated(depth.pkts), params);
        self.write(bytes, saturated(depth.bytes), params);
    }
}
