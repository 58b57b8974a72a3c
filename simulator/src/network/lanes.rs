// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The flows that messages of one source from one host to another share, as in Bolt's ns-3 code.
//!
//! A flow is a connection. A message joins the newest one while that has more to send. If it cannot, it gets a new flow,
//! which begins with the window of the newest one. A flow that ends leaves its window to the next, unless it was only
//! beside another.

use std::collections::BTreeMap;

use super::connections::Pair;
use crate::traffic::ConnectionId;

/// The flows of a source between two hosts.
#[derive(Debug, Default)]
struct Lane {
    /// Those that have not ended, and whether they leave their window. The newest is the last.
    flows: Vec<(ConnectionId, bool)>,
    /// The window that the last one left.
    window_bytes: Option<u64>,
}

/// Source, sending and receiving host.
pub type LaneKey = (u32, u32, u32);

#[derive(Debug, Default)]
pub struct Lanes(BTreeMap<LaneKey, Lane>);

impl Lanes {
    /// The newest flow that has not ended, and the window that the last one left.
    pub fn newest(&self, key: LaneKey) -> (Option<ConnectionId>, Option<u64>) {
        let Some(lane) = self.0.get(&key) else {
            return (None, None);
        };
        (lane.flows.last().map(|&(id, _)| id), lane.window_bytes)
    }

    /// A flow begins, which leaves its window to the next or not.
    pub fn begin(&mut self, key: LaneKey, id: ConnectionId, leaves_window: bool) {
        let lane = self.0.entry(key).or_default();
        lane.flows.push((id, leaves_window));
    }

    /// A connection is freed.
    pub fn end(&mut self, pair: &Pair) {
        if !pair.transport.shares_flows() {
            return;
        }
        let [opener, acceptor] = &pair.ends;
        let Some(lane) = self.0.get_mut(&(pair.source, opener.host, acceptor.host)) else {
            return;
        };
        let place = lane.flows.iter().position(|(id, _)| *id == pair.id);
        let ended = place.map(|place| lane.flows.remove(place));
        if let (Some((_, true)), Some(socket)) = (ended, &opener.socket) {
            lane.window_bytes = socket.window_bytes();
        }
    }
}
