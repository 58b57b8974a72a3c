// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! FTP as ns-2 has it: one connection with as much to send as the network takes.

use serde::{Deserialize, Serialize};

use super::app::{App, ConnectionId, Ctx, NodeId, Side, StackId};
use super::check::{Check, SourceError};
use super::record::{File, Record};
use super::start::first_action_ns;
use crate::tcp::ConnectionEvent;
use crate::time::{from_s, Ns};

/// `kind: ftp`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ftp {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    /// The host that opens the connection and sends.
    pub from: String,
    pub to: String,
    pub stack: String,
    #[serde(default)]
    pub start_s: f64,
    /// The start is drawn evenly from `start_s` to `start_s + start_spread_s`.
    #[serde(default)]
    pub start_spread_s: f64,
    /// When sending ends; none: never.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// How much to send; none: endless.
    #[serde(default)]
    pub bytes: Option<u64>,
}

impl Ftp {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.not_negative("start_spread_s", self.start_spread_s)?;
        check.stop(self.start_s + self.start_spread_s, self.stop_s)?;
        if let Some(bytes) = self.bytes {
            check.at_least("bytes", bytes, 1)?;
        }
        let (from, to) = check.ends(&self.from, &self.to)?;
        Ok(Box::new(Transfer {
            from,
            to,
            stack: check.stack(&self.stack)?,
            start_spread_s: self.start_spread_s,
            stop_ns: self.stop_s.map(from_s),
            bytes: self.bytes,
            acked_bytes: 0,
            started_ns: 0,
            state: State::Waiting,
        }))
    }
}

const BEGIN: u64 = 0;
const STOP: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Sending(ConnectionId),
    Ended,
}

struct Transfer {
    from: NodeId,
    to: NodeId,
    stack: StackId,
    start_spread_s: f64,
    stop_ns: Option<Ns>,
    bytes: Option<u64>,
    acked_bytes: u64,
    started_ns: Ns,
    state: State,
}

impl Transfer {
    /// Only what has an end is a file: the endless transfer is what the counters of its connection say.
    fn end(&mut self, acked_ns: Option<Ns>, ctx: &mut dyn Ctx) {
        let sending = matches!(self.state, State::Sending(_));
        if let (true, Some(bytes)) = (sending, self.bytes) {
            ctx.record(Record::File(File {
                bytes,
                started_ns: self.started_ns,
                acked_ns,
            }));
        }
        self.state = State::Ended;
    }
}

impl App for Transfer {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        let begin = first_action_ns(self.start_spread_s, ctx);
        ctx.set_timer(begin, BEGIN);
        if let Some(stop) = self.stop_ns {
            ctx.set_timer(stop, STOP);
        }
    }

    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx) {
        match (token, self.state) {
            (BEGIN, State::Waiting) => {
                let id = ctx.connect(self.from, self.to, self.stack);
                self.started_ns = ctx.now();
                self.state = State::Sending(id);
                ctx.send(id, Side::Opener, self.bytes.unwrap_or(u64::MAX));
                if self.bytes.is_some() {
                    ctx.close(id, Side::Opener);
                }
            }
            (STOP, State::Sending(id)) => {
                ctx.close(id, Side::Opener);
                self.end(None, ctx);
            }
            _ => {}
        }
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        match (side, event) {
            (Side::Acceptor, ConnectionEvent::PeerClosed) => ctx.close(id, Side::Acceptor),
            (Side::Opener, ConnectionEvent::Acked { bytes }) => {
                self.acked_bytes += bytes;
                if self.bytes.is_some_and(|all| self.acked_bytes >= all) {
                    let now = ctx.now();
                    self.end(Some(now), ctx);
                }
            }
            (Side::Opener, ConnectionEvent::Failed) => self.end(None, ctx),
            _ => {}
        }
    }

    /// Only a file has an end to wait for.
    fn wants_progress(&self) -> bool {
        self.bytes.is_some()
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        self.end(None, ctx);
    }
}
