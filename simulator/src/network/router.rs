// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A router: a switch that runs the P4 program, and the links behind its ports. One that is a host's network card has the
//! host behind a port, too.

use quench_dataplane::{Output, PacketBytes, Switch};

use super::alarm::Alarm;
use crate::time::Ns;

/// The port of a network card that leads to its host.
pub const HOST_PORT: u32 = 2;

pub struct Router {
    pub name: String,
    pub switch: Switch,
    pub controller_latency_ns: Ns,
    pub cpu_port: u32,
    /// The direction behind each port, from port 1 on.
    pub directions: Vec<u32>,
    /// The host whose network card it is.
    pub host: Option<u32>,
    pub packet_ins: u64,
    pub packet_outs: u64,
    /// The switch's next departure of a packet.
    alarm: Alarm,
}

/// The place of a packet that leaves a router. The delay of the link is over already: the switch's ports have it. Only
/// where a port hands over what it sends, to another cell, the time of arrival is still to come.
pub enum RouterOutput {
    /// At the far end of this direction.
    Direction(u32),
    /// At the host whose network card the router is.
    Host(u32),
    /// At the controller, as a packet-in.
    Controller,
}

impl Router {
    pub fn new(name: String, switch: Switch, controller_latency_ns: Ns, cpu_port: u32) -> Self {
        Self {
            name,
            switch,
            controller_latency_ns,
            cpu_port,
            directions: Vec::new(),
            host: None,
            packet_ins: 0,
            packet_outs: 0,
            alarm: Alarm::default(),
        }
    }

    /// Runs the switch up to `now`, with a packet that arrives at a port if there is one, and calls `out` for each
    /// packet that leaves, with the time of its arrival. Returns the time for which the router's next event has to be
    /// scheduled, if any.
    #[inline(always)]
    pub fn advance(
        &mut self,
        now: Ns,
        arriving: Option<(u32, PacketBytes)>,
        mut out: impl FnMut(RouterOutput, Ns, PacketBytes),
    ) -> Option<Ns> {
        let (directions, host, cpu_port) = (&self.directions, self.host, self.cpu_port);
        let mut output = |output| match output {
            Output::Packet {
                port,
                bytes,
                time_ns,
            } if port == cpu_port => {
                out(RouterOutput::Controller, time_ns, bytes);
            }
            Output::Packet {
                port,
                bytes,
                time_ns,
            } => {
                let index = (port as usize).checked_sub(1);
                if let Some(&direction) = index.and_then(|index| directions.get(index)) {
                    out(RouterOutput::Direction(direction), time_ns, bytes);
                } else if let (HOST_PORT, Some(host)) = (port, host) {
                    out(RouterOutput::Host(host), time_ns, bytes);
                }
            }
            Output::Digest { .. } => {}
        };
        let next = match arriving {
            Some((port, bytes)) => self.switch.pass(now, port, bytes, &mut output),
            None => self.switch.advance(now, &mut output),
        }?;
        self.alarm.set(next)
    }

    /// Is the event of this time, which is now, the valid one?
    pub fn fires(&mut self, now: Ns) -> bool {
        self.alarm.fires(now)
    }
}
