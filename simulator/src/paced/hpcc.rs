// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! HPCC (Li et al., SIGCOMM 2019), as its ns-3 code has it: a rate, and a window of that rate times the base RTT.
//!
//! Each ACK has the telemetry that the routers wrote into the packet: queue, bytes sent and time. The most loaded link's
//! utilisation, averaged over the base RTT, says the rate. A reference rate, from which it is computed, changes once per
//! RTT, so that one event is not answered twice.

use std::sync::Arc;

use super::config::{checked_min_rate, min_rate_bps, settings, share, Common};
use super::control::{Ack, Control, Flow};
use super::end::Stack;
use super::message::Form;
use super::telemetry::{Record, Telemetry};
use super::window::RateWindow;
use crate::error::Error;
use crate::time::{Ns, NS_PER_S};
use crate::transport::settings::rate;
use crate::transport::Transport;

/// After this time without an ACK the clock in a record may have wrapped around.
const MAX_GAP_NS: Ns = 1 << 24;

settings! {
    /// Settings of a stack with `"transport": "hpcc"`.
    pub struct HpccConfig {
        /// Eta: the utilisation that the rate aims at.
        #[serde(default = "target_utilisation")]
        pub target_utilisation: f64,
        /// The increase of the rate by each RTT. 50 Mb/s are the 80 bytes per base RTT of the paper.
        #[serde(default = "increase_bps")]
        pub increase_bps: f64,
        /// RTTs that only add, before the rate follows the utilisation again. 0 as in the published runs; the paper's 5
        /// is a misprint, as its authors say.
        #[serde(default)]
        pub max_stage: u32,
        #[serde(default = "min_rate_bps")]
        pub min_rate_bps: f64,
    }
}

fn target_utilisation() -> f64 {
    0.95
}

fn increase_bps() -> f64 {
    50e6
}

impl HpccConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        let common = self.common(Form::Hpcc)?;
        let settings = Settings {
            target: share("target_utilisation", self.target_utilisation, 0.01, 1.0)?,
            increase_bps: rate("increase_bps", self.increase_bps)? as f64,
            max_stage: self.max_stage,
            min_rate_bps: checked_min_rate(&common, self.min_rate_bps)?,
        };
        Ok(Arc::new(Stack::<Hpcc> { common, settings }))
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    target: f64,
    increase_bps: f64,
    max_stage: u32,
    min_rate_bps: f64,
}

#[derive(Debug)]
pub(super) struct Hpcc {
    pace: RateWindow,
    /// The reference rate.
    reference_bps: f64,
    /// The averaged utilisation.
    utilisation: f64,
    stage: u32,
    /// The reference changes with an ACK beyond this position; 0 before the first ACK.
    update_at: u64,
    /// The telemetry of the last ACK that had any, and its time.
    last: Option<(Ns, Telemetry)>,
}

impl Hpcc {
    /// The highest utilisation of the links between two packets, and the time between them there; none if they do not
    /// compare.
    fn busiest(
        &self,
        flow: &Flow<'_, Settings>,
        before: &[Record],
        path: &[Record],
    ) -> Option<(f64, Ns)> {
        if before.len() != path.len() {
            return None;
        }
        let mut busiest = (0.0, 0);
        for (earlier, later) in before.iter().zip(path) {
            let (link_bps, elapsed_ns) = (later.rate_bps() as f64, later.since_ns(*earlier));
            if earlier.rate_bps() != later.rate_bps() || elapsed_ns == 0 {
                return None;
            }
            let sent_bits = later.sent_bytes(*earlier) as f64 * 8.0;
            let sent = sent_bits * NS_PER_S as f64 / elapsed_ns as f64 / link_bps;
            let queue_bits = later.queue_bytes().min(earlier.queue_bytes()) as f64 * 8.0;
            let base_rtt_s = flow.common.base_rtt_ns as f64 / NS_PER_S as f64;
            let utilisation = sent + queue_bits / (link_bps * base_rtt_s);
            if utilisation >= busiest.0 {
                busiest = (utilisation, elapsed_ns);
            }
        }
        Some(busiest)
    }

    /// Follows the utilisation. `full`: the reference, too.
    fn update(
        &mut self,
        flow: &Flow<'_, Settings>,
        (utilisation, elapsed_ns): (f64, Ns),
        full: bool,
    ) {
        let settings = flow.settings;
        let base_rtt = flow.common.base_rtt_ns as f64;
        let weight = (elapsed_ns as f64).min(base_rtt) / base_rtt;
        self.utilisation += (utilisation - self.utilisation) * weight;
        let load = self.utilisation / settings.target;
        let (rate, stage) = if load >= 1.0 || self.stage >= settings.max_stage {
            // An idle path has a load of 0, and the quotient is then bounded below.
            (self.reference_bps / load + settings.increase_bps, 0)
        } else {
            (self.reference_bps + settings.increase_bps, self.stage + 1)
        };
        self.pace.rate_bps = rate.clamp(settings.min_rate_bps, self.pace.full_rate_bps);
        if full {
            self.reference_bps = self.pace.rate_bps;
            self.stage = stage;
        }
    }
}

impl Control for Hpcc {
    type Settings = Settings;

    const FORM: Form = Form::Hpcc;
    const PAUSES: bool = false;

    fn new(common: &Common, _settings: &Settings, _now: Ns) -> Self {
        let pace = RateWindow::new(common);
        Self {
            reference_bps: pace.rate_bps,
            pace,
            utilisation: 1.0,
            stage: 0,
            update_at: 0,
            last: None,
        }
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.pace.begin_with(window_bytes);
        self.reference_bps = self.pace.rate_bps;
    }

    fn window_bytes(&self) -> u64 {
        self.pace.bytes()
    }

    fn rate_bps(&self, _common: &Common) -> u64 {
        self.pace.rate_bps as u64
    }

    fn on_ack(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>) -> bool {
        let telemetry = ack.message.telemetry;
        let Some(path) = telemetry.path() else {
            return false;
        };
        let before = self.pace.rate_bps;
        let is_first = self.update_at == 0;
        let full = flow.acked > self.update_at;
        let last = self.last.replace((flow.now, telemetry));
        let last = last.filter(|(at, _)| flow.now - at < MAX_GAP_NS);
        if let (Some((_, last)), false) = (last, is_first) {
            let busiest = last
                .path()
                .and_then(|last| self.busiest(flow, last, path))
                .filter(|_| !path.is_empty());
            if let Some(busiest) = busiest {
                self.update(flow, busiest, full);
            }
        }
        if full {
            self.update_at = self.update_at.max(flow.next);
        }
        self.pace.rate_bps < before
    }

    /// Losses change nothing: the telemetry of what arrives says all.
    fn on_loss(&mut self, _flow: &Flow<'_, Settings>) -> bool {
        false
    }
}
