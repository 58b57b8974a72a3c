// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traced packets in the parts of the pipeline, in queues and when they are copied.

use crate::exec::action::Env;
use crate::exec::packet::Packet;
use crate::tm::Dequeued;
use crate::trace::message::{CopyKind, Direction, Event, QueueEvent, StageKind};
use crate::trace::Record;

/// Runs a part of the pipeline for a traced packet.
// Out of line, as is all that the path of other packets need not have.
#[cold]
pub(super) fn traced_stage<R>(
    env: &mut Env<'_>,
    name: &str,
    kind: StageKind,
    run: impl FnOnce(&mut Env<'_>) -> R,
) -> R {
    env.note_stage(name, kind, Direction::Enter);
    let result = run(env);
    env.note_stage(name, kind, Direction::Exit);
    result
}

/// Times and depths of a traced packet's queue.
pub(super) fn note_queue(from: &Dequeued<()>, packet: &mut Packet) {
    let Some(trace) = &mut packet.trace else {
        return;
    };
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

/// The record of a clone.
pub(super) fn copy_trace(
    packet: &mut Packet,
    kind: CopyKind,
    session: u16,
    list: u16,
) -> Option<Box<Record>> {
    let trace = packet.trace.as_mut()?;
    trace.copy(kind, u32::from(session), u32::from(list))
}

/// The record of a packet that enters ingress again: the same one.
pub(super) fn go_again(packet: &mut Packet, kind: CopyKind, list: u16) -> Option<Box<Record>> {
    let mut trace = packet.trace.take()?;
    trace.go_on(kind, 0, u32::from(list));
    Some(trace)
}
