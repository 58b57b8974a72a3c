// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch with its ports. One mutex protects both.

use std::collections::BTreeMap;
use std::path::Path;

use quench_dataplane::control::PortOptions;
use quench_dataplane::switch::{Output, Switch, SwitchConfig};

use crate::clock::now_ns;
use crate::io_stats::IoStats;
use crate::outlets::{CpuPacket, DigestMessage, Outlets};
use crate::poller::Poller;
use crate::port::{Port, PortError};
use crate::rx_batch::RxBatch;

/// `egress_spec` of the v1model has nine bits.
const MAX_PORT: u32 = 511;

pub struct Machine {
    pub switch: Switch,
    config: SwitchConfig,
    ports: BTreeMap<u32, Port>,
    batch: RxBatch,
    outlets: Outlets,
    /// Packets to ports that have no interface.
    unconnected_pkts: u64,
    /// The counts of ports that were removed.
    former_ports: IoStats,
    /// Called at each turn of the thread.
    #[cfg(test)]
    pub fault: Option<Box<dyn Fn() + Send>>,
}

impl Machine {
    pub fn new(config: SwitchConfig, outlets: Outlets) -> Self {
        Self {
            switch: Switch::new(config.clone()),
            config,
            ports: BTreeMap::new(),
            batch: RxBatch::new(),
            outlets,
            unconnected_pkts: 0,
            former_ports: IoStats::default(),
            #[cfg(test)]
            fault: None,
        }
    }

    pub fn add_port(
        &mut self,
        number: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
        poller: &Poller,
    ) -> Result<(), PortError> {
        if number > MAX_PORT {
            return Err(PortError::OutOfRange(number));
        }
        if self.config.cpu_port == Some(number) {
            return Err(PortError::CpuPort(number));
        }
        if self.config.drop_port == number {
            return Err(PortError::DropPort(number));
        }
        if self.ports.contains_key(&number) {
            return Err(PortError::InUse(number));
        }
        let port = Port::open(number, interface, pcap_prefix)?;
        port.watch(poller)?;
        // From now on the data plane has this port, even before its first packet.
        let unchanged = PortOptions::default();
        self.switch
            .port_set(number, &unchanged, now_ns())
            .expect("no option can be wrong");
        self.switch.set_port_up(number, port.is_up());
        self.ports.insert(number, port);
        Ok(())
    }

    pub fn remove_port(&mut self, number: u32) -> Result<(), PortError> {
        let mut port = self
            .ports
            .remove(&number)
            .ok_or(PortError::NotFound(number))?;
        port.flush_captures();
        self.former_ports.add(&port.stats());
        self.switch.set_port_up(number, false);
        Ok(())
    }

    pub fn remove_all_ports(&mut self) {
        let numbers: Vec<u32> = self.ports.keys().copied().collect();
        for number in numbers {
            self.remove_port(number).expect("the port was just listed");
        }
    }

    /// Take in what has arrived on a port.
    pub fn receive(&mut self, number: u32) {
        let Some(port) = self.ports.get_mut(&number) else {
            return;
        };
        let now_ns = now_ns();
        let switch = &mut self.switch;
        port.receive(&mut self.batch, now_ns, |packet| {
            switch.receive(now_ns, number, packet)
        });
    }

    /// Take in a packet of the controller.
    pub fn receive_from_cpu(&mut self, cpu_port: u32, packet: &[u8]) {
        self.switch.receive(now_ns(), cpu_port, packet);
    }

    /// Do all that is due until now and send what comes out. Returns when there is next something
    /// to do.
    pub fn advance(&mut self) -> Option<u64> {
        let now_ns = now_ns();
        let Self {
            switch,
            config,
            ports,
            outlets,
            unconnected_pkts,
            ..
        } = self;
        switch.advance(now_ns, &mut |output| match output {
            Output::Packet {
                port,
                bytes,
                time_ns,
            } if config.cpu_port == Some(port) => {
                outlets.cpu.put(CpuPacket { bytes, time_ns });
            }
            Output::Packet { port, bytes, .. } => match ports.get_mut(&port) {
                Some(port) => port.transmit(now_ns, &bytes),
                None => *unconnected_pkts += 1,
            },
            Output::Digest {
                id,
                fields,
                time_ns,
            } => {
                outlets.digests.put(DigestMessage {
                    id,
                    fields,
                    time_ns,
                });
            }
        });
        self.switch.next_event_ns()
    }

    /// Some interface changed.
    pub fn refresh_links(&mut self, poller: &Poller) {
        for (number, port) in &mut self.ports {
            if port.refresh(poller) {
                self.switch.set_port_up(*number, port.is_up());
            }
        }
    }

    pub fn flush_captures(&mut self) {
        self.ports.values_mut().for_each(Port::flush_captures);
    }

    /// The counts of the data plane and of the ports around it.
    pub fn stats(&mut self) -> Vec<(&'static str, u64)> {
        let mut io = self.former_ports;
        for port in self.ports.values_mut() {
            io.add(&port.stats());
        }
        let mut stats = self.switch.stats();
        stats.extend(io.named());
        stats.push(("tx_unconnected_pkts", self.unconnected_pkts));
        stats.push(("cpu_queue_dropped_pkts", self.outlets.cpu.dropped()));
        stats.push(("digest_queue_dropped_msgs", self.outlets.digests.dropped()));
        stats
    }
}
