// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages: each has a flow of its own, or shares one.

use super::state::Network;
use crate::traffic::{ConnectionId, NodeId};
use crate::transport::Turn;

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
        let (newest, mut window_bytes) = match shares {
            true => self.lanes.newest(key),
            false => (None, None),
        };
        let mut turn = Turn::After;
        if let Some(id) = newest {
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
            self.lanes.begin(key, id, turn == Turn::After);
        }
        id
    }
}
