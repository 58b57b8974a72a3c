// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The queues around a pipeline, for programs that ask.

use crate::exec::packet::Packet;
use crate::exec::queues::{Entry, Queues};
use crate::model::values::Depth;
use crate::tm::{Dequeued, TrafficManager};

pub struct Surroundings<'a> {
    pub tm: &'a TrafficManager<Box<Packet>>,
    /// The queue that the packet comes from.
    pub from: Option<&'a Dequeued<()>>,
}

impl Queues for Surroundings<'_> {
    fn depth(&self, port: u32, queue: u8) -> Depth {
        self.tm.depth(port, queue)
    }

    fn entry(&self) -> Option<Entry> {
        self.from.map(|from| Entry {
            at_ns: from.enq_ns,
            depth: from.enq_depth,
        })
    }
}
