// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Messages that arrive as a Poisson process at many hosts, each for another host.
//!
//! One process for all senders, whose sender is drawn evenly, is the same as a process for each.

use rand_xoshiro::rand_core::RngCore;
use serde::{Deserialize, Serialize};

use super::app::{App, Ctx, Progress, Side};
use super::check::{Check, SourceError};
use super::distribution::{uniform, Distribution};
use super::ids::{ConnectionId, NodeId};
use super::under_way::UnderWay;
use crate::time::{from_s, Ns, NS_PER_S};
use crate::transport::ConnectionEvent;

/// `kind: messages`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    /// Hosts that open the connections, send, and close after the last byte.
    pub senders: Vec<String>,
    /// Hosts to which messages go, drawn evenly among those other than the sender; none: the senders.
    #[serde(default)]
    pub receivers: Option<Vec<String>>,
    pub stack: String,
    /// The first time at which a message may begin, and the last.
    #[serde(default)]
    pub start_s: f64,
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// The size of a message, rounded up to whole bytes.
    pub message_bytes: Distribution,
    /// Payload offered, as a share of the rate of the links of the hosts that `load_of` names.
    pub load: f64,
    #[serde(default)]
    pub load_of: LoadOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadOf {
    #[default]
    Senders,
    Receivers,
}

impl Messages {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.stop(self.start_s, self.stop_s)?;
        check.distribution("message_bytes", &self.message_bytes)?;
        check.positive("message_bytes", self.message_bytes.mean())?;
        check.positive("load", self.load)?;
        let groups = Groups::new(check, &self.senders, self.receivers.as_deref())?;
        let out_bps = rate_of_all(check, "senders", &self.senders)?;
        let in_bps = match &self.receivers {
            Some(receivers) => rate_of_all(check, "receivers", receivers)?,
            None => out_bps,
        };
        let offered_bps = match self.load_of {
            LoadOf::Senders => self.load * out_bps,
            LoadOf::Receivers => self.load * in_bps,
        };
        for (of, rate_bps) in [("senders", out_bps), ("receivers", in_bps)] {
            let share = offered_bps / rate_bps;
            // Rates and shares are not exact: 1 in 10^9 more is none.
            if share > 1.0 + 1e-9 {
                let problem =
                    format!("is {share:.4} of the rate of the {of}' links: must be 1 or less");
                return Err(check.error("load", problem));
            }
        }
        let mean_gap_ns = self.message_bytes.mean() * 8.0 * NS_PER_S as f64 / offered_bps;
        if mean_gap_ns < 1.0 {
            let problem = "makes more than a message in each nanosecond".to_owned();
            return Err(check.error("load", problem));
        }
        Ok(Box::new(Poisson {
            groups,
            message_bytes: self.message_bytes.clone(),
            mean_gap_ns,
            next_ns: 0.0,
            stop_ns: self.stop_s.map_or(Ns::MAX, from_s),
            under_way: UnderWay::new(check.stack(&self.stack)?),
        }))
    }
}

/// The rates of the hosts' links together, which must be the same: hosts are drawn evenly.
fn rate_of_all(check: &Check, field: &'static str, names: &[String]) -> Result<f64, SourceError> {
    let mut rates = Vec::new();
    for name in names {
        let rate = check.names.link_rate_bps(name);
        rates.push(rate.ok_or_else(|| {
            check.error(field, format!("the link out of \"{name}\" has no rate_bps"))
        })?);
    }
    if let Some(other) = rates.iter().position(|rate| *rate != rates[0]) {
        let problem = format!(
            "the links of \"{}\" and \"{}\" have different rates: give a source for each",
            names[0], names[other]
        );
        return Err(check.error(field, problem));
    }
    Ok(rates.iter().sum())
}

/// Hosts that send, and those that receive; a host never sends to itself.
#[derive(Debug)]
pub(super) struct Groups {
    pub senders: Vec<NodeId>,
    pub receivers: Vec<NodeId>,
}

impl Groups {
    /// Fails if a host is named twice on one side, or if a sender has nobody to send to.
    pub fn new(
        check: &Check,
        senders: &[String],
        receivers: Option<&[String]>,
    ) -> Result<Self, SourceError> {
        let groups = Self {
            senders: distinct(check, "senders", senders)?,
            receivers: match receivers {
                Some(receivers) => distinct(check, "receivers", receivers)?,
                None => distinct(check, "senders", senders)?,
            },
        };
        if let [only] = groups.receivers[..] {
            if let Some(at) = groups.senders.iter().position(|sender| *sender == only) {
                let field = receivers.map_or("senders", |_| "receivers");
                let problem = format!("\"{}\" cannot send to itself", senders[at]);
                return Err(check.error(field, problem));
            }
        }
        Ok(groups)
    }

    /// A receiver other than the sender.
    fn receiver(&self, sender: NodeId, ctx: &mut dyn Ctx) -> NodeId {
        let own = self.receivers.iter().position(|host| *host == sender);
        let place = match own {
            None => below(self.receivers.len(), ctx),
            Some(own) => {
                let place = below(self.receivers.len() - 1, ctx);
                place + usize::from(place >= own)
            }
        };
        self.receivers[place]
    }
}

fn distinct(
    check: &Check,
    field: &'static str,
    names: &[String],
) -> Result<Vec<NodeId>, SourceError> {
    let hosts = check.hosts(field, names)?;
    let mut sorted = hosts.clone();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let at = hosts.iter().position(|host| *host == pair[0]);
        let name = at.map_or("", |at| &names[at]);
        return Err(check.error(field, format!("\"{name}\" is named twice")));
    }
    Ok(hosts)
}

/// A number from 0 on, drawn evenly.
pub(super) fn below(count: usize, ctx: &mut dyn Ctx) -> usize {
    // The bias of a 64-bit draw over some thousand hosts is below 2^-50.
    (ctx.rng().next_u64() % count as u64) as usize
}

struct Poisson {
    groups: Groups,
    message_bytes: Distribution,
    mean_gap_ns: f64,
    /// The next arrival. The clock's nanoseconds are too coarse for the times of a large network.
    next_ns: f64,
    stop_ns: Ns,
    under_way: UnderWay,
}

impl Poisson {
    fn draw_next(&mut self, ctx: &mut dyn Ctx) {
        self.next_ns -= self.mean_gap_ns * (1.0 - uniform(ctx.rng())).ln();
        let at = self.next_ns.ceil() as Ns;
        if at < self.stop_ns {
            ctx.set_timer(at, 0);
        }
    }
}

impl App for Poisson {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        self.next_ns = ctx.now() as f64;
        self.draw_next(ctx);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        let from = self.groups.senders[below(self.groups.senders.len(), ctx)];
        let to = self.groups.receiver(from, ctx);
        let bytes = self.message_bytes.sample_count(ctx.rng());
        self.under_way.send(from, to, bytes, ctx);
        self.draw_next(ctx);
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
