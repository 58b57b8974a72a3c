// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Architectures: all that a P4 program's architecture description says and that the program itself does not.
//!
//! An architecture is which programmable blocks there are, in which order a packet passes them, which intrinsic
//! metadata they get and set, and what happens between them. It runs blocks by their numbers (`Core`), and uses what
//! every architecture has between them (`Fabric`): queues, replication, packets that enter again. Blocks, tables and
//! actions (`exec`, `tables`) know nothing of it, nor do queues and links (`tm`).
//!
//! Each is a folder with its name. Another one is a further folder, a further variant of [`Kind`] and [`Architecture`].

mod blocks;
mod declared;
pub(crate) mod tna;
mod v1model;

use crate::exec::packet::Packet;
use crate::externs::clock::ChipClock;
use crate::fabric::{Fabric, Queued};
use crate::model::config::SwitchConfig;
use crate::model::load_error::LoadResult;
use crate::model::packet_bytes::PacketBytes;
use crate::state::slot::Slot;
use crate::tm::Dequeued;
use blocks::Blocks;
pub use declared::Declared;
use tna::Tna;
use v1model::V1Model;

/// The architectures that programs can be written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    V1Model,
    Tna,
}

/// The arithmetic of objects that both architectures have by the same names: meters, hash functions, colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// Exact.
    Bmv2,
    /// The chip's approximation.
    Tofino,
}

impl Kind {
    /// The architecture that a JSON names; one without a name is for v1model.
    pub fn named(name: Option<&str>) -> Option<Self> {
        match name {
            None | Some("v1model") => Some(Self::V1Model),
            Some("tna") => Some(Self::Tna),
            Some(_) => None,
        }
    }

    pub fn units(self) -> Units {
        match self {
            Self::V1Model => Units::Bmv2,
            Self::Tna => Units::Tofino,
        }
    }

    /// Whether direct counters and meters are arrays with a cell for each entry, which actions ask for, and not the
    /// entries' own.
    pub fn has_cells_of_entries(self) -> bool {
        match self {
            Self::V1Model => false,
            Self::Tna => true,
        }
    }

    /// The most bits of data that a resubmitted packet brings along, where the architecture has a limit.
    pub fn resubmit_bits(self) -> Option<u64> {
        match self {
            Self::V1Model => None,
            Self::Tna => Some(tna::RESUBMIT_BITS),
        }
    }

    pub fn blocks(self) -> &'static Blocks {
        match self {
            Self::V1Model => &v1model::BLOCKS,
            Self::Tna => &tna::BLOCKS,
        }
    }
}

/// An architecture with a program: where the program has the metadata that both share.
#[derive(Debug, Clone)]
pub enum Architecture {
    V1Model(V1Model),
    Tna(Tna),
}

impl Architecture {
    /// Refuses a program that lacks something which the architecture needs.
    pub fn check(kind: Kind, program: &dyn Declared) -> LoadResult<()> {
        match kind {
            Kind::V1Model => v1model::check(program),
            Kind::Tna => tna::check(program),
        }
    }

    /// Call it when all of the program is loaded.
    pub fn bind(kind: Kind, program: &dyn Declared) -> LoadResult<Self> {
        match kind {
            Kind::V1Model => Ok(Self::V1Model(V1Model::bind(program)?)),
            Kind::Tna => Ok(Self::Tna(Tna::bind(program)?)),
        }
    }

    /// The metadata that it reads and writes.
    pub fn slots(&self) -> Vec<Slot> {
        match self {
            Self::V1Model(v1model) => v1model.slots().collect(),
            Self::Tna(tna) => tna.slots().collect(),
        }
    }

    /// Takes on the properties of the switch that will run the program.
    pub fn start(&mut self, fabric: &mut Fabric) {
        match self {
            Self::V1Model(_) => (),
            Self::Tna(tna) => tna.start(fabric),
        }
    }

    /// The clock of meters and filters.
    pub fn clock(&self, config: &SwitchConfig) -> ChipClock {
        match self {
            Self::V1Model(_) => ChipClock::default(),
            Self::Tna(_) => ChipClock::new(config),
        }
    }

    /// The port and bytes of a packet that the architecture itself makes at `at_ns`, which is the fabric's
    /// `generator_ns`.
    pub fn generate(&mut self, fabric: &mut Fabric, at_ns: u64) -> Option<(u32, Vec<u8>)> {
        match self {
            Self::V1Model(_) => None,
            Self::Tna(tna) => tna.generate(fabric, at_ns),
        }
    }

    /// Whether packets from outside can come to a port.
    #[inline(always)]
    pub fn receives(&self, port: u32) -> bool {
        match self {
            Self::V1Model(_) => true,
            Self::Tna(_) => tna::receives(port),
        }
    }

    /// Bytes in front of a packet that [`Self::arrive`] fills.
    #[inline(always)]
    pub fn prefix_bytes(&self) -> usize {
        match self {
            Self::V1Model(_) => 0,
            Self::Tna(_) => tna::INGRESS_BYTES,
        }
    }

    /// A packet with its bytes has come to a port: sets what the first block gets.
    #[inline(always)]
    pub fn arrive(&self, packet: &mut Packet, now_ns: u64, port: u32) {
        match self {
            Self::V1Model(v1model) => v1model.arrive(packet, now_ns, port),
            Self::Tna(tna) => tna.arrive(packet, now_ns, port),
        }
    }

    /// All that happens to a packet before its queue. Gives back a packet for one port, which the caller queues;
    /// copies, and packets for several ports, are queued here.
    #[inline(always)]
    pub fn ingress(
        &mut self,
        fabric: &mut Fabric,
        packet: Box<Packet>,
        now_ns: u64,
    ) -> Option<Queued> {
        match self {
            Self::V1Model(v1model) => v1model.ingress(fabric, packet, now_ns),
            Self::Tna(tna) => tna.ingress(fabric, packet, now_ns),
        }
    }

    /// All that happens to a packet behind its queue: the bytes to send, if any.
    #[inline(always)]
    pub fn egress(
        &mut self,
        fabric: &mut Fabric,
        from: &Dequeued<()>,
        packet: &mut Packet,
    ) -> Option<PacketBytes> {
        match self {
            Self::V1Model(v1model) => v1model.egress(fabric, from, packet),
            Self::Tna(tna) => tna.egress(fabric, from, packet),
        }
    }
}
