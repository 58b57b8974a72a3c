// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Traced packets in the parts of the pipeline, and when they are copied.

use super::env::Env;
use super::packet::Packet;
use crate::trace::message::{CopyKind, Direction, StageKind};
use crate::trace::{thread_time_ns, Record};

/// Runs a part of the pipeline for a traced packet.
// Out of line, as is all that the path of other packets need not have.
#[cold]
#[inline(never)]
pub fn traced_stage<R>(
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

/// The record of a clone.
pub fn copy_trace(
    packet: &mut Packet,
    kind: CopyKind,
    session: u16,
    list: u16,
) -> Option<Box<Record>> {
    let trace = packet.trace.as_mut()?;
    trace.copy(kind, u32::from(session), u32::from(list))
}

/// The record of a packet that enters ingress again: the same one.
pub fn go_again(packet: &mut Packet, kind: CopyKind, list: u16) -> Option<Box<Record>> {
    let mut trace = packet.trace.take()?;
    trace.go_on(kind, 0, u32::from(list));
    Some(trace)
}

/// The sessions of a packet that is gone get its trace.
#[cold]
#[inline(never)]
pub fn finish(packet: &mut Packet) {
    packet.trace = None;
}
