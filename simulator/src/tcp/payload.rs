// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Segments with data or a FIN that arrive.

use super::connection::{Connection, IMPLICIT_ISS_STEP};
use super::echo::Echo;
use crate::packet::{Flags, Segment};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Io};

impl Connection {
    /// Accurate ECN: counts the mark of a segment, if it is acceptable. Returns whether an ACK is due at once.
    pub(super) fn count_marks(&mut self, segment: &Segment) -> bool {
        let waits = self.receiver.unacked_segments > 0;
        let acks_acks = self.sack;

        if !matches!(self.echo, Echo::AccEcn(_)) || !self.is_acceptable(segment) {
            return false;
        }
        self.echo
            .accecn()
            .is_some_and(|accecn| accecn.on_arrival(segment, waits, acks_acks))
    }

    /// RFC 9293 section 3.10.7.4: is a part of it within the receive window, and does it acknowledge nothing that was
    /// not sent?
    fn is_acceptable(&self, segment: &Segment) -> bool {
        let acks_what_was_sent = self
            .sender
            .position(segment.ack)
            .is_some_and(|ack| ack <= self.sender.max);
        let bytes = u64::from(segment.payload_bytes) + u64::from(segment.flags.has(Flags::FIN));
        let next = self.receiver.next;

        // Without a handshake the first segment tells where the stream begins.
        let in_window = self.receiver.irs.is_none()
            || self.received_position(segment.seq).is_some_and(|first| {
                first < next + self.stack.max_window_bytes() && first + bytes >= next + bytes.min(1)
            });
        in_window && acks_what_was_sent
    }

    /// Reads the mark and the CWR of a segment with data, before the ACK in the same segment is read. If the mark
    /// changes the echo, a pending ACK is sent first, with the old echo (RFC 8257 section 3.2).
    pub(super) fn on_data_flags(&mut self, segment: &Segment, io: &mut Io) {
        if segment.payload_bytes == 0 {
            return;
        }
        self.counters.data_pkts_received += 1;
        if self.echo.changes_with(segment) {
            if self.receiver.unacked_segments > 0 {
                self.send_ack(io);
            }
            self.receiver.ack_now = true;
        }
        self.echo.on_data(segment, &mut self.counters);
    }

    pub(super) fn on_payload(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        let has_fin = segment.flags.has(Flags::FIN);

        if segment.payload_bytes == 0 && !has_fin {
            return;
        }
        if self.receiver.irs.is_none() {
            self.receiver.irs = Some(segment.seq & !(IMPLICIT_ISS_STEP - 1));
        }
        let Some(first) = self.received_position(segment.seq) else {
            return;
        };
        let data_end = first + u64::from(segment.payload_bytes);
        let end = data_end + u64::from(has_fin);
        let had_fin = self.receiver.fin_reached();
        if has_fin {
            self.receiver.fin_at = Some(data_end);
            self.receiver.ack_now = true;
        }
        let window_end = self.receiver.next + self.stack.max_window_bytes() + 1;
        let arrival = self.receiver.on_data(first, end, window_end);
        self.counters.duplicate_pkts_received += u64::from(arrival.duplicate);
        let fin_byte = u64::from(!had_fin && self.receiver.fin_reached());
        let bytes = arrival.delivered - fin_byte;
        if bytes > 0 {
            self.counters.received_bytes += bytes;
            io.events.push(ConnectionEvent::Received { bytes });
        }
        self.receiver.delay_ack(self.stack.delayed_ack_ns, now);
    }

    /// The position in the peer's stream of a sequence number.
    fn received_position(&self, seq: u32) -> Option<u64> {
        let next = self.receiver.next;
        let irs = self.receiver.irs?;
        let distance = seq.wrapping_sub(irs.wrapping_add(next as u32)) as i32;

        next.checked_add_signed(distance.into())
    }
}
