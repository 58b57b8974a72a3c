// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages under way, each over a connection of its own.

use std::collections::BTreeMap;

use super::app::{Ctx, Side};
use super::ids::{ConnectionId, NodeId, StackId};
use super::record::Message;
use crate::transport::ConnectionEvent;

/// The messages of a source that are not acknowledged yet.
pub(super) struct UnderWay {
    stack: StackId,
    messages: BTreeMap<ConnectionId, Message>,
}

impl UnderWay {
    pub fn new(stack: StackId) -> Self {
        Self {
            stack,
            messages: BTreeMap::new(),
        }
    }

    /// Opens a connection, sends a message over it, and closes.
    pub fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, ctx: &mut dyn Ctx) {
        let id = ctx.connect(from, to, self.stack);
        let message = Message {
            from,
            to,
            bytes,
            started_ns: ctx.now(),
            acked_ns: None,
        };
        self.messages.insert(id, message);
        ctx.send(id, Side::Opener, bytes);
        ctx.close(id, Side::Opener);
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
                if let Some(message) = self.messages.remove(&id) {
                    let acked_ns = Some(ctx.now());
                    ctx.record_message(Message {
                        acked_ns,
                        ..message
                    });
                    // A transport without a FIN does not tell the other end that it may go.
                    ctx.close(id, Side::Acceptor);
                }
            }
            (_, ConnectionEvent::Failed) => {
                if let Some(message) = self.messages.remove(&id) {
                    ctx.record_message(message);
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
