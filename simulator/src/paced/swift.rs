// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Swift (Kumar et al., SIGCOMM 2020): a target for the RTT, without its separate target for the end host.
//!
//! With tags of CSIG the switches say how long the packet was in the slowest one, and how much bandwidth is free.
//!
//! The constants are those of the Swift in Bolt's ns-3 code. The target is higher for longer paths, and for smaller
//! windows: `a / sqrt(window) - b`, with which many flows share a queue fairly.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::{min_window_bytes, settings, share, Bounds, Common};
use super::control::{Ack, Control, Flow};
use super::csig::{Csig, CsigConfig, Said};
use super::end::Stack;
use super::message::Form;
use super::window::increase;
use crate::error::Error;
use crate::packet::Tag;
use crate::time::{Ns, NS_PER_S};
use crate::transport::settings::seconds;
use crate::transport::Transport;

settings! {
    /// Settings of a stack with `"transport": "swift"`.
    pub struct SwiftConfig {
        #[serde(default = "min_window_bytes")]
        pub min_window_bytes: u64,
        /// None: the greater of 373760, as in the ns-3 code, and the initial window.
        #[serde(default)]
        pub max_window_bytes: Option<u64>,
        /// The target without hops and scaling.
        #[serde(default = "target_s")]
        pub target_s: f64,
        /// The part of each link in the target. A path has one link more than routers.
        #[serde(default = "per_hop_s")]
        pub per_hop_s: f64,
        /// The most that a small window adds.
        #[serde(default = "max_scaling_s")]
        pub max_scaling_s: f64,
        /// The windows, in packets, between which the target depends on the window.
        #[serde(default = "min_scaling_pkts")]
        pub min_scaling_pkts: f64,
        #[serde(default = "max_scaling_pkts")]
        pub max_scaling_pkts: f64,
        #[serde(default)]
        pub scaling_offset: Offset,
        /// Packets that an RTT below the target adds.
        #[serde(default = "increase_pkts")]
        pub increase_pkts: f64,
        /// The share of the delay above the target by which the window shrinks.
        #[serde(default = "decrease")]
        pub decrease: f64,
        /// The most that it shrinks at once.
        #[serde(default = "max_decrease")]
        pub max_decrease: f64,
        /// Packets have tags of CSIG: the longest delay in a switch and the base RTT take the place of the RTT.
        #[serde(default)]
        pub csig: Option<CsigConfig>,
    }
}

/// The sign of the offset `b` in the flow scaling `a / sqrt(window) - b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offset {
    /// As in the paper: a window of `max_scaling_pkts` adds nothing.
    #[default]
    Subtract,
    /// As in Bolt's ns-3 code, where `b` is negative and then subtracted: every target is higher by twice `b`.
    Add,
}

fn target_s() -> f64 {
    10e-6
}

fn per_hop_s() -> f64 {
    1e-6
}

fn max_scaling_s() -> f64 {
    100e-6
}

fn min_scaling_pkts() -> f64 {
    0.1
}

fn max_scaling_pkts() -> f64 {
    256.0
}

fn increase_pkts() -> f64 {
    1.0
}

fn decrease() -> f64 {
    0.8
}

fn max_decrease() -> f64 {
    0.5
}

impl SwiftConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        let mut common = self.common(Form::Tcp)?;
        let csig = self.csig.as_ref().map(CsigConfig::build).transpose()?;
        if let Some(csig) = &csig {
            common.mtu_bytes += csig.form.bytes() as u32;
        }
        let (min, max) = (self.min_scaling_pkts, self.max_scaling_pkts);
        share("min_scaling_pkts", min, 0.001, 1e6)?;
        if !(max > min && max <= 1e9) {
            let problem = format!("must be more than min_scaling_pkts ({min}), not {max}");
            return Err(Error::at("max_scaling_pkts", problem));
        }
        share("max_scaling_s", self.max_scaling_s, 0.0, 1.0)?;
        share("per_hop_s", self.per_hop_s, 0.0, 1.0)?;
        let max_scaling_ns = self.max_scaling_s * NS_PER_S as f64;
        let slope_ns = max_scaling_ns / (1.0 / min.sqrt() - 1.0 / max.sqrt());
        let offset_ns = match self.scaling_offset {
            Offset::Subtract => -slope_ns / max.sqrt(),
            Offset::Add => slope_ns / max.sqrt(),
        };
        let settings = Settings {
            bounds: Bounds::new(&common, self.min_window_bytes, self.max_window_bytes)?,
            target_ns: seconds("target_s", self.target_s, 1.0)? as f64,
            per_hop_ns: self.per_hop_s * NS_PER_S as f64,
            max_scaling_ns,
            slope_ns,
            offset_ns,
            increase_pkts: share("increase_pkts", self.increase_pkts, 0.0, 1e3)?,
            decrease: share("decrease", self.decrease, 0.0, 1.0)?,
            max_decrease: share("max_decrease", self.max_decrease, 0.0, 1.0)?,
            csig,
        };
        Ok(Arc::new(Stack::<Swift> { common, settings }))
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    bounds: Bounds,
    target_ns: f64,
    per_hop_ns: f64,
    max_scaling_ns: f64,
    slope_ns: f64,
    offset_ns: f64,
    increase_pkts: f64,
    decrease: f64,
    max_decrease: f64,
    csig: Option<Csig>,
}

impl Settings {
    /// The target for a window in packets, over so many links.
    fn target_ns(&self, window_pkts: f64, links: u32) -> f64 {
        let scaling = self.slope_ns / window_pkts.sqrt() + self.offset_ns;
        let scaling = scaling.clamp(0.0, self.max_scaling_ns);
        self.target_ns + self.per_hop_ns * f64::from(links) + scaling
    }
}

#[derive(Debug)]
pub(super) struct Swift {
    /// Bytes. Parts of a byte count: an ACK adds few.
    window: f64,
    /// The last reduction, or the beginning.
    cut_ns: Ns,
    /// Packets with a tag.
    tagged_pkts: u64,
    /// The last delay in a switch that a tag has returned. It is 0 where none has been there.
    hop_delay_ns: Option<f64>,
    /// The last growth by available bandwidth.
    ramped_ns: Ns,
}

impl Swift {
    /// The delay that the target is for. An ACK without a tag says nothing of the switches: then it is the RTT.
    fn delay_ns(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>, said: Option<Said>) -> f64 {
        match said {
            Some(Said::DelayNs(delay_ns)) => self.hop_delay_ns = Some(delay_ns),
            Some(_) => {}
            None => self.hop_delay_ns = None,
        }
        match self.hop_delay_ns {
            Some(delay_ns) => flow.common.base_rtt_ns as f64 + delay_ns,
            None => ack.rtt_ns as f64,
        }
    }

    /// Takes a part of the available bandwidth, once per RTT.
    fn ramp_up(&mut self, flow: &Flow<'_, Settings>, csig: &Csig, bandwidth_bps: f64) {
        let rtt_ns = flow.rtt_ns.unwrap_or(flow.common.base_rtt_ns);
        if flow.now - self.ramped_ns >= rtt_ns {
            self.window += csig.ramp_up_bytes(bandwidth_bps, rtt_ns as f64, self.window);
            self.ramped_ns = flow.now;
        }
    }

    /// Reduces the window by a share of it, once per RTT.
    fn cut(&mut self, flow: &Flow<'_, Settings>, share: f64) -> bool {
        let reduces = flow.now - self.cut_ns >= flow.rtt_ns.unwrap_or(0);
        if reduces {
            self.window *= 1.0 - share;
            self.cut_ns = flow.now;
        }
        let Bounds {
            min_bytes,
            max_bytes,
        } = flow.settings.bounds;
        self.window = self.window.clamp(min_bytes as f64, max_bytes as f64);
        reduces
    }
}

impl Control for Swift {
    type Settings = Settings;

    const FORM: Form = Form::Tcp;
    const PAUSES: bool = true;

    fn new(common: &Common, _settings: &Settings, now: Ns) -> Self {
        Self {
            window: common.initial_window_bytes as f64,
            cut_ns: now,
            tagged_pkts: 0,
            hop_delay_ns: None,
            ramped_ns: now,
        }
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.window = window_bytes as f64;
    }

    fn window_bytes(&self) -> u64 {
        self.window as u64
    }

    fn tag(&mut self, settings: &Settings) -> Option<Tag> {
        let csig = settings.csig.as_ref()?;
        self.tagged_pkts += 1;
        Some(csig.tag(self.tagged_pkts - 1))
    }

    fn on_ack(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>) -> bool {
        let settings = flow.settings;
        let segment_bytes = flow.common.segment_bytes;
        let window_pkts = self.window / f64::from(segment_bytes);
        let target = settings.target_ns(window_pkts, u32::from(ack.message.hops) + 1);
        let csig = settings.csig.as_ref();
        let said = csig.zip(ack.message.tag.as_ref());
        let said = said.map(|(csig, tag)| csig.said(tag));
        let delay = self.delay_ns(flow, ack, said);
        if delay < target {
            if let (Some(csig), Some(Said::BandwidthBps(bandwidth_bps))) = (csig, said) {
                self.ramp_up(flow, csig, bandwidth_bps);
            }
            let increase_pkts = settings.increase_pkts;
            self.window += increase(self.window, segment_bytes, ack.bytes, increase_pkts);
            self.window = self.window.min(settings.bounds.max_bytes as f64);
            return false;
        }
        let excess = (delay - target) / delay * settings.decrease;
        self.cut(flow, excess.min(settings.max_decrease))
    }

    fn on_loss(&mut self, flow: &Flow<'_, Settings>) -> bool {
        self.cut(flow, flow.settings.max_decrease)
    }
}
