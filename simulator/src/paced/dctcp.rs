// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! DCTCP in the form that HPCC's ns-3 code compares itself with: DCTCP's alpha (RFC 8257) over a rate.
//!
//! A flow starts at the rate of its host's link, with a window of that rate times the base RTT. Every packet is
//! acknowledged, with its mark. Once per RTT the rate is cut by alpha/2 if there were marks, and else grows by a constant.

use std::sync::Arc;

use super::config::{checked_min_rate, min_rate_bps, settings, share, Common};
use super::control::{Ack, Control, Flow};
use super::end::Stack;
use super::message::Form;
use super::window::RateWindow;
use crate::error::Error;
use crate::packet::ecn;
use crate::time::Ns;
use crate::transport::settings::rate;
use crate::transport::Transport;

settings! {
    /// Settings of a stack with `"transport": "dctcp"`.
    pub struct DctcpConfig {
        /// The weight of the last RTT in alpha (RFC 8257 section 4.2).
        #[serde(default = "gain")]
        pub gain: f64,
        /// The increase of the rate by an RTT without marks; 615 Mb/s in HPCC's ns-3 runs at 100 Gb/s.
        #[serde(default = "increase_bps")]
        pub increase_bps: f64,
        #[serde(default = "min_rate_bps")]
        pub min_rate_bps: f64,
    }
}

fn gain() -> f64 {
    1.0 / 16.0
}

fn increase_bps() -> f64 {
    615e6
}

impl DctcpConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        let common = self.common(Form::Tcp)?;
        let settings = Settings {
            gain: share("gain", self.gain, 1e-6, 1.0)?,
            increase_bps: rate("increase_bps", self.increase_bps)? as f64,
            min_rate_bps: checked_min_rate(&common, self.min_rate_bps)?,
        };
        Ok(Arc::new(Stack::<Dctcp> { common, settings }))
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    gain: f64,
    increase_bps: f64,
    min_rate_bps: f64,
}

#[derive(Debug)]
pub(super) struct Dctcp {
    pace: RateWindow,
    alpha: f64,
    /// Marks since alpha changed last, and the packets that were then in flight.
    marked_pkts: u64,
    batch_pkts: u64,
    /// Alpha changes with an ACK beyond this position; 0 before the first ACK.
    update_at: u64,
    /// After a cut there is no other before an ACK beyond this position.
    cut_until: Option<u64>,
}

impl Dctcp {
    fn cut(&mut self, flow: &Flow<'_, Settings>, share: f64) -> bool {
        if self.cut_until.is_some() {
            return false;
        }
        let rate = self.pace.rate_bps * (1.0 - share);
        self.pace.rate_bps = rate.max(flow.settings.min_rate_bps);
        self.cut_until = Some(flow.next);
        true
    }

    /// An RTT is over, with the ACKs of all packets that were in flight when it began.
    fn end_batch(&mut self, flow: &Flow<'_, Settings>) {
        let segment_bytes = u64::from(flow.common.segment_bytes);
        if self.update_at > 0 {
            let share = (self.marked_pkts as f64 / self.batch_pkts as f64).min(1.0);
            self.alpha += (share - self.alpha) * flow.settings.gain;
            self.marked_pkts = 0;
        }
        let in_flight = match self.update_at {
            0 => flow.next,
            _ => flow.next - flow.acked,
        };
        self.batch_pkts = in_flight / segment_bytes + 1;
        self.update_at = flow.next;
    }
}

impl Control for Dctcp {
    type Settings = Settings;

    const FORM: Form = Form::Tcp;
    const PAUSES: bool = false;

    fn new(common: &Common, _settings: &Settings, _now: Ns) -> Self {
        let pace = RateWindow::new(common);
        Self {
            pace,
            alpha: 1.0,
            marked_pkts: 0,
            batch_pkts: 1,
            update_at: 0,
            cut_until: None,
        }
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.pace.begin_with(window_bytes);
    }

    fn window_bytes(&self) -> u64 {
        self.pace.bytes()
    }

    fn rate_bps(&self, _common: &Common) -> u64 {
        self.pace.rate_bps as u64
    }

    fn ecn(_settings: &Settings) -> u8 {
        ecn::ECT0
    }

    fn on_ack(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>) -> bool {
        let marked = ack.message.marked;
        self.marked_pkts += u64::from(marked);
        let is_new_batch = flow.acked > self.update_at;
        if is_new_batch {
            self.end_batch(flow);
        }
        self.cut_until = self.cut_until.filter(|&until| flow.acked <= until);
        if marked && self.cut(flow, self.alpha / 2.0) {
            return true;
        }
        if is_new_batch && self.cut_until.is_none() {
            let rate = self.pace.rate_bps + flow.settings.increase_bps;
            self.pace.rate_bps = rate.min(self.pace.full_rate_bps);
        }
        false
    }

    /// As RFC 8257 section 3.5 has it: a loss counts as it does without DCTCP. HPCC's network had none.
    fn on_loss(&mut self, flow: &Flow<'_, Settings>) -> bool {
        self.cut_until = self.cut_until.filter(|&until| flow.acked <= until);
        self.cut(flow, 0.5)
    }
}
