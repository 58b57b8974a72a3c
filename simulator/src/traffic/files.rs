// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Files one after another, each over a new connection, with a random pause between two.

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx, Side};
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::ids::ConnectionId;
use super::start::schedule_start;
use super::transfer::Transfers;
use crate::transport::ConnectionEvent;

/// `kind: files`: sessions that restart after a pause, and sources that alternate between a transfer and silence.
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
    /// The size of a file, rounded up to whole bytes.
    pub file_bytes: Distribution,
    /// Time from the acknowledgement of the last byte to the next file.
    pub pause_s: Distribution,
}

impl Files {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.not_negative("start_spread_s", self.start_spread_s)?;
        check.distribution("file_bytes", &self.file_bytes)?;
        check.positive("file_bytes", self.file_bytes.mean())?;
        check.distribution("pause_s", &self.pause_s)?;
        Ok(Box::new(FileSource {
            transfers: Transfers::new(check, &self.from, &self.to, &self.stack)?,
            start_spread_s: self.start_spread_s,
            file_bytes: self.file_bytes.clone(),
            pause_s: self.pause_s.clone(),
        }))
    }
}

struct FileSource {
    transfers: Transfers,
    start_spread_s: f64,
    file_bytes: Distribution,
    pause_s: Distribution,
}

impl App for FileSource {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        schedule_start(self.start_spread_s, 0, ctx);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        let bytes = self.file_bytes.sample_count(ctx.rng());
        self.transfers.begin(Some(bytes), ctx);
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        if self.transfers.on_connection(id, side, event, ctx) {
            let next = ctx.now().saturating_add(self.pause_s.sample_ns(ctx.rng()));
            ctx.set_timer(next, 0);
        }
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        self.transfers.end(None, ctx);
    }
}
