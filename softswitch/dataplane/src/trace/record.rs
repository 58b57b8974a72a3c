// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The trace of one packet while it grows.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use prost::encoding::encoded_len_varint;
use prost::Message;

use super::budget::thread_time_ns;
use super::message::{
    CopyEvent, CopyKind, Direction, Drop as Dropped, Event, InputPacket, Outcome, PacketTrace,
    PipelineStageEvent, Source, StageKind, TraceEvent, TraceTree, Transmit,
};
use super::session::Session;

/// Bytes of a trace that are kept for its input, its outcome and the framing around its events.
const FRAME_BYTES: usize = 256;

/// A list of primitives, by its place in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Nowhere,
    Action(u32),
    /// State and operation.
    Parser(u32, u32),
    Deparser(u32),
}

/// One packet's trace, which its sessions get when the packet is gone.
#[derive(Debug)]
pub struct Record {
    sessions: Vec<Arc<Session>>,
    ids: Arc<AtomicU64>,
    input: InputPacket,
    tree: TraceTree,
    omitted_events: u64,
    used_bytes: usize,
    limit_bytes: usize,
    /// The list of the primitives that run.
    pub place: Place,
}

impl Record {
    pub(super) fn of_arrival(
        sessions: Vec<Arc<Session>>,
        ids: &Arc<AtomicU64>,
        now_ns: u64,
        port: u32,
        packet_bytes: u32,
    ) -> Option<Box<Self>> {
        let input = InputPacket {
            packet_id: next_id(ids),
            ingress_port: port,
            time_ns: now_ns,
            packet_bytes,
            parent_packet_id: 0,
            copy_kind: CopyKind::None as i32,
        };
        Self::new(sessions, ids, input)
    }

    fn new(
        sessions: Vec<Arc<Session>>,
        ids: &Arc<AtomicU64>,
        input: InputPacket,
    ) -> Option<Box<Self>> {
        let limit_bytes = sessions
            .iter()
            .map(|session| session.trace_bytes())
            .max()?
            .saturating_sub(FRAME_BYTES);
        Some(Box::new(Self {
            sessions,
            ids: Arc::clone(ids),
            input,
            tree: TraceTree::default(),
            omitted_events: 0,
            used_bytes: 0,
            limit_bytes,
            place: Place::Nowhere,
        }))
    }

    /// Whether an event would be left out, so that it need not even be made; such an event is counted.
    pub fn is_full(&mut self) -> bool {
        let is_full = self.omitted_events > 0;
        self.omitted_events += u64::from(is_full);
        is_full
    }

    pub fn add(&mut self, source: Option<&Source>, event: Event) {
        if self.is_full() {
            return;
        }
        let event = TraceEvent {
            source: source.cloned(),
            event: Some(event),
        };
        let framed = framed_bytes(&event);
        // After an event that did not fit, no other is taken: a trace has no holes but its end.
        if self.used_bytes + framed > self.limit_bytes {
            self.omitted_events += 1;
            return;
        }
        self.used_bytes += framed;
        self.tree.events.push(event);
    }

    pub fn stage(&mut self, name: &str, kind: StageKind, direction: Direction) {
        let event = PipelineStageEvent {
            stage_name: name.to_owned(),
            stage_kind: kind as i32,
            direction: direction as i32,
        };
        self.add(None, Event::PipelineStage(event));
    }

    /// The record of a copy, which a session or a group made.
    #[cold]
    #[inline(never)]
    pub fn copy(&mut self, kind: CopyKind, target: u32, field_list: u32) -> Option<Box<Self>> {
        let followed = self.sessions.iter().filter(|session| session.follows());
        let sessions = followed.cloned().collect();
        let input = InputPacket {
            packet_id: next_id(&self.ids),
            parent_packet_id: self.input.packet_id,
            copy_kind: kind as i32,
            ..self.input.clone()
        };
        let packet_id = input.packet_id;
        self.add_copy(kind, packet_id, target, field_list);
        Self::new(sessions, &self.ids, input)
    }

    /// The packet itself goes through the switch once more, or is the last replica.
    #[cold]
    #[inline(never)]
    pub fn go_on(&mut self, kind: CopyKind, target: u32, field_list: u32) {
        self.add_copy(kind, self.input.packet_id, target, field_list);
    }

    fn add_copy(&mut self, kind: CopyKind, packet_id: u64, target: u32, field_list: u32) {
        let event = CopyEvent {
            kind: kind as i32,
            packet_id,
            target,
            field_list,
        };
        self.add(None, Event::Copy(event));
    }

    /// Each session of the packet bears a part of the time that was spent for it.
    pub fn spend(&self, time_ns: u64) {
        let sessions = self.sessions.len() as u64;
        for session in &self.sessions {
            session.spend(time_ns / sessions);
        }
    }

    #[cold]
    #[inline(never)]
    pub fn sent(&mut self, egress_port: u32, packet_size: u32, time_ns: u64) {
        self.tree.outcome = Some(Outcome::Transmit(Transmit {
            egress_port,
            packet_size,
            time_ns,
        }));
    }

    #[cold]
    #[inline(never)]
    pub fn dropped(&mut self, reason: &str) {
        self.tree.outcome = Some(Outcome::Drop(Dropped {
            reason: reason.to_owned(),
        }));
    }
}

/// The next number of a packet, from 1.
fn next_id(ids: &AtomicU64) -> u64 {
    ids.fetch_add(1, Relaxed) + 1
}

/// The size of an event in a trace.
fn framed_bytes(event: &TraceEvent) -> usize {
    let length = event.encoded_len();
    length + 1 + encoded_len_varint(length as u64)
}

/// Leaves events at the end out, until the others fit.
fn trim(trace: &mut PacketTrace, limit_bytes: usize) {
    let Some(root) = &mut trace.root else { return };
    let mut used_bytes = 0;
    let fit = root.events.iter().take_while(|event| {
        used_bytes += framed_bytes(event);
        used_bytes <= limit_bytes
    });
    let fit = fit.count();
    trace.omitted_events += (root.events.len() - fit) as u64;
    root.events.truncate(fit);
}

impl Drop for Record {
    fn drop(&mut self) {
        let begun_ns = thread_time_ns();
        let is_copy = self.input.parent_packet_id != 0;
        if self.tree.outcome.is_none() {
            self.dropped("the switch's state was cleared");
        }
        let mut trace = PacketTrace {
            input: Some(self.input.clone()),
            root: Some(std::mem::take(&mut self.tree)),
            omitted_events: self.omitted_events,
        };
        // Sessions with less room come later: the same trace is cut further for each.
        self.sessions
            .sort_by_key(|session| std::cmp::Reverse(session.trace_bytes()));
        for session in &self.sessions {
            trim(
                &mut trace,
                session.trace_bytes().saturating_sub(FRAME_BYTES),
            );
            session.finish(trace.encode_to_vec().into(), is_copy);
        }
        self.spend(thread_time_ns().saturating_sub(begun_ns));
    }
}
