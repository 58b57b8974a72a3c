// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! BECN (Akujobi et al., 2002) for data centres: the window shrinks by source quenches of routers, by one of three rules.
//!
//! It grows by a segment per RTT. There is no slow start: a flow begins with what its link carries in the base RTT.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::{min_window_bytes, settings, share, Bounds, Common};
use super::control::{Ack, Control, Flow};
use super::end::Stack;
use super::message::Form;
use super::window::{increase, QueueSignal};
use crate::error::Error;
use crate::packet::{ecn, SourceQuench};
use crate::time::Ns;
use crate::transport::settings::{between, rate};
use crate::transport::Transport;

/// The highest level of a source quench.
const MAX_LEVEL: u8 = 127;

settings! {
    /// Settings of a stack with `"transport": "becn"`.
    pub struct BecnConfig {
        #[serde(default = "min_window_bytes")]
        pub min_window_bytes: u64,
        /// None: the greater of 373760, as in Bolt's ns-3 code, and the initial window.
        #[serde(default)]
        pub max_window_bytes: Option<u64>,
        pub rule: Rule,
        /// Packets that an RTT adds.
        #[serde(default = "increase_pkts")]
        pub increase_pkts: f64,
        /// Rule `queue`: bytes of the queue for which a level stands.
        #[serde(default)]
        pub level_bytes: Option<u32>,
        /// Rule `queue`: of the link that quenches; none: `rate_bps`.
        #[serde(default)]
        pub link_rate_bps: Option<f64>,
    }
}

/// The reaction to a source quench of a marked packet. That of a dropped packet halves the window, once per RTT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Halves the window, once per RTT.
    Halve,
    /// Cuts the window by (level + 1) / 256, once per RTT: the highest level halves it.
    Level,
    /// Bolt's rule, with a queue of the level times `level_bytes`.
    Queue,
}

fn increase_pkts() -> f64 {
    1.0
}

impl BecnConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        let common = self.common(Form::Tcp)?;
        let is_queue = self.rule == Rule::Queue;
        let of_queue = [
            ("level_bytes", self.level_bytes.is_some()),
            ("link_rate_bps", self.link_rate_bps.is_some()),
        ];
        if let Some((field, _)) = of_queue.iter().find(|(_, given)| *given && !is_queue) {
            return Err(Error::at(*field, "is for rule \"queue\" only"));
        }
        let level_bytes = match self.level_bytes {
            None if is_queue => {
                let problem = "rule \"queue\" needs the bytes for which a level stands";
                return Err(Error::at("level_bytes", problem));
            }
            None => 0,
            Some(bytes) => {
                between("level_bytes", bytes, 1, 1 << 24)?;
                bytes.into()
            }
        };
        let link_bps = match self.link_rate_bps {
            None => common.rate_bps,
            Some(bps) => rate("link_rate_bps", bps)?,
        };
        let settings = Settings {
            bounds: Bounds::new(&common, self.min_window_bytes, self.max_window_bytes)?,
            rule: self.rule,
            increase_pkts: share("increase_pkts", self.increase_pkts, 0.0, 1e3)?,
            level_bytes,
            link_bps,
        };
        Ok(Arc::new(Stack::<Becn> { common, settings }))
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    bounds: Bounds,
    rule: Rule,
    increase_pkts: f64,
    level_bytes: u64,
    link_bps: u64,
}

#[derive(Debug)]
pub(super) struct Becn {
    /// Bytes. Parts of a byte count: an ACK adds few.
    window: f64,
    /// The last reduction, or the beginning.
    cut_ns: Ns,
    has_cut: bool,
    /// Rule `queue`: the packets in flight by their positions, with the time of sending, which a quench does not say.
    sent: Option<VecDeque<(u64, Ns)>>,
}

impl Becn {
    /// Reduces the window by a share of it, once per RTT; the first time however early it is.
    fn cut(&mut self, flow: &Flow<'_, Settings>, share: f64) -> bool {
        let rtt_ns = flow.rtt_ns.unwrap_or(flow.common.base_rtt_ns);
        let reduces = !self.has_cut || flow.now - self.cut_ns >= rtt_ns;
        if reduces {
            self.window *= 1.0 - share;
            self.cut_ns = flow.now;
            self.has_cut = true;
            self.bound(flow);
        }
        reduces
    }

    fn bound(&mut self, flow: &Flow<'_, Settings>) {
        let Bounds {
            min_bytes,
            max_bytes,
        } = flow.settings.bounds;
        self.window = self.window.clamp(min_bytes as f64, max_bytes as f64);
    }

    /// Bolt's rule for its signals.
    fn on_queue(&mut self, flow: &Flow<'_, Settings>, level: u8, position: u64) -> bool {
        let Some(sent) = &self.sent else {
            return false;
        };
        let after = sent.partition_point(|&(begin, _)| begin <= position);
        let Some(&(_, sent_ns)) = after.checked_sub(1).and_then(|index| sent.get(index)) else {
            return false;
        };
        let segment_bytes = f64::from(flow.common.segment_bytes);
        let queue = QueueSignal {
            bytes: u64::from(level) * flow.settings.level_bytes,
            link_bps: flow.settings.link_bps,
            since_ns: flow.now - sent_ns,
        };
        if self.window <= segment_bytes {
            self.window /= 2.0;
        } else if queue.interval_ns(flow, self.window as u64) <= u128::from(flow.now - self.cut_ns)
        {
            self.window -= segment_bytes;
            self.cut_ns = flow.now;
        } else {
            return false;
        }
        self.bound(flow);
        true
    }
}

impl Control for Becn {
    type Settings = Settings;

    const FORM: Form = Form::Tcp;
    const PAUSES: bool = true;
    const OBEYS_QUENCH: bool = true;

    fn new(common: &Common, settings: &Settings, now: Ns) -> Self {
        Self {
            window: common.initial_window_bytes as f64,
            cut_ns: now,
            has_cut: false,
            sent: (settings.rule == Rule::Queue && common.reacts).then(VecDeque::new),
        }
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.window = window_bytes as f64;
    }

    fn window_bytes(&self) -> u64 {
        self.window as u64
    }

    /// Routers quench where they would mark, so packets say that they can be marked.
    fn ecn(_settings: &Settings) -> u8 {
        ecn::ECT0
    }

    fn on_sent(&mut self, position: u64, now: Ns) {
        if let Some(sent) = &mut self.sent {
            while sent.back().is_some_and(|&(begin, _)| begin >= position) {
                sent.pop_back();
            }
            sent.push_back((position, now));
        }
    }

    fn on_ack(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>) -> bool {
        if let Some(sent) = &mut self.sent {
            while sent.get(1).is_some_and(|&(begin, _)| begin <= flow.acked) {
                sent.pop_front();
            }
        }
        let increase_pkts = flow.settings.increase_pkts;
        let segment_bytes = flow.common.segment_bytes;
        self.window += increase(self.window, segment_bytes, ack.bytes, increase_pkts);
        self.bound(flow);
        false
    }

    fn on_loss(&mut self, flow: &Flow<'_, Settings>) -> bool {
        self.cut(flow, 0.5)
    }

    fn on_quench(
        &mut self,
        flow: &Flow<'_, Settings>,
        quench: &SourceQuench,
        position: u64,
    ) -> bool {
        match flow.settings.rule {
            _ if !quench.marked => self.cut(flow, 0.5),
            Rule::Halve => self.cut(flow, 0.5),
            Rule::Level => {
                let share = f64::from(quench.level.min(MAX_LEVEL) + 1) / 256.0;
                self.cut(flow, share)
            }
            Rule::Queue => self.on_queue(flow, quench.level, position),
        }
    }
}
