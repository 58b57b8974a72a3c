// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Turns of a host's connections on its link, where the host's card chooses which of them sends next.
//!
//! A connection that has a packet to send waits for its turn while the link is busy or others wait, and makes the packet
//! only then. So a short message waits for one packet of each other connection and not for their windows, and a packet
//! that waits for its turn is not in flight. ACKs and NACKs need no turn: they wait in the link's queue, which goes first.

use std::collections::VecDeque;

use super::alarm::Alarm;
use super::state::Network;
use crate::events::Event;

/// The connections of one host that wait for their turn.
#[derive(Debug, Default)]
pub struct Turns {
    /// Their ends, in order; each is here once.
    waiting: VecDeque<u32>,
    /// The time of the next turn.
    alarm: Alarm,
}

impl Network {
    /// Lets the socket that is called next send data, unless it has to wait for its turn.
    #[inline(always)]
    pub(super) fn offer_turn(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        self.io.may_send = match &wire.turns {
            None => true,
            Some(turns) => turns.waiting.is_empty() && wire.busy_until(self.now).is_none(),
        };
    }

    /// An end that is not among those that wait for their turn comes last.
    #[inline(never)]
    pub(super) fn wait_for_turn(&mut self, host: u32, end: u32) {
        if let Some(turns) = &mut self.wires[host as usize].turns {
            turns.waiting.push_back(end);
        }
        self.plan_turn(host);
    }

    /// The host's link may be free for the next turns.
    pub fn on_host_turn(&mut self, host: u32) {
        let Some(turns) = &mut self.wires[host as usize].turns else {
            return;
        };
        if !turns.alarm.fires(self.now) {
            return;
        }
        let mut left = turns.waiting.len();
        while left > 0 && self.wires[host as usize].busy_until(self.now).is_none() {
            left -= 1;
            let turns = self.wires[host as usize].turns.as_mut();
            if let Some(end) = turns.and_then(|turns| turns.waiting.pop_front()) {
                self.take_turn(end);
            }
        }
        self.plan_turn(host);
    }

    /// Schedules the next turn, if any end waits for one.
    fn plan_turn(&mut self, host: u32) {
        let wire = &mut self.wires[host as usize];
        let at = wire.busy_until(self.now).unwrap_or(self.now);
        if let Some(turns) = wire
            .turns
            .as_mut()
            .filter(|turns| !turns.waiting.is_empty())
        {
            if let Some(at) = turns.alarm.set(at) {
                self.events.schedule(at, Event::HostTurn(host));
            }
        }
    }
}
