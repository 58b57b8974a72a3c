// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traced packets in queues.

use crate::exec::packet::Packet;
use crate::tm::Dequeued;
use crate::trace::message::{Event, QueueEvent};
use crate::trace::Record;

/// Times and depths of a traced packet's queue.
#[inline]
pub fn note_queue(from: &Dequeued<()>, packet: &mut Packet) {
    if let Some(trace) = &mut packet.trace {
        add_queue(trace, from);
    }
}

#[cold]
#[inline(never)]
fn add_queue(trace: &mut Record, from: &Dequeued<()>) {
    let event = QueueEvent {
        port: from.port,
        queue: u32::from(from.queue),
        enqueue_time_ns: from.enq_ns,
        enqueue_depth_pkts: from.enq_depth.pkts,
        enqueue_depth_bytes: from.enq_depth.bytes,
        dequeue_time_ns: from.deq_ns,
        dequeue_depth_pkts: from.deq_depth.pkts,
        dequeue_depth_bytes: from.deq_depth.bytes,
    };
    trace.add(None, Event::Queue(event));
}
