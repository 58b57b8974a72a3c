// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The places where packets leave the switch: its ports, and the controller's mailboxes.
//!
//! Where the socket of a port takes no more packets, the port is paced: the switch keeps the port's queue and lets one
//! packet out at a time, as long as the socket takes them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use quench_dataplane::switch::{Output, Switch};
use quench_dataplane::tm::Resumed;

use crate::line::Line;
use crate::outlets::{CpuPacket, DigestMessage, Outlets};
use crate::port::Port;
use crate::seats::Seats;

pub struct Exits {
    pub ports: BTreeMap<u32, Port>,
    pub outlets: Outlets,
    cpu_port: Option<u32>,
    /// Ports that take one packet at a time.
    paced: Vec<u32>,
    /// Ports with packets that are to be sent together, when the machine's lock is free again.
    unsent: Vec<(u32, Arc<Line>)>,
    /// Packets to ports that have no interface.
    pub unconnected_pkts: u64,
}

impl Exits {
    pub fn new(cpu_port: Option<u32>, outlets: Outlets) -> Self {
        Self {
            ports: BTreeMap::new(),
            outlets,
            cpu_port,
            paced: Vec::new(),
            unsent: Vec::new(),
            unconnected_pkts: 0,
        }
    }

    /// Let go what the switch hands over.
    pub fn take(&mut self, now_ns: u64, output: Output) {
        match output {
            Output::Packet {
                port,
                bytes,
                time_ns,
            } if self.cpu_port == Some(port) => {
                let bytes = bytes.into_vec();
                self.outlets.cpu.put(CpuPacket { bytes, time_ns });
            }
            Output::Packet { port, bytes, .. } => {
                let Some(to) = self.ports.get(&port) else {
                    self.unconnected_pkts += 1;
                    return;
                };
                if to.line.transmit(now_ns, bytes.into_vec())
                    && !self.unsent.iter().any(|(n, _)| *n == port)
                {
                    self.unsent.push((port, Arc::clone(&to.line)));
                }
                if to.line.is_blocked() {
                    self.pace_port(port);
                }
            }
            Output::Digest {
                id,
                fields,
                time_ns,
            } => {
                self.outlets.digests.put(DigestMessage {
                    id,
                    fields,
                    time_ns,
                });
            }
        }
    }

    /// After each packet, because the next one may come for a port that is paced.
    #[inline]
    pub fn pace(&mut self, switch: &mut Switch, now_ns: u64, seats: &Seats) -> io::Result<()> {
        if self.paced.is_empty() {
            return Ok(());
        }
        self.settle(switch, now_ns, seats)
    }

    /// Send from the queues of paced ports what their sockets take, one packet after the other.
    fn settle(&mut self, switch: &mut Switch, now_ns: u64, seats: &Seats) -> io::Result<()> {
        self.send_together(now_ns);
        while self.resume(switch, now_ns) {
            switch.advance(now_ns, &mut |output| self.take(now_ns, output));
            self.send_together(now_ns);
        }
        self.ports
            .values_mut()
            .try_for_each(|port| port.watch_room(seats))
    }

    /// The queue of a paced port must see each packet that its socket refuses.
    fn send_together(&mut self, now_ns: u64) {
        for (number, line) in std::mem::take(&mut self.unsent) {
            line.flush(now_ns);
            if line.is_blocked() {
                self.pace_port(number);
            }
        }
    }

    /// The ports whose lines are found blocked take one packet at a time; true when there are any.
    pub fn pace_blocked(&mut self) -> bool {
        let blocked = self.ports.iter().filter(|(_, port)| port.line.is_blocked());
        let blocked: Vec<u32> = blocked.map(|(number, _)| *number).collect();
        blocked.iter().for_each(|number| self.pace_port(*number));
        !blocked.is_empty()
    }

    /// The port takes one packet at a time from now on.
    pub fn pace_port(&mut self, number: u32) {
        if !self.paced.contains(&number) {
            self.paced.push(number);
        }
    }

    /// The ports with packets that are to be sent together. `empty` takes their place.
    pub fn take_unsent(&mut self, empty: &mut Vec<(u32, Arc<Line>)>) {
        std::mem::swap(&mut self.unsent, empty);
    }

    /// True when a packet leaves some queue now.
    fn resume(&mut self, switch: &mut Switch, now_ns: u64) -> bool {
        let mut leaves = false;
        self.paced.retain(|number| {
            // Where the interface was removed, nothing waits for it.
            if self
                .ports
                .get(number)
                .is_some_and(|port| port.line.is_blocked())
            {
                switch.pause_port(*number, now_ns);
                return true;
            }
            let resumed = switch.resume_port(*number, now_ns);
            leaves |= resumed == Resumed::WithOne;
            resumed != Resumed::Freely
        });
        leaves
    }
}
