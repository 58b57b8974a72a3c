// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A loaded program with its state, and the steps of a packet's life in terms of both.

#![allow(unsafe_code)]

use std::mem::size_of;
use std::sync::Arc;

use super::traced::{finish, note_queue, traced_stage};
use crate::control::MatchField;
use crate::exec::action::Env;
use crate::exec::calc;
use crate::exec::jit::Code;
use crate::exec::packet::Packet;
use crate::exec::program::{DigestField, Program};
use crate::exec::slot::Slot;
use crate::externs::Externs;
use crate::load::Loaded;
use crate::tables::ternary::TernaryKey;
use crate::tables::Tables;
use crate::tm::Dequeued;
use crate::trace::message::StageKind;

/// Values of `standard_metadata.instance_type`, as simple_switch gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceType {
    Normal = 0,
    IngressClone = 1,
    EgressClone = 2,
    Recirculated = 4,
    Replicated = 5,
    Resubmitted = 6,
}

#[derive(Debug)]
pub struct Core {
    pub program: Arc<Program>,
    pub externs: Externs,
    pub tables: Tables,
    /// The pipelines as machine code, if there is any for this machine; it is `program`'s, as are `externs` and `tables`:
    /// nothing ever puts others in their place.
    code: Option<Arc<Code>>,
    pub value_sets: Vec<Vec<TernaryKey>>,
    /// The same as the control plane gave them.
    pub value_set_members: Vec<Vec<Vec<MatchField>>>,
    pub drop_port: u32,
    /// The parser's key, reused.
    select_key: Vec<u64>,
    /// Packets that are free to be used again.
    #[expect(clippy::vec_box, reason = "the boxes move on into queues")]
    pool: Vec<Box<Packet>>,
    pool_size: usize,
    /// The memory of a packet besides its bytes.
    packet_bytes: usize,
}

/// Free packets that are kept, and the memory that they may take.
const POOL_SIZE: usize = 4096;
const POOL_BYTES: usize = 32 << 20;
/// The buffer of a free packet is kept if it is no longer.
const POOL_BUFFER_BYTES: usize = 4096;

const CONTROL: StageKind = StageKind::Control;

fn us(now_ns: u64) -> u64 {
    now_ns / 1000
}

/// Writes a value that the program has a place for; no other is even computed.
#[inline(always)]
pub(super) fn set_if_present(place: Option<Slot>, phv: &mut [u8], value: impl FnOnce() -> u64) {
    if let Some(place) = place {
        place.write(phv, value());
    }
}

impl Core {
    /// The state that a program begins with, and its code; without, the interpreter runs the pipelines.
    pub fn new(loaded: &Loaded, code: Option<Arc<Code>>, seed: u64, drop_port: u32) -> Self {
        let packet_bytes = size_of::<Packet>() + loaded.program.layout.bytes;
        Self {
            program: loaded.program.clone(),
            code,
            externs: loaded.externs.fresh(seed),
            tables: Tables::clone(&loaded.tables),
            value_set_members: loaded.value_sets.iter().map(|_| Vec::new()).collect(),
            value_sets: loaded.value_sets.clone(),
            drop_port,
            select_key: Vec::new(),
            pool: Vec::new(),
            pool_size: POOL_SIZE.min(POOL_BYTES / (packet_bytes + POOL_BUFFER_BYTES)),
            packet_bytes,
        }
    }

    pub fn is_compiled(&self) -> bool {
        self.code.is_some()
    }

    /// A packet with all headers and metadata 0.
    pub fn take(&mut self) -> Box<Packet> {
        match self.pool.pop() {
            Some(mut packet) => {
                packet.phv.clear();
                packet.data.clear();
                packet.parsed = 0;
                packet.passes = 0;
                packet.requests = Default::default();
                packet.budget = Default::default();
                packet
            }
            None => Box::new(Packet::new(&self.program.layout)),
        }
    }

    pub fn release(&mut self, mut packet: Box<Packet>) {
        if packet.trace.is_some() {
            finish(&mut packet);
        }
        if self.pool.len() < self.pool_size {
            if packet.data.capacity() > POOL_BUFFER_BYTES {
                packet.data = Vec::new();
            }
            self.pool.push(packet);
        }
    }

    /// The memory that a packet takes.
    pub fn held_bytes(&self, packet: &Packet) -> u64 {
        (self.packet_bytes + packet.data.capacity()) as u64
    }

    /// A packet as it arrives at a port, with its bytes in `data`.
    pub fn arrive(&mut self, now_ns: u64, port: u32, mut packet: Box<Packet>) -> Box<Packet> {
        let length = packet.data.len() as u32;
        packet.ingress_port = port;
        packet.ingress_bytes = length;
        packet.length = length;
        let standard = &self.program.standard;
        let phv = &mut packet.phv.bytes;
        set_if_present(standard.ingress_port, phv, || u64::from(port));
        set_if_present(standard.packet_length, phv, || u64::from(length));
        set_if_present(standard.ingress_timestamp, phv, || us(now_ns));
        packet
    }

    /// Parser, checksum verification and ingress. Returns whether there was a parser error, and a checksum error.
    pub fn ingress(&mut self, packet: &mut Packet, now_ns: u64) -> (bool, bool) {
        let (error, right) = self.parse(packet, now_ns);
        let standard = &self.program.standard;
        let phv = &mut packet.phv.bytes;
        set_if_present(standard.parser_error, phv, || u64::from(error));
        set_if_present(standard.checksum_error, phv, || u64::from(!right));
        let failed = error != self.program.parser.errors.no_error;
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            drop_port: self.drop_port,
        };
        match &self.code {
            _ if env.packet.trace.is_some() => traced_stage(&mut env, "ingress", CONTROL, |env| {
                env.apply::<true>(&self.program.ingress, &mut self.tables)
            }),
            // SAFETY: `new` got the program, its externs, its tables and its code together.
            Some(code) => unsafe { code.ingress(&mut env, &mut self.tables) },
            None => env.apply::<false>(&self.program.ingress, &mut self.tables),
        }
        packet.requests.exit = false;
        (failed, !right)
    }

    /// Gives the parser's error and whether all checksums are right.
    pub(super) fn parse(&mut self, packet: &mut Packet, now_ns: u64) -> (u32, bool) {
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            drop_port: self.drop_port,
        };
        let (value_sets, key) = (&self.value_sets, &mut self.select_key);
        match &self.code {
            _ if env.packet.trace.is_some() => {
                traced_stage(&mut env, "parser", StageKind::Parser, |env| {
                    (env.parse::<true>(value_sets, key), env.verify_and_note())
                })
            }
            // SAFETY: as in `ingress`.
            Some(code) => unsafe { code.parse(&mut env, value_sets, key) },
            None => {
                let error = env.parse::<false>(value_sets, key);
                (
                    error,
                    calc::verify(&self.program, &mut self.externs, packet),
                )
            }
        }
    }

    /// Pays for another pass of a packet, or for a copy; false where it has to be dropped.
    pub fn pay_pass(&self, packet: &mut Packet) -> bool {
        let copied = (packet.data.len() / 64) as u32;
        packet
            .budget
            .spend(self.program.pass_work.saturating_add(copied))
    }

    pub fn set_instance(&self, packet: &mut Packet, instance: InstanceType) {
        let place = self.program.standard.instance_type;
        set_if_present(place, &mut packet.phv.bytes, || instance as u64);
    }

    /// Metadata that the queue and the port give, then egress.
    pub fn egress(&mut self, from: &Dequeued<()>, packet: &mut Packet) {
        note_queue(from, packet);
        let standard = &self.program.standard;
        let phv = &mut packet.phv.bytes;
        set_if_present(standard.egress_timestamp, phv, || us(from.deq_ns));
        let queueing = &standard.queueing;
        set_if_present(queueing.enq_timestamp, phv, || us(from.enq_ns));
        set_if_present(queueing.enq_qdepth, phv, || from.enq_depth.pkts);
        set_if_present(queueing.deq_timedelta, phv, || {
            us(from.deq_ns) - us(from.enq_ns)
        });
        set_if_present(queueing.deq_qdepth, phv, || from.deq_depth.pkts);
        set_if_present(queueing.qid, phv, || u64::from(from.queue));
        set_if_present(standard.egress_port, phv, || u64::from(from.port));
        standard
            .egress_spec
            .write(phv, u64::from(self.drop_port) + 1);
        set_if_present(standard.packet_length, phv, || u64::from(packet.length));
        packet.requests.exit = false;
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns: from.deq_ns,
            drop_port: self.drop_port,
        };
        match &self.code {
            _ if env.packet.trace.is_some() => traced_stage(&mut env, "egress", CONTROL, |env| {
                env.apply::<true>(&self.program.egress, &mut self.tables)
            }),
            // SAFETY: as in `ingress`.
            Some(code) => unsafe { code.egress(&mut env, &mut self.tables) },
            None => env.apply::<false>(&self.program.egress, &mut self.tables),
        }
    }

    pub fn egress_spec(&self, packet: &Packet) -> u32 {
        self.program.standard.egress_spec.read(&packet.phv.bytes) as u32
    }

    pub fn multicast_group(&self, packet: &Packet) -> u16 {
        self.program
            .standard
            .mcast_grp
            .map_or(0, |loc| loc.read(&packet.phv.bytes) as u16)
    }

    /// The queue that a packet asks for.
    pub fn queue(&self, packet: &Packet) -> u8 {
        let priority = self.program.standard.priority;
        let number = priority.map_or(0, |loc| loc.read(&packet.phv.bytes));
        u8::try_from(number).unwrap_or(u8::MAX)
    }

    pub fn set_rid(&self, packet: &mut Packet, rid: u16) {
        let place = self.program.standard.egress_rid;
        set_if_present(place, &mut packet.phv.bytes, || u64::from(rid));
    }

    /// The packet as it is sent; its bytes are gone from `packet`.
    pub fn deparse(&mut self, packet: &mut Packet, now_ns: u64) -> Vec<u8> {
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            drop_port: self.drop_port,
        };
        match &self.code {
            _ if env.packet.trace.is_some() => {
                traced_stage(&mut env, "deparser", StageKind::Deparser, |env| {
                    env.deparse::<true>()
                })
            }
            // SAFETY: as in `ingress`.
            Some(code) => unsafe { code.deparse(&mut env) },
            None => env.deparse::<false>(),
        }
    }

    /// The values of a digest.
    pub fn digest(&self, packet: &Packet, id: u16) -> Option<Vec<Vec<u8>>> {
        let fields = self.program.digests.get(usize::from(id))?.as_ref()?;
        let value = |field: &DigestField| match field {
            DigestField::Field(loc) => {
                let mut bytes = Vec::new();
                loc.append_bytes(&packet.phv.bytes, &mut bytes);
                bytes
            }
            DigestField::Constant(bytes) => bytes.clone(),
        };
        Some(fields.iter().map(value).collect())
    }
}
