// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A loaded program with its state: runs the program's blocks by their numbers, and copies packets.

#![allow(unsafe_code)]

use std::mem::size_of;
use std::sync::Arc;

use super::calc;
use super::env::Env;
use super::jit::Code;
use super::packet::Packet;
use super::queues::Queues;
use super::traced::{finish, traced_stage};
use crate::externs::clock::ChipClock;
use crate::externs::Externs;
use crate::model::config::SwitchConfig;
use crate::model::packet_bytes::PacketBytes;
use crate::model::values::MatchField;
use crate::program::{DigestField, Program};
use crate::tables::ternary::TernaryKey;
use crate::tables::Tables;
use crate::trace::message::{CopyKind, StageKind};

/// A program and the state that it starts with.
pub struct Start {
    pub program: Arc<Program>,
    pub externs: Externs,
    pub tables: Arc<Tables>,
    pub value_sets: Vec<Vec<TernaryKey>>,
}

#[derive(Debug)]
pub struct Core {
    pub program: Arc<Program>,
    pub externs: Externs,
    pub tables: Tables,
    /// The pipelines as machine code, if there is any for this machine; it is `program`'s, as are `externs` and
    /// `tables`: nothing ever puts others in their place.
    code: Option<Arc<Code>>,
    pub value_sets: Vec<Vec<TernaryKey>>,
    /// The same as the control plane gave them.
    pub value_set_members: Vec<Vec<Vec<MatchField>>>,
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

impl Core {
    /// The state that a program begins with, and its code; without, the interpreter runs the pipelines. `clock` is that
    /// of meters and filters.
    pub fn new(
        start: &Start,
        code: Option<Arc<Code>>,
        clock: ChipClock,
        config: &SwitchConfig,
    ) -> Self {
        let mut externs = start.externs.fresh(config.seed);
        externs.clock = clock;
        externs.drop_port = config.drop_port;
        let packet_bytes = size_of::<Packet>() + start.program.layout.bytes;
        Self {
            program: start.program.clone(),
            code,
            externs,
            tables: Tables::clone(&start.tables),
            value_set_members: start.value_sets.iter().map(|_| Vec::new()).collect(),
            value_sets: start.value_sets.clone(),
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
    #[inline]
    pub fn take(&mut self) -> Box<Packet> {
        match self.pool.pop() {
            Some(mut packet) => {
                packet.phv.clear();
                packet.data.clear();
                packet.parsed = 0;
                packet.passes = 0;
                packet.requests = Default::default();
                packet.rid = None;
                packet.carried = 0;
                packet.budget = Default::default();
                packet
            }
            None => Box::new(Packet::new(&self.program.layout)),
        }
    }

    #[inline]
    pub fn release(&mut self, mut packet: Box<Packet>) {
        if packet.trace.is_some() {
            finish(&mut packet);
        }
        if self.pool.len() < self.pool_size {
            if packet.data.capacity() > POOL_BUFFER_BYTES {
                packet.data = PacketBytes::default();
            }
            self.pool.push(packet);
        }
    }

    /// The memory that a packet takes.
    pub fn held_bytes(&self, packet: &Packet) -> u64 {
        (self.packet_bytes + packet.data.capacity()) as u64
    }

    /// Runs a parser and verifies checksums. Gives the parser's error and whether all checksums are right.
    #[inline(always)]
    pub fn parse(&mut self, parser: usize, packet: &mut Packet, now_ns: u64) -> (u32, bool) {
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            queues: None,
        };
        let (value_sets, key) = (&self.value_sets, &mut self.select_key);
        let block = &self.program.parsers[parser];
        match &self.code {
            _ if env.packet.trace.is_some() => {
                traced_stage(&mut env, &block.name, StageKind::Parser, |env| {
                    let error = env.parse::<true>(block, value_sets, key);
                    (error, env.verify_and_note())
                })
            }
            // SAFETY: `new` got the program, its externs, its tables and its code together.
            Some(code) => unsafe { code.parse(parser, &mut env, value_sets, key) },
            None => {
                let error = env.parse::<false>(block, value_sets, key);
                (
                    error,
                    calc::verify(&self.program, &mut self.externs, packet),
                )
            }
        }
    }

    /// Runs a pipeline, until its end or `exit`. The program may ask for `queues`.
    #[inline(always)]
    pub fn apply(
        &mut self,
        pipeline: usize,
        packet: &mut Packet,
        now_ns: u64,
        queues: Option<&dyn Queues>,
    ) {
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            queues,
        };
        let block = &self.program.pipelines[pipeline];
        match &self.code {
            _ if env.packet.trace.is_some() => {
                traced_stage(&mut env, &block.name, StageKind::Control, |env| {
                    env.apply::<true>(block, &mut self.tables)
                })
            }
            // SAFETY: as in `parse`.
            Some(code) => unsafe { code.apply(pipeline, &mut env, &mut self.tables) },
            None => env.apply::<false>(block, &mut self.tables),
        }
        packet.requests.exit = false;
    }

    /// Pays for another pass of a packet, or for a copy; false where it has to be dropped.
    pub fn pay_pass(&self, packet: &mut Packet) -> bool {
        let copied = (packet.data.len() / 64) as u32;
        packet
            .budget
            .spend(self.program.pass_work.saturating_add(copied))
    }

    /// The packet as it is sent; its bytes are gone from `packet`.
    #[inline(always)]
    pub fn deparse(&mut self, deparser: usize, packet: &mut Packet, now_ns: u64) -> PacketBytes {
        let mut env = Env {
            program: &self.program,
            externs: &mut self.externs,
            packet,
            now_ns,
            queues: None,
        };
        let block = &self.program.deparsers[deparser];
        match &self.code {
            _ if env.packet.trace.is_some() => {
                traced_stage(&mut env, &block.name, StageKind::Deparser, |env| {
                    env.deparse::<true>(block)
                })
            }
            // SAFETY: as in `parse`.
            Some(code) => unsafe { code.deparse(deparser, &mut env) },
            None => env.deparse::<false>(block),
        }
    }

    /// A copy for a port that is like its original in everything.
    pub fn replicate(&mut self, packet: &mut Packet, port: u32) -> Box<Packet> {
        let mut copy = self.same(packet);
        if let Some(trace) = &mut packet.trace {
            copy.trace = trace.copy(CopyKind::Replica, port, 0);
        }
        copy
    }

    /// The packet with all of its state.
    pub fn same(&mut self, packet: &mut Packet) -> Box<Packet> {
        let mut copy = self.take();
        copy.data.append(&packet.data);
        copy.phv.copy_from(&packet.phv);
        copy.parsed = packet.parsed;
        self.inherit(&mut copy, packet);
        copy.length = packet.length;
        copy.passes = packet.passes;
        copy.budget = packet.budget.share();
        copy.requests.truncate_bytes = packet.requests.truncate_bytes;
        copy.requests.deflection = packet.requests.deflection;
        copy
    }

    /// The part of its original that a copy keeps, whatever becomes of it.
    pub fn inherit(&self, copy: &mut Packet, packet: &Packet) {
        copy.ingress_port = packet.ingress_port;
        copy.entry = packet.entry;
        copy.ingress_bytes = packet.ingress_bytes;
        copy.passes = packet.passes + 1;
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
