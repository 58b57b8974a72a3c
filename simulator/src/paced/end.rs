// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end of a connection: the sender and the receiver that all congestion controls of the family share.
//!
//! There is no handshake: the first packet with data opens the connection. The receiver takes the packet that is next and
//! answers each: with an ACK, or with a NACK if packets before it are missing. A NACK or a timeout sends everything from
//! there on again (go-back-N). The last packet has FIN, and the echo of that ends the stream, so an end is finished when
//! its own stream and that of the peer have ended. A receiver that is finished still answers, for an ACK may be lost.

use std::sync::Arc;

use quench_dataplane::tm::{Rate, Transmitter};

use super::config::Common;
use super::control::{Ack, Control, Flow, Outcome};
use super::message::{Kind, Message};
use crate::packet::{OwnSegment, Refusal, Segment, SourceQuench, Verdict};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Turn};

/// The settings of a stack, checked.
#[derive(Debug)]
pub(super) struct Stack<C: Control> {
    pub common: Common,
    pub settings: C::Settings,
}

/// Positions count the bytes of a stream from 0.
#[derive(Debug)]
pub(super) struct End<C: Control> {
    transport: Arc<Stack<C>>,
    opening: Opening,
    control: C,
    /// Everything before this position is acknowledged.
    acked: u64,
    /// The next byte to send: less than `sent` after going back.
    next: u64,
    /// The end of everything sent so far.
    sent: u64,
    /// The end of the data to send; [`u64::MAX`]: without end.
    end: u64,
    closing: bool,
    /// FIN is sent, and not since taken back.
    fin_sent: bool,
    fin_acked: bool,
    /// The time at which everything in flight was sent again last. A NACK of a packet that was sent before is stale.
    went_back_ns: Ns,
    rtt_ns: Option<Ns>,
    /// Paces the packets, and carries fractions of nanoseconds.
    pacer: Transmitter,
    /// No packet is sent before.
    resume_ns: Ns,
    /// The end of the pause after which one packet is sent that does not fit into the window.
    pause_end_ns: Option<Ns>,
    /// The pause is over, but its packet waits for its turn on the host's link.
    pause_is_over: bool,
    timeout_at: Option<Ns>,
    /// Everything before this position of the peer's stream has arrived.
    received: u64,
    fin_received: bool,
    /// [`ConnectionEvent::Closed`] is reported.
    closed: bool,
    counters: Counters,
}

impl<C: Control> End<C> {
    pub fn new(transport: Arc<Stack<C>>, opening: Opening, now: Ns, io: &mut Io) -> Self {
        io.events.push(ConnectionEvent::Established);
        Self {
            control: C::new(&transport.common, &transport.settings, now),
            transport,
            opening,
            acked: 0,
            next: 0,
            sent: 0,
            end: 0,
            closing: false,
            fin_sent: false,
            fin_acked: false,
            went_back_ns: 0,
            rtt_ns: None,
            pacer: Transmitter::default(),
            resume_ns: 0,
            pause_end_ns: None,
            pause_is_over: false,
            timeout_at: None,
            received: 0,
            fin_received: false,
            closed: false,
            counters: Counters::default(),
        }
    }

    fn flow<'a>(&self, transport: &'a Stack<C>, now: Ns) -> Flow<'a, C::Settings> {
        Flow {
            common: &transport.common,
            settings: &transport.settings,
            now,
            rtt_ns: self.rtt_ns,
            acked: self.acked,
            next: self.next,
            end: self.end,
        }
    }

    /// A FIN without data has to be sent.
    fn owes_fin(&self) -> bool {
        self.closing && !self.fin_sent && self.end > 0 && self.next == self.end
    }

    /// There is something to send, and the window is open.
    fn may_send(&self) -> bool {
        let open = self.next - self.acked < self.control.window_bytes();
        (self.next < self.end && open) || self.owes_fin()
    }

    /// Sends what the window and the pace allow now.
    fn transmit(&mut self, now: Ns, io: &mut Io) {
        let transport = Arc::clone(&self.transport);
        while self.may_send() && now >= self.resume_ns {
            let segment_bytes = transport.common.segment_bytes;
            let bytes = u64::from(segment_bytes).min(self.end - self.next) as u32;
            let window = self.control.window_bytes();
            let room = (self.acked + window).saturating_sub(self.next);
            let pauses = C::PAUSES && room < u64::from(bytes);
            let mut resume = now;
            if pauses {
                let rtt = u128::from(self.rtt_ns.unwrap_or(0));
                let pause = rtt * u128::from(segment_bytes) / u128::from(window.max(1));
                resume = now.saturating_add(u64::try_from(pause).unwrap_or(Ns::MAX));
                self.pause_is_over |= self.pause_end_ns == Some(now);
                // A pause passes whether the link is free or not.
                if pause > 0 && !self.pause_is_over {
                    self.pause_end_ns = Some(resume);
                    self.resume_ns = resume;
                    return;
                }
            }
            if !io.may_send {
                return;
            }
            self.send_packet(&transport, bytes, now, io);
            self.pause_is_over = false;
            if pauses {
                self.pause_end_ns = Some(resume);
                self.resume_ns = self.resume_ns.max(resume);
            }
        }
    }

    fn send_packet(&mut self, transport: &Stack<C>, bytes: u32, now: Ns, io: &mut Io) {
        let common = &transport.common;
        let fin = self.closing && self.next + u64::from(bytes) == self.end;
        let flow = self.flow(transport, now);
        let flags = self.control.flags(&flow, bytes);
        self.control.on_sent(self.next, now);
        let message = Message {
            kind: Kind::Data,
            seq: self.next as u32,
            time_ns: now as u32,
            payload_bytes: bytes,
            fin,
            flags,
            tag: self.control.tag(&transport.settings),
            ..Message::default()
        };
        if bytes > 0 {
            self.counters.data_pkts_sent += 1;
            self.counters.data_bytes_sent += u64::from(bytes);
            if self.next < self.sent {
                self.counters.retransmitted_pkts += 1;
                self.counters.retransmitted_bytes += u64::from(bytes);
            }
        }
        let ends = (self.opening.local, self.opening.remote);
        let marks = (C::ecn(&transport.settings), common.dscp);
        message.put(C::FORM, ends, marks, io);
        self.fin_sent |= fin;
        self.next += u64::from(bytes);
        self.sent = self.sent.max(self.next);
        self.timeout_at.get_or_insert(now + common.timeout_ns);
        let packet_bytes = common.mtu_bytes - common.segment_bytes + bytes;
        let rate = Rate::bps(self.control.rate_bps(common));
        self.resume_ns = self.pacer.occupy(now, rate, packet_bytes);
    }

    pub fn on_message(&mut self, message: &Message, now: Ns, io: &mut Io) {
        match message.kind {
            Kind::Data => self.on_data(message, io),
            Kind::Ack | Kind::Nack => self.on_answer(message, now, io),
            Kind::Signal => self.on_signal(message, now),
        }
    }

    /// Takes the packet that is next, and no other.
    fn on_data(&mut self, message: &Message, io: &mut Io) {
        let bytes = u64::from(message.payload_bytes);
        self.counters.data_pkts_received += u64::from(bytes > 0);
        self.counters.ce_received += u64::from(message.marked);
        let ahead = message.seq.wrapping_sub(self.received as u32) as i32;
        let kind = if ahead > 0 { Kind::Nack } else { Kind::Ack };
        if ahead == 0 && !self.fin_received {
            self.received += bytes;
            self.counters.received_bytes += bytes;
            if bytes > 0 {
                io.events.push(ConnectionEvent::Received { bytes });
            }
        } else {
            self.counters.duplicate_pkts_received += u64::from(bytes > 0);
        }
        // FIN may come with data that has arrived without it: the stream was closed afterwards, and sent again.
        let end = message.seq.wrapping_add(message.payload_bytes);
        if message.fin && end == self.received as u32 && !self.fin_received {
            self.fin_received = true;
            io.events.push(ConnectionEvent::PeerClosed);
        }
        match kind {
            Kind::Nack => self.counters.nacks_sent += 1,
            _ => self.counters.acks_sent += 1,
        }
        let ends = (self.opening.local, self.opening.remote);
        // A router that marks data at a depth may drop what is not ECT there.
        let transport = &self.transport;
        let marks = (C::ecn(&transport.settings), transport.common.ack_dscp);
        let answer = Message {
            fin: message.fin && self.fin_received,
            ..message.answer(kind, self.received as u32)
        };
        answer.put(C::FORM, ends, marks, io);
        self.report_closing(io);
    }

    /// The time since a packet was sent, by its time modulo 2^32 ns; none of a time in the future.
    fn since_ns(&self, time_ns: u32, now: Ns) -> Option<Ns> {
        let since = (now as u32).wrapping_sub(time_ns);
        (since <= i32::MAX as u32 && Ns::from(since) <= now).then_some(since.into())
    }

    fn on_answer(&mut self, message: &Message, now: Ns, io: &mut Io) {
        let ahead = message.seq.wrapping_sub(self.acked as u32) as i32;
        let bytes = u64::try_from(ahead).unwrap_or(0);
        let since = self.since_ns(message.time_ns, now);
        let Some(rtt_ns) = since.filter(|_| bytes <= self.sent - self.acked && self.sent > 0)
        else {
            self.counters.signals_refused += 1;
            return;
        };
        let rtt_ns = rtt_ns.max(1);
        self.rtt_ns = Some(rtt_ns);
        self.counters.ece_received += u64::from(message.marked);
        if bytes > 0 {
            self.acked += bytes;
            self.next = self.next.max(self.acked);
            self.counters.acked_bytes += bytes;
            self.timeout_at = Some(now + self.transport.common.timeout_ns);
            io.events.push(ConnectionEvent::Acked { bytes });
        } else {
            self.counters.duplicate_acks_received += 1;
        }
        let is_nack = message.kind == Kind::Nack;
        self.counters.nacks_received += u64::from(is_nack);
        if is_nack
            && ahead >= 0
            && now - rtt_ns.min(now) >= self.went_back_ns
            && self.acked < self.sent
        {
            self.counters.fast_retransmits += 1;
            self.go_back(now, |counters| &mut counters.reactions_loss);
        } else if self.transport.common.reacts && !(self.closing && self.acked == self.end) {
            // The last ACK of a stream changes nothing: Bolt's ns-3 code leaves the window as it is, for the next flow.
            let transport = Arc::clone(&self.transport);
            let flow = self.flow(&transport, now);
            let ack = Ack {
                message,
                bytes,
                rtt_ns,
            };
            if self.control.on_ack(&flow, &ack) {
                match message.marked {
                    true => self.counters.reactions_ece += 1,
                    false => self.counters.reactions_ack += 1,
                }
            }
        }
        if message.fin && self.closing && self.acked == self.end {
            self.fin_sent = true;
            self.fin_acked = true;
        }
        if self.acked == self.sent && (!self.fin_sent || self.fin_acked) {
            self.timeout_at = None;
        }
        self.report_closing(io);
        self.transmit(now, io);
    }

    /// Everything in flight is to be sent again.
    fn go_back(&mut self, now: Ns, counter: impl Fn(&mut Counters) -> &mut u64) {
        if self.transport.common.reacts {
            let transport = Arc::clone(&self.transport);
            let flow = self.flow(&transport, now);
            if self.control.on_loss(&flow) {
                *counter(&mut self.counters) += 1;
            }
        }
        self.next = self.acked;
        self.fin_sent = self.fin_acked;
        self.went_back_ns = now;
        self.timeout_at = Some(now + self.transport.common.timeout_ns);
    }

    /// The position of a byte that was sent and is not acknowledged.
    fn in_flight(&self, seq: u32) -> Option<u64> {
        let ahead = u64::from(seq.wrapping_sub(self.acked as u32));
        (ahead < self.sent - self.acked).then_some(self.acked + ahead)
    }

    fn on_signal(&mut self, message: &Message, now: Ns) {
        self.counters.signals_received += 1;
        let since = self.since_ns(message.time_ns, now);
        let Some(since) = since.filter(|_| self.in_flight(message.seq).is_some()) else {
            self.counters.signals_refused += 1;
            return;
        };
        if !self.transport.common.reacts {
            return;
        }
        let transport = Arc::clone(&self.transport);
        let flow = self.flow(&transport, now);
        match self.control.on_signal(&flow, message, since) {
            Outcome::Reduced => self.counters.reactions_signal += 1,
            Outcome::Kept => {}
            Outcome::Refused => self.counters.signals_refused += 1,
        }
    }

    /// The checks that need the connection, as TCP makes them.
    fn check_quench(&self, quench: &SourceQuench) -> Result<u64, Refusal> {
        let quote = quench.quote?;
        if quote.source != self.opening.local || quote.destination != self.opening.remote {
            return Err(Refusal::NoSocket);
        }
        if !C::OBEYS_QUENCH {
            return Err(Refusal::NotListening);
        }
        self.in_flight(quote.seq).ok_or(Refusal::NotInFlight)
    }

    /// The stream has ended: all of it, and FIN, are acknowledged, or there was nothing.
    fn has_sent_all(&self) -> bool {
        match self.end {
            0 => self.closing,
            _ => self.fin_acked,
        }
    }

    fn report_closing(&mut self, io: &mut Io) {
        if self.is_finished() && !self.closed {
            self.closed = true;
            io.events.push(ConnectionEvent::Closed);
        }
    }
}

impl<C: Control> Socket for End<C> {
    /// The packets leave at the timer that is due now: after it the source may have closed, and FIN goes with the data.
    fn send(&mut self, bytes: u64, now: Ns, _io: &mut Io) {
        if !self.closing {
            self.end = self.end.saturating_add(bytes);
            self.resume_ns = self.resume_ns.max(now);
        }
    }

    fn close(&mut self, now: Ns, io: &mut Io) {
        if self.closing {
            return;
        }
        if self.end == u64::MAX {
            self.end = self.sent;
        }
        self.closing = true;
        self.resume_ns = self.resume_ns.max(now);
        self.report_closing(io);
    }

    /// As in Bolt's ns-3 code, where a message up to the first window does not wait behind others.
    fn join(&mut self, bytes: u64, now: Ns) -> Turn {
        if self.sent >= self.end {
            return Turn::After;
        }
        if bytes <= self.transport.common.initial_window_bytes {
            return Turn::Beside;
        }
        self.end = self.end.saturating_add(bytes);
        self.resume_ns = self.resume_ns.max(now);
        Turn::Joins
    }

    fn window_bytes(&self) -> Option<u64> {
        Some(self.control.window_bytes())
    }

    fn begin_with(&mut self, window_bytes: u64) {
        self.control.begin_with(window_bytes);
    }

    fn on_segment(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        match Message::read_segment(C::FORM, segment) {
            Some(message) => self.on_message(&message, now, io),
            None => self.counters.signals_refused += 1,
        }
    }

    fn on_own_segment(&mut self, segment: &OwnSegment, now: Ns, io: &mut Io) {
        match Message::read_own(C::FORM, segment) {
            Some(message) => self.on_message(&message, now, io),
            None => self.counters.signals_refused += 1,
        }
    }

    fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns) -> Verdict {
        let position = self.check_quench(quench);
        let verdict = match position {
            Err(refusal) => Verdict::Refused(refusal),
            Ok(_) if quench.marked => Verdict::AcceptedMarked,
            Ok(_) => Verdict::AcceptedDropped,
        };
        self.counters.quench.count(verdict);
        if let (Ok(position), true) = (position, self.transport.common.reacts) {
            let transport = Arc::clone(&self.transport);
            let flow = self.flow(&transport, now);
            let counters = &mut self.counters;
            match (
                self.control.on_quench(&flow, quench, position),
                quench.marked,
            ) {
                (false, _) => counters.suppressed_isq += 1,
                (true, true) => counters.reactions_isq_marked += 1,
                (true, false) => counters.reactions_isq_dropped += 1,
            }
        }
        verdict
    }

    fn on_timer(&mut self, now: Ns, io: &mut Io) {
        if self.timeout_at.is_some_and(|at| at <= now) {
            self.counters.timeouts += 1;
            self.go_back(now, |counters| &mut counters.reactions_rto);
        }
        self.transmit(now, io);
    }

    fn timer_ns(&self) -> Option<Ns> {
        let send_at = self.may_send().then_some(self.resume_ns);
        [send_at, self.timeout_at].into_iter().flatten().min()
    }

    fn is_finished(&self) -> bool {
        self.has_sent_all() && (self.received == 0 || self.fin_received)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn flight_bytes(&self) -> u64 {
        self.sent - self.acked
    }

    fn cwnd_pkts(&self) -> f64 {
        self.control.window_bytes() as f64 / f64::from(self.transport.common.segment_bytes)
    }

    fn srtt_ns(&self) -> Option<Ns> {
        self.rtt_ns
    }
}
