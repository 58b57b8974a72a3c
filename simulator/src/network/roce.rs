// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections of RoCEv2 at their hosts: ports and queue pairs, packets that come and go, and switches' notifications.

use quench_dataplane::PacketBytes;

use super::connections::Pair;
use super::stamp;
use super::state::Network;
use crate::packet::layout::ROCE_PORT;
use crate::packet::roce::{write_roce, RocePacket, SwitchCnp};
use crate::packet::{Carrier, Endpoint};

impl Network {
    /// The ports of both ends of a new connection; none where all are in use. The ends of RoCEv2 that accept are all at
    /// one port.
    pub(super) fn bind(
        &mut self,
        hosts: [u32; 2],
        key: usize,
        carrier: Carrier,
    ) -> [Option<u16>; 2] {
        let ends = [0, 1].map(|side| (key * 2 + side) as u32);
        if !matches!(carrier, Carrier::Roce(_)) {
            return [0, 1].map(|side| self.hosts[hosts[side] as usize].bind(ends[side]));
        }
        let opener = &mut self.hosts[hosts[0] as usize];
        let bound = opener.bind_roce(ends[0]);
        let address = opener.address;
        if let Some(port) = bound {
            self.hosts[hosts[1] as usize].accept_roce(Endpoint { address, port }, ends[1]);
        }
        [bound, Some(ROCE_PORT)]
    }

    /// A connection's ports may be used again.
    pub(super) fn unbind(&mut self, pair: &Pair) {
        let [opener, acceptor] = &pair.ends;
        self.hosts[opener.host as usize].release(opener.local.port);
        let host = &mut self.hosts[acceptor.host as usize];
        match pair.transport.carrier() {
            Carrier::Roce(_) => host.forget_roce(opener.local),
            _ => host.release(acceptor.local.port),
        }
    }

    /// The end that has accepted a peer's connection.
    pub(super) fn find_accepting(&self, host: u32, peer: Endpoint) -> Option<(usize, usize)> {
        let end = self.hosts[host as usize].accepting_end(peer)?;
        Some(((end / 2) as usize, (end % 2) as usize))
    }

    /// As [`Self::receive_segment`].
    #[inline(never)]
    pub(super) fn receive_roce(&mut self, host: u32, packet: &RocePacket, frame: &PacketBytes) {
        let behind_headers = match packet.payload_bytes() {
            0..stamp::STAMP_BYTES => 0,
            _ => packet.trailing_bytes(),
        };
        self.receive(
            host,
            (packet.destination, packet.source),
            (behind_headers, frame),
            Carrier::Roce(packet.version),
            |socket, now, io| socket.on_roce_packet(packet, now, io),
            |transport, opening, now, io| transport.accept_roce(opening, packet, now, io),
        );
    }

    /// A switch's notification names an end that has sent something, or it is a stray packet.
    #[inline(never)]
    pub(super) fn receive_switch_cnp(&mut self, host: u32, cnp: &SwitchCnp) {
        let carrier = Carrier::Roce(cnp.version);
        let now = self.now;
        let found = self.find(host, cnp.local, cnp.remote, carrier);
        let socket = found.and_then(|(key, side)| {
            let pair = self.connections.get_mut(key)?;
            let is_its = pair.transport.carrier() == carrier;
            pair.ends[side].socket.as_mut().filter(|_| is_its)
        });
        let Some(socket) = socket else {
            self.hosts[host as usize].stray_pkts += 1;
            return;
        };
        socket.on_switch_cnp(cnp.advice, now);
        if let Some((key, side)) = found {
            self.flush_output(key, side);
        }
    }

    #[inline(never)]
    pub(super) fn send_roce_packets(&mut self, host: u32) {
        for index in 0..self.io.roce_packets.len() {
            let mut frame = self.frame();
            let packet = &self.io.roce_packets[index];
            let ip_id = self.hosts[host as usize].next_ip_id();
            write_roce(&mut frame, packet, ip_id);
            if packet.payload_bytes() >= stamp::STAMP_BYTES {
                stamp::write(&mut frame, packet.trailing_bytes(), self.now);
            }
            self.transmit(host, frame);
        }
        self.io.roce_packets.clear();
    }
}
