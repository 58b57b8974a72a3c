// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The seam between the engine and a congestion control: the engine asks it for windows, rates and flags, and tells it
//! of ACKs, losses and signals.

use std::fmt::Debug;

use super::config::Common;
use super::message::{Form, Message};
use crate::packet::{ecn, SourceQuench, Tag};
use crate::time::Ns;

/// The flow at the moment of a call.
#[derive(Debug)]
pub(super) struct Flow<'a, S> {
    pub common: &'a Common,
    pub settings: &'a S,
    pub now: Ns,
    /// The last sample, unsmoothed.
    pub rtt_ns: Option<Ns>,
    /// Everything before this position is acknowledged.
    pub acked: u64,
    /// The position of the next byte to send.
    pub next: u64,
    /// The end of the data to send; [`u64::MAX`]: without end.
    pub end: u64,
}

/// An acknowledgement of a packet with data.
#[derive(Debug)]
pub(super) struct Ack<'a> {
    pub message: &'a Message,
    /// Bytes that it acknowledges first.
    pub bytes: u64,
    pub rtt_ns: Ns,
}

/// The outcome of a signal from a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Reduced,
    /// It was right, and changed nothing.
    Kept,
    /// It does not say what it has to say.
    Refused,
}

/// The congestion control of one flow.
pub(super) trait Control: Debug + Send + Sized + 'static {
    type Settings: Debug + Send + Sync + 'static;

    const FORM: Form;

    /// Windows may be less than a packet. A packet that does not fit into the window waits for RTT * segment / window and
    /// is then sent. Without this a packet is sent if a byte of it fits: the control has a rate that does the rest.
    const PAUSES: bool;

    /// Source quenches are for this control.
    const OBEYS_QUENCH: bool = false;

    fn new(common: &Common, settings: &Self::Settings, now: Ns) -> Self;

    /// The flow begins with this window instead, which another flow to the same host has left.
    fn begin_with(&mut self, window_bytes: u64);

    /// The bytes that may be in flight.
    fn window_bytes(&self) -> u64;

    /// The rate at which packets are paced.
    fn rate_bps(&self, common: &Common) -> u64 {
        common.rate_bps
    }

    /// The ECN field of packets with data.
    fn ecn(_settings: &Self::Settings) -> u8 {
        ecn::NOT_ECT
    }

    /// The control's own flags of the next packet, which has so much payload.
    fn flags(&mut self, _flow: &Flow<'_, Self::Settings>, _payload_bytes: u32) -> u16 {
        0
    }

    /// The tag of the next packet with data.
    fn tag(&mut self, _settings: &Self::Settings) -> Option<Tag> {
        None
    }

    /// The packet from this position on is sent.
    fn on_sent(&mut self, _position: u64, _now: Ns) {}

    /// True if it reduced the window.
    fn on_ack(&mut self, flow: &Flow<'_, Self::Settings>, ack: &Ack<'_>) -> bool;

    /// Packets were lost: everything in flight will be sent again. True if it reduced the window.
    fn on_loss(&mut self, flow: &Flow<'_, Self::Settings>) -> bool;

    /// A router's signal about a packet in flight, which was sent `since_ns` ago.
    fn on_signal(
        &mut self,
        _flow: &Flow<'_, Self::Settings>,
        _signal: &Message,
        _since_ns: Ns,
    ) -> Outcome {
        Outcome::Refused
    }

    /// A source quench that quotes the packet in flight at this position. True if it reduced the window.
    fn on_quench(
        &mut self,
        _flow: &Flow<'_, Self::Settings>,
        _quench: &SourceQuench,
        _position: u64,
    ) -> bool {
        false
    }
}
