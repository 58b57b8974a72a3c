// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Transfers of files, one at a time, each over a connection of its own.

use super::app::{Ctx, Side};
use super::check::{Check, SourceError};
use super::ids::{ConnectionId, NodeId, StackId};
use super::record::{File, Record};
use crate::time::Ns;
use crate::transport::ConnectionEvent;

/// Sends files from one host, which opens the connections, to another.
pub(super) struct Transfers {
    from: NodeId,
    to: NodeId,
    stack: StackId,
    current: Option<Transfer>,
}

struct Transfer {
    id: ConnectionId,
    /// None: without end.
    bytes: Option<u64>,
    acked_bytes: u64,
    started_ns: Ns,
}

impl Transfers {
    /// Fails if there is no such host or stack.
    pub fn new(check: &Check, from: &str, to: &str, stack: &str) -> Result<Self, SourceError> {
        let (from, to) = check.ends(from, to)?;
        Ok(Self {
            from,
            to,
            stack: check.stack(stack)?,
            current: None,
        })
    }

    /// Opens a connection and sends `bytes` over it; none: without end. The sender closes after the last byte.
    pub fn begin(&mut self, bytes: Option<u64>, ctx: &mut dyn Ctx) {
        let id = ctx.connect(self.from, self.to, self.stack);
        self.current = Some(Transfer {
            id,
            bytes,
            acked_bytes: 0,
            started_ns: ctx.now(),
        });
        ctx.send(id, Side::Opener, bytes.unwrap_or(u64::MAX));
        if bytes.is_some() {
            ctx.close(id, Side::Opener);
        }
    }

    /// Ends the current transfer, if there is one: no further data is sent.
    pub fn stop(&mut self, ctx: &mut dyn Ctx) {
        if let Some(transfer) = &self.current {
            ctx.close(transfer.id, Side::Opener);
            self.end(None, ctx);
        }
    }

    /// Forgets the current transfer and records it. A transfer without end has no record: the counters of its
    /// connection say all about it.
    pub fn end(&mut self, acked_ns: Option<Ns>, ctx: &mut dyn Ctx) {
        if let Some(transfer) = self.current.take() {
            if let Some(bytes) = transfer.bytes {
                ctx.record(Record::File(File {
                    bytes,
                    started_ns: transfer.started_ns,
                    acked_ns,
                }));
            }
        }
    }

    /// Handles an event of a connection. Returns true if it has ended the current transfer: the last byte is
    /// acknowledged, or the connection has failed.
    pub fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) -> bool {
        if (side, event) == (Side::Acceptor, ConnectionEvent::PeerClosed) {
            ctx.close(id, Side::Acceptor);
        }
        let current = self.current.as_mut();
        let Some(transfer) = current.filter(|transfer| transfer.id == id && side == Side::Opener)
        else {
            return false;
        };
        let acked_ns = match event {
            ConnectionEvent::Acked { bytes } => {
                transfer.acked_bytes += bytes;
                if transfer.bytes.is_none_or(|all| transfer.acked_bytes < all) {
                    return false;
                }
                Some(ctx.now())
            }
            ConnectionEvent::Failed => None,
            _ => return false,
        };
        self.end(acked_ns, ctx);
        true
    }
}
