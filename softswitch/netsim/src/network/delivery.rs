// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets from link to link.

use super::router::Leaving;
use super::{Network, Node};
use crate::events::Event;
use crate::packet::{self, Received};

/// Packets whose memory is kept.
const POOL_SIZE: usize = 8192;

impl Network {
    /// Memory for a packet.
    pub(super) fn frame(&mut self) -> Vec<u8> {
        self.pool.pop().unwrap_or_default()
    }

    pub(super) fn recycle(&mut self, frame: Vec<u8>) {
        if self.pool.len() < POOL_SIZE {
            self.pool.push(frame);
        }
    }

    /// A host sends a packet.
    pub(super) fn transmit(&mut self, host: u32, frame: Vec<u8>) {
        let wire = &mut self.wires[host as usize];
        match wire.send(self.now, frame) {
            Ok(()) => {
                if let Some(at) = wire.arm() {
                    self.events.add(at, Event::Wire(host));
                }
            }
            Err(frame) => self.recycle(frame),
        }
    }

    /// A packet on a host's link is due at the other end.
    pub fn wire_event(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        let frame = wire.arrive(self.now);
        if let Some(at) = wire.arm() {
            self.events.add(at, Event::Wire(host));
        }
        if let Some(frame) = frame {
            if frame.is_empty() {
                self.recycle(frame);
            } else {
                self.hand_over(self.hosts[host as usize].direction, frame);
            }
        }
    }

    /// A router has something to do, unless the event was left over.
    pub fn router_event(&mut self, router: u32) {
        if self.routers[router as usize].wakes(self.now) {
            self.serve(router);
        }
    }

    /// A packet from the controller.
    pub fn packet_out(&mut self, place: u32) {
        if let Some((router, bytes)) = self.packet_outs.take(place) {
            let this = &mut self.routers[router as usize];
            this.packet_outs += 1;
            this.switch.receive(self.now, super::CPU_PORT, &bytes);
            self.recycle(bytes);
            self.serve(router);
        }
    }

    /// Takes what a router has to give now, and sets its alarm.
    pub fn serve(&mut self, router: u32) {
        self.exchange(router, None);
    }

    /// As [`Self::serve`], with a packet that arrives at a port.
    fn exchange(&mut self, router: u32, arriving: Option<(u32, Vec<u8>)>) {
        let this = &mut self.routers[router as usize];
        let mut packet_ins = 0;
        let next = this.advance(self.now, arriving, |leaving, bytes| match leaving {
            Leaving::Along(direction) => self.arrived.push_back((direction, bytes)),
            Leaving::ToController => {
                packet_ins += 1;
                self.packet_ins.push_back((router, bytes));
            }
        });
        this.packet_ins += packet_ins;
        if let Some(at) = next {
            self.events.add(at, Event::Router(router));
        }
    }

    /// Hands over all packets that have arrived, and those that arrive at once because of them.
    pub fn deliver(&mut self) {
        while let Some((direction, frame)) = self.arrived.pop_front() {
            self.hand_over(direction, frame);
        }
    }

    /// A packet is at the far end of a direction.
    fn hand_over(&mut self, direction: u32, frame: Vec<u8>) {
        let this = &mut self.directions[direction as usize];
        this.crossing.count(&frame);
        let to = this.to;
        if let Some(capture) = this.capture {
            self.captures[capture as usize].record(self.now, &frame);
        }
        match to {
            Node::Router(router, port) => {
                self.exchange(router, Some((port, frame)));
            }
            Node::Host(host) => {
                match &packet::read(&frame) {
                    Received::Tcp(segment) => self.receive_segment(host, segment, &frame),
                    Received::Udp(datagram) => self.receive_datagram(host, datagram),
                    Received::SourceQuench(quench) => self.receive_quench(host, quench),
                    Received::Other => self.hosts[host as usize].stray_pkts += 1,
                }
                self.recycle(frame);
            }
        }
    }
}
