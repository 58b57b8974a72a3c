// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Files one after another, each over a new connection, with a random pause between two.

use serde::{Deserialize, Serialize};

use super::app::{App, ConnectionId, Ctx, NodeId, Side, StackId};
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::record::{File, Record};
use super::start::first_action_ns;
use crate::tcp::ConnectionEvent;
use crate::time::Ns;

/// `kind: files`: the sessions that restart after a pause, and sources that alternate between a transfer and silence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    /// The host that opens the connections, sends, and closes after the last byte.
    pub from: String,
    pub to: String,
    pub stack: String,
    #[serde(default)]
    pub start_s: f64,
    /// The first file starts at a time drawn evenly from `start_s` to `start_s + start_spread_s`.
    #[serde(default)]
    pub start_spread_s: f64,
    /// The size of a file (rounded up).
    pub file_bytes: Distribution,
    /// From the acknowledgement of the last byte to the next file.
    pub pause_s: Distribution,
}

impl Files {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.not_negative("start_spread_s", self.start_spread_s)?;
        check.lasting("file_bytes", &self.file_bytes)?;
        check.distribution("pause_s", &self.pause_s)?;
        let (from, to) = check.ends(&self.from, &self.to)?;
        Ok(Box::new(Sessions {
            from,
            to,
            stack: check.stack(&self.stack)?,
            start_spread_s: self.start_spread_s,
            file_bytes: self.file_bytes,
            pause_s: self.pause_s,
            current: None,
        }))
    }
}

struct Transfer {
    id: ConnectionId,
    bytes: u64,
    acked_bytes: u64,
    started_ns: Ns,
}

struct Sessions {
    from: NodeId,
    to: NodeId,
    stack: StackId,
    start_spread_s: f64,
    file_bytes: Distribution,
    pause_s: Distribution,
    current: Option<Transfer>,
}

impl Sessions {
    fn end(&mut self, acked_ns: Option<Ns>, ctx: &mut dyn Ctx) {
        if let Some(transfer) = self.current.take() {
            ctx.record(Record::File(File {
                bytes: transfer.bytes,
                started_ns: transfer.started_ns,
                acked_ns,
            }));
        }
    }

    fn pause(&mut self, ctx: &mut dyn Ctx) {
        let next = ctx.now().saturating_add(self.pause_s.sample_ns(ctx.rng()));
        ctx.set_timer(next, 0);
    }
}

impl App for Sessions {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        let begin = first_action_ns(self.start_spread_s, ctx);
        ctx.set_timer(begin, 0);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        let bytes = self.file_bytes.sample_count(ctx.rng());
        let id = ctx.connect(self.from, self.to, self.stack);
        self.current = Some(Transfer {
            id,
            bytes,
            acked_bytes: 0,
            started_ns: ctx.now(),
        });
        ctx.send(id, Side::Opener, bytes);
        ctx.close(id, Side::Opener);
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        if let (Side::Acceptor, ConnectionEvent::PeerClosed) = (side, event) {
            ctx.close(id, Side::Acceptor);
            return;
        }
        let Some(transfer) = self.current.as_mut().filter(|transfer| transfer.id == id) else {
            return;
        };
        match (side, event) {
            (Side::Opener, ConnectionEvent::Acked { bytes }) => {
                transfer.acked_bytes += bytes;
                if transfer.acked_bytes >= transfer.bytes {
                    let now = ctx.now();
                    self.end(Some(now), ctx);
                    self.pause(ctx);
                }
            }
            (Side::Opener, ConnectionEvent::Failed) => {
                self.end(None, ctx);
                self.pause(ctx);
            }
            _ => {}
        }
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        self.end(None, ctx);
    }
}
