// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The calls that the application of a source can make.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::connections::side_index;
use super::state::Network;
use crate::events::Event;
use crate::packet::{Datagram, Endpoint};
use crate::time::Ns;
use crate::traffic::{ConnectionId, Ctx, Message, NodeId, Record, Side, StackId, UdpFlow};

/// The network as one source sees it.
pub struct Context<'a> {
    pub network: &'a mut Network,
    pub source: u32,
}

impl Ctx for Context<'_> {
    fn now(&self) -> Ns {
        self.network.now
    }

    fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.network.sources[self.source as usize].rng
    }

    fn set_timer(&mut self, at: Ns, token: u64) {
        let network = &mut *self.network;
        let key = network.timers.insert((self.source, token)) as u32;
        network
            .events
            .schedule(at.max(network.now), Event::AppTimer(key));
    }

    fn connect(&mut self, opener: NodeId, acceptor: NodeId, stack: StackId) -> ConnectionId {
        self.network.connect(self.source, opener, acceptor, stack.0)
    }

    fn send(&mut self, id: ConnectionId, side: Side, bytes: u64) {
        self.network
            .with_end(id, side_index(side), |end, now, io| match &mut end.socket {
                Some(socket) => socket.send(bytes, now, io),
                None => end.early_bytes = end.early_bytes.saturating_add(bytes),
            });
    }

    fn close(&mut self, id: ConnectionId, side: Side) {
        self.network.set_ending(id);
        self.network
            .with_end(id, side_index(side), |end, now, io| match &mut end.socket {
                Some(socket) => socket.close(now, io),
                None => end.early_close = true,
            });
    }

    fn send_message(
        &mut self,
        from: NodeId,
        to: NodeId,
        stack: StackId,
        bytes: u64,
    ) -> ConnectionId {
        self.network
            .send_message(self.source, (from, to), stack.0, bytes)
    }

    fn send_datagram(&mut self, flow: &UdpFlow, number: u64) {
        let endpoint = |host: NodeId| Endpoint {
            address: self.network.hosts[host.0].address,
            port: 0,
        };
        let datagram = Datagram {
            source: endpoint(flow.from),
            destination: endpoint(flow.to),
            payload_bytes: flow.payload_bytes,
            ecn: flow.ecn,
            dscp: flow.dscp,
            flow: self.network.sources[self.source as usize].number,
            number,
            sent_ns: self.network.now,
        };
        self.network
            .send_datagram(self.source, flow.from.0 as u32, datagram);
    }

    fn record(&mut self, record: Record) {
        if record.started_ns() >= self.network.warmup_ns {
            let number = self.network.sources[self.source as usize].number;
            self.network.records.push((number as usize, record));
        }
    }

    fn record_message(&mut self, message: Message) {
        if message.started_ns >= self.network.warmup_ns {
            let number = self.network.sources[self.source as usize].number;
            self.network.messages.add(number, &message);
        }
    }
}
