// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The way of a packet: from a host onto its link, from a link into a router, and from a link to a host.

use quench_dataplane::PacketBytes;

use super::node::Node;
use super::router::{RouterOutput, HOST_PORT};
use super::state::Network;
use super::turns::Turns;
use crate::events::Event;
use crate::packet::{self, Received};

/// Most buffers of packets that are kept for reuse.
const POOL_SIZE: usize = 8192;
/// The first size of a buffer: the headers with some options, and the stamp of a payload.
const FRAME_BYTES: usize = 96;

impl Network {
    /// A buffer for a packet.
    pub(super) fn frame(&mut self) -> PacketBytes {
        let pooled = self.pool.pop();
        pooled.unwrap_or_else(|| Vec::with_capacity(FRAME_BYTES).into())
    }

    pub(super) fn recycle(&mut self, frame: PacketBytes) {
        if self.pool.len() < POOL_SIZE {
            self.pool.push(frame);
        }
    }

    /// A host sends a packet: it is queued for the host's link, or dropped. A network card's program comes before.
    pub(super) fn transmit(&mut self, host: u32, mut frame: PacketBytes) {
        if let Some(nic) = self.hosts[host as usize].nic {
            packet::add_hop(&mut frame);
            return self.run_router(nic, Some((HOST_PORT, frame)));
        }
        let wire = &mut self.wires[host as usize];
        match wire.send(self.now, frame) {
            Ok(()) if wire.hands_over() => self.depart(host),
            Ok(()) => {
                if let Some(at) = wire.arm() {
                    self.events.schedule(at, Event::LinkArrival(host));
                }
            }
            Err(frame) => self.recycle(frame),
        }
    }

    /// Lets the socket that is called next send data, unless it has to wait for its turn.
    #[inline(always)]
    pub(super) fn offer_turn(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        let nobody_waits = wire.turns.as_ref().map(Turns::is_empty);
        self.io.may_send = nobody_waits
            .is_none_or(|nobody_waits| nobody_waits && wire.busy_until(self.now).is_none());
    }

    /// An end that is not among those that wait for their turn on the host's link comes last.
    #[inline(never)]
    pub(super) fn wait_for_turn(&mut self, host: u32, end: u32) {
        if let Some(turns) = &mut self.wires[host as usize].turns {
            turns.wait(end);
        }
        self.plan_turn(host);
    }

    /// The host's link may be free for the next turns.
    pub fn on_host_turn(&mut self, host: u32) {
        let Some(turns) = &mut self.wires[host as usize].turns else {
            return;
        };
        if !turns.fires(self.now) {
            return;
        }
        let mut left = turns.len();
        while left > 0 && self.wires[host as usize].busy_until(self.now).is_none() {
            left -= 1;
            let turns = self.wires[host as usize].turns.as_mut();
            if let Some(end) = turns.and_then(Turns::next) {
                self.take_turn(end);
            }
        }
        self.plan_turn(host);
    }

    /// Schedules the next turn, if any end waits for one.
    fn plan_turn(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        let at = wire.busy_until(self.now).unwrap_or(self.now);
        if let Some(at) = wire.turns.as_mut().and_then(|turns| turns.plan(at)) {
            self.events.schedule(at, Event::HostTurn(host));
        }
    }

    /// Hands over the packets whose transmission on a host's link has begun, where another cell carries them.
    #[inline(never)]
    fn depart(&mut self, host: u32) {
        let direction = self.hosts[host as usize].direction;
        let to = self.directions[direction as usize].to;
        while let Some((at, frame)) = self.wires[host as usize].departed(self.now) {
            if frame.is_empty() {
                self.recycle(frame);
            } else {
                self.outbox.post(to, at, frame);
            }
        }
        if let Some(at) = self.wires[host as usize].arm() {
            self.events.schedule(at, Event::LinkArrival(host));
        }
    }

    /// A packet reaches the far end of a host's link, or would if it were not lost. Where packets are handed over, one
    /// that waits begins its transmission.
    #[inline(always)]
    pub fn on_link_arrival(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        if wire.hands_over() {
            wire.disarm();
            return self.depart(host);
        }
        let frame = wire.arrive(self.now);
        if let Some(at) = wire.arm() {
            self.events.schedule(at, Event::LinkArrival(host));
        }
        if let Some(frame) = frame {
            if frame.is_empty() {
                self.recycle(frame);
            } else {
                self.arrive(self.hosts[host as usize].direction, frame);
            }
        }
    }

    /// A router may have packets to send.
    pub fn on_router_due(&mut self, router: u32) {
        if self.routers[router as usize].fires(self.now) {
            self.serve(router);
        }
    }

    /// An event of a packet-out.
    pub fn on_packet_out(&mut self, key: u32) {
        if let Some((router, bytes)) = self.packet_outs.try_remove(key as usize) {
            self.packet_out(router, bytes);
        }
    }

    /// The controller's answer reaches a router's CPU port.
    pub fn packet_out(&mut self, router: u32, bytes: Vec<u8>) {
        let this = &mut self.routers[router as usize];
        this.packet_outs += 1;
        this.switch.receive(self.now, this.cpu_port, &bytes);
        self.recycle(bytes.into());
        self.serve(router);
    }

    /// Takes the packets that a router sends now, and schedules its next event.
    pub fn serve(&mut self, router: u32) {
        self.run_router(router, None);
    }

    /// As [`Self::serve`], with a packet that arrives at a port of the router.
    #[inline(always)]
    fn run_router(&mut self, router: u32, arriving: Option<(u32, PacketBytes)>) {
        let this = &mut self.routers[router as usize];
        let mut packet_ins = 0;
        let next = this.advance(self.now, arriving, |output, at, bytes| match output {
            RouterOutput::Direction(direction) if at <= self.now => {
                self.arrived.push_back((direction, bytes));
            }
            RouterOutput::Direction(direction) => {
                let to = self.directions[direction as usize].to;
                self.outbox.post(to, at, bytes);
            }
            RouterOutput::Host(host) => {
                let line = self.directions.len() as u32 + host;
                self.arrived.push_back((line, bytes));
            }
            RouterOutput::Controller => {
                packet_ins += 1;
                self.packet_ins.push_back((router, bytes.into_vec()));
            }
        });
        this.packet_ins += packet_ins;
        if let Some(at) = next {
            self.events.schedule(at, Event::RouterDue(router));
        }
    }

    /// Handles one of the packets that have arrived; returns the line that it came by. Others may arrive without delay
    /// because of it.
    #[inline]
    pub fn deliver(&mut self) -> Option<u32> {
        let (line, frame) = self.arrived.pop_front()?;
        match line.checked_sub(self.directions.len() as u32) {
            None => self.arrive(line, frame),
            Some(host) => self.take(host, frame),
        }
        Some(line)
    }

    /// A packet reaches the far end of a direction: it enters the router there, or the host takes it.
    pub fn arrive(&mut self, direction: u32, frame: PacketBytes) {
        let this = &mut self.directions[direction as usize];
        this.crossing.count(&frame, &self.formats);
        let to = this.to;
        if let Some(capture) = this.capture {
            let whole = packet::roce::complete(frame.all());
            self.taps[capture as usize].record(self.now, &whole);
        }
        match to {
            Node::Router(router, port) => {
                self.run_router(router, Some((port, frame)));
            }
            Node::Host(host) => self.take(host, frame),
            // A caller gave a router a packet of a time that is over: it arrives in the other cell now.
            Node::Away { .. } => self.outbox.post(to, self.now, frame),
        }
    }

    /// A host takes a packet.
    #[inline(always)]
    fn take(&mut self, host: u32, frame: PacketBytes) {
        match &packet::read(&frame, &self.formats) {
            Received::Segment(segment) => self.receive_segment(host, segment, &frame),
            Received::OwnSegment(segment) => self.receive_own_segment(host, segment, &frame),
            Received::Roce(packet) => self.receive_roce(host, packet, &frame),
            Received::SwitchCnp(cnp) => self.receive_switch_cnp(host, cnp),
            Received::Datagram(datagram) => self.receive_datagram(host, datagram),
            Received::SourceQuench(quench) => self.receive_quench(host, quench),
            Received::Other => self.hosts[host as usize].stray_pkts += 1,
        }
        self.recycle(frame);
    }
}
