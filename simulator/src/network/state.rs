// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state of the network.

use std::collections::VecDeque;
use std::sync::Arc;

use quench_dataplane::PacketBytes;
use rand_xoshiro::Xoshiro256PlusPlus;
use slab::Slab;

use super::away::{Inbox, Outbox};
use super::connections::Connections;
use super::host::Host;
use super::lanes::Lanes;
use super::node::Node;
use super::router::Router;
use super::wire::Wire;
use crate::aqm::{Average, CounterNames};
use crate::capture::Tap;
use crate::events::EventQueue;
use crate::measure::{Capacity, Crossing, Delays, Messages};
use crate::packet::{Datagram, Formats};
use crate::time::Ns;
use crate::traffic::{ConnectionId, NodeId, Progress, Record, Side};
use crate::transport::{ConnectionEvent, Counters, Io, Transport};

/// One direction of a link. Its queue is at its beginning: a router's port, or a host's [`Wire`].
#[derive(Debug)]
pub struct Direction {
    /// The name, such as "bottleneck.ab".
    pub name: String,
    pub from: Node,
    pub to: Node,
    pub crossing: Crossing,
    pub capacity: Capacity,
    /// Index of its capture in [`Network::taps`].
    pub capture: Option<u32>,
}

/// A source of traffic, without its application.
#[derive(Debug)]
pub struct Source {
    /// Its number in the scenario, which its datagrams carry.
    pub number: u32,
    pub name: String,
    pub group: Option<String>,
    pub rng: Xoshiro256PlusPlus,
    /// Seed of its connections' first sequence numbers.
    pub sequence_seed: u64,
    pub progress: Progress,
    /// The connection that was opened last.
    pub newest: Option<ConnectionId>,
    /// Payload of a full segment of its stack; 0 before it has opened a connection.
    pub segment_bytes: u32,
    /// The headers before it.
    pub header_bytes: u32,
    pub counts: SourceCounts,
}

/// Counts of a source since statistics began.
#[derive(Debug, Clone, Default)]
pub struct SourceCounts {
    pub connections: u64,
    /// The totals of finished connections.
    pub transport: Counters,
    pub datagrams_sent: u64,
    pub datagrams_received: u64,
    pub datagram_bytes_received: u64,
    pub delays: Delays,
    pub last_delay_ns: Option<Ns>,
}

/// An event for the application of a source.
#[derive(Debug)]
pub enum AppEvent {
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

/// One cell of the network: everything in it but the applications of the sources. Most networks are one cell.
pub struct Network {
    pub now: Ns,
    /// The time at which statistics begin.
    pub warmup_ns: Ns,
    /// The counters of the routers' program.
    pub counters: CounterNames,
    pub average: Average,
    pub events: EventQueue,
    pub hosts: Vec<Host>,
    /// The link behind each host.
    pub wires: Vec<Wire>,
    pub routers: Vec<Router>,
    pub directions: Vec<Direction>,
    pub stacks: Vec<Arc<dyn Transport>>,
    /// The headers of their own that the stacks' transports have.
    pub(super) formats: Formats,
    pub connections: Connections,
    pub(super) lanes: Lanes,
    pub sources: Vec<Source>,
    pub taps: Vec<Tap>,
    /// The source's number in the scenario, and its record.
    pub records: Vec<(usize, Record)>,
    /// Messages are many, and kept apart from other records. Their hosts have the cell's numbers.
    pub messages: Messages,
    /// Passed to the applications when the current event is handled.
    pub app_events: VecDeque<AppEvent>,
    /// Router and packet; passed to the controller when the current event is handled.
    pub packet_ins: VecDeque<(u32, Vec<u8>)>,
    /// Answers of the controller on their way to a router: router and packet.
    pub packet_outs: Slab<(u32, Vec<u8>)>,
    /// Timers of sources: source and token.
    pub timers: Slab<(u32, u64)>,
    /// Packets from other cells on their way here, and those on their way to them.
    pub inbox: Inbox,
    pub outbox: Outbox,
    /// Packets that have reached the far end of a direction and are not handled yet, each with its line: the direction,
    /// or behind those the host to which its network card sends.
    pub(super) arrived: VecDeque<(u32, PacketBytes)>,
    /// Connections of which one end is finished, with the time when they were last looked at.
    pub(super) lingering: VecDeque<(Ns, ConnectionId)>,
    /// Buffers of packets, for reuse.
    pub(super) pool: Vec<PacketBytes>,
    /// Output of the socket that is being called.
    pub(super) io: Io,
}

/// The parts of a network at time 0.
pub struct Parts {
    pub warmup_ns: Ns,
    pub counters: CounterNames,
    pub average: Average,
    pub hosts: Vec<Host>,
    pub wires: Vec<Wire>,
    pub routers: Vec<Router>,
    pub directions: Vec<Direction>,
    pub stacks: Vec<Arc<dyn Transport>>,
    pub sources: Vec<Source>,
    pub taps: Vec<Tap>,
    /// The cells to which its outbox leads.
    pub neighbours: Vec<u32>,
}

impl Network {
    pub fn new(parts: Parts) -> Self {
        Self {
            now: 0,
            warmup_ns: parts.warmup_ns,
            counters: parts.counters,
            average: parts.average,
            events: EventQueue::default(),
            hosts: parts.hosts,
            wires: parts.wires,
            routers: parts.routers,
            directions: parts.directions,
            formats: Formats::of(parts.stacks.iter().filter_map(|stack| stack.header())),
            stacks: parts.stacks,
            connections: Connections::default(),
            lanes: Lanes::default(),
            sources: parts.sources,
            taps: parts.taps,
            records: Vec::new(),
            messages: Messages::default(),
            app_events: VecDeque::new(),
            packet_ins: VecDeque::new(),
            packet_outs: Slab::new(),
            timers: Slab::new(),
            inbox: Inbox::default(),
            outbox: Outbox::new(&parts.neighbours),
            arrived: VecDeque::new(),
            lingering: VecDeque::new(),
            pool: Vec::new(),
            io: Io::default(),
        }
    }

    /// Whether nothing follows from the current event at the same time any more.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.arrived.is_empty() && self.app_events.is_empty() && self.packet_ins.is_empty()
    }
}
