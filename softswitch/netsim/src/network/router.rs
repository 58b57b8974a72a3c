// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A router: the P4 program, and what its ports lead to.

use quench_dataplane::{Output, Switch};

use crate::time::Ns;

/// The port of packet-ins and packet-outs, as the program has it.
pub const CPU_PORT: u32 = 510;

pub struct Router {
    pub name: String,
    pub switch: Switch,
    pub controller_latency_ns: Ns,
    /// The direction behind each port; port 1 comes first.
    pub directions: Vec<u32>,
    pub packet_ins: u64,
    pub packet_outs: u64,
    /// The earliest event of this router in the event queue that counts; later ones are left over.
    armed_ns: Ns,
}

/// What comes out of a router: a packet at the far end of a direction, or one for the controller.
pub enum Leaving {
    Along(u32),
    ToController,
}

impl Router {
    pub fn new(name: String, switch: Switch, controller_latency_ns: Ns) -> Self {
        Self {
            name,
            switch,
            controller_latency_ns,
            directions: Vec::new(),
            packet_ins: 0,
            packet_outs: 0,
            armed_ns: Ns::MAX,
        }
    }

    /// Does what is due, and hands over what comes out. `arriving` is a packet, with its port. Returns when the router is
    /// next to be called, if the event queue does not know yet.
    pub fn advance(
        &mut self,
        now: Ns,
        arriving: Option<(u32, Vec<u8>)>,
        mut out: impl FnMut(Leaving, Vec<u8>),
    ) -> Option<Ns> {
        let directions = &self.directions;
        let mut output = |output| match output {
            Output::Packet { port, bytes, .. } if port == CPU_PORT => {
                out(Leaving::ToController, bytes);
            }
            Output::Packet { port, bytes, .. } => {
                let direction = (port as usize).checked_sub(1);
                if let Some(&direction) = direction.and_then(|place| directions.get(place)) {
                    out(Leaving::Along(direction), bytes);
                }
            }
            Output::Digest { .. } => {}
        };
        let at = match arriving {
            Some((port, bytes)) => self.switch.pass(now, port, bytes, &mut output),
            None => self.switch.advance(now, &mut output),
        }?;
        let news = at < self.armed_ns;
        self.armed_ns = at.min(self.armed_ns);
        news.then_some(at)
    }

    /// Whether an event of this time is not one that was left over.
    pub fn wakes(&mut self, at: Ns) -> bool {
        let wakes = at == self.armed_ns;
        if wakes {
            self.armed_ns = Ns::MAX;
        }
        wakes
    }
}
