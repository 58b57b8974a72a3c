// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A host: its address, its link, and the connections at its ports.

use std::collections::HashMap;

use crate::packet::layout::ROCE_PORT;
use crate::packet::{Endpoint, QuenchCounters};

/// The first port of connections; those below are well-known ports.
const FIRST_PORT: u16 = 1024;

/// The port is free.
const NO_END: u32 = u32::MAX;

#[derive(Debug)]
pub struct Host {
    pub name: String,
    pub address: u32,
    /// The direction of its link out of it.
    pub direction: u32,
    /// The router that is its network card, in place of a wire.
    pub nic: Option<u32>,
    /// Identification of the next IP packet.
    pub ip_id: u16,
    /// Packets that no connection or source here expected.
    pub stray_pkts: u64,
    /// Source quenches that name no connection of this host.
    pub quench: QuenchCounters,
    /// The end of a connection at each port from `FIRST_PORT` on.
    ports: Vec<u32>,
    next_port: usize,
    /// The ends that have accepted connections of RoCEv2, by their peers: all of them are at one port.
    accepting: HashMap<Endpoint, u32>,
}

impl Host {
    pub fn new(name: String, address: u32, direction: u32, nic: Option<u32>) -> Self {
        Self {
            name,
            address,
            direction,
            nic,
            ip_id: 0,
            stray_pkts: 0,
            quench: QuenchCounters::default(),
            ports: Vec::new(),
            next_port: 0,
            accepting: HashMap::new(),
        }
    }

    /// Gives an end of a connection the free port that comes next in turn; none if all are in use.
    pub fn bind(&mut self, end: u32) -> Option<u16> {
        self.bind_index(end, |_| true)
    }

    /// As [`Self::bind`], of an end that opens a connection of RoCEv2: the port of accepting ends is none for it.
    pub fn bind_roce(&mut self, end: u32) -> Option<u16> {
        self.bind_index(end, |index| index != usize::from(ROCE_PORT - FIRST_PORT))
    }

    fn bind_index(&mut self, end: u32, may_have: impl Fn(usize) -> bool) -> Option<u16> {
        let all = usize::from(u16::MAX - FIRST_PORT) + 1;
        let index = (0..all)
            .map(|step| (self.next_port + step) % all)
            .filter(|&index| may_have(index))
            .find(|&index| self.ports.get(index).is_none_or(|&end| end == NO_END))?;
        if index >= self.ports.len() {
            self.ports.resize(index + 1, NO_END);
        }
        self.ports[index] = end;
        self.next_port = (index + 1) % all;
        Some(FIRST_PORT + index as u16)
    }

    pub fn release(&mut self, port: u16) {
        if let Some(end) = self.slot(port) {
            *end = NO_END;
        }
    }

    /// The end that has this port.
    pub fn end_at(&self, port: u16) -> Option<u32> {
        let index = usize::from(port.checked_sub(FIRST_PORT)?);
        self.ports.get(index).copied().filter(|&end| end != NO_END)
    }

    /// An end waits for the packets of a peer that opens a connection of RoCEv2.
    pub fn accept_roce(&mut self, peer: Endpoint, end: u32) {
        self.accepting.insert(peer, end);
    }

    pub fn forget_roce(&mut self, peer: Endpoint) {
        self.accepting.remove(&peer);
    }

    /// The end that has accepted this peer's connection.
    pub fn accepting_end(&self, peer: Endpoint) -> Option<u32> {
        self.accepting.get(&peer).copied()
    }

    pub fn next_ip_id(&mut self) -> u16 {
        self.ip_id = self.ip_id.wrapping_add(1);
        self.ip_id
    }

    fn slot(&mut self, port: u16) -> Option<&mut u32> {
        let index = usize::from(port.checked_sub(FIRST_PORT)?);
        self.ports.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_used_again_only_after_all_others() {
        let mut host = Host::new(String::new(), 1, 0, None);
        let first = host.bind(7).expect("a free port");
        assert_eq!((first, host.end_at(first)), (1024, Some(7)));
        host.release(first);
        assert_eq!(host.end_at(first), None);
        let ports: Vec<u16> = (0..64_512).filter_map(|end| host.bind(end)).collect();
        assert_eq!(
            (ports[0], ports[64_510], ports[64_511]),
            (1025, 65_535, 1024)
        );
        assert_eq!(host.bind(9), None);
        host.release(2000);
        assert_eq!(host.bind(9), Some(2000));
    }

    #[test]
    fn ends_that_accept_roce_share_a_port_which_no_end_that_opens_gets() {
        let mut host = Host::new(String::new(), 1, 0, None);
        let ports: Vec<u16> = (0..64_511).filter_map(|end| host.bind_roce(end)).collect();
        assert_eq!((ports.len(), ports.contains(&4791)), (64_511, false));
        assert_eq!(host.bind_roce(1), None);
        assert_eq!(host.bind(1), Some(4791), "other transports may have it");
        let peers = [(2, 1024), (3, 1024), (2, 1025)];
        let peers = peers.map(|(address, port)| Endpoint { address, port });
        for (peer, end) in peers.into_iter().zip(7..) {
            host.accept_roce(peer, end);
        }
        host.forget_roce(peers[1]);
        let found = peers.map(|peer| host.accepting_end(peer));
        assert_eq!(found, [Some(7), None, Some(9)]);
    }

    #[test]
    fn well_known_ports_are_never_bound() {
        let mut host = Host::new(String::new(), 1, 0, None);
        assert_eq!((host.end_at(80), host.end_at(5000)), (None, None));
        host.release(80);
    }
}
