// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The congestion window of one connection.

#![allow(unsafe_code)]

use std::ptr;

use super::algorithm::Algorithm;
use super::ffi;

/// The fate of the packet that an ISQ quotes (`enum q_isq_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuenchKind {
    Marked = 1,
    Dropped = 2,
}

/// The mark that an ACK echoes (`enum q_mark_level`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkLevel {
    #[default]
    None = 0,
    Ece = 1,
    Incipient = 2,
    Moderate = 3,
}

/// `enum q_event_flag`.
pub mod flag {
    pub const LOSS: u8 = 1 << 0;
    pub const IN_RECOVERY: u8 = 1 << 1;
    pub const CWND_LIMITED: u8 = 1 << 2;
    pub const ACCECN: u8 = 1 << 3;
}

/// `enum q_signal`.
pub mod signal {
    pub const ISQ_MARKED: u32 = 1 << 0;
    pub const ISQ_DROPPED: u32 = 1 << 1;
    pub const ECE: u32 = 1 << 2;
    pub const LOSS: u32 = 1 << 3;
    pub const RTO: u32 = 1 << 4;
    pub const INCIPIENT: u32 = 1 << 5;
    pub const MODERATE: u32 = 1 << 6;
}

/// The input of the algorithm: an ACK, an ISQ or a timeout (`struct q_cc_event`).
#[derive(Debug, Clone, Copy, Default)]
pub struct Ack {
    pub now_us: u64,
    /// 0 before the first sample.
    pub srtt_us: u32,
    pub snd_una: u32,
    /// The end of all data sent.
    pub snd_nxt: u32,
    pub acked_pkts: u32,
    /// Bytes by which this ACK moves `snd_una`.
    pub acked_bytes: u32,
    pub marked_pkts: u32,
    pub delivered_pkts: u32,
    pub quench: Option<(QuenchKind, u8)>,
    pub mark_level: MarkLevel,
    /// Bits of [`flag`].
    pub flags: u8,
}

/// The reaction of the algorithm (`struct q_cc_action`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Bits of [`signal`]: signals that reduced the window, and signals that did not.
    pub reacted: u32,
    pub suppressed: u32,
    /// The next new segment is to carry CWR.
    pub queue_cwr: bool,
}

/// The congestion window of one connection.
#[derive(Debug, Clone)]
pub struct Window {
    algorithm: Algorithm,
    state: ffi::State,
}

impl Window {
    /// The window of a new connection: `cwnd_pkts`, unless the parameters have an initial window.
    pub fn new(algorithm: Algorithm, cwnd_pkts: u32) -> Self {
        let mut state = ffi::State::default();

        // SAFETY: both are initialised.
        unsafe {
            ffi::q_cc_init(
                ptr::from_mut(&mut state),
                ptr::from_ref(&algorithm.params),
                cwnd_pkts,
            );
        }
        Self { algorithm, state }
    }

    pub fn on_ack(&mut self, ack: &Ack) -> Outcome {
        let event = event_of(ack);
        let mut action = ffi::Action::default();

        // SAFETY: all four are initialised and outlive the call.
        unsafe {
            (self.algorithm.on_ack)(
                ptr::from_mut(&mut self.state),
                ptr::from_ref(&self.algorithm.params),
                ptr::from_ref(&event),
                ptr::from_mut(&mut action),
            );
        }
        outcome_of(&action)
    }

    /// The retransmission timer has fired.
    pub fn on_rto(&mut self, ack: &Ack) -> Outcome {
        let event = event_of(ack);
        let mut action = ffi::Action::default();

        // SAFETY: all four are initialised and outlive the call.
        unsafe {
            ffi::q_cc_on_rto(
                ptr::from_mut(&mut self.state),
                ptr::from_ref(&self.algorithm.params),
                ptr::from_ref(&event),
                ptr::from_mut(&mut action),
            );
        }
        outcome_of(&action)
    }

    /// Nothing was sent for `rtos` retransmission timeouts.
    pub fn on_idle(&mut self, rtos: u32, restart_pkts: u32) {
        // SAFETY: the state is initialised.
        unsafe { ffi::q_cc_on_idle(ptr::from_mut(&mut self.state), rtos, restart_pkts) }
    }

    /// Whole packets that the window allows in flight.
    pub fn whole_pkts(&self) -> u32 {
        (self.state.cwnd_q24 >> ffi::Q_CWND_SHIFT) as u32
    }

    pub fn cwnd_pkts(&self) -> f64 {
        self.state.cwnd_q24 as f64 / one()
    }

    pub fn ssthresh_pkts(&self) -> f64 {
        self.state.ssthresh_q24 as f64 / one()
    }

    /// Is the window below the slow-start threshold?
    pub fn in_slow_start(&self) -> bool {
        self.state.cwnd_q24 < self.state.ssthresh_q24
    }

    /// Adds to the window, up to `max_pkts`, and returns the window before, for [`Window::deflate`].
    pub fn inflate(&mut self, pkts: u32, max_pkts: u32) -> u64 {
        let saved = self.state.cwnd_q24;
        let inflated = saved + (u64::from(pkts) << ffi::Q_CWND_SHIFT);

        self.state.cwnd_q24 = saved.max(inflated.min(u64::from(max_pkts) << ffi::Q_CWND_SHIFT));
        saved
    }

    /// Takes back what [`Window::inflate`] added.
    pub fn deflate(&mut self, saved: u64) {
        self.state.cwnd_q24 = saved;
    }

    /// Lowers the window to `pkts` if it is larger.
    pub fn limit(&mut self, pkts: u32) {
        self.state.cwnd_q24 = self
            .state
            .cwnd_q24
            .min(u64::from(pkts) << ffi::Q_CWND_SHIFT);
    }

    pub fn set_ssthresh_pkts(&mut self, pkts: f64) {
        self.state.ssthresh_q24 = (pkts * one()) as u64;
    }
}

fn one() -> f64 {
    f64::from(1u32 << ffi::Q_CWND_SHIFT)
}

fn event_of(ack: &Ack) -> ffi::Event {
    let (isq_kind, isq_level) = ack
        .quench
        .map_or((0, 0), |(kind, level)| (kind as u8, level));

    ffi::Event {
        now_us: ack.now_us,
        srtt_us: ack.srtt_us,
        snd_una: ack.snd_una,
        snd_nxt: ack.snd_nxt,
        acked_pkts: ack.acked_pkts,
        acked_bytes: ack.acked_bytes,
        marked_pkts: ack.marked_pkts,
        delivered_pkts: ack.delivered_pkts,
        isq_kind,
        isq_level,
        mark_level: ack.mark_level as u8,
        flags: ack.flags,
    }
}

fn outcome_of(action: &ffi::Action) -> Outcome {
    Outcome {
        reacted: action.reacted,
        suppressed: action.suppressed,
        queue_cwr: action.queue_cwr != 0,
    }
}
