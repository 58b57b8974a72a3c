// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Datagrams of the sources, over UDP.

use super::state::{AppEvent, Network, Source};
use crate::packet::{self, Datagram};
use crate::traffic::NodeId;

/// The port of a source's datagrams at both hosts, far above the ports that connections get first.
fn datagram_port(source: u32) -> u16 {
    const FIRST: u16 = 40_000;
    FIRST + (source % u32::from(u16::MAX - FIRST)) as u16
}

impl Network {
    pub(super) fn send_datagram(&mut self, source: u32, host: u32, mut datagram: Datagram) {
        let port = datagram_port(datagram.flow);
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
        let numbered = |source: &Source| source.number;
        let found = self.sources.binary_search_by_key(&datagram.flow, numbered);
        let Some(index) = found.ok().filter(|_| wanted) else {
            this.stray_pkts += 1;
            return;
        };
        let counts = &mut self.sources[index].counts;
        counts.datagrams_received += 1;
        counts.datagram_bytes_received += u64::from(datagram.payload_bytes);
        let delay = self.now.saturating_sub(datagram.sent_ns);
        counts.delays.add(delay, &mut counts.last_delay_ns);
        self.app_events.push_back(AppEvent::Datagram {
            source: index as u32,
            at: NodeId(host as usize),
            datagram: *datagram,
        });
    }
}
