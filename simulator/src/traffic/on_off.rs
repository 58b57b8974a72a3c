// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! UDP at a constant rate, without pauses or in bursts.
//!
//! Bursts with a heavy tail (Pareto with a shape between 1 and 2) from several sources add up to self-similar traffic
//! with the Hurst parameter (3 - shape)/2 (Willinger et al., "Self-similarity through high-variability", 1997).

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx};
use super::bursts::{interval_ns, Bursts};
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::start::schedule_start;
use super::udp_flow::{UdpFlow, HEADER_BYTES, LEAST_PAYLOAD_BYTES};
use crate::time::{from_s, Ns};

/// A stream of datagrams at a constant rate. `Period` is the form of the lengths of bursts and of the pauses between
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantRate<Period> {
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
    /// Rate of IP packets within a burst.
    pub rate_bps: f64,
    /// Size of an IP packet: 28 bytes of headers and the payload.
    pub packet_bytes: u32,
    pub on_s: Period,
    pub off_s: Period,
    #[serde(default)]
    pub dscp: u8,
    /// The ECN field (0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE).
    #[serde(default)]
    pub ecn: u8,
}

/// `kind: cbr`: without pauses, or with fixed periods if both of `on_s` and `off_s` are given.
pub type Cbr = ConstantRate<Option<f64>>;

/// `kind: on_off`: in bursts of random length.
pub type OnOff = ConstantRate<Distribution>;

impl Cbr {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        let periods = match (self.on_s, self.off_s) {
            (None, None) => None,
            (Some(on_s), Some(off_s)) => {
                check.lasting_s("on_s", on_s)?;
                check.not_negative("off_s", off_s)?;
                Some((Distribution::constant(on_s), Distribution::constant(off_s)))
            }
            (Some(_), None) => return Err(check.error("off_s", "is needed beside on_s".to_owned())),
            (None, Some(_)) => return Err(check.error("on_s", "is needed beside off_s".to_owned())),
        };
        self.stream(check, periods)
    }
}

impl OnOff {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.lasting("on_s", &self.on_s)?;
        check.distribution("off_s", &self.off_s)?;
        self.stream(check, Some((self.on_s.clone(), self.off_s.clone())))
    }
}

impl<Period> ConstantRate<Period> {
    fn stream(
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
        let (ends, class) = ((&*self.from, &*self.to), (self.dscp, self.ecn));
        Ok(Box::new(Stream {
            start_spread_s: self.start_spread_s,
            stop_ns: self.stop_s.map_or(Ns::MAX, from_s),
            flow: UdpFlow::new(check, ends, payload_bytes, class)?,
            bursts: Bursts::new(interval_ns(packet_bytes, self.rate_bps), periods),
            sent: 0,
        }))
    }
}

/// The application. The network counts delays and losses of its datagrams.
struct Stream {
    start_spread_s: f64,
    stop_ns: Ns,
    flow: UdpFlow,
    bursts: Bursts,
    sent: u64,
}

impl App for Stream {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        schedule_start(self.start_spread_s, 0, ctx);
    }

    fn on_timer(&mut self, _token: u64, ctx: &mut dyn Ctx) {
        let now = ctx.now();
        if now >= self.stop_ns {
            return;
        }
        let wake_up = self.bursts.wake_up(now, ctx.rng());
        if wake_up.send {
            ctx.send_datagram(&self.flow, self.sent);
            self.sent += 1;
        }
        ctx.set_timer(wake_up.next_ns, 0);
    }
}
