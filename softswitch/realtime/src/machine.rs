// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch with its ports. One mutex protects both: a program's registers, tables and queues are what they are for
//! one thread.

use std::io;
use std::path::Path;
use std::sync::{Arc, Weak};

use quench_dataplane::control::PortOptions;
use quench_dataplane::switch::{Switch, SwitchConfig};

use crate::clock::{now_ns, Alarm};
use crate::exits::Exits;
use crate::io_stats::IoStats;
use crate::outlets::Outlets;
use crate::port::{Port, PortError};
use crate::rx_batch::Packets;
use crate::seats::Seats;
use crate::wire::{IoMode, Wire};

/// The frames of one batch may hold very many packets, which would all have one time, and keep calls waiting.
const TURN_PKTS: usize = 64;
/// `egress_spec` of the v1model has nine bits.
const MAX_PORT: u32 = 511;
pub struct Machine {
    pub switch: Switch,
    config: SwitchConfig,
    pub exits: Exits,
    alarm: Alarm,
    seats: Arc<Seats>,
    /// The threads that share what arrives on a port.
    readers: usize,
    io: IoMode,
    /// The counts of ports that were removed.
    former_ports: IoStats,
    /// Called at each turn of the thread.
    #[cfg(test)]
    pub fault: Option<Box<dyn Fn() + Send>>,
}

impl Machine {
    pub fn new(
        config: SwitchConfig,
        outlets: Outlets,
        seats: Arc<Seats>,
        readers: usize,
        io: IoMode,
        alarm: Alarm,
    ) -> Self {
        Self {
            switch: Switch::new(config.clone()),
            exits: Exits::new(config.cpu_port, outlets),
            config,
            alarm,
            seats,
            readers,
            io,
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
        let ways = (self.io, self.readers);
        let port = Port::open(number, interface, pcap_prefix, ways, &self.seats)?;
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
        self.former_ports.add(&port.close(&self.seats, now_ns()));
        self.switch.set_port_up(number, false, now_ns());
        Ok(())
    }

    pub fn remove_all_ports(&mut self) {
        let numbers: Vec<u32> = self.exits.ports.keys().copied().collect();
        for number in numbers {
            self.remove_port(number).expect("the port was just listed");
        }
    }

    /// Pass packets that a wire of a port brought through the program, up to [`TURN_PKTS`]; false when there are no more.
    /// Those that are to be sent together wait for [`Exits::take_unsent`].
    pub fn pass(
        &mut self,
        number: u32,
        from: &Weak<Wire>,
        packets: &mut Packets<'_>,
    ) -> io::Result<bool> {
        let now_ns = now_ns();
        for _ in 0..TURN_PKTS {
            let Some(packet) = packets.next() else {
                break;
            };
            let port = self.exits.ports.get_mut(&number);
            let Some(port) = port.filter(|port| port.has(from)) else {
                return Ok(false);
            };
            if port.take(now_ns, &packet) {
                self.pass_one(now_ns, number, packet.bytes)?;
            }
        }
        if let Some(port) = self.exits.ports.get_mut(&number) {
            port.flush_capture();
        }
        Ok(!packets.is_empty())
    }

    /// See whether what was read on a port speaks against its wire.
    pub fn reconsider(&mut self, number: u32) {
        if let Some(port) = self.exits.ports.get_mut(&number) {
            port.reconsider_unfinished(&self.seats, now_ns());
        }
        self.exits.pace_blocked();
    }

    fn pass_one(&mut self, now_ns: u64, number: u32, packet: &[u8]) -> io::Result<()> {
        let Self {
            switch,
            exits,
            seats,
            ..
        } = self;
        switch.pass(now_ns, number, packet, &mut |output| {
            exits.take(now_ns, output)
        });
        exits.pace(switch, now_ns, seats)
    }

    /// Take in a packet of the controller. False without a CPU port.
    pub fn pass_from_cpu(&mut self, packet: &[u8]) -> io::Result<bool> {
        let Some(cpu_port) = self.config.cpu_port else {
            return Ok(false);
        };
        self.pass_one(now_ns(), cpu_port, packet)?;
        Ok(true)
    }

    /// The socket of a port takes packets again.
    pub fn refill(&mut self, number: u32) -> io::Result<()> {
        let now_ns = now_ns();
        if let Some(port) = self.exits.ports.get(&number) {
            port.line.refill(now_ns)?;
            // Otherwise nobody might stop watching for the room.
            self.exits.pace_port(number);
        }
        self.exits.pace(&mut self.switch, now_ns, &self.seats)
    }

    /// Do all that is due until now.
    pub fn advance(&mut self) -> io::Result<()> {
        let now_ns = now_ns();
        let Self { switch, exits, .. } = self;
        switch.advance(now_ns, &mut |output| exits.take(now_ns, output));
        exits.pace(switch, now_ns, &self.seats)
    }

    /// Let the alarm wake a thread for what is due next.
    pub fn set_alarm(&mut self) -> io::Result<()> {
        self.alarm.set(self.switch.next_event_ns())
    }

    /// The alarm has woken a thread.
    pub fn alarm_rang(&mut self) {
        self.alarm.rang();
    }

    /// Some interface changed.
    pub fn refresh_links(&mut self) {
        let now_ns = now_ns();
        for (number, port) in &mut self.exits.ports {
            if port.refresh(&self.seats, now_ns) {
                self.switch.set_port_up(*number, port.is_up(), now_ns);
                if port.is_up() {
                    // As a controller of the chip does when it has dealt with the failure.
                    let cleared = self.switch.clear_port_down(*number);
                    cleared.expect("no port has more than 9 bits");
                }
            }
        }
        self.exits.pace_blocked();
    }

    /// The counts of the data plane and of the ports around it.
    pub fn stats(&mut self) -> Vec<(&'static str, u64)> {
        let now_ns = now_ns();
        let mut io = self.former_ports;
        for port in self.exits.ports.values_mut() {
            io.add(&port.stats(now_ns));
        }
        // Counting may have sent what waited.
        if self.exits.pace_blocked() {
            self.seats.first().wake();
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
