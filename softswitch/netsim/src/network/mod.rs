// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The network in motion: hosts, links, routers and the connections across them.
//!
//! In: events from the clockwork. Out: events for later, and packets for routers and hosts. Begin with `delivery.rs`,
//! which takes a packet from link to link.

mod connections;
mod context;
mod delivery;
mod host;
mod places;
mod router;
mod stamp;
mod transport;
mod wire;
#[cfg(test)]
mod wire_tests;

use std::collections::VecDeque;
use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::capture::Capture;
use crate::events::EventQueue;
use crate::measure::{Capacity, Crossing, Delays, Totals};
use crate::packet::Datagram;
use crate::tcp::{ConnectionEvent, Io, Stack};
use crate::time::Ns;
use crate::traffic::{ConnectionId, NodeId, Record, Side};

use connections::side_index;
pub use connections::Connections;
pub use context::Context;
pub use host::Host;
pub use places::Places;
pub use router::{Router, CPU_PORT};
pub use transport::add_counts;
pub use wire::{Wire, WireConfig};

/// An end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    Host(u32),
    /// A router and its port.
    Router(u32, u32),
}

/// One direction of a link.
#[derive(Debug)]
pub struct Direction {
    /// As "bottleneck.ab".
    pub name: String,
    pub from: Node,
    pub to: Node,
    pub crossing: Crossing,
    pub capacity: Capacity,
    /// The place of the capture that sees it.
    pub capture: Option<u32>,
}

/// What the network keeps about a source.
#[derive(Debug)]
pub struct Source {
    pub name: String,
    pub group: Option<String>,
    pub rng: Xoshiro256PlusPlus,
    /// Seed of its connections' first sequence numbers.
    pub sequence_seed: u64,
    /// It is told what has been received and acknowledged.
    pub wants_progress: bool,
    /// The connection that it opened last.
    pub newest: Option<ConnectionId>,
    /// Of the stack that it uses; 0 before it has opened a connection.
    pub segment_bytes: u32,
    pub counts: SourceCounts,
}

/// What a source did since statistics began.
#[derive(Debug, Clone, Default)]
pub struct SourceCounts {
    pub connections: u64,
    /// Of connections that are over.
    pub tcp: Totals,
    pub datagrams_sent: u64,
    pub datagrams_received: u64,
    pub datagram_bytes_received: u64,
    pub delays: Delays,
    pub last_delay_ns: Option<Ns>,
}

/// What a source is to be told.
#[derive(Debug)]
pub enum Notice {
    Connection {
        source: u32,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
    },
    Datagram {
        source: u32,
        at: NodeId,
        datagram: Datagram,
    },
}

/// Everything but the sources' programs.
pub struct Network {
    pub now: Ns,
    /// When statistics begin.
    pub warmup_ns: Ns,
    pub events: EventQueue,
    pub hosts: Vec<Host>,
    /// The link behind each host.
    pub wires: Vec<Wire>,
    pub routers: Vec<Router>,
    pub directions: Vec<Direction>,
    pub stacks: Vec<Arc<Stack>>,
    pub connections: Connections,
    pub sources: Vec<Source>,
    pub captures: Vec<Capture>,
    pub records: Vec<(usize, Record)>,
    /// For the sources; told after each event.
    pub notices: VecDeque<Notice>,
    /// For the controller; asked after each event.
    pub packet_ins: VecDeque<(u32, Vec<u8>)>,
    /// Answers of the controller on their way: router and packet.
    pub packet_outs: Places<(u32, Vec<u8>)>,
    /// Timers of sources: source and token.
    pub timers: Places<(u32, u64)>,
    /// Packets that have reached the far end of a direction.
    arrived: VecDeque<(u32, Vec<u8>)>,
    /// Connections of which one end is over, with the time since then.
    lingering: VecDeque<(Ns, ConnectionId)>,
    /// Memory of packets, to be used again.
    pool: Vec<Vec<u8>>,
    io: Io,
}

/// What a network is made of.
pub struct Parts {
    pub warmup_ns: Ns,
    pub hosts: Vec<Host>,
    pub wires: Vec<Wire>,
    pub routers: Vec<Router>,
    pub directions: Vec<Direction>,
    pub stacks: Vec<Arc<Stack>>,
    pub sources: Vec<Source>,
    pub captures: Vec<Capture>,
}

impl Network {
    pub fn new(parts: Parts) -> Self {
        Self {
            now: 0,
            warmup_ns: parts.warmup_ns,
            events: EventQueue::default(),
            hosts: parts.hosts,
            wires: parts.wires,
            routers: parts.routers,
            directions: parts.directions,
            stacks: parts.stacks,
            connections: Connections::default(),
            sources: parts.sources,
            captures: parts.captures,
            records: Vec::new(),
            notices: VecDeque::new(),
            packet_ins: VecDeque::new(),
            packet_outs: Places::default(),
            timers: Places::default(),
            arrived: VecDeque::new(),
            lingering: VecDeque::new(),
            pool: Vec::new(),
            io: Io::default(),
        }
    }
}
