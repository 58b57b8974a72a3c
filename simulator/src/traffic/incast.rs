// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Many hosts that send to one at the same moment.

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx, Progress, Side};
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::ids::ConnectionId;
use super::messages::{below, Groups};
use super::under_way::UnderWay;
use crate::time::{from_s, Ns};
use crate::transport::ConnectionEvent;

/// The most messages of one host in an incast.
const MAX_MESSAGES: u64 = 10_000;

/// `kind: incast`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    /// Hosts of which `degree` are drawn each time.
    pub senders: Vec<String>,
    /// Hosts of which one is drawn each time; none: the senders.
    #[serde(default)]
    pub receivers: Option<Vec<String>>,
    pub stack: String,
    #[serde(default)]
    pub start_s: f64,
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Hosts that send at the same moment.
    pub degree: u64,
    /// Messages of each, over connections of their own.
    #[serde(default = "one")]
    pub messages: u64,
    /// The size of a message, rounded up to whole bytes.
    pub message_bytes: Distribution,
    /// The time from one incast to the next; none: there is one.
    #[serde(default)]
    pub period_s: Option<Distribution>,
}

fn one() -> u64 {
    1
}

impl Incast {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.stop(self.start_s, self.stop_s)?;
        check.distribution("message_bytes", &self.message_bytes)?;
        check.positive("message_bytes", self.message_bytes.mean())?;
        check.at_least("degree", self.degree, 1)?;
        check.at_least("messages", self.messages, 1)?;
        if self.messages > MAX_MESSAGES {
            let problem = format!("must be {MAX_MESSAGES} or less, not {}", self.messages);
            return Err(check.error("messages", problem));
        }
        if let Some(period_s) = &self.period_s {
            check.lasting("period_s", period_s)?;
        }
        let groups = Groups::new(check, &self.senders, self.receivers.as_deref())?;
        let receivers = groups.receivers.iter();
        let own = receivers.filter(|host| groups.senders.contains(host));
        let most = groups.senders.len() - usize::from(own.count() > 0);
        if self.degree > most as u64 {
            let problem = format!(
                "must be {most} or less, the hosts that can send to one, not {}",
                self.degree
            );
            return Err(check.error("degree", problem));
        }
        Ok(Box::new(Bursts {
            groups,
            degree: self.degree as usize,
            messages: self.messages,
            message_bytes: self.message_bytes.clone(),
            period_s: self.period_s.clone(),
            stop_ns: self.stop_s.map_or(Ns::MAX, from_s),
            under_way: UnderWay::new(check.stack(&self.stack)?),
        }))
    }
}

struct Bursts {
    groups: Groups,
    degree: usize,
    messages: u64,
    message_bytes: Distribution,
    period_s: Option<Distribution>,
    stop_ns: Ns,
    under_way: UnderWay,
}

impl Bursts {
    fn burst(&mut self, ctx: &mut dyn Ctx) {
        let to = self.groups.receivers[below(self.groups.receivers.len(), ctx)];
        let senders = self.groups.senders.iter().copied();
        let mut senders: Vec<_> = senders.filter(|host| *host != to).collect();
        for chosen in 0..self.degree {
            let place = chosen + below(senders.len() - chosen, ctx);
            senders.swap(chosen, place);
        }
        for _ in 0..self.messages {
            for from in &senders[..self.degree] {
                let bytes = self.message_bytes.sample_count(ctx.rng());
                self.under_way.send(*from, to, bytes, ctx);
            }
        }
    }
}

impl App for Bursts {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        ctx.set_timer(ctx.now(), 0);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        self.burst(ctx);
        if let Some(period_s) = &self.period_s {
            // At least a nanosecond, so that time passes.
            let period_ns = period_s.sample_ns(ctx.rng()).max(1);
            let at = ctx.now().saturating_add(period_ns);
            if at < self.stop_ns {
                ctx.set_timer(at, 0);
            }
        }
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        self.under_way.on_connection(id, side, event, ctx);
    }

    fn progress(&self) -> Progress {
        Progress::Whole
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        self.under_way.finish(ctx);
    }
}
