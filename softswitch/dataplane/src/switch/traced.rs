// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traced packets in the parts of the pipeline, in queues and when they are copied.

use crate::exec::action::Env;
use crate::exec::packet::Packet;
use crate::tm::Dequeued;
use crate::trace::message::{CopyKind, Direction, Event, QueueEvent, StageKind};
use crate::trace::{thread_time_ns, Record};

/// Runs a part of the pipeline for a traced packet.
// Out of line, as is all that the path of other packets need not have.
#[cold]
#[inline(never)]
pub(super) fn traced_stage<R>(
    env: &mut Env<'_>,
    name: &str,
    kind: StageKind,
    run: impl FnOnce(&mut Env<'_>) -> R,
) -> R {
    let begun_ns = thread_time_ns();
    env.note_stage(name, kind, Direction::Enter);
    let result = run(env);
    env.note_stage(name, kind, Direction::Exit);
    if let Some(trace) = &env.packet.trace {
        trace.spend(thread_time_ns().saturating_sub(begun_ns));
    }
    result
}

/// Times and depths of a traced packet's queue.
#[inline]
pub(super) fn note_queue(from: &Dequeued<()>, packet: &mut Packet) {
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

/// The record of a clone.
pub(crate) fn copy_trace(
    packet: &mut Packet,
    kind: CopyKind,
    session: u16,
    list: u16,
) -> Option<Box<Record>> {
    let trace = packet.trace.as_mut()?;
    trace.copy(kind, u32::from(session), u32::from(list))
}

/// The record of a packet that enters ingress again: the same one.
pub(crate) fn go_again(packet: &mut Packet, kind: CopyKind, list: u16) -> Option<Box<Record>> {
    let mut trace = packet.trace.take()?;
    trace.go_on(kind, 0, u32::from(list));
    Some(trace)
}

/// The sessions of a packet that is gone get its trace.
#[cold]
#[inline(never)]
pub(super) fn finish(packet: &mut Packet) {
    packet.trace = None;
}
