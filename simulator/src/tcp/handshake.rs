// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The handshake: SYN, SYN-ACK, and the agreement on ECN, SACK and window scaling.

use super::accecn::{ecn_bits, flags_of, ASKS_FOR_ACCECN, ASKS_FOR_RFC3168, GRANTS_RFC3168};
use super::ack::AckSignals;
use super::config::{EcnMode, Recovery};
use super::connection::{Connection, State};
use super::echo::{Echo, Marks};
use crate::packet::{Flags, Options, Segment};
use crate::time::{Ns, NS_PER_S};
use crate::transport::{ConnectionEvent, Io};

/// A SYN asks so many times for Accurate ECN, and then for no ECN (RFC 9768 section 3.1.4.1).
const ACCECN_SYNS: u32 = 2;
/// The RTO with which data transmission begins after a SYN was sent again with a shorter one (RFC 6298 section 5.7).
const CAUTIOUS_RTO_NS: Ns = 3 * NS_PER_S;

impl Connection {
    /// Sends the SYN or SYN-ACK, for the first time or again.
    pub(super) fn send_syn(&mut self, now: Ns, io: &mut Io) {
        let answers = self.state == State::SynReceived;
        let first_time = self.sender.max == 0;
        self.sender.syns_resent += u32::from(!first_time);
        let flags = if answers {
            Flags::SYN | Flags::ACK | self.granting_flags()
        } else {
            Flags::SYN | self.asking_flags()
        };
        let is_mecn = if answers {
            matches!(self.echo, Echo::Mecn(_))
        } else {
            self.stack.ecn == EcnMode::Mecn
        };
        let window = self.stack.max_window_bytes().min(u16::MAX.into()) as u16;
        self.sender.next = 1;
        self.sender.max = 1;
        self.sender.timed = first_time.then_some((1, now));
        self.sender.last_sent = now;
        io.segments.push(Segment {
            source: self.local,
            destination: self.remote,
            seq: self.sender.iss,
            ack: if answers { self.receiver_ack() } else { 0 },
            flags,
            window,
            options: Options {
                mss: Some(self.stack.segment_bytes.min(u16::MAX.into()) as u16),
                window_scale: (!answers || self.window_shifts.1 > 0 || self.window_shifts.0 > 0)
                    .then_some(self.stack.window_shift),
                sack_permitted: if answers {
                    self.sack
                } else {
                    self.stack.recovery == Recovery::Sack
                },
                mecn: is_mecn,
                ..Options::default()
            },
            dscp: self.stack.dscp,
            ..Segment::default()
        });
        self.start_timer(now);
    }

    fn asking_flags(&self) -> Flags {
        flags_of(match self.stack.ecn {
            EcnMode::Off => 0,
            EcnMode::AccEcn if self.sender.syns_resent >= ACCECN_SYNS => 0,
            EcnMode::AccEcn => ASKS_FOR_ACCECN,
            EcnMode::Rfc3168 | EcnMode::Mecn | EcnMode::Accurate => ASKS_FOR_RFC3168,
        })
    }

    fn granting_flags(&self) -> Flags {
        match &self.echo {
            Echo::Off => Flags::default(),
            Echo::AccEcn(accecn) => accecn.handshake_flags(),
            Echo::Rfc3168 { .. } | Echo::Accurate { .. } | Echo::Mecn(_) => {
                flags_of(GRANTS_RFC3168)
            }
        }
    }

    /// A segment with SYN.
    pub(super) fn on_syn(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        match (self.state, segment.flags.has(Flags::ACK)) {
            (State::SynSent, true) => self.on_syn_ack(segment, now, io),
            (State::SynReceived, false) => {
                if self.receiver.irs.is_none() {
                    self.note_syn(segment);
                    self.agree_on_ecn(asked(self.stack.ecn, segment));
                } else if self.contradicts(segment) {
                    return self.reset(io);
                }
                let is_same = self.receiver.irs == Some(segment.seq);
                if let Some(accecn) = self.echo.accecn().filter(|_| is_same) {
                    accecn.on_syn(segment);
                }
                self.send_syn(now, io);
            }
            // Our ACK was lost, if no data has arrived since. A peer that has sent data reads the counter.
            (State::Open | State::Closed, true) => {
                let is_same = self.receiver.irs == Some(segment.seq) && self.receiver.next == 1;
                if let Some(accecn) = self.echo.accecn().filter(|_| is_same) {
                    accecn.on_syn_ack(segment);
                }
                self.send_bare_ack(is_same, io);
            }
            _ => {}
        }
    }

    /// Does a SYN ask for ECN by RFC 3168 where one before asked for Accurate ECN, or the other way round? The peers
    /// could not know what they agreed on (RFC 9768 section 3.1.5).
    fn contradicts(&self, segment: &Segment) -> bool {
        if self.stack.ecn != EcnMode::AccEcn || self.receiver.irs != Some(segment.seq) {
            return false;
        }
        match asked(EcnMode::AccEcn, segment) {
            EcnMode::AccEcn => matches!(self.echo, Echo::Rfc3168 { .. }),
            EcnMode::Rfc3168 => matches!(self.echo, Echo::AccEcn(_)),
            _ => false,
        }
    }

    fn reset(&mut self, io: &mut Io) {
        io.segments.push(Segment {
            source: self.local,
            destination: self.remote,
            seq: self.sender.seq(self.sender.max),
            ack: self.receiver_ack(),
            flags: Flags::RST | Flags::ACK,
            dscp: self.stack.dscp,
            ..Segment::default()
        });
        self.fail(io);
    }

    fn on_syn_ack(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        if self.sender.position(segment.ack) != Some(1) {
            return;
        }
        self.note_syn(segment);
        self.agree_on_ecn(granted(self.stack.ecn, segment));
        self.establish(now, io);
        if let Some(accecn) = self.echo.accecn() {
            accecn.on_syn_ack(segment);
            if accecn.read_syn_ack(segment) {
                let signals = AckSignals {
                    marks: Marks::counted(1),
                    ..AckSignals::default()
                };
                self.run_algorithm(&signals, now);
            }
        }
        self.send_bare_ack(true, io);
        self.transmit(None, now, io);
        self.report_closing(now, io);
    }

    /// Takes over the settings in the peer's SYN or SYN-ACK.
    fn note_syn(&mut self, segment: &Segment) {
        self.receiver.irs = Some(segment.seq);
        self.receiver.next = 1;
        self.sack = self.stack.recovery == Recovery::Sack && segment.options.sack_permitted;
        if let Some(shift) = segment.options.window_scale {
            self.window_shifts = (shift, self.stack.window_shift);
        }
        self.sender.peer_window = segment.window.into();
        if let Some(mss) = segment.options.mss {
            self.sender.segment_bytes = self.stack.segment_bytes.min(u32::from(mss).max(1));
        }
    }

    /// Our SYN has been acknowledged.
    pub(super) fn establish(&mut self, now: Ns, io: &mut Io) {
        self.state = State::Open;
        self.sender.una = 1;
        self.sender.timeouts_in_row = 0;
        self.sender.rto_at = None;
        if let Some((_, sent)) = self.sender.timed.take() {
            self.sender.estimator.sample(sent, now);
            self.sender.estimator.end_back_off();
        }
        self.begin_cautiously();
        io.events.push(ConnectionEvent::Established);
    }

    /// After a handshake in which the SYN or SYN-ACK was sent again: it gave no RTT, and may have been lost.
    fn begin_cautiously(&mut self) {
        let resent = self.sender.syns_resent;
        let is_short = self.stack.timer.initial_ns < CAUTIOUS_RTO_NS;

        if resent > 0 && is_short {
            self.sender.estimator.start_again(CAUTIOUS_RTO_NS);
        }
        // With a short RTO a SYN that is sent again once says little: the round trip may just be longer.
        if resent > u32::from(is_short) {
            self.sender.window.limit(1);
        }
    }
}

/// The ECN variant of a server that gets this SYN. RFC 3168 knows nothing of AE; Accurate ECN takes the combinations
/// that nobody sends for its own (RFC 9768 sections 3.1.2 and 3.1.3).
fn asked(own: EcnMode, syn: &Segment) -> EcnMode {
    let bits = ecn_bits(syn.flags);

    match own {
        EcnMode::AccEcn if bits == ASKS_FOR_RFC3168 => EcnMode::Rfc3168,
        EcnMode::AccEcn if bits != 0 => own,
        EcnMode::AccEcn => EcnMode::Off,
        _ if !syn.flags.has(Flags::CWR | Flags::ECE) => EcnMode::Off,
        _ => known_to_both(own, syn),
    }
}

/// The ECN variant of a client that gets this SYN-ACK.
fn granted(own: EcnMode, syn_ack: &Segment) -> EcnMode {
    let bits = ecn_bits(syn_ack.flags);

    match own {
        EcnMode::AccEcn if bits == GRANTS_RFC3168 => EcnMode::Rfc3168,
        // Some servers send the flags of the SYN back.
        EcnMode::AccEcn if bits == 0 || bits == ASKS_FOR_ACCECN => EcnMode::Off,
        EcnMode::AccEcn => own,
        _ if !syn_ack.flags.has(Flags::ECE) || syn_ack.flags.has(Flags::CWR) => EcnMode::Off,
        _ => known_to_both(own, syn_ack),
    }
}

fn known_to_both(own: EcnMode, segment: &Segment) -> EcnMode {
    match own {
        EcnMode::Mecn if !segment.options.mecn => EcnMode::Rfc3168,
        own => own,
    }
}
