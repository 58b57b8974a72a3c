// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages, and the flows that messages of one source from one host to another share, as in Bolt's ns-3 code.
//!
//! A flow is a connection. A message joins the newest one while that has more to send. If it cannot, it gets a new flow,
//! which begins with the window of the newest one. A flow that ends leaves its window to the next, unless it was only
//! beside another.

use std::collections::BTreeMap;

use super::connections::Pair;
use super::state::Network;
use crate::traffic::{ConnectionId, NodeId};
use crate::transport::Turn;

/// The flows of a source between two hosts.
#[derive(Debug, Default)]
struct Lane {
    /// Those that have not ended, and whether they leave their window. The newest is the last.
    flows: Vec<(ConnectionId, bool)>,
    /// The window that the last one left.
    window_bytes: Option<u64>,
}

/// The lanes by source, sending and receiving host.
#[derive(Debug, Default)]
pub struct Lanes(BTreeMap<(u32, u32, u32), Lane>);

impl Lanes {
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

impl Network {
    /// Sends a message over a flow of its own, or one that its stack lets it share.
    pub(super) fn send_message(
        &mut self,
        source: u32,
        (from, to): (NodeId, NodeId),
        stack: usize,
        bytes: u64,
    ) -> ConnectionId {
        let shares = self.stacks[stack].shares_flows();
        let key = (source, from.0 as u32, to.0 as u32);
        let lane = self.lanes.0.get(&key).filter(|_| shares);
        let newest = lane.and_then(|lane| lane.flows.last().copied());
        let mut window_bytes = lane.and_then(|lane| lane.window_bytes);
        let mut turn = Turn::After;
        if let Some((id, _)) = newest {
            self.with_end(id, 0, |end, now, _io| {
                if let Some(socket) = &mut end.socket {
                    turn = socket.join(bytes, now);
                    window_bytes = socket.window_bytes();
                }
                if turn == Turn::Joins {
                    end.awaits(bytes);
                }
            });
            if turn == Turn::Joins {
                return id;
            }
        }
        let id = self.connect(source, from, to, stack);
        self.set_ending(id);
        self.with_end(id, 0, |end, now, io| {
            end.awaits(bytes);
            if let Some(socket) = &mut end.socket {
                if let Some(window_bytes) = window_bytes {
                    socket.begin_with(window_bytes);
                }
                socket.send(bytes, now, io);
                socket.close(now, io);
            }
        });
        if shares && self.connections.find(id).is_some() {
            let lane = self.lanes.0.entry(key).or_default();
            lane.flows.push((id, turn == Turn::After));
        }
        id
    }
}
