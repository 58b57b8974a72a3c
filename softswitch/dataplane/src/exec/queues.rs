// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Queues as a packet in a pipeline may ask for them.

use crate::model::values::Depth;

/// The queues around a pipeline.
pub trait Queues {
    /// The packets and bytes that wait in a queue now; nothing where the port or the queue does not exist.
    fn depth(&self, port: u32, queue: u8) -> Depth;
}

/// The entry of a packet into its queue.
#[derive(Debug, Clone, Copy, Default)]
pub struct Entry {
    pub at_ns: u64,
    /// The queue then, without the packet.
    pub depth: Depth,
}
