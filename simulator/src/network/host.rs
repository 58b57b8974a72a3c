// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A host: its address, its link, and the connections at its ports.

use crate::packet::QuenchCounters;

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
        }
    }

    /// Gives an end of a connection the free port that comes next in turn; none if all are in use.
    pub fn bind(&mut self, end: u32) -> Option<u16> {
        let all = usize::from(u16::MAX - FIRST_PORT) + 1;
        let index = (0..all)
            .map(|step| (self.next_port + step) % all)
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
    fn well_known_ports_are_never_bound() {
        let mut host = Host::new(String::new(), 1, 0, None);
        assert_eq!((host.end_at(80), host.end_at(5000)), (None, None));
        host.release(80);
    }
}
