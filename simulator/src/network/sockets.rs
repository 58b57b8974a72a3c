// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sockets of the hosts: opening of connections, segments and source quenches that arrive, and segments that sockets
//! send.

use std::mem;
use std::sync::Arc;

use quench_dataplane::PacketBytes;

use super::connections::{side_of, End, Pair};
use super::stamp;
use super::state::{AppEvent, Network, Source};
use crate::counts::Count;
use crate::events::Event;
use crate::packet::layout::ROCE_PORT;
use crate::packet::{
    self, Carrier, Endpoint, OwnSegment, QuenchCounters, Refusal, Segment, SourceQuench, Verdict,
};
use crate::seed;
use crate::time::Ns;
use crate::traffic::{ConnectionId, NodeId, Progress, Side};
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport};

impl Network {
    /// Opens a connection. It fails at once if one of the two hosts has no free port.
    pub(super) fn connect(
        &mut self,
        source: u32,
        opener: NodeId,
        acceptor: NodeId,
        stack: usize,
    ) -> ConnectionId {
        self.free_lingering();
        let key = self.connections.next_key();
        let hosts = [opener.0 as u32, acceptor.0 as u32];
        let transport = Arc::clone(&self.stacks[stack]);
        let ports = self.bind(hosts, key, transport.carrier());
        let local = |side: usize| Endpoint {
            address: self.hosts[hosts[side] as usize].address,
            port: ports[side].unwrap_or_default(),
        };
        let ends = [(hosts[0], local(0)), (hosts[1], local(1))];
        let this = &mut self.sources[source as usize];
        this.segment_bytes = transport.segment_bytes();
        this.header_bytes = transport.header_bytes();
        this.counts.connections += 1;
        let owner = (source, this.progress);
        let id = self.connections.insert(owner, Arc::clone(&transport), ends);
        this.newest = Some(id);
        if ports.contains(&None) {
            self.app_events.push_back(AppEvent::Connection {
                source,
                id,
                side: Side::Opener,
                event: ConnectionEvent::Failed,
            });
            self.free(key);
            return id;
        }
        let opening = Opening {
            local: ends[0].1,
            remote: ends[1].1,
            first_number: first_sequence_number(&self.sources[source as usize], id, 0),
        };
        self.offer_turn(hosts[0]);
        let socket = transport.open(opening, self.now, &mut self.io);
        if let Some(pair) = self.connections.get_mut(key) {
            pair.ends[0].socket = Some(socket);
        }
        self.flush_output(key, 0);
        id
    }

    /// Calls an end of a connection for its source, unless the connection is finished.
    pub(super) fn with_end(
        &mut self,
        id: ConnectionId,
        side: usize,
        call: impl FnOnce(&mut End, Ns, &mut Io),
    ) {
        let Some(key) = self.connections.find(id) else {
            return;
        };
        let host = self.connections.get(key).map(|pair| pair.ends[side].host);
        if let Some(host) = host {
            self.offer_turn(host);
        }
        if let Some(pair) = self.connections.get_mut(key) {
            let end = &mut pair.ends[side];
            call(end, self.now, &mut self.io);
        }
        self.flush_output(key, side);
    }

    /// The source has closed an end, so the connection may be finished soon.
    pub(super) fn set_ending(&mut self, id: ConnectionId) {
        if let Some(pair) = self
            .connections
            .find(id)
            .and_then(|key| self.connections.get_mut(key))
        {
            pair.ending = true;
        }
    }

    pub(super) fn receive_segment(&mut self, host: u32, segment: &Segment, frame: &PacketBytes) {
        self.receive(
            host,
            (segment.destination, segment.source),
            (segment.payload_bytes, frame),
            Carrier::Tcp,
            |socket, now, io| socket.on_segment(segment, now, io),
            |transport, opening, now, io| transport.accept(opening, segment, now, io),
        );
    }

    /// As [`Self::receive_segment`], of a segment with a header of its transport's own.
    #[inline(never)]
    pub(super) fn receive_own_segment(
        &mut self,
        host: u32,
        segment: &OwnSegment,
        frame: &PacketBytes,
    ) {
        self.receive(
            host,
            (segment.destination, segment.source),
            (segment.payload_bytes, frame),
            Carrier::Own(segment.protocol),
            |socket, now, io| socket.on_own_segment(segment, now, io),
            |transport, opening, now, io| transport.accept_own(opening, segment, now, io),
        );
    }

    /// A segment arrives for the first of two endpoints: its end takes it, or begins with it. Its transport has this
    /// carrier. `payload_bytes` are behind the headers.
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        host: u32,
        (local, remote): (Endpoint, Endpoint),
        (payload_bytes, frame): (u32, &PacketBytes),
        carrier: Carrier,
        give: impl FnOnce(&mut dyn Socket, Ns, &mut Io),
        open: impl FnOnce(Arc<dyn Transport>, Opening, Ns, &mut Io) -> Option<Box<dyn Socket>>,
    ) {
        self.offer_turn(host);
        let found = self.find(host, local, remote, carrier);
        let found = found.and_then(|at| Some((at, self.connections.get_mut(at.0)?)));
        let found = found.filter(|(_, pair)| pair.transport.carrier() == carrier);
        let Some(((key, side), pair)) = found else {
            self.hosts[host as usize].stray_pkts += 1;
            return;
        };
        let end = &mut pair.ends[side];
        let source = &mut self.sources[pair.source as usize];
        if let Some(sent) = stamp::read(frame, payload_bytes) {
            let delay = self.now.saturating_sub(sent);
            source.counts.delays.add(delay, &mut end.last_delay_ns);
        }
        let io = &mut self.io;
        match &mut end.socket {
            Some(socket) => give(&mut **socket, self.now, io),
            None => {
                let opening = Opening {
                    local,
                    remote,
                    first_number: first_sequence_number(source, pair.id, side),
                };
                match open(Arc::clone(&pair.transport), opening, self.now, io) {
                    Some(socket) => activate(end, socket, self.now, io),
                    None => self.hosts[host as usize].stray_pkts += 1,
                }
            }
        }
        self.flush_output(key, side);
    }

    pub(super) fn receive_quench(&mut self, host: u32, quench: &SourceQuench) {
        let refused = match &quench.quote {
            Err(refusal) => *refusal,
            Ok(quote) => match self.find_by_port(host, quote.source.port, quote.destination) {
                None => Refusal::NoSocket,
                Some((key, side)) => {
                    let pair = self.connections.get_mut(key);
                    let socket = pair
                        .filter(|pair| pair.transport.carrier() == quote.carrier)
                        .and_then(|pair| pair.ends[side].socket.as_mut());
                    let verdict = socket.map(|socket| socket.on_source_quench(quench, self.now));
                    self.flush_output(key, side);
                    match verdict {
                        Some(_) => return,
                        None => Refusal::NoSocket,
                    }
                }
            },
        };
        let counters: &mut QuenchCounters = &mut self.hosts[host as usize].quench;
        counters.count(Verdict::Refused(refused));
    }

    /// A timer of an end of a connection.
    pub fn on_socket_timer(&mut self, end: u32) {
        let (key, side) = ((end / 2) as usize, (end % 2) as usize);
        let Some(pair) = self.connections.get_mut(key) else {
            return;
        };
        let this = &mut pair.ends[side];
        if !this.fires(self.now) {
            return;
        }
        let host = this.host;
        self.offer_turn(host);
        self.run_due(key, side);
    }

    /// An end that has waited for its turn may send now.
    pub(super) fn take_turn(&mut self, end: u32) {
        let (key, side) = ((end / 2) as usize, (end % 2) as usize);
        if let Some(pair) = self.connections.get_mut(key) {
            pair.ends[side].awaits_turn = false;
            self.io.may_send = true;
            self.run_due(key, side);
        }
    }

    fn run_due(&mut self, key: usize, side: usize) {
        if let Some(pair) = self.connections.get_mut(key) {
            let end = &mut pair.ends[side];
            if end.is_due(self.now) {
                if let Some(socket) = &mut end.socket {
                    socket.on_timer(self.now, &mut self.io);
                }
            }
        }
        self.flush_output(key, side);
    }

    /// The end of a connection with these endpoints at a host.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        host: u32,
        local: Endpoint,
        remote: Endpoint,
        carrier: Carrier,
    ) -> Option<(usize, usize)> {
        if local.address != self.hosts[host as usize].address {
            return None;
        }
        match carrier {
            Carrier::Roce(_) if local.port == ROCE_PORT => self.find_accepting(host, remote),
            _ => self.find_by_port(host, local.port, remote),
        }
    }

    /// As [`Self::find`], if the local address is known to be right.
    fn find_by_port(&mut self, host: u32, port: u16, remote: Endpoint) -> Option<(usize, usize)> {
        let end = self.hosts[host as usize].end_at(port)?;
        let (key, side) = ((end / 2) as usize, (end % 2) as usize);
        let pair = self.connections.get_mut(key)?;
        (pair.ends[1 - side].local == remote).then_some((key, side))
    }

    /// Sends the segments and queues the events that an end has put into `io`, and schedules its next timer.
    pub(super) fn flush_output(&mut self, key: usize, side: usize) {
        let Some(pair) = self.connections.get_mut(key) else {
            self.io.clear();
            return;
        };
        let (id, source) = (pair.id, pair.source);
        for event in self.io.events.drain(..) {
            pair.ending |= matches!(
                event,
                ConnectionEvent::PeerClosed | ConnectionEvent::Closed | ConnectionEvent::Failed
            );
            for _ in 0..times_reported(pair.progress, &mut pair.ends[side], event) {
                self.app_events.push_back(AppEvent::Connection {
                    source,
                    id,
                    side: side_of(side as u32),
                    event,
                });
            }
        }
        let ending = pair.ending;
        let end = &mut pair.ends[side];
        let host = end.host;
        let number = (key * 2 + side) as u32;
        let waits = self.wires[host as usize].turns.is_some() && end.is_due(self.now);
        let comes_last = waits && !mem::replace(&mut end.awaits_turn, true);
        if !waits {
            if let Some(at) = end.arm() {
                self.events.schedule(at, Event::SocketTimer(number));
            }
        }
        for index in 0..self.io.segments.len() {
            let mut frame = self.frame();
            let segment = &self.io.segments[index];
            let ip_id = self.hosts[host as usize].next_ip_id();
            packet::write_segment(&mut frame, segment, ip_id);
            stamp::write(&mut frame, segment.payload_bytes, self.now);
            self.transmit(host, frame);
        }
        self.io.segments.clear();
        if !self.io.own_segments.is_empty() {
            self.send_own_segments(host);
        }
        if !self.io.roce_packets.is_empty() {
            self.send_roce_packets(host);
        }
        if comes_last {
            self.wait_for_turn(host, number);
        }
        if ending {
            self.free_if_finished(key);
        }
    }

    #[inline(never)]
    fn send_own_segments(&mut self, host: u32) {
        for index in 0..self.io.own_segments.len() {
            let mut frame = self.frame();
            let segment = &self.io.own_segments[index];
            let ip_id = self.hosts[host as usize].next_ip_id();
            packet::write_own_segment(&mut frame, segment, ip_id);
            stamp::write(&mut frame, segment.payload_bytes, self.now);
            self.transmit(host, frame);
        }
        self.io.own_segments.clear();
    }
}

/// The number of times that the source of a connection hears of an event of this end.
#[inline]
fn times_reported(progress: Progress, end: &mut End, event: ConnectionEvent) -> u64 {
    match (progress, event) {
        (Progress::Each, _) => 1,
        (Progress::Whole, ConnectionEvent::Acked { bytes }) => end.acknowledged(bytes),
        _ => u64::from(!event.is_progress()),
    }
}

/// A pseudorandom number that depends only on the source and its connection.
fn first_sequence_number(source: &Source, id: ConnectionId, side: usize) -> u32 {
    (seed::mix(source.sequence_seed ^ id.0 << 1 ^ side as u64) >> 32) as u32
}

/// The acceptor's end has got its first segment: what its source did before is done now.
fn activate(end: &mut End, mut socket: Box<dyn Socket>, now: Ns, io: &mut Io) {
    if end.early_bytes > 0 {
        socket.send(end.early_bytes, now, io);
    }
    if end.early_close {
        socket.close(now, io);
    }
    end.socket = Some(socket);
}

/// Adds the counts of both ends since statistics began.
pub fn add_counts(totals: &mut Counters, pair: &Pair) {
    for end in &pair.ends {
        if let Some(socket) = &end.socket {
            totals.add_since(&end.before, socket.counters());
        }
    }
}
