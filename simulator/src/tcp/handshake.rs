// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The handshake: SYN, SYN-ACK, and the agreement on ECN, SACK and window scaling.

use super::config::{EcnMode, Recovery};
use super::connection::{Connection, State};
use crate::packet::{Flags, Options, Segment};
use crate::time::{Ns, NS_PER_S};
use crate::transport::{ConnectionEvent, Io};

// Negotiation of ECN by the flags of SYN and SYN-ACK (RFC 3168 section 6.1.1).
const ECN_FLAGS: Flags = Flags(Flags::ECE.0 | Flags::CWR.0 | Flags::AE.0);
const ASKS_FOR_ECN: Flags = Flags(Flags::ECE.0 | Flags::CWR.0);
const GRANTS_ECN: Flags = Flags::ECE;
/// The RTO with which data transmission begins after a SYN was sent again with a shorter one (RFC 6298 section 5.7).
const CAUTIOUS_RTO_NS: Ns = 3 * NS_PER_S;

impl Connection {
    /// Sends the SYN or SYN-ACK, for the first time or again.
    pub(super) fn send_syn(&mut self, now: Ns, io: &mut Io) {
        let answers = self.state == State::SynReceived;
        let ecn = if answers {
            self.echo.is_on()
        } else {
            self.stack.ecn != EcnMode::Off
        };
        let flags = match (answers, ecn) {
            (false, false) => Flags::SYN,
            (false, true) => Flags::SYN | ASKS_FOR_ECN,
            (true, false) => Flags::SYN | Flags::ACK,
            (true, true) => Flags::SYN | Flags::ACK | GRANTS_ECN,
        };
        let is_mecn = if answers {
            matches!(self.echo, super::echo::Echo::Mecn(_))
        } else {
            self.stack.ecn == EcnMode::Mecn
        };
        let window = self.stack.max_window_bytes().min(u16::MAX.into()) as u16;
        let first_time = self.sender.max == 0;

        self.sender.next = 1;
        self.sender.max = 1;
        self.sender.timed = first_time.then_some((1, now));
        self.sender.syns_resent += u32::from(!first_time);
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

    /// A segment with SYN.
    pub(super) fn on_syn(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        match (self.state, segment.flags.has(Flags::ACK)) {
            (State::SynSent, true) => self.on_syn_ack(segment, now, io),
            (State::SynReceived, false) => {
                if self.receiver.irs.is_none() {
                    self.note_syn(segment);
                    self.agree_on_ecn(agreed(self.stack.ecn, segment, ASKS_FOR_ECN));
                }
                self.send_syn(now, io);
            }
            // Our ACK was lost.
            (State::Open | State::Closed, true) => self.send_ack(io),
            _ => {}
        }
    }

    fn on_syn_ack(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        if self.sender.position(segment.ack) != Some(1) {
            return;
        }
        self.note_syn(segment);
        self.agree_on_ecn(agreed(self.stack.ecn, segment, GRANTS_ECN));
        self.establish(now, io);
        self.send_ack(io);
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

/// The ECN variant that both ends know: our own setting, limited by the peer's SYN or SYN-ACK.
fn agreed(own: EcnMode, segment: &Segment, flags: Flags) -> EcnMode {
    match own {
        _ if segment.flags.only(ECN_FLAGS) != flags => EcnMode::Off,
        EcnMode::Mecn if !segment.options.mecn => EcnMode::Rfc3168,
        own => own,
    }
}
