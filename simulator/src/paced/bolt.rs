// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Bolt (Arslan et al., NSDI 2023), as its ns-3 code has it.
//!
//! The window is in bytes. It grows by a segment per RTT (AI), and by one for each echoed INC: a sender that has more to
//! send than its window asks for it, and routers leave INC where they have capacity to spare. A router whose queue is too
//! long signals that to the source: the window then shrinks by a segment at a time, as often as this flow's share of the
//! queue asks for. LAST tells routers that a flow ends, so that others may take its capacity.

use std::sync::Arc;

use super::config::{min_window_bytes, settings, yes, Bounds, Common};
use super::control::{Ack, Control, Flow, Outcome};
use super::end::Stack;
use super::message::{flag, Form, Message};
use super::window::QueueSignal;
use crate::error::Error;
use crate::time::{Ns, NS_PER_S};
use crate::transport::Transport;

settings! {
    /// Settings of a stack with `"transport": "bolt"`.
    pub struct BoltConfig {
        #[serde(default = "min_window_bytes")]
        pub min_window_bytes: u64,
        /// None: the greater of 373760, as in the ns-3 code, and the initial window.
        #[serde(default)]
        pub max_window_bytes: Option<u64>,
        /// The sender obeys signals of routers. If not, what they wrote into a packet counts when its ACK has come.
        #[serde(default = "yes")]
        pub source_notification: bool,
        /// The sender announces the end of its flow, so that routers give its capacity to others (PRU).
        #[serde(default = "yes")]
        pub ramp_up: bool,
    }
}

impl BoltConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        let common = self.common(Form::Bolt)?;
        let settings = Settings {
            bounds: Bounds::new(&common, self.min_window_bytes, self.max_window_bytes)?,
            source_notification: self.source_notification,
            ramp_up: self.ramp_up,
        };
        Ok(Arc::new(Stack::<Bolt> { common, settings }))
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    bounds: Bounds,
    source_notification: bool,
    ramp_up: bool,
}

#[derive(Debug)]
pub(super) struct Bolt {
    window_bytes: u64,
    /// The last reduction, or the beginning.
    cut_ns: Ns,
    /// The next packet gets AI.
    asks_ai: bool,
    /// The last packet with AI was sent then. The echo of one before it does not count: a loss has replaced it.
    ai_sent_ns: Ns,
    /// A router has sent a signal: what ACKs say of queues is known already.
    notified: bool,
}

impl Bolt {
    /// Reduces the window because of `queue_bytes` at a link, which a packet met that was sent `since_ns` ago.
    fn on_queue(&mut self, flow: &Flow<'_, Settings>, message: &Message, since_ns: Ns) -> Outcome {
        let segment_bytes = u64::from(flow.common.segment_bytes);
        let Some(link) = message.link_bits_per_ns() else {
            return Outcome::Refused;
        };
        let queue = QueueSignal {
            bytes: message.queue_bytes.into(),
            link_bps: link * NS_PER_S,
            since_ns,
        };
        if self.window_bytes <= segment_bytes {
            self.window_bytes /= 2;
        } else if message.flags & flag::DEC != 0
            && queue.interval_ns(flow, self.window_bytes) <= u128::from(flow.now - self.cut_ns)
        {
            self.window_bytes -= segment_bytes;
            self.cut_ns = flow.now;
        } else {
            return Outcome::Kept;
        }
        self.bound(flow);
        Outcome::Reduced
    }

    fn bound(&mut self, flow: &Flow<'_, Settings>) {
        let Bounds {
            min_bytes,
            max_bytes,
        } = flow.settings.bounds;
        self.window_bytes = self.window_bytes.clamp(min_bytes, max_bytes);
    }
}

impl Control for Bolt {
    type Settings = Settings;

    const FORM: Form = Form::Bolt;
    const PAUSES: bool = true;

    fn new(common: &Common, _settings: &Settings, now: Ns) -> Self {
        Self {
            window_bytes: common.initial_window_bytes,
            cut_ns: now,
            asks_ai: true,
            ai_sent_ns: now,
            notified: false,
        }
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.window_bytes = window_bytes;
    }

    fn window_bytes(&self) -> u64 {
        self.window_bytes
    }

    fn flags(&mut self, flow: &Flow<'_, Settings>, payload_bytes: u32) -> u16 {
        let beyond_window = flow.next.saturating_add(self.window_bytes) < flow.end;
        let is_final = flow.next + u64::from(payload_bytes) >= flow.end;
        let mut flags = 0;
        if flow.rtt_ns.is_none() {
            flags |= flag::FIRST;
        } else if beyond_window {
            flags |= flag::INC;
        }
        if flow.settings.ramp_up && (is_final || !beyond_window) {
            flags |= flag::LAST;
        }
        if std::mem::take(&mut self.asks_ai) {
            flags |= flag::AI;
            self.ai_sent_ns = flow.now;
        }
        flags
    }

    fn on_ack(&mut self, flow: &Flow<'_, Settings>, ack: &Ack<'_>) -> bool {
        let flags = ack.message.flags;
        let segment_bytes = u64::from(flow.common.segment_bytes);
        let reduced = !self.notified
            && flags & flag::DEC != 0
            && self.on_queue(flow, ack.message, ack.rtt_ns) == Outcome::Reduced;
        if flags & flag::AI != 0 && flow.now.saturating_sub(ack.rtt_ns) >= self.ai_sent_ns {
            self.asks_ai = true;
            self.window_bytes += segment_bytes;
        }
        if flags & flag::DEC == 0 && flags & flag::INC != 0 {
            self.window_bytes += segment_bytes;
        }
        self.bound(flow);
        reduced
    }

    /// Halves the window, once per RTT. The packet with AI may be lost, so another one gets it.
    fn on_loss(&mut self, flow: &Flow<'_, Settings>) -> bool {
        self.asks_ai = true;
        let reduces = flow.now - self.cut_ns >= flow.rtt_ns.unwrap_or(0);
        if reduces {
            self.window_bytes /= 2;
            self.cut_ns = flow.now;
            self.bound(flow);
        }
        reduces
    }

    fn on_signal(&mut self, flow: &Flow<'_, Settings>, signal: &Message, since_ns: Ns) -> Outcome {
        if !flow.settings.source_notification {
            return Outcome::Kept;
        }
        let outcome = self.on_queue(flow, signal, since_ns);
        self.notified |= outcome != Outcome::Refused;
        outcome
    }
}
