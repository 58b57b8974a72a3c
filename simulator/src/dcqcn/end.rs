// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One end of a connection: a sender that is paced by the rate machine, and a receiver.
//!
//! A NAK or a timeout sends everything from there on again. The last packet ends the stream, and its acknowledgement the
//! sender's part, so an end is finished when its own stream and that of the peer have ended. A receiver that is finished
//! still answers, for an ACK may be lost. Losses change no rate: DCQCN is made for networks without.

use std::sync::Arc;

use quench_dataplane::tm::{Rate, Transmitter};

use super::config::{Settings, Window};
use super::rate::{Cause, RateMachine};
use super::receiver::{Arrival, Receiver};
use super::signals::SwitchSignals;
use super::stream::{Packet, Stream};
use crate::packet::roce::{packet_bytes, RoceContent, RocePacket, NUMBER_MASK};
use crate::packet::{ecn, Advice, Refusal, Segment, SourceQuench, Verdict};
use crate::time::{Ns, NS_PER_S};
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket};

#[derive(Debug)]
pub(super) struct End {
    pub(super) settings: Arc<Settings>,
    opening: Opening,
    machine: RateMachine,
    pub(super) stream: Stream,
    receiver: Receiver,
    /// Paces the packets, and carries fractions of nanoseconds.
    pacer: Transmitter,
    /// The pace lets no packet be sent before.
    resume_ns: Ns,
    pub(super) timeout_at: Option<Ns>,
    /// A packet in flight, and when it was sent for the only time: its acknowledgement gives the RTT.
    pub(super) timed: Option<(u64, Ns)>,
    pub(super) rtt_ns: Option<Ns>,
    /// The time at which everything was sent again last because of a NAK.
    pub(super) went_back_ns: Option<Ns>,
    /// [`ConnectionEvent::Closed`] is reported.
    closed: bool,
    pub(super) counters: Counters,
}

impl End {
    pub fn new(settings: Arc<Settings>, opening: Opening, io: &mut Io) -> Self {
        io.events.push(ConnectionEvent::Established);
        Self {
            machine: RateMachine::new(&settings.rules),
            stream: Stream::new(settings.segment_bytes),
            settings,
            opening,
            receiver: Receiver::default(),
            pacer: Transmitter::default(),
            resume_ns: 0,
            timeout_at: None,
            timed: None,
            rtt_ns: None,
            went_back_ns: None,
            closed: false,
            counters: Counters::default(),
        }
    }

    /// No packet is sent before.
    fn send_at(&self) -> Ns {
        self.resume_ns.max(self.machine.paused_until())
    }

    /// The time at which everything in flight is sent again, which waits for the end of a pause.
    fn resend_at(&self) -> Option<Ns> {
        let paused_until = self.machine.paused_until();
        self.timeout_at.map(|at| at.max(paused_until))
    }

    /// The bytes that may be in flight at the rate of this moment.
    fn window(&self) -> u64 {
        match self.settings.window {
            Window::None => u64::MAX,
            Window::Fixed => self.settings.window_bytes,
            Window::Rate => {
                let bytes = u128::from(self.settings.window_bytes)
                    * u128::from(self.machine.rate_bps())
                    / u128::from(self.settings.rules.full_bps);
                // At least a byte: without it nothing would be sent, and no ACK would come.
                u64::try_from(bytes).unwrap_or(u64::MAX).max(1)
            }
        }
    }

    /// The packet to send, if the window is open: it is if a byte of the packet fits.
    fn next_packet(&self) -> Option<Packet> {
        let packet = self.stream.peek()?;
        (self.stream.outstanding_bytes() < self.window()).then_some(packet)
    }

    /// Sends what the window and the rate allow now.
    pub(super) fn transmit(&mut self, now: Ns, io: &mut Io) {
        self.advance(now);
        while now >= self.send_at() && io.may_send {
            let Some(packet) = self.next_packet() else {
                return;
            };
            self.send_packet(packet, now, io);
        }
    }

    fn send_packet(&mut self, packet: Packet, now: Ns, io: &mut Io) {
        let Packet {
            number,
            payload_bytes,
            last,
        } = packet;
        let content = RoceContent::Data {
            psn: number as u32 & NUMBER_MASK,
            first: number == 0,
            last,
            payload_bytes,
        };
        self.put(content, ecn::ECT0, self.settings.dscp, io);
        let again = self.stream.advance(packet);
        if payload_bytes > 0 {
            self.counters.data_pkts_sent += 1;
            self.counters.data_bytes_sent += u64::from(payload_bytes);
        }
        if again {
            self.counters.retransmitted_pkts += 1;
            self.counters.retransmitted_bytes += u64::from(payload_bytes);
        } else {
            self.timed.get_or_insert((number, now));
        }
        let settings = &self.settings;
        self.timeout_at
            .get_or_insert(now.saturating_add(settings.timeout_ns));
        let bytes = packet_bytes(settings.version, payload_bytes);
        let rate = Rate::bps(self.machine.rate_bps());
        self.resume_ns = self.pacer.occupy(now, rate, bytes);
        self.machine.on_sent(bytes);
    }

    /// Appends a packet to `io`.
    fn put(&self, content: RoceContent, ecn: u8, dscp: u8, io: &mut Io) {
        io.roce_packets.push(RocePacket {
            version: self.settings.version,
            source: self.opening.local,
            destination: self.opening.remote,
            content,
            ecn,
            dscp,
            hops: 0,
        });
    }

    fn put_cnp(&mut self, io: &mut Io) {
        self.counters.cnps_sent += 1;
        self.put(RoceContent::Cnp, ecn::NOT_ECT, self.settings.cnp_dscp, io);
    }

    /// Works out what the rate's timers have done, and counts the reactions by their causes.
    fn advance(&mut self, now: Ns) {
        self.machine.advance(now);
        for cause in self.machine.take_reactions() {
            *match cause {
                Cause::Receiver => &mut self.counters.reactions_ece,
                Cause::Switch => &mut self.counters.reactions_signal,
                Cause::QuenchOfMarked => &mut self.counters.reactions_isq_marked,
                Cause::QuenchOfDropped => &mut self.counters.reactions_isq_dropped,
            } += 1;
        }
    }

    /// A signal that has passed all checks. False: the sender's reaction would be the same without it.
    fn hear(&mut self, now: Ns, cause: Cause, advice: Advice) -> bool {
        let rtt_ns = self.rtt_ns.unwrap_or(self.settings.base_rtt_ns);
        let signals = self.settings.signals;
        let counts = signals.tell(&mut self.machine, now, rtt_ns, cause, advice);
        self.advance(now);
        counts
    }

    fn on_data(&mut self, packet: &RocePacket, now: Ns, io: &mut Io) {
        let RoceContent::Data {
            psn,
            first,
            last,
            payload_bytes,
        } = packet.content
        else {
            return;
        };
        let arrival = self.receiver.on_data(psn, first, last);
        if arrival == Arrival::Wrong {
            self.counters.signals_refused += 1;
            return;
        }
        let settings = Arc::clone(&self.settings);
        self.counters.data_pkts_received += u64::from(payload_bytes > 0);
        if packet.ecn == ecn::CE {
            self.counters.ce_received += 1;
            if self.receiver.on_mark(now, settings.cnp_interval_ns) {
                self.put_cnp(io);
            }
        }
        let answer = match arrival {
            Arrival::Ahead => self.receiver.nak(now, settings.nak_interval_ns),
            _ => Some(self.receiver.ack()),
        };
        if arrival == Arrival::Next {
            let bytes = u64::from(payload_bytes);
            self.counters.received_bytes += bytes;
            if bytes > 0 {
                io.events.push(ConnectionEvent::Received { bytes });
            }
            if last {
                io.events.push(ConnectionEvent::PeerClosed);
            }
        } else {
            self.counters.duplicate_pkts_received += u64::from(payload_bytes > 0);
        }
        if let Some(answer) = answer {
            match answer {
                RoceContent::Nak { .. } => self.counters.nacks_sent += 1,
                _ => self.counters.acks_sent += 1,
            }
            self.put(answer, ecn::NOT_ECT, settings.ack_dscp, io);
        }
        self.report_closing(io);
    }

    /// The peer's CNP. One that comes behind the last ACK is late; before anything was sent it is forged.
    fn on_cnp(&mut self, now: Ns) {
        self.counters.cnps_received += 1;
        if !self.stream.has_begun() || self.stream.has_ended() {
            self.counters.signals_refused += 1;
        } else if !self.hear(now, Cause::Receiver, Advice::None) {
            self.counters.suppressed_ece += 1;
        }
    }

    /// The checks that need the connection, as TCP makes them. What a quench quotes of RoCEv2 has no packet's number.
    fn check_quench(&self, quench: &SourceQuench) -> Result<Cause, Refusal> {
        let quote = quench.quote?;
        if quote.source != self.opening.local || quote.destination != self.opening.remote {
            return Err(Refusal::NoSocket);
        }
        if self.settings.signals.switch == SwitchSignals::Ignore {
            return Err(Refusal::NotListening);
        }
        match (self.stream.flight_pkts(), quench.marked) {
            (0, _) => Err(Refusal::NotInFlight),
            (_, true) => Ok(Cause::QuenchOfMarked),
            (_, false) => Ok(Cause::QuenchOfDropped),
        }
    }

    pub(super) fn report_closing(&mut self, io: &mut Io) {
        if self.is_finished() && !self.closed {
            self.closed = true;
            io.events.push(ConnectionEvent::Closed);
        }
    }
}

impl Socket for End {
    /// The packets leave at the timer that is due now: after it the source may have closed, and the last packet with data
    /// ends the stream.
    fn send(&mut self, bytes: u64, now: Ns, _io: &mut Io) {
        self.stream.append(bytes);
        self.resume_ns = self.resume_ns.max(now);
    }

    fn close(&mut self, now: Ns, io: &mut Io) {
        if self.stream.close() {
            self.resume_ns = self.resume_ns.max(now);
            self.report_closing(io);
        }
    }

    /// A segment of TCP is nobody's here.
    fn on_segment(&mut self, _segment: &Segment, _now: Ns, _io: &mut Io) {
        self.counters.signals_refused += 1;
    }

    fn on_roce_packet(&mut self, packet: &RocePacket, now: Ns, io: &mut Io) {
        match packet.content {
            RoceContent::Data { .. } => self.on_data(packet, now, io),
            RoceContent::Ack { psn, .. } => {
                self.on_answer(psn.wrapping_add(1) & NUMBER_MASK, false, now, io);
            }
            RoceContent::Nak { psn, .. } => self.on_answer(psn & NUMBER_MASK, true, now, io),
            RoceContent::Cnp => self.on_cnp(now),
        }
    }

    fn on_switch_cnp(&mut self, advice: Advice, now: Ns) {
        self.counters.signals_received += 1;
        match self.stream.flight_pkts() {
            0 => self.counters.signals_refused += 1,
            _ => {
                self.hear(now, Cause::Switch, advice);
            }
        }
    }

    fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns) -> Verdict {
        let checked = self.check_quench(quench);
        let verdict = match checked {
            Err(refusal) => Verdict::Refused(refusal),
            Ok(_) if quench.marked => Verdict::AcceptedMarked,
            Ok(_) => Verdict::AcceptedDropped,
        };
        self.counters.quench.count(verdict);
        if let Ok(cause) = checked {
            let counts = self.hear(now, cause, quench.advice);
            self.counters.suppressed_isq += u64::from(!counts);
        }
        verdict
    }

    fn on_timer(&mut self, now: Ns, io: &mut Io) {
        if self.receiver.pays_cnp(now, self.settings.cnp_interval_ns) {
            self.put_cnp(io);
        }
        if self.resend_at().is_some_and(|at| at <= now) {
            self.counters.timeouts += 1;
            self.go_back(now);
        }
        self.transmit(now, io);
    }

    fn timer_ns(&self) -> Option<Ns> {
        let send_at = self.next_packet().map(|_| self.send_at());
        let times = [send_at, self.resend_at(), self.receiver.cnp_at()];
        times.into_iter().flatten().min()
    }

    fn is_finished(&self) -> bool {
        self.stream.has_ended() && (!self.receiver.has_begun() || self.receiver.has_ended())
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn flight_bytes(&self) -> u64 {
        self.stream.flight_bytes()
    }

    /// Without a window: what the rate carries in the base RTT.
    fn cwnd_pkts(&self) -> f64 {
        let bytes = match self.settings.window {
            Window::None => {
                let bits = self.machine.rate_bps() as f64 * self.settings.base_rtt_ns as f64;
                bits / 8.0 / NS_PER_S as f64
            }
            _ => self.window() as f64,
        };
        bytes / f64::from(self.settings.segment_bytes)
    }

    fn srtt_ns(&self) -> Option<Ns> {
        self.rtt_ns
    }
}
