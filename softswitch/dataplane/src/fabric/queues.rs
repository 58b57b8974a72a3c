// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The queues around a pipeline, for programs that ask.

use crate::exec::packet::Packet;
use crate::exec::queues::Queues;
use crate::model::values::Depth;
use crate::tm::TrafficManager;

impl Queues for TrafficManager<Box<Packet>> {
    fn depth(&self, port: u32, queue: u8) -> Depth {
        Self::depth(self, port, queue)
    }
}
