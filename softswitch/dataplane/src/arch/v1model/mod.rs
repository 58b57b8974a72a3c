// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! v1model, as BMv2's simple_switch runs it.
//!
//! Parser and checksums, ingress, the queue, egress, checksums and deparser. Clones, resubmitted and recirculated packets
//! keep the metadata that they list. Begin with `ingress.rs`, then `egress.rs`; `copies.rs` makes copies, `metadata.rs` finds
//! the standard metadata.

mod copies;
mod egress;
mod ingress;
mod metadata;

use crate::arch::blocks::Blocks;
use crate::arch::declared::Declared;
use crate::exec::packet::Packet;
use crate::exec::queues::Entry;
use crate::model::load_error::LoadResult;
use crate::state::slot::Slot;
pub use metadata::check;
use metadata::StandardFields;

pub const BLOCKS: Blocks = Blocks {
    parsers: &["parser"],
    pipelines: &["ingress", "egress"],
    deparsers: &["deparser"],
};

const PARSER: usize = 0;
const INGRESS: usize = 0;
const EGRESS: usize = 1;
const DEPARSER: usize = 0;

/// Values of `standard_metadata.instance_type`, as simple_switch gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InstanceType {
    Normal = 0,
    IngressClone = 1,
    EgressClone = 2,
    Recirculated = 4,
    Replicated = 5,
    Resubmitted = 6,
}

#[derive(Debug, Clone, Copy)]
pub struct V1Model {
    standard: StandardFields,
    /// The program asks for a packet's entry into its queue, which others need not carry along.
    asks_entry: bool,
}

fn us(now_ns: u64) -> u64 {
    now_ns / 1000
}

/// Writes a value that the program has a place for; no other is even computed.
#[inline(always)]
fn set_if_present(place: Option<Slot>, phv: &mut [u8], value: impl FnOnce() -> u64) {
    if let Some(place) = place {
        place.write(phv, value());
    }
}

impl V1Model {
    pub fn bind(program: &dyn Declared) -> LoadResult<Self> {
        let standard = metadata::find(program)?;
        Ok(Self {
            standard,
            asks_entry: program.asks_entry(),
        })
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.standard.all()
    }

    #[inline(always)]
    pub fn arrive(&self, packet: &mut Packet, now_ns: u64, port: u32) {
        if self.asks_entry {
            packet.entry = Entry::default();
        }
        let length = packet.length;
        let standard = &self.standard;
        let phv = &mut packet.phv.bytes;
        set_if_present(standard.ingress_port, phv, || u64::from(port));
        set_if_present(standard.packet_length, phv, || u64::from(length));
        set_if_present(standard.ingress_timestamp, phv, || us(now_ns));
    }

    #[inline(always)]
    fn set_instance(&self, packet: &mut Packet, instance: InstanceType) {
        let place = self.standard.instance_type;
        set_if_present(place, &mut packet.phv.bytes, || instance as u64);
    }

    #[inline(always)]
    fn egress_spec(&self, packet: &Packet) -> u32 {
        self.standard.egress_spec.read(&packet.phv.bytes) as u32
    }

    #[inline(always)]
    fn multicast_group(&self, packet: &Packet) -> u16 {
        self.standard
            .mcast_grp
            .map_or(0, |loc| loc.read(&packet.phv.bytes) as u16)
    }
}
