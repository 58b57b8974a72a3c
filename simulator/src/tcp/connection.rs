// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end of a connection: the calls for its owner, and the states from SYN to FIN.

use std::sync::Arc;

use super::accecn::AccEcn;
use super::config::{EcnMode, Recovery};
use super::echo::Echo;

use super::ranges::Ranges;
use super::receiver::Receiver;
use super::rtt::Estimator;
use super::sender::{LastCut, Sender, Usage, ENDLESS};
use super::stack::TcpStack;
use crate::cc::Window;
use crate::packet::{Endpoint, Flags, Segment, SourceQuench, Verdict};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport};

/// Without a handshake no SYN carries the initial sequence number (ISS). Both ends then take a multiple of this for it,
/// so that the peer can work it out from the first segment.
pub(super) const IMPLICIT_ISS_STEP: u32 = 1 << 24;
/// The time that a closed end still answers repeated FINs (TIME-WAIT, RFC 9293 section 3.6.1), in RTOs.
const LINGER_RTOS: u64 = 4;

/// State of a connection: those of RFC 9293 section 3.3.2, as far as they are distinguished here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    SynSent,
    SynReceived,
    Open,
    /// Both directions are closed.
    Closed,
    Failed,
}

/// One end of a connection. The owner calls it with each arrival and when its timer runs out, and sends the segments
/// that it puts into [`Io`].
#[derive(Debug)]
pub struct Connection {
    pub(super) stack: Arc<TcpStack>,
    pub(super) local: Endpoint,
    pub(super) remote: Endpoint,
    pub(super) state: State,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) echo: Echo,
    /// The peer understands SACK.
    pub(super) sack: bool,
    /// Shifts of the window field (RFC 7323 section 2): the peer's, and ours.
    pub(super) window_shifts: (u8, u8),
    pub(super) peer_closed_reported: bool,
    pub(super) linger_until: Option<Ns>,
    pub(super) counters: Counters,
}

impl Connection {
    fn new(stack: Arc<TcpStack>, opening: Opening) -> Self {
        let Opening {
            local,
            remote,
            first_number,
        } = opening;
        let start = u64::from(stack.handshake);
        let iss = if stack.handshake {
            first_number
        } else {
            first_number & !(IMPLICIT_ISS_STEP - 1)
        };
        let phase = phase_of(local, remote, iss);
        let sender = Sender {
            iss,
            segment_bytes: stack.segment_bytes,
            start,
            una: 0,
            next: 0,
            max: 0,
            end: start,
            closing: false,
            has_fin: false,
            peer_window: stack.max_window_bytes(),
            window: Window::new(stack.algorithm, stack.initial_window_pkts),
            dupacks: 0,
            inflation: 0,
            recover: None,
            in_recovery: false,
            had_partial_ack: false,
            last_cut: LastCut::None,
            sacked: Ranges::default(),
            resent: 0,
            counted_delivered: 0,
            timed: None,
            estimator: Estimator::new(stack.timer, phase),
            rto_at: None,
            syns_resent: 0,
            timeouts_in_row: 0,
            last_sent: 0,
            ecn_backed_off: false,
            cwr_due: false,
            pending_isq: None,
            usage: Usage::default(),
        };
        Self {
            stack,
            local,
            remote,
            state: State::Open,
            sender,
            receiver: Receiver::default(),
            echo: Echo::Off,
            sack: false,
            window_shifts: (0, 0),
            peer_closed_reported: false,
            linger_until: None,
            counters: Counters::default(),
        }
    }

    /// Opens without a handshake: each end takes its own settings for the agreed ones.
    fn begin_without_handshake(&mut self, io: &mut Io) {
        self.sack = self.stack.recovery == Recovery::Sack;
        self.window_shifts = (self.stack.window_shift, self.stack.window_shift);
        self.agree_on_ecn(self.stack.ecn);
        io.events.push(ConnectionEvent::Established);
    }

    pub(super) fn agree_on_ecn(&mut self, mode: EcnMode) {
        self.echo = match mode {
            EcnMode::Off => Echo::Off,
            EcnMode::Rfc3168 => Echo::Rfc3168 { ece: false },
            EcnMode::Accurate => Echo::Accurate { ce: false },
            EcnMode::Mecn => Echo::mecn(self.stack.algorithm.echoes_until_reduced()),
            EcnMode::AccEcn => Echo::AccEcn(AccEcn::new()),
        };
        let counters = &mut self.counters;
        *match (self.stack.ecn, mode) {
            (EcnMode::Mecn, EcnMode::Mecn) => &mut counters.mecn_negotiated,
            (EcnMode::Mecn, EcnMode::Off) => &mut counters.mecn_fallback_plain,
            (EcnMode::Mecn, _) => &mut counters.mecn_fallback_rfc3168,
            (EcnMode::AccEcn, EcnMode::AccEcn) => &mut counters.accecn_negotiated,
            (EcnMode::AccEcn, EcnMode::Off) => &mut counters.accecn_fallback_plain,
            (EcnMode::AccEcn, _) => &mut counters.accecn_fallback_rfc3168,
            _ => return,
        } += 1;
    }

    pub(super) fn fail(&mut self, io: &mut Io) {
        self.state = State::Failed;
        self.sender.rto_at = None;
        self.linger_until = None;
        self.receiver.acked();
        io.events.push(ConnectionEvent::Failed);
    }

    /// Emits the events of streams that have ended, and closes the connection when both have.
    pub(super) fn report_closing(&mut self, now: Ns, io: &mut Io) {
        let peer_closed = self.receiver.fin_reached();

        if peer_closed && !self.peer_closed_reported {
            self.peer_closed_reported = true;
            io.events.push(ConnectionEvent::PeerClosed);
        }
        if self.state != State::Open || !self.sender.closing {
            return;
        }
        let sent_all = if self.stack.fin {
            self.sender.una >= self.sender.total_end() && peer_closed
        } else {
            self.sender.is_drained()
        };
        if sent_all {
            self.state = State::Closed;
            self.sender.rto_at = None;
            if self.stack.fin {
                self.linger_until = Some(now + LINGER_RTOS * self.sender.estimator.rto_ns());
            }
            io.events.push(ConnectionEvent::Closed);
        }
    }
}

impl Transport for TcpStack {
    fn segment_bytes(&self) -> u32 {
        self.segment_bytes
    }

    /// Without a handshake only the highest byte of the first sequence number is used.
    fn open(self: Arc<Self>, opening: Opening, now: Ns, io: &mut Io) -> Box<dyn Socket> {
        let mut connection = Box::new(Connection::new(self, opening));

        if connection.stack.handshake {
            connection.state = State::SynSent;
            connection.send_syn(now, io);
        } else {
            connection.begin_without_handshake(io);
        }
        connection
    }

    fn accept(
        self: Arc<Self>,
        opening: Opening,
        first: &Segment,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        let syn = first.flags.has(Flags::SYN);
        let opens = if self.handshake {
            syn && !first.flags.has(Flags::ACK)
        } else {
            !syn && first.payload_bytes > 0
        };
        if !opens || first.flags.has(Flags::RST) {
            return None;
        }
        let mut connection = Box::new(Connection::new(self, opening));
        if connection.stack.handshake {
            connection.state = State::SynReceived;
            connection.on_syn(first, now, io);
        } else {
            connection.begin_without_handshake(io);
            connection.on_segment(first, now, io);
        }
        Some(connection)
    }
}

impl Socket for Connection {
    fn send(&mut self, bytes: u64, now: Ns, io: &mut Io) {
        if self.sender.closing || bytes == 0 {
            return;
        }
        self.restart_after_idle(now);
        self.sender.end = self.sender.end.saturating_add(bytes).min(ENDLESS);
        if self.state == State::Open {
            self.transmit(None, now, io);
        }
    }

    fn close(&mut self, now: Ns, io: &mut Io) {
        if self.sender.closing {
            return;
        }
        if self.sender.end == ENDLESS {
            self.sender.end = self.sender.max;
        }
        self.sender.closing = true;
        self.sender.has_fin = self.stack.fin;
        if self.state != State::Open {
            return;
        }
        self.transmit(None, now, io);
        self.report_closing(now, io);
    }

    fn on_segment(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        match self.state {
            State::Failed => return,
            _ if segment.flags.has(Flags::RST) => return self.fail(io),
            _ if segment.flags.has(Flags::SYN) => return self.on_syn(segment, now, io),
            State::SynSent => return,
            _ => {}
        }
        let ack_is_due = self.count_marks(segment);
        self.on_data_flags(segment, io);
        if segment.flags.has(Flags::ACK) {
            self.on_ack(segment, now, io);
        }
        self.on_payload(segment, now, io);
        if ack_is_due && segment.payload_bytes == 0 && self.receiver.unacked_segments == 0 {
            self.send_bare_ack(false, io);
        } else if ack_is_due || self.receiver.ack_now {
            self.send_ack(io);
        }
        self.report_closing(now, io);
    }

    fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns) -> Verdict {
        self.on_quench(quench, now)
    }

    fn on_timer(&mut self, now: Ns, io: &mut Io) {
        let is_due = |at: Option<Ns>| at.is_some_and(|at| at <= now);

        if is_due(self.linger_until) {
            self.linger_until = None;
        }
        if is_due(self.receiver.delayed_ack_at) {
            self.send_ack(io);
        }
        if is_due(self.sender.rto_at) {
            self.sender.rto_at = None;
            self.on_timeout(now, io);
        }
    }

    fn timer_ns(&self) -> Option<Ns> {
        // Called after every segment, so without an iterator.
        let at = |at: Option<Ns>| at.unwrap_or(Ns::MAX);
        let next = at(self.sender.rto_at)
            .min(at(self.receiver.delayed_ack_at))
            .min(at(self.linger_until));
        (next != Ns::MAX).then_some(next)
    }

    /// This is later than [`ConnectionEvent::Closed`], because a closed end has to answer repeated FINs.
    fn is_finished(&self) -> bool {
        self.state == State::Failed || self.state == State::Closed && self.linger_until.is_none()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Without the inflation by duplicate ACKs.
    fn cwnd_pkts(&self) -> f64 {
        self.sender.window.cwnd_pkts()
    }

    /// Very large before the first reduction.
    fn ssthresh_pkts(&self) -> f64 {
        self.sender.window.ssthresh_pkts()
    }

    fn srtt_ns(&self) -> Option<Ns> {
        self.sender.estimator.srtt_ns()
    }

    fn flight_bytes(&self) -> u64 {
        self.sender.flight()
    }
}

/// A hash of the endpoints, so that the clocks of connections are out of step.
fn phase_of(local: Endpoint, remote: Endpoint, iss: u32) -> u64 {
    [
        u64::from(local.address),
        u64::from(local.port),
        u64::from(remote.address),
        u64::from(remote.port),
        u64::from(iss),
    ]
    .into_iter()
    .fold(0x9e37_79b9_7f4a_7c15, |hash, part| {
        let mixed = (hash ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ mixed >> 32
    })
}
