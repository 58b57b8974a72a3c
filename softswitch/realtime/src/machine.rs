// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch with its ports. One mutex protects both.

use std::io;
use std::path::Path;

use quench_dataplane::control::PortOptions;
use quench_dataplane::switch::{Switch, SwitchConfig};

use crate::clock::now_ns;
use crate::exits::Exits;
use crate::io_stats::IoStats;
use crate::outlets::Outlets;
use crate::poller::Poller;
use crate::port::{Port, PortError};
use crate::rx_batch::RxBatch;

/// `egress_spec` of the v1model has nine bits.
const MAX_PORT: u32 = 511;
/// Batches that one port may read before the others get their turn.
const MAX_BATCHES: usize = 4;

pub struct Machine {
    pub switch: Switch,
    config: SwitchConfig,
    exits: Exits,
    batch: RxBatch,
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
            exits: Exits::new(config.cpu_port, outlets),
            config,
            batch: RxBatch::new(),
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
        if self.exits.ports.contains_key(&number) {
            return Err(PortError::InUse(number));
        }
        let port = Port::open(number, interface, pcap_prefix)?;
        port.watch(poller)?;
        // From now on the data plane has this port, even before its first packet.
        let unchanged = PortOptions::default();
        self.switch
            .port_set(number, &unchanged, now_ns())
            .expect("no option can be wrong");
        self.switch.set_port_up(number, port.is_up(), now_ns());
        self.exits.ports.insert(number, port);
        Ok(())
    }

    pub fn remove_port(&mut self, number: u32) -> Result<(), PortError> {
        let port = self
            .exits
            .ports
            .remove(&number)
            .ok_or(PortError::NotFound(number))?;
        self.former_ports.add(&port.close());
        self.switch.set_port_up(number, false, now_ns());
        Ok(())
    }

    pub fn remove_all_ports(&mut self) {
        let numbers: Vec<u32> = self.exits.ports.keys().copied().collect();
        for number in numbers {
            self.remove_port(number).expect("the port was just listed");
        }
    }

    /// Take in what has arrived on a port, not more than a few batches, and send what comes of it.
    pub fn receive(&mut self, number: u32, poller: &Poller) -> io::Result<()> {
        let Self {
            switch,
            exits,
            batch,
            ..
        } = self;
        for _ in 0..MAX_BATCHES {
            let Some(port) = exits.ports.get(&number) else {
                return Ok(());
            };
            let more = port.receive(batch);
            let now_ns = now_ns();
            for packet in batch.packets() {
                let port = exits.ports.get_mut(&number);
                if port.is_some_and(|port| port.take(now_ns, &packet)) {
                    let out = &mut |output| exits.take(now_ns, output);
                    switch.pass(now_ns, number, packet.bytes, out);
                    exits.pace(switch, now_ns, poller)?;
                }
            }
            exits.settle(switch, now_ns, poller)?;
            if !more {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Take in a packet of the controller, and send what comes of it. False without a CPU port.
    pub fn receive_from_cpu(&mut self, packet: &[u8], poller: &Poller) -> io::Result<bool> {
        let Some(cpu_port) = self.config.cpu_port else {
            return Ok(false);
        };
        let now_ns = now_ns();
        let Self { switch, exits, .. } = self;
        switch.pass(now_ns, cpu_port, packet, &mut |output| {
            exits.take(now_ns, output)
        });
        exits.settle(switch, now_ns, poller)?;
        Ok(true)
    }

    /// The socket of a port takes packets again.
    pub fn refill(&mut self, number: u32, poller: &Poller) -> io::Result<()> {
        let now_ns = now_ns();
        if let Some(port) = self.exits.ports.get_mut(&number) {
            port.refill(now_ns)?;
        }
        self.exits.settle(&mut self.switch, now_ns, poller)
    }

    /// Do all that is due until now and send what comes out. Returns when there is next something
    /// to do.
    pub fn advance(&mut self, poller: &Poller) -> io::Result<Option<u64>> {
        let now_ns = now_ns();
        let Self { switch, exits, .. } = self;
        switch.advance(now_ns, &mut |output| exits.take(now_ns, output));
        exits.settle(switch, now_ns, poller)?;
        Ok(switch.next_event_ns())
    }

    /// Some interface changed.
    pub fn refresh_links(&mut self, poller: &Poller) {
        let now_ns = now_ns();
        for (number, port) in &mut self.exits.ports {
            if port.refresh(poller, now_ns) {
                self.switch.set_port_up(*number, port.is_up(), now_ns);
                if port.is_up() {
                    // As a controller of the chip does when it has dealt with the failure.
                    let cleared = self.switch.clear_port_down(*number);
                    cleared.expect("no port has more than 9 bits");
                }
            }
        }
    }

    pub fn flush_captures(&mut self) {
        self.exits.ports.values_mut().for_each(Port::flush_captures);
    }

    /// The counts of the data plane and of the ports around it.
    pub fn stats(&mut self) -> Vec<(&'static str, u64)> {
        let mut io = self.former_ports;
        for port in self.exits.ports.values_mut() {
            io.add(&port.stats());
        }
        let mut stats = self.switch.stats();
        stats.extend(io.named());
        stats.push(("tx_unconnected_pkts", self.exits.unconnected_pkts));
        stats.push(("cpu_queue_dropped_pkts", self.exits.outlets.cpu.dropped()));
        stats.push((
            "digest_queue_dropped_msgs",
            self.exits.outlets.digests.dropped(),
        ));
        stats
    }
}
