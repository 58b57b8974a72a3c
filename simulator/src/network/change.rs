// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Links whose rate, delay, loss or buffer changes during the simulation.

use quench_dataplane::control::{ControlResult, PortOptions};
use quench_dataplane::tm::Rate;

use super::node::Node;
use super::state::Network;

/// A change of one direction of a link.
#[derive(Debug, Clone)]
pub struct LinkChange {
    /// Index of the direction in [`Network::directions`].
    pub direction: usize,
    /// An option that is none stays as it is.
    pub options: PortOptions,
}

impl Network {
    /// The part of the packet in transmission that has not left a direction's beginning, in bits times the nanoseconds of a
    /// second.
    pub fn unsent_bit_ns(&mut self, direction: usize) -> u128 {
        let now = self.now;
        match self.directions[direction].from {
            Node::Host(host) => self.wires[host as usize].unsent_bit_ns(now),
            Node::Router(router, port) => {
                let state = self.routers[router as usize].switch.port_get(port, now);
                state.map_or(0, |state| state.unsent_bit_ns)
            }
            Node::Away { .. } => 0,
        }
    }

    pub fn change_link(&mut self, change: &LinkChange) -> ControlResult<()> {
        let LinkChange { direction, options } = change;
        let now = self.now;
        let unsent_bit_ns = self.unsent_bit_ns(*direction);
        let direction = &mut self.directions[*direction];
        if let Some(rate_bps) = options.rate_bps {
            direction.capacity.set_rate(now, rate_bps, unsent_bit_ns);
        }
        match direction.from {
            Node::Router(router, port) => {
                let switch = &mut self.routers[router as usize].switch;
                switch.port_set(port, options, now)?;
                self.serve(router);
            }
            Node::Host(host) => {
                let wire = &mut self.wires[host as usize];
                let mut config = wire.config();
                config.rate = options.rate_bps.map_or(config.rate, Rate::bps);
                config.delay_ns = options.delay_ns.unwrap_or(config.delay_ns);
                config.loss = options.loss.unwrap_or(config.loss);
                config.buffer_pkts = options.capacity_pkts.unwrap_or(config.buffer_pkts);
                config.buffer_bytes = options.capacity_bytes.unwrap_or(config.buffer_bytes);
                wire.set_config(now, config);
            }
            Node::Away { .. } => {}
        }
        Ok(())
    }
}
