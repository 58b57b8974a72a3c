// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end of a connection.

use std::sync::Arc;

use super::io::{Io, TcpCounters};
use super::stack::Stack;
use crate::packet::{Endpoint, Segment, SourceQuench, Verdict};
use crate::time::Ns;

/// One end of a connection. Call it with what arrives and when its timer runs out; send what it puts into [`Io`].
#[derive(Debug)]
pub struct Connection {}

impl Connection {
    /// The end that opens. `iss` is the first sequence number.
    pub fn open(
        stack: Arc<Stack>,
        local: Endpoint,
        remote: Endpoint,
        iss: u32,
        now: Ns,
        io: &mut Io,
    ) -> Self {
        todo!()
    }

    /// The end that is called, by its first segment; none if that does not open a connection.
    pub fn accept(
        stack: Arc<Stack>,
        first: &Segment,
        iss: u32,
        now: Ns,
        io: &mut Io,
    ) -> Option<Self> {
        todo!()
    }

    /// Appends to what is sent; `u64::MAX`: without end.
    pub fn send(&mut self, bytes: u64, now: Ns, io: &mut Io) {
        todo!()
    }

    /// Ends the stream after what was given to send.
    pub fn close(&mut self, now: Ns, io: &mut Io) {
        todo!()
    }

    pub fn on_segment(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        todo!()
    }

    /// An ISQ that quotes a packet of this connection, or that cannot be read. The verdict is counted here.
    pub fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns, io: &mut Io) -> Verdict {
        todo!()
    }

    /// To be called when [`Connection::timer_ns`] has come; earlier or later is harmless.
    pub fn on_timer(&mut self, now: Ns, io: &mut Io) {
        todo!()
    }

    /// When the connection next wants to be called; none: not before something arrives.
    pub fn timer_ns(&self) -> Option<Ns> {
        todo!()
    }

    /// Nothing more will happen: the connection may be dropped. Later than [`super::ConnectionEvent::Closed`] at the
    /// end that has to answer repeated FINs.
    pub fn is_finished(&self) -> bool {
        todo!()
    }

    pub fn local(&self) -> Endpoint {
        todo!()
    }

    pub fn remote(&self) -> Endpoint {
        todo!()
    }

    pub fn counters(&self) -> &TcpCounters {
        todo!()
    }

    /// The congestion window, without what duplicate ACKs add to it.
    pub fn cwnd_pkts(&self) -> f64 {
        todo!()
    }

    /// The slow-start threshold; infinite before the first reduction.
    pub fn ssthresh_pkts(&self) -> f64 {
        todo!()
    }

    /// The smoothed RTT; none before the first sample.
    pub fn srtt_ns(&self) -> Option<Ns> {
        todo!()
    }

    /// Sent and not acknowledged.
    pub fn flight_bytes(&self) -> u64 {
        todo!()
    }
}
