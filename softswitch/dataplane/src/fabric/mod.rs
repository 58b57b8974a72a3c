// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All that lies between programmable blocks in every architecture: the running program, queues, links, replication,
//! packets that enter ingress again, digests and counts.

mod copies;
mod queues;
pub mod replication;
pub mod stats;
pub mod traced;

use std::collections::{BTreeSet, VecDeque};

use crate::exec::core::Core;
use crate::exec::packet::Packet;
use crate::model::config::SwitchConfig;
use crate::model::packet_bytes::PacketBytes;
use crate::model::values::CounterValue;
use crate::tm::{Link, TrafficManager};
use crate::trace::message::CopyKind;
use replication::Replication;
use stats::Stats;

/// Port numbers above are refused: state is kept in arrays.
pub const MAX_PORT: u32 = 0xffff;

/// A packet on its way to a queue.
pub struct Queued {
    pub packet: Box<Packet>,
    pub port: u32,
    pub lane: Lane,
}

/// The queue of a port, and the length that counts there.
#[derive(Debug, Clone, Copy)]
pub struct Lane {
    pub queue: u8,
    pub len_bytes: u32,
}

/// A digest that waits to be taken.
pub struct PendingDigest {
    pub id: u32,
    pub fields: Vec<Vec<u8>>,
    pub time_ns: u64,
}

pub struct Fabric {
    pub config: SwitchConfig,
    pub core: Option<Core>,
    pub replication: Replication,
    pub tm: TrafficManager<Box<Packet>>,
    pub link: Link<PacketBytes>,
    pub stats: Stats,
    /// Packets that ports received.
    pub received: Vec<CounterValue>,
    /// Ports that were configured or used.
    pub ports: BTreeSet<u32>,
    /// Resubmitted and recirculated packets, which go before all others.
    pub waiting: VecDeque<Box<Packet>>,
    /// The memory of all packets in queues and on links.
    pub held_bytes: u64,
    pub digests: VecDeque<PendingDigest>,
    /// The time at which the packet generator has something to do; the largest number is never.
    pub generator_ns: u64,
    /// The latest time that any call has given.
    pub now_ns: u64,
}

impl Fabric {
    /// Forgets the program and all packets.
    pub fn reset(&mut self) {
        self.core = None;
        self.replication = Replication::default();
        self.stats.dropped_reload += self.waiting.len() as u64 + self.tm.clear(self.now_ns);
        self.stats.dropped_on_link += self.link.clear();
        self.waiting.clear();
        self.digests.clear();
        self.generator_ns = u64::MAX;
        self.held_bytes = 0;
    }

    /// Keeps the values of a digest until somebody takes them.
    pub fn digest(&mut self, packet: &Packet, id: u16, now_ns: u64) {
        let fields = self.core.as_ref().and_then(|core| core.digest(packet, id));
        if let Some(fields) = fields {
            self.stats.digests += 1;
            self.digests.push_back(PendingDigest {
                id: u32::from(id),
                fields,
                time_ns: now_ns,
            });
        }
    }

    /// Whether the program lets a packet go on; one that it does not is counted.
    pub fn goes_on(&mut self, packet: &mut Packet) -> bool {
        let Some(abort) = packet.requests.abort else {
            return true;
        };
        self.stats.count_abort(abort);
        packet.dropped(abort.reason());
        false
    }

    /// A copy of a packet's bytes for a port, which has paid for its way; `None` where it cannot.
    pub fn copy_of(&mut self, packet: &mut Packet, port: u32) -> Option<Box<Packet>> {
        if !self.pays_pass(packet) {
            return None;
        }
        let mut copy = self.core.as_mut()?.take();
        copy.data.append(&packet.data);
        copy.ingress_port = packet.ingress_port;
        copy.passes = packet.passes + 1;
        copy.length = packet.length;
        copy.carried = packet.carried;
        copy.budget = packet.budget.share();
        if let Some(trace) = &mut packet.trace {
            copy.trace = trace.copy(CopyKind::Replica, port, 0);
        }
        Some(copy)
    }

    pub fn release(&mut self, packet: Box<Packet>) {
        if let Some(core) = &mut self.core {
            core.release(packet);
        }
    }
}
