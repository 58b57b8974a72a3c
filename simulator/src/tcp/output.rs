// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Transmission: data as far as the windows allow, ACKs, and the retransmission timer.

use super::accecn::ECN_FLAGS;
use super::config::{Ect, Recovery, SenderRules};
use super::connection::{Connection, State};
use super::echo::Echo;
use super::sender::LastCut;
use crate::packet::{ecn, Flags, Options, SackBlocks, Segment};
use crate::time::Ns;
use crate::transport::Io;

impl Connection {
    /// Sends the data that the windows allow, at most `burst` segments.
    pub(super) fn transmit(&mut self, burst: Option<u32>, now: Ns, io: &mut Io) {
        if self.state != State::Open {
            return;
        }
        if self.sack && self.sender.in_recovery {
            return self.transmit_in_sack_recovery(now, io);
        }
        let mut sent = 0;
        let mut stopped = false;
        while burst.is_none_or(|burst| sent < burst) {
            self.skip_sacked();
            let position = self.sender.next;
            let bytes = self.segment_at(position);
            if bytes == 0 {
                self.send_bare_fin(now, io);
                break;
            }
            if !self.fits(position, bytes) {
                stopped = true;
                break;
            }
            self.send_data(position, bytes, now, io);
            self.sender.next = position + bytes;
            sent += 1;
        }
        self.note_usage(stopped);
        // A closed window opens only when the timer fires.
        if stopped && self.sender.rto_at.is_none() {
            self.start_timer(now);
        }
    }

    pub(super) fn note_usage(&mut self, stopped: bool) {
        let flight_pkts = self.sender.flight().div_ceil(self.mss());
        let (una, max) = (self.sender.una, self.sender.max);

        self.sender.usage.note(stopped, flight_pkts, una, max);
    }

    pub(super) fn mss(&self) -> u64 {
        self.sender.segment_bytes.into()
    }

    /// Payload of a segment that begins here: a full one, unless the stream ends or the following bytes are sacked.
    pub(super) fn segment_at(&self, position: u64) -> u64 {
        let sender = &self.sender;
        let mut bytes = self.mss().min(sender.end.saturating_sub(position));

        if position < sender.max {
            if let Some(next) = sender.sacked.next_start(position) {
                bytes = bytes.min(next - position);
            }
        }
        bytes
    }

    /// After a timeout: sacked bytes are not sent again.
    fn skip_sacked(&mut self) {
        if self.sender.next < self.sender.max {
            self.sender.next = self.sender.sacked.first_outside(self.sender.next);
        }
    }

    /// Does the segment fit into the windows?
    fn fits(&self, position: u64, bytes: u64) -> bool {
        let sender = &self.sender;
        let allowed_pkts = (u64::from(sender.window.whole_pkts())
            + u64::from(sender.inflation + self.limited_transmit_pkts()))
        .min(self.stack.max_window_pkts.into());
        let in_network = if self.sack && self.stack.limited_transmit || position < sender.max {
            sender.in_network()
        } else {
            position - sender.una
        };

        in_network + bytes <= allowed_pkts * self.mss()
            && position + bytes <= sender.una + sender.peer_window.max(self.mss())
    }

    /// RFC 3042: one more segment for each of the first duplicate ACKs. With SACK, duplicate ACKs reduce the bytes in
    /// the network instead.
    fn limited_transmit_pkts(&self) -> u32 {
        let sender = &self.sender;
        let applies = self.stack.limited_transmit
            && !self.sack
            && !sender.in_recovery
            && sender.inflation == 0
            && sender.next == sender.max;

        if applies {
            sender.dupacks.min(self.stack.dupack_threshold - 1)
        } else {
            0
        }
    }

    /// Sends a segment with data, for the first time or again, and with the FIN if the stream ends with it.
    pub(super) fn send_data(&mut self, position: u64, bytes: u64, now: Ns, io: &mut Io) {
        let is_new = position >= self.sender.max;
        let end = position + bytes;
        let ends_stream = self.sender.has_fin && end == self.sender.end;
        let mut flags = Flags::default();

        if end == self.sender.end {
            flags = flags | Flags::PSH;
        }
        if ends_stream {
            flags = flags | Flags::FIN;
        }
        self.counters.data_pkts_sent += 1;
        self.counters.data_bytes_sent += bytes;
        if is_new {
            self.sender.timed.get_or_insert((end, now));
        } else {
            self.counters.retransmitted_pkts += 1;
            self.counters.retransmitted_bytes += bytes;
            // Karn's algorithm: an ACK could be for either transmission.
            if self
                .sender
                .timed
                .is_some_and(|(timed, _)| timed > position && self.stack.sender == SenderRules::Rfc)
            {
                self.sender.timed = None;
            }
        }
        let reduced = self.sender.cwr_due && (is_new || self.stack.cwr_on_retransmissions);
        if reduced {
            self.sender.cwr_due = false;
            self.counters.cwr_sent += u64::from(self.echo.has_cwr());
        }
        let idle = self.sender.una == self.sender.max;
        self.sender.max = self.sender.max.max(end + u64::from(ends_stream));
        self.sender.last_sent = now;
        self.put(
            position,
            bytes as u32,
            flags,
            self.ecn_of_data(position, is_new),
            reduced,
            io,
        );
        if idle || self.sender.rto_at.is_none() {
            self.start_timer(now);
        }
    }

    /// Sends the FIN in a segment without data.
    fn send_bare_fin(&mut self, now: Ns, io: &mut Io) {
        let position = self.sender.end;

        if !self.sender.has_fin || self.sender.next != position || self.sender.una > position {
            return;
        }
        if self.sender.next < self.sender.max
            && self.sender.rto_at.is_some()
            && self.sender.last_cut != LastCut::Timeout
        {
            return;
        }
        self.sender.next = position + 1;
        self.sender.max = self.sender.max.max(position + 1);
        self.sender.last_sent = now;
        self.put(position, 0, Flags::FIN, self.ecn_of_ack(), false, io);
        if self.sender.rto_at.is_none() {
            self.start_timer(now);
        }
    }

    /// Sends an ACK without data.
    pub(super) fn send_ack(&mut self, io: &mut Io) {
        self.counters.acks_sent += 1;
        self.put(
            self.sender.next.max(self.sender.una),
            0,
            Flags::default(),
            self.ecn_of_ack(),
            false,
            io,
        );
    }

    /// Sends an ACK without data and SACK blocks that answers a SYN-ACK, or ACKs.
    pub(super) fn send_bare_ack(&mut self, answers_syn_ack: bool, io: &mut Io) {
        let flags = self
            .echo
            .accecn()
            .filter(|_| answers_syn_ack)
            .map(|accecn| accecn.handshake_flags());

        self.send_ack(io);
        if let Some(segment) = io.segments.last_mut() {
            segment.options.sack = SackBlocks::default();
            if let Some(flags) = flags {
                segment.flags = segment.flags.without(ECN_FLAGS) | flags;
            }
        }
    }

    /// The packets that are ECN-capable, and as what.
    fn ect(&self) -> Option<(Ect, u8)> {
        match &self.echo {
            Echo::AccEcn(accecn) if !accecn.sends_ect => None,
            Echo::AccEcn(_) if self.stack.is_l4s => Some((self.stack.ect, ecn::ECT1)),
            Echo::Off if !self.stack.ect_without_ecn => None,
            // RFC 3168 section 6.1.5.
            _ if self.stack.is_l4s => Some((Ect::NewData, ecn::ECT0)),
            _ => Some((self.stack.ect, ecn::ECT0)),
        }
    }

    fn ecn_of_data(&self, position: u64, is_new: bool) -> u8 {
        // Without a handshake the first segment stands for a SYN, as in ns-2.
        let stands_for_syn = !self.stack.handshake && position == 0;

        match self.ect() {
            Some((ect, codepoint)) if (is_new || ect >= Ect::Data) && !stands_for_syn => codepoint,
            _ => ecn::NOT_ECT,
        }
    }

    fn ecn_of_ack(&self) -> u8 {
        match self.ect() {
            Some((Ect::All, codepoint)) => codepoint,
            _ => ecn::NOT_ECT,
        }
    }

    /// The acknowledgement number.
    pub(super) fn receiver_ack(&self) -> u32 {
        self.receiver
            .irs
            .map_or(0, |irs| irs.wrapping_add(self.receiver.next as u32))
    }

    fn put(
        &mut self,
        position: u64,
        bytes: u32,
        flags: Flags,
        ecn: u8,
        reduced: bool,
        io: &mut Io,
    ) {
        let mut options = Options::default();
        let mut flags = flags.with(self.echo.flags(reduced));

        if self.receiver.irs.is_some() {
            flags = flags | Flags::ACK;
            if self.sack {
                options.sack = self.receiver.sack_blocks();
            }
            self.receiver.acked();
            if let Some(accecn) = self.echo.accecn() {
                accecn.acked();
            }
        }
        io.segments.push(Segment {
            source: self.local,
            destination: self.remote,
            seq: self.sender.seq(position),
            ack: self.receiver_ack(),
            flags,
            window: (self.stack.max_window_bytes() >> self.window_shifts.1).min(u16::MAX.into())
                as u16,
            options,
            payload_bytes: bytes,
            ecn,
            dscp: self.stack.dscp,
            hops: 0,
            tag: None,
        });
    }

    /// Starts the retransmission timer, or restarts it.
    pub(super) fn start_timer(&mut self, now: Ns) {
        self.sender.rto_at = Some(now + self.sender.estimator.rto_ns());
    }

    /// To be called after progress: the timer runs while data is in flight, or while the window is closed and data
    /// waits.
    pub(super) fn restart_timer(&mut self, now: Ns) {
        let sender = &self.sender;
        let waits = sender.window.whole_pkts() == 0 && sender.next < sender.end;

        if sender.una < sender.max || waits {
            self.start_timer(now);
        } else {
            self.sender.rto_at = None;
        }
    }

    /// Sends the first unacknowledged segment again.
    pub(super) fn resend_first(&mut self, now: Ns, io: &mut Io) {
        let position = self.sender.una;
        let bytes = self.segment_at(position).min(self.sender.max - position);

        if bytes > 0 {
            self.send_data(position, bytes, now, io);
        } else if self.stack.recovery != Recovery::Sack {
            self.resend_fin(now, io);
        }
    }

    fn resend_fin(&mut self, now: Ns, io: &mut Io) {
        self.put(self.sender.una, 0, Flags::FIN, self.ecn_of_ack(), false, io);
        self.sender.last_sent = now;
    }
}
