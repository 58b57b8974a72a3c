// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! UDP at a constant rate, without end or in bursts.
//!
//! Bursts with a heavy tail (Pareto with a shape between 1 and 2) from several sources add up to self-similar traffic
//! with the Hurst parameter (3 - shape)/2 (Willinger et al., "Self-similarity through high-variability", 1997).

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx};
use super::bursts::{interval_ns, Bursts};
use super::check::{Check, SourceError};
use super::datagrams::{Datagrams, HEADER_BYTES, LEAST_PAYLOAD_BYTES};
use super::distribution::Distribution;
use super::start::first_action_ns;
use crate::time::{from_s, Ns};

/// `kind: cbr`: a constant rate, with fixed periods if both of `on_s` and `off_s` are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub start_s: f64,
    /// The first packet goes at a time drawn evenly from `start_s` to `start_s + start_spread_s`.
    #[serde(default)]
    pub start_spread_s: f64,
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Of IP packets, while they are sent.
    pub rate_bps: f64,
    /// A whole IP packet: 28 bytes of headers and the payload.
    pub packet_bytes: u32,
    #[serde(default)]
    pub on_s: Option<f64>,
    #[serde(default)]
    pub off_s: Option<f64>,
    #[serde(default)]
    pub dscp: u8,
    /// The ECN field (0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE).
    #[serde(default)]
    pub ecn: u8,
}

/// `kind: on_off`: a constant rate in random bursts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub start_s: f64,
    /// The first burst begins at a time drawn evenly from `start_s` to `start_s + start_spread_s`.
    #[serde(default)]
    pub start_spread_s: f64,
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Of IP packets, within a burst.
    pub rate_bps: f64,
    /// A whole IP packet: 28 bytes of headers and the payload.
    pub packet_bytes: u32,
    pub on_s: Distribution,
    pub off_s: Distribution,
    #[serde(default)]
    pub dscp: u8,
    #[serde(default)]
    pub ecn: u8,
}

impl Cbr {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        let periods = match (self.on_s, self.off_s) {
            (None, None) => None,
            (Some(on_s), Some(off_s)) => {
                check.positive("on_s", on_s)?;
                check.not_negative("off_s", off_s)?;
                Some((Distribution::constant(on_s), Distribution::constant(off_s)))
            }
            (Some(_), None) => return Err(check.error("off_s", "is needed beside on_s".to_owned())),
            (None, Some(_)) => return Err(check.error("on_s", "is needed beside off_s".to_owned())),
        };
        let flow = Flow {
            ends: (&self.from, &self.to),
            start_s: self.start_s,
            start_spread_s: self.start_spread_s,
            stop_s: self.stop_s,
            rate_bps: self.rate_bps,
            packet_bytes: self.packet_bytes,
            class: (self.dscp, self.ecn),
        };
        flow.build(check, periods)
    }
}

impl OnOff {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.lasting("on_s", &self.on_s)?;
        check.distribution("off_s", &self.off_s)?;
        let flow = Flow {
            ends: (&self.from, &self.to),
            start_s: self.start_s,
            start_spread_s: self.start_spread_s,
            stop_s: self.stop_s,
            rate_bps: self.rate_bps,
            packet_bytes: self.packet_bytes,
            class: (self.dscp, self.ecn),
        };
        flow.build(check, Some((self.on_s, self.off_s)))
    }
}

/// What both kinds say of the packets.
struct Flow<'a> {
    ends: (&'a str, &'a str),
    start_s: f64,
    start_spread_s: f64,
    stop_s: Option<f64>,
    rate_bps: f64,
    packet_bytes: u32,
    class: (u8, u8),
}

impl Flow<'_> {
    fn build(
        &self,
        check: &Check,
        periods: Option<(Distribution, Distribution)>,
    ) -> Result<Box<dyn App>, SourceError> {
        check.not_negative("start_spread_s", self.start_spread_s)?;
        check.stop(self.start_s + self.start_spread_s, self.stop_s)?;
        check.positive("rate_bps", self.rate_bps)?;
        let packet_bytes = self.packet_bytes;
        let least = HEADER_BYTES + LEAST_PAYLOAD_BYTES;
        check.at_least("packet_bytes", packet_bytes.into(), least.into())?;
        if packet_bytes > u32::from(u16::MAX) {
            let problem = format!("must be 65535 or less, not {packet_bytes}");
            return Err(check.error("packet_bytes", problem));
        }
        let payload_bytes = packet_bytes - HEADER_BYTES;
        Ok(Box::new(Stream {
            start_spread_s: self.start_spread_s,
            stop_ns: self.stop_s.map_or(Ns::MAX, from_s),
            datagrams: Datagrams::new(check, self.ends, payload_bytes, self.class)?,
            bursts: Bursts::new(interval_ns(packet_bytes, self.rate_bps), periods),
            sent: 0,
        }))
    }
}

/// Delays and losses of its datagrams are counted where all datagrams arrive.
struct Stream {
    start_spread_s: f64,
    stop_ns: Ns,
    datagrams: Datagrams,
    bursts: Bursts,
    sent: u64,
}

impl App for Stream {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        let begin = first_action_ns(self.start_spread_s, ctx);
        ctx.set_timer(begin, 0);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        let now = ctx.now();
        if now >= self.stop_ns {
            return;
        }
        let wake = self.bursts.wake(now, ctx.rng());
        if wake.send {
            self.datagrams.send(self.sent, ctx);
            self.sent += 1;
        }
        ctx.set_timer(wake.next_ns, 0);
    }
}
