// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA, the architecture of Tofino 1.
//!
//! A packet passes ingress's parser, pipeline and deparser, its queue, and egress's parser, pipeline and deparser. Only bytes
//! pass from one to the other: each parser starts from an empty state. Mirrors pass egress alone; packets that leave at
//! a recirculation port come to ingress again. Begin with `ingress.rs`, then `egress.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `metadata.rs` | where the program has the metadata that it shares with the switch |
//! | `prefix.rs` | the bytes of intrinsic metadata in front of the packets that parsers get |
//! | `fields.rs` | lists of fields as bytes: headers of mirrors, resubmit data |
//! | `carried.rs` | facts that go along with a packet through its queue |
//! | `multicast.rs` | copies for the ports of multicast groups |
//! | `exclusions.rs` | the two levels of exclusion from them |
//! | `generator.rs` | the packet generator: its triggers, and when which packet comes |
//!
//! Numbers and rules are those of the published model of the chip (tofino-model in open-p4studio) and of its driver;
//! softswitch/docs/tna.md says which, and what differs.

mod carried;
mod egress;
mod exclusions;
mod fields;
pub mod generator;
mod ingress;
mod metadata;
mod multicast;
mod prefix;

use crate::arch::blocks::Blocks;
use crate::arch::declared::Declared;
use crate::exec::packet::Packet;
use crate::externs::clock::ChipClock;
use crate::fabric::Fabric;
use crate::model::load_error::LoadResult;
use crate::model::packet_bytes::PacketBytes;
use crate::state::slot::Slot;
pub use exclusions::Exclusions;
use generator::Generated;
pub use generator::Generator;
use metadata::{EgressMetadata, IngressMetadata};
use prefix::{Arrival, PORT_MASK};

pub const BLOCKS: Blocks = Blocks {
    parsers: &["ingress_parser", "egress_parser"],
    pipelines: &["ingress", "egress"],
    deparsers: &["ingress_deparser", "egress_deparser"],
};

const INGRESS: usize = 0;
const EGRESS: usize = 1;

/// Ports of a pipe, and the first of those that recirculate.
const LOCAL_PORTS: u32 = 72;
const FIRST_RECIRCULATION_PORT: u32 = 68;
const LOCAL_PORT_MASK: u32 = 0x7f;

/// A resubmitted packet's data stand where other packets have the metadata of their port.
pub const RESUBMIT_BITS: u64 = 64;

/// The Ethernet frame's check sequence: lengths and byte counts of the chip include it, packets here have none.
const FCS_BYTES: u32 = 4;

#[derive(Debug, Clone)]
pub struct Tna {
    ingress: IngressMetadata,
    egress: EgressMetadata,
    /// Whether a packet with an error of ingress's parser goes no further.
    drops_on_error: bool,
    /// 64 bits of each port that has any.
    port_metadata: Vec<u64>,
    pub exclusions: Exclusions,
    clock: ChipClock,
    pub generator: Box<Generator>,
    /// The frame as ingress received it, for a mirror or a resubmission; a buffer that each packet uses anew.
    received: PacketBytes,
}

/// Refuses a program without the metadata that all programs have.
pub fn check(program: &dyn Declared) -> LoadResult<()> {
    metadata::check(program)
}

impl Tna {
    pub fn bind(program: &dyn Declared) -> LoadResult<Self> {
        Ok(Self {
            ingress: IngressMetadata::find(program),
            egress: EgressMetadata::find(program),
            drops_on_error: program.drops_on_error(INGRESS)?,
            port_metadata: Vec::new(),
            exclusions: Exclusions::default(),
            clock: ChipClock::default(),
            generator: Box::default(),
            received: PacketBytes::default(),
        })
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.ingress.all().chain(self.egress.all())
    }

    pub fn start(&mut self, fabric: &mut Fabric) {
        self.clock = ChipClock::new(&fabric.config);
        self.generator.start(&fabric.config, fabric.now_ns);
        fabric.generator_ns = self.generator.next_ns();
    }

    /// Does what is due in the packet generator. Gives a packet that comes to ingress, without the room in front.
    pub fn generate(&mut self, fabric: &mut Fabric, at_ns: u64) -> Option<(u32, Vec<u8>)> {
        let generated = self.generator.step(at_ns);
        fabric.generator_ns = self.generator.next_ns();
        let Generated { port, header, app } = generated?;
        fabric.stats.generated += 1;
        Some((port, [&header[..], &app.packet].concat()))
    }

    /// The time on the chip's clock.
    #[inline]
    fn chip_ns(&self, now_ns: u64) -> u64 {
        self.clock.at(now_ns)
    }

    /// The metadata of a port, which the ingress parser finds in front of its packets.
    pub fn set_port_metadata(&mut self, port: u32, bits: u64) {
        let port = port as usize;
        if self.port_metadata.len() <= port {
            self.port_metadata.resize(port + 1, 0);
        }
        self.port_metadata[port] = bits;
    }

    pub fn port_metadata(&self, port: u32) -> u64 {
        self.port_metadata.get(port as usize).copied().unwrap_or(0)
    }

    /// Fills the room that [`prefix::INGRESS_BYTES`] leaves in front of a packet.
    pub fn arrive(&self, packet: &mut Packet, now_ns: u64, port: u32) {
        let arrival = Arrival {
            port,
            chip_ns: self.chip_ns(now_ns),
            resubmitted: false,
        };
        arrival.write(packet.data.real_mut(), self.port_metadata(port));
        let frame = packet.data.len().saturating_sub(prefix::INGRESS_BYTES) as u32;
        packet.length = frame;
        packet.ingress_bytes = frame.saturating_add(FCS_BYTES);
    }
}

pub use prefix::INGRESS_BYTES;

/// A recirculation port has no link, and programs trust what comes from it. A port of more than 9 bits would look to them
/// like another: like that one, or the CPU's.
pub fn receives(port: u32) -> bool {
    port <= PORT_MASK && !is_recirculation(port)
}

fn is_recirculation(port: u32) -> bool {
    (FIRST_RECIRCULATION_PORT..LOCAL_PORTS).contains(&(port & LOCAL_PORT_MASK))
}

fn is_port(port: u32) -> bool {
    port & LOCAL_PORT_MASK < LOCAL_PORTS
}
