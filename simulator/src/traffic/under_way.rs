// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages under way. Several may share a connection, and are then acknowledged in the order in which they began.

use std::collections::BTreeMap;

use super::app::{Ctx, Side};
use super::ids::{ConnectionId, NodeId, StackId};
use super::record::Message;
use crate::transport::ConnectionEvent;

/// The messages of a source that are not acknowledged yet.
pub(super) struct UnderWay {
    stack: StackId,
    begun: u64,
    /// By their connection, and by their number.
    messages: BTreeMap<(ConnectionId, u64), Message>,
}

impl UnderWay {
    pub fn new(stack: StackId) -> Self {
        Self {
            stack,
            begun: 0,
            messages: BTreeMap::new(),
        }
    }

    pub fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, ctx: &mut dyn Ctx) {
        let id = ctx.send_message(from, to, self.stack, bytes);
        let message = Message {
            from,
            to,
            bytes,
            started_ns: ctx.now(),
            acked_ns: None,
        };
        self.begun += 1;
        self.messages.insert((id, self.begun), message);
    }

    /// The first message of a connection.
    fn first(&self, id: ConnectionId) -> Option<(ConnectionId, u64)> {
        let mut those = self.messages.range((id, 0)..=(id, u64::MAX));
        those.next().map(|(key, _)| *key)
    }

    pub fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        match (side, event) {
            (Side::Acceptor, ConnectionEvent::PeerClosed) => ctx.close(id, Side::Acceptor),
            (Side::Opener, ConnectionEvent::Acked { .. }) => {
                let first = self.first(id);
                let message = first.and_then(|key| self.messages.remove(&key));
                if let Some(message) = message {
                    let acked_ns = Some(ctx.now());
                    ctx.record_message(Message {
                        acked_ns,
                        ..message
                    });
                }
                // A transport without a FIN does not tell the other end that it may go.
                if message.is_some() && self.first(id).is_none() {
                    ctx.close(id, Side::Acceptor);
                }
            }
            (_, ConnectionEvent::Failed) => {
                while let Some(key) = self.first(id) {
                    if let Some(message) = self.messages.remove(&key) {
                        ctx.record_message(message);
                    }
                }
            }
            _ => {}
        }
    }

    /// Records what is not acknowledged.
    pub fn finish(&mut self, ctx: &mut dyn Ctx) {
        for (_, message) in std::mem::take(&mut self.messages) {
            ctx.record_message(message);
        }
    }
}
