// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One source in virtual time, on a network where bytes and datagrams take `DELAY_NS` one way, and where bytes are
//! acknowledged at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rand_xoshiro::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::packet::{Datagram, Endpoint};
use crate::time::{from_s, Ns};
use crate::traffic::*;
use crate::transport::ConnectionEvent;

pub const DELAY_NS: Ns = 10_000_000;

enum Event {
    Start,
    Timer(u64),
    Connection(ConnectionId, Side, ConnectionEvent),
    Datagram(NodeId, Datagram),
}

/// A call of the source into the network.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Connect(ConnectionId, NodeId, NodeId, StackId),
    Send(ConnectionId, Side, u64),
    Close(ConnectionId, Side),
}

pub struct Network {
    now: Ns,
    rng: Xoshiro256PlusPlus,
    events: BTreeMap<Reverse<(Ns, u64)>, Event>,
    added: u64,
    connections: u64,
    /// Connections that fail one second after they were opened, by their number.
    pub failing: BTreeSet<u64>,
    /// Whether the datagram of this number is lost.
    pub lost: fn(u64) -> bool,
    pub acts: Vec<(Ns, Act)>,
    pub datagrams: Vec<(Ns, Datagram)>,
    pub records: Vec<Record>,
    pub messages: Vec<Message>,
    /// Bytes of each end that are not acknowledged.
    awaited: BTreeMap<(ConnectionId, Side), u64>,
}

impl Network {
    pub fn new(seed: u64) -> Self {
        Self {
            now: 0,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            events: BTreeMap::new(),
            added: 0,
            connections: 0,
            failing: BTreeSet::new(),
            lost: |_| false,
            acts: Vec::new(),
            datagrams: Vec::new(),
            records: Vec::new(),
            messages: Vec::new(),
            awaited: BTreeMap::new(),
        }
    }

    fn add(&mut self, at: Ns, event: Event) {
        assert!(
            at >= self.now,
            "an event at {at} in the past of {}",
            self.now
        );
        self.added += 1;
        self.events.insert(Reverse((at, self.added)), event);
    }

    /// Runs a source from its `start_s` until the end.
    pub fn run(mut self, source: &SourceConfig, end_s: f64) -> Self {
        let mut app = source.build(&Hosts).expect("a source that can be built");
        self.add(from_s(source.start_s()), Event::Start);
        let end = from_s(end_s);
        while let Some(entry) = self.events.last_entry() {
            let Reverse((at, _)) = *entry.key();
            if at > end {
                break;
            }
            let event = entry.remove();
            self.now = at;
            match event {
                Event::Start => app.start(&mut self),
                Event::Timer(token) => app.on_timer(token, &mut self),
                Event::Connection(id, side, event) => {
                    if self.is_reported(app.progress(), id, side, event) {
                        app.on_connection(id, side, event, &mut self);
                    }
                }
                Event::Datagram(at, datagram) => app.on_datagram(at, &datagram, &mut self),
            }
        }
        self.now = end;
        app.finish(&mut self);
        self
    }

    fn is_reported(
        &mut self,
        progress: Progress,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
    ) -> bool {
        if let ConnectionEvent::Acked { bytes } = event {
            let awaited = self.awaited.entry((id, side)).or_default();
            *awaited -= bytes;
            return progress == Progress::Each || progress == Progress::Whole && *awaited == 0;
        }
        progress == Progress::Each || !event.is_progress()
    }

    pub fn connects(&self) -> Vec<(Ns, NodeId, NodeId)> {
        let connect = |(at, act): &(Ns, Act)| match act {
            Act::Connect(_, from, to, _) => Some((*at, *from, *to)),
            _ => None,
        };
        self.acts.iter().filter_map(connect).collect()
    }

    pub fn files(&self) -> Vec<&File> {
        let mut found = Vec::new();
        for record in &self.records {
            if let Record::File(file) = record {
                found.push(file);
            }
        }
        found
    }

    pub fn objects(&self) -> Vec<&Object> {
        let mut found = Vec::new();
        for record in &self.records {
            if let Record::Object(object) = record {
                found.push(object);
            }
        }
        found
    }

    pub fn calls(&self) -> Vec<&Call> {
        let mut found = Vec::new();
        for record in &self.records {
            if let Record::Call(call) = record {
                found.push(call);
            }
        }
        found
    }
}

impl Ctx for Network {
    fn now(&self) -> Ns {
        self.now
    }

    fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    fn set_timer(&mut self, at: Ns, token: u64) {
        self.add(at, Event::Timer(token));
    }

    fn connect(&mut self, opener: NodeId, acceptor: NodeId, stack: StackId) -> ConnectionId {
        let id = ConnectionId(self.connections);
        self.connections += 1;
        self.acts
            .push((self.now, Act::Connect(id, opener, acceptor, stack)));
        if self.failing.contains(&id.0) {
            let event = Event::Connection(id, Side::Opener, ConnectionEvent::Failed);
            self.add(self.now + from_s(1.0), event);
        }
        id
    }

    fn send(&mut self, id: ConnectionId, side: Side, bytes: u64) {
        self.acts.push((self.now, Act::Send(id, side, bytes)));
        if self.failing.contains(&id.0) {
            return;
        }
        let awaited = self.awaited.entry((id, side)).or_default();
        *awaited = awaited.saturating_add(bytes);
        let peer = other(side);
        // In two halves, so that the source has to add them up.
        for part in [bytes / 2, bytes - bytes / 2]
            .into_iter()
            .filter(|&part| part > 0)
        {
            let received = ConnectionEvent::Received { bytes: part };
            self.add(self.now + DELAY_NS, Event::Connection(id, peer, received));
            let acked = ConnectionEvent::Acked { bytes: part };
            self.add(self.now + 2 * DELAY_NS, Event::Connection(id, side, acked));
        }
    }

    fn close(&mut self, id: ConnectionId, side: Side) {
        self.acts.push((self.now, Act::Close(id, side)));
        let event = Event::Connection(id, other(side), ConnectionEvent::PeerClosed);
        self.add(self.now + DELAY_NS, event);
    }

    fn send_datagram(&mut self, flow: &UdpFlow, number: u64) {
        let end = |node: NodeId| Endpoint {
            address: node.0 as u32,
            port: 5000,
        };
        let datagram = Datagram {
            source: end(flow.from),
            destination: end(flow.to),
            payload_bytes: flow.payload_bytes,
            ecn: flow.ecn,
            dscp: flow.dscp,
            flow: 0,
            number,
            sent_ns: self.now,
        };
        self.datagrams.push((self.now, datagram));
        if !(self.lost)(number) {
            self.add(self.now + DELAY_NS, Event::Datagram(flow.to, datagram));
        }
    }

    fn record(&mut self, record: Record) {
        self.records.push(record);
    }

    fn record_message(&mut self, message: Message) {
        self.messages.push(message);
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Opener => Side::Acceptor,
        Side::Acceptor => Side::Opener,
    }
}

/// Hosts "s0".."s9" (0..) and "c0".."c9" (10..), one stack "ecn".
pub struct Hosts;

impl Names for Hosts {
    fn host(&self, name: &str) -> Option<NodeId> {
        let number: usize = name.get(1..)?.parse().ok().filter(|&n| n < 10)?;
        match name.get(..1)? {
            "s" => Some(NodeId(number)),
            "c" => Some(NodeId(10 + number)),
            _ => None,
        }
    }

    fn stack(&self, name: &str) -> Option<StackId> {
        (name == "ecn").then_some(StackId(0))
    }

    /// Those of "s9" and "c9" are slower.
    fn link_rate_bps(&self, host: &str) -> Option<f64> {
        Some(if host.ends_with('9') { 25e9 } else { 100e9 })
    }
}

/// A source from a scenario's JSON.
pub fn source(value: serde_json::Value) -> SourceConfig {
    serde_json::from_value(value).expect("a source")
}
