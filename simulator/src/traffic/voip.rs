// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Telephone calls: G.711 without compression, with talk and silence in turn. Calls arrive at random.
//!
//! Calls arrive as a Poisson process and last an exponential time, so the number of calls is a birth-death process
//! (Erlang's loss system where there is an admission limit). One direction of each call is simulated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::app::{App, Ctx};
use super::bursts::Bursts;
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::ids::NodeId;
use super::record::{Call, Record};
use super::udp_flow::UdpFlow;
use crate::packet::Datagram;
use crate::time::{from_s, to_s, Ns};

/// Voice of G.711, in bits a second.
const G711_BPS: f64 = 64_000.0;
/// The RTP header (RFC 3550).
const RTP_BYTES: u32 = 12;

/// `kind: voip`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voip {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    pub from: String,
    pub to: String,
    /// The time at which the first call can arrive.
    #[serde(default)]
    pub start_s: f64,
    /// The time at which the last call can arrive; none: no limit. Calls that are going on then are not ended.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Mean number of calls that arrive in a second.
    pub calls_per_s: f64,
    /// Mean duration of a call.
    pub holding_s: f64,
    /// Admission limit: a call that arrives while so many are going on is blocked; none: no limit.
    #[serde(default)]
    pub max_calls: Option<u64>,
    /// Calls that are going on at the start.
    #[serde(default)]
    pub initial_calls: u64,
    /// Voice in a packet: 0.02 s are 160 bytes, 200 with RTP, UDP and IP headers.
    #[serde(default = "packet_s")]
    pub packet_s: f64,
    /// The defaults are the mean talkspurt and pause of conversational speech (ITU-T P.59).
    #[serde(default = "talk_s")]
    pub talk_s: Distribution,
    #[serde(default = "silence_s")]
    pub silence_s: Distribution,
    /// Expedited forwarding (46) unless set.
    #[serde(default = "dscp")]
    pub dscp: u8,
    #[serde(default)]
    pub ecn: u8,
    /// A packet that arrives later than this after the end of its call counts as lost.
    #[serde(default = "drain_s")]
    pub drain_s: f64,
}

fn packet_s() -> f64 {
    0.02
}

fn talk_s() -> Distribution {
    Distribution::Exponential { mean: 1.004 }
}

fn silence_s() -> Distribution {
    Distribution::Exponential { mean: 1.587 }
}

fn dscp() -> u8 {
    46
}

fn drain_s() -> f64 {
    1.0
}

/// One in a nanosecond, which is the simulation's least time.
const MAX_CALLS_PER_S: f64 = 1e9;

impl Voip {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.stop(self.start_s, self.stop_s)?;
        check.positive("calls_per_s", self.calls_per_s)?;
        check.lasting_s("holding_s", self.holding_s)?;
        if self.calls_per_s > MAX_CALLS_PER_S {
            let problem = format!(
                "must be {MAX_CALLS_PER_S:e} or less, not {:e}",
                self.calls_per_s
            );
            return Err(check.error("calls_per_s", problem));
        }
        let voice_bytes = (G711_BPS / 8.0 * self.packet_s).round();
        if !(16.0..=1400.0).contains(&voice_bytes) {
            let problem = format!("must be 0.002..0.175, not {}", self.packet_s);
            return Err(check.error("packet_s", problem));
        }
        check.lasting("talk_s", &self.talk_s)?;
        check.distribution("silence_s", &self.silence_s)?;
        check.not_negative("drain_s", self.drain_s)?;
        let payload_bytes = voice_bytes as u32 + RTP_BYTES;
        let (ends, class) = ((&*self.from, &*self.to), (self.dscp, self.ecn));
        let flow = UdpFlow::new(check, ends, payload_bytes, class)?;
        if self.max_calls.is_some_and(|most| most < self.initial_calls) {
            let problem = format!("is more than max_calls: {}", self.initial_calls);
            return Err(check.error("initial_calls", problem));
        }
        Ok(Box::new(Exchange {
            flow,
            arrival_s: Distribution::Exponential {
                mean: 1.0 / self.calls_per_s,
            },
            holding_s: Distribution::Exponential {
                mean: self.holding_s,
            },
            stop_ns: self.stop_s.map_or(Ns::MAX, from_s),
            max_calls: self.max_calls.unwrap_or(u64::MAX),
            initial_calls: self.initial_calls,
            bursts: Bursts::new(
                from_s(self.packet_s),
                Some((self.talk_s.clone(), self.silence_s.clone())),
            ),
            drain_ns: from_s(self.drain_s),
            attempts: 0,
            going_on: 0,
            calls: BTreeMap::new(),
        }))
    }
}

/// A call, up to `drain_s` after its end.
struct Talk {
    bursts: Bursts,
    started_ns: Ns,
    ended_ns: Option<Ns>,
    sent_pkts: u64,
    received_pkts: u64,
    /// One more than the highest number of a packet that arrived.
    reached: u64,
    delay_sum_s: f64,
    max_delay_s: f64,
    last_delay_s: f64,
    jitter_sum_s: f64,
}

struct Exchange {
    flow: UdpFlow,
    arrival_s: Distribution,
    holding_s: Distribution,
    stop_ns: Ns,
    max_calls: u64,
    initial_calls: u64,
    /// The state at the beginning of each call.
    bursts: Bursts,
    drain_ns: Ns,
    attempts: u64,
    going_on: u64,
    calls: BTreeMap<u64, Talk>,
}

// The two lowest bits of a timer's token are one of these; the bits above are the number of the call.
const ARRIVAL: u64 = 0;
const VOICE: u64 = 1;
const END: u64 = 2;
const FORGET: u64 = 3;

/// The lowest bits of a datagram's number are the number of the packet within the call; the bits above are the call.
const PACKET_BITS: u32 = 32;

impl Exchange {
    fn next_arrival(&mut self, ctx: &mut dyn Ctx) {
        let at = ctx
            .now()
            .saturating_add(self.arrival_s.sample_ns(ctx.rng()));
        if at < self.stop_ns {
            ctx.set_timer(at, ARRIVAL);
        }
    }

    fn arrival(&mut self, ctx: &mut dyn Ctx) {
        let number = self.attempts;
        self.attempts += 1;
        let now = ctx.now();
        if self.going_on >= self.max_calls {
            ctx.record(Record::Call(Call {
                number,
                blocked: true,
                started_ns: now,
                ended_ns: now,
                sent_pkts: 0,
                received_pkts: 0,
                mean_delay_s: None,
                max_delay_s: None,
                jitter_s: None,
            }));
            return;
        }
        self.going_on += 1;
        self.calls.insert(
            number,
            Talk {
                bursts: self.bursts.clone(),
                started_ns: now,
                ended_ns: None,
                sent_pkts: 0,
                received_pkts: 0,
                reached: 0,
                delay_sum_s: 0.0,
                max_delay_s: 0.0,
                last_delay_s: 0.0,
                jitter_sum_s: 0.0,
            },
        );
        let end = now.saturating_add(self.holding_s.sample_ns(ctx.rng()));
        ctx.set_timer(end, number << 2 | END);
        self.voice(number, ctx);
    }

    fn voice(&mut self, number: u64, ctx: &mut dyn Ctx) {
        let now = ctx.now();
        let Some(talk) = self.calls.get_mut(&number) else {
            return;
        };
        if talk.ended_ns.is_some() {
            return;
        }
        let wake_up = talk.bursts.wake_up(now, ctx.rng());
        if wake_up.send {
            let number = number << PACKET_BITS | talk.sent_pkts;
            ctx.send_datagram(&self.flow, number);
            talk.sent_pkts += 1;
        }
        ctx.set_timer(wake_up.next_ns, number << 2 | VOICE);
    }

    fn hang_up(&mut self, number: u64, ctx: &mut dyn Ctx) {
        let now = ctx.now();
        if let Some(talk) = self.calls.get_mut(&number) {
            talk.ended_ns = Some(now);
            self.going_on -= 1;
            ctx.set_timer(now.saturating_add(self.drain_ns), number << 2 | FORGET);
        }
    }

    fn forget(&mut self, number: u64, ctx: &mut dyn Ctx) {
        if let Some(talk) = self.calls.remove(&number) {
            let now = ctx.now();
            ctx.record(talk.record(number, talk.sent_pkts, now));
        }
    }
}

impl Talk {
    fn record(&self, number: u64, sent_pkts: u64, now: Ns) -> Record {
        let received = self.received_pkts;
        Record::Call(Call {
            number,
            blocked: false,
            started_ns: self.started_ns,
            ended_ns: self.ended_ns.unwrap_or(now),
            sent_pkts,
            received_pkts: received,
            mean_delay_s: (received > 0).then(|| self.delay_sum_s / received as f64),
            max_delay_s: (received > 0).then_some(self.max_delay_s),
            jitter_s: (received > 1).then(|| self.jitter_sum_s / (received - 1) as f64),
        })
    }
}

impl App for Exchange {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        for _ in 0..self.initial_calls {
            self.arrival(ctx);
        }
        self.next_arrival(ctx);
    }

    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx) {
        match (token & 3, token >> 2) {
            (ARRIVAL, _) => {
                self.arrival(ctx);
                self.next_arrival(ctx);
            }
            (VOICE, number) => self.voice(number, ctx),
            (END, number) => self.hang_up(number, ctx),
            (_, number) => self.forget(number, ctx),
        }
    }

    fn on_datagram(&mut self, _at: NodeId, datagram: &Datagram, ctx: &mut dyn Ctx) {
        let Some(talk) = self.calls.get_mut(&(datagram.number >> PACKET_BITS)) else {
            return;
        };
        let delay_s = to_s(ctx.now() - datagram.sent_ns);
        if talk.received_pkts > 0 {
            talk.jitter_sum_s += (delay_s - talk.last_delay_s).abs();
        }
        talk.received_pkts += 1;
        talk.reached = talk
            .reached
            .max((datagram.number & u64::from(u32::MAX)) + 1);
        talk.delay_sum_s += delay_s;
        talk.max_delay_s = talk.max_delay_s.max(delay_s);
        talk.last_delay_s = delay_s;
    }

    /// Records the calls that are going on. Packets after the last one that arrived are still under way and do not
    /// count as sent.
    fn finish(&mut self, ctx: &mut dyn Ctx) {
        let now = ctx.now();
        for (number, talk) in std::mem::take(&mut self.calls) {
            ctx.record(talk.record(number, talk.reached, now));
        }
    }
}
