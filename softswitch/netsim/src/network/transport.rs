// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections: what arrives for them, what they send, and when they are over.

use std::sync::Arc;

use super::connections::{side_of, End, Slot};
use super::{stamp, Network, Notice, Source};
use crate::events::Event;
use crate::measure::Totals;
use crate::packet::{
    self, Datagram, Endpoint, QuenchCounters, Refusal, Segment, SourceQuench, Verdict,
};
use crate::seed;
use crate::tcp::{Connection, ConnectionEvent, Io};
use crate::time::{Ns, NS_PER_S};
use crate::traffic::{ConnectionId, NodeId, Side};

/// How long an end that will hear nothing more is kept, in case its source still wants to use it.
const LINGER_NS: Ns = 60 * NS_PER_S;

/// The port of a source's datagrams, at both ends: above the ports that connections get first.
fn datagram_port(source: u32) -> u16 {
    const FIRST: u16 = 40_000;
    FIRST + (source % u32::from(u16::MAX - FIRST)) as u16
}

impl Network {
    /// Opens a connection; none of the two ends may run out of ports, or it fails at once.
    pub(super) fn connect(
        &mut self,
        source: u32,
        opener: NodeId,
        acceptor: NodeId,
        stack: usize,
    ) -> ConnectionId {
        self.free_lingering();
        let place = self.connections.reserve();
        let hosts = [opener.0 as u32, acceptor.0 as u32];
        let mut ports = [None; 2];
        for side in 0..2 {
            ports[side] = self.hosts[hosts[side] as usize].bind((place * 2 + side) as u32);
        }
        let local = |side: usize| Endpoint {
            address: self.hosts[hosts[side] as usize].address,
            port: ports[side].unwrap_or_default(),
        };
        let ends = [(hosts[0], local(0)), (hosts[1], local(1))];
        let stack = Arc::clone(&self.stacks[stack]);
        let this = &mut self.sources[source as usize];
        this.segment_bytes = stack.segment_bytes();
        this.counts.connections += 1;
        let told = (source, this.wants_progress);
        let id = self.connections.put(place, told, Arc::clone(&stack), ends);
        this.newest = Some(id);
        if ports.contains(&None) {
            self.notices.push_back(Notice::Connection {
                source,
                id,
                side: Side::Opener,
                event: ConnectionEvent::Failed,
            });
            self.free(place);
            return id;
        }
        let iss = first_sequence_number(&self.sources[source as usize], id, 0);
        let io = &mut self.io;
        let connection = Connection::open(stack, ends[0].1, ends[1].1, iss, self.now, io);
        if let Some(slot) = self.connections.at(place) {
            slot.ends[0].connection = Some(Box::new(connection));
        }
        self.put_out(place, 0);
        id
    }

    /// Something that a source does to an end of a connection.
    pub(super) fn act(
        &mut self,
        id: ConnectionId,
        side: usize,
        act: impl FnOnce(&mut End, Ns, &mut Io),
    ) {
        let Some(place) = self.connections.find(id) else {
            return;
        };
        if let Some(slot) = self.connections.at(place) {
            let end = &mut slot.ends[side];
            act(end, self.now, &mut self.io);
        }
        self.put_out(place, side);
    }

    /// The source says that nothing more is to come: the connection may soon be over.
    pub(super) fn set_ending(&mut self, id: ConnectionId) {
        if let Some(slot) = self
            .connections
            .find(id)
            .and_then(|place| self.connections.at(place))
        {
            slot.ending = true;
        }
    }

    pub(super) fn receive_segment(&mut self, host: u32, segment: &Segment, frame: &[u8]) {
        let Some((place, side)) = self.find(host, segment.destination, segment.source) else {
            self.hosts[host as usize].stray_pkts += 1;
            return;
        };
        let Some(slot) = self.connections.at(place) else {
            return;
        };
        let end = &mut slot.ends[side];
        let source = &mut self.sources[slot.source as usize];
        if let Some(sent) = stamp::read(frame, segment.payload_bytes) {
            let delay = self.now.saturating_sub(sent);
            source.counts.delays.add(delay, &mut end.last_delay_ns);
        }
        let io = &mut self.io;
        match &mut end.connection {
            Some(connection) => connection.on_segment(segment, self.now, io),
            None => {
                let iss = first_sequence_number(source, slot.id, side);
                let stack = Arc::clone(&slot.stack);
                match Connection::accept(stack, segment, iss, self.now, io) {
                    Some(connection) => begin(end, connection, self.now, io),
                    None => self.hosts[host as usize].stray_pkts += 1,
                }
            }
        }
        self.put_out(place, side);
    }

    pub(super) fn receive_quench(&mut self, host: u32, quench: &SourceQuench) {
        let refused = match &quench.quote {
            Err(refusal) => *refusal,
            Ok(quote) => match self.find_by_port(host, quote.source.port, quote.destination) {
                None => Refusal::NoSocket,
                Some((place, side)) => {
                    let connection = self
                        .connections
                        .at(place)
                        .and_then(|slot| slot.ends[side].connection.as_mut());
                    let heard = connection.map(|connection| {
                        connection.on_source_quench(quench, self.now, &mut self.io)
                    });
                    self.put_out(place, side);
                    match heard {
                        Some(_) => return,
                        None => Refusal::NoSocket,
                    }
                }
            },
        };
        let counters: &mut QuenchCounters = &mut self.hosts[host as usize].quench;
        counters.count(Verdict::Refused(refused));
    }

    /// A timer of an end of a connection, unless the event was left over.
    pub fn tcp_event(&mut self, end: u32) {
        let (place, side) = ((end / 2) as usize, (end % 2) as usize);
        let Some(slot) = self.connections.at(place) else {
            return;
        };
        let this = &mut slot.ends[side];
        if !this.wakes(self.now) {
            return;
        }
        if let Some(connection) = &mut this.connection {
            if connection.timer_ns().is_some_and(|at| at <= self.now) {
                connection.on_timer(self.now, &mut self.io);
            }
        }
        self.put_out(place, side);
    }

    /// The end at a host that a packet is for: the port says which, and the other end must be right, too.
    fn find(&mut self, host: u32, local: Endpoint, remote: Endpoint) -> Option<(usize, usize)> {
        if local.address != self.hosts[host as usize].address {
            return None;
        }
        self.find_by_port(host, local.port, remote)
    }

    fn find_by_port(&mut self, host: u32, port: u16, remote: Endpoint) -> Option<(usize, usize)> {
        let end = self.hosts[host as usize].end_at(port)?;
        let (place, side) = ((end / 2) as usize, (end % 2) as usize);
        let slot = self.connections.at(place)?;
        (slot.ends[1 - side].local == remote).then_some((place, side))
    }

    /// Sends the segments and passes on the events that a connection has put out, and sets its alarm.
    fn put_out(&mut self, place: usize, side: usize) {
        let Some(slot) = self.connections.at(place) else {
            self.io.clear();
            return;
        };
        let (id, source) = (slot.id, slot.source);
        for event in self.io.events.drain(..) {
            slot.ending |= matches!(
                event,
                ConnectionEvent::PeerClosed | ConnectionEvent::Closed | ConnectionEvent::Failed
            );
            if slot.tells_progress || !event.is_progress() {
                self.notices.push_back(Notice::Connection {
                    source,
                    id,
                    side: side_of(side as u32),
                    event,
                });
            }
        }
        let ending = slot.ending;
        let end = &mut slot.ends[side];
        let host = end.host;
        if let Some(at) = end.arm() {
            self.events.add(at, Event::Tcp((place * 2 + side) as u32));
        }
        for number in 0..self.io.segments.len() {
            let mut frame = self.frame();
            let segment = &self.io.segments[number];
            let ip_id = self.hosts[host as usize].next_ip_id();
            packet::write_segment(&mut frame, segment, ip_id);
            stamp::write(&mut frame, segment.payload_bytes, self.now);
            self.transmit(host, frame);
        }
        self.io.segments.clear();
        if ending {
            self.end(place);
        }
    }

    /// Frees a connection of which both ends are over; one of which one is over is looked at again later.
    fn end(&mut self, place: usize) {
        let Some(slot) = self.connections.at(place) else {
            return;
        };
        if slot.ends.iter().all(finished) {
            self.free(place);
        } else if slot.ends.iter().any(finished) && !slot.lingers {
            slot.lingers = true;
            let id = slot.id;
            self.lingering.push_back((self.now, id));
        }
    }

    /// Frees connections of which one end has been over for long and the other has nothing to do.
    fn free_lingering(&mut self) {
        while let Some(&(since, id)) = self.lingering.front() {
            if since + LINGER_NS > self.now {
                return;
            }
            self.lingering.pop_front();
            let Some(place) = self.connections.find(id) else {
                continue;
            };
            let over = self
                .connections
                .at(place)
                .is_some_and(|slot| slot.ends.iter().all(|end| finished(end) || idle(end)));
            if over {
                self.free(place);
            } else {
                self.lingering.push_back((self.now, id));
            }
        }
    }

    fn free(&mut self, place: usize) {
        if let Some(slot) = self.connections.take(place) {
            for end in &slot.ends {
                self.hosts[end.host as usize].release(end.local.port);
            }
            let source = &mut self.sources[slot.source as usize];
            add_counts(&mut source.counts.tcp, &slot);
        }
    }

    pub(super) fn send_datagram(&mut self, source: u32, host: u32, mut datagram: Datagram) {
        let port = datagram_port(source);
        datagram.source.port = port;
        datagram.destination.port = port;
        let mut frame = self.frame();
        let ip_id = self.hosts[host as usize].next_ip_id();
        packet::write_datagram(&mut frame, &datagram, ip_id);
        self.sources[source as usize].counts.datagrams_sent += 1;
        self.transmit(host, frame);
    }

    pub(super) fn receive_datagram(&mut self, host: u32, datagram: &Datagram) {
        let this = &mut self.hosts[host as usize];
        let wanted = datagram.destination.address == this.address
            && datagram.destination.port == datagram_port(datagram.flow);
        let source = self.sources.get_mut(datagram.flow as usize);
        let Some(source) = source.filter(|_| wanted) else {
            this.stray_pkts += 1;
            return;
        };
        let counts = &mut source.counts;
        counts.datagrams_received += 1;
        counts.datagram_bytes_received += u64::from(datagram.payload_bytes);
        let delay = self.now.saturating_sub(datagram.sent_ns);
        counts.delays.add(delay, &mut counts.last_delay_ns);
        self.notices.push_back(Notice::Datagram {
            source: datagram.flow,
            at: NodeId(host as usize),
            datagram: *datagram,
        });
    }
}

/// A random looking number that depends only on the source and its connection.
fn first_sequence_number(source: &Source, id: ConnectionId, side: usize) -> u32 {
    (seed::mix(source.sequence_seed ^ id.0 << 1 ^ side as u64) >> 32) as u32
}

/// The end that was called comes to life.
fn begin(end: &mut End, mut connection: Connection, now: Ns, io: &mut Io) {
    if end.early_bytes > 0 {
        connection.send(end.early_bytes, now, io);
    }
    if end.early_close {
        connection.close(now, io);
    }
    end.connection = Some(Box::new(connection));
}

/// Nothing more will happen at this end by itself. One that was never called is over when the other is.
fn finished(end: &End) -> bool {
    end.connection
        .as_ref()
        .is_none_or(|connection| connection.is_finished())
}

fn idle(end: &End) -> bool {
    end.connection
        .as_ref()
        .is_none_or(|connection| connection.flight_bytes() == 0 && connection.timer_ns().is_none())
}

/// Adds what both ends have counted since statistics began.
pub fn add_counts(totals: &mut Totals, slot: &Slot) {
    for end in &slot.ends {
        if let Some(connection) = &end.connection {
            totals.add_since(&end.before, &Totals::of(connection.counters()));
        }
    }
}
