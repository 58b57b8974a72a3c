// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! FTP as in ns-2: one connection that always has data to send, or one file.

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx, Progress, Side};
use super::check::{Check, SourceError};
use super::ids::ConnectionId;
use super::start::schedule_start;
use super::transfer::Transfers;
use crate::time::{from_s, Ns};
use crate::transport::ConnectionEvent;

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
    /// The time at which the transfer is stopped; none: never.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Size of the file; none: without end.
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
        Ok(Box::new(FtpSource {
            transfers: Transfers::new(check, &self.from, &self.to, &self.stack)?,
            start_spread_s: self.start_spread_s,
            stop_ns: self.stop_s.map(from_s),
            bytes: self.bytes,
        }))
    }
}

// Tokens of timers.
const BEGIN: u64 = 0;
const STOP: u64 = 1;

struct FtpSource {
    transfers: Transfers,
    start_spread_s: f64,
    stop_ns: Option<Ns>,
    bytes: Option<u64>,
}

impl App for FtpSource {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        schedule_start(self.start_spread_s, BEGIN, ctx);
        if let Some(stop) = self.stop_ns {
            ctx.set_timer(stop, STOP);
        }
    }

    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx) {
        match token {
            BEGIN => self.transfers.begin(self.bytes, ctx),
            _ => self.transfers.stop(ctx),
        }
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        self.transfers.on_connection(id, side, event, ctx);
    }

    /// A transfer without end does not count its acknowledged bytes.
    fn progress(&self) -> Progress {
        match self.bytes {
            Some(_) => Progress::Each,
            None => Progress::None,
        }
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        self.transfers.end(None, ctx);
    }
}
