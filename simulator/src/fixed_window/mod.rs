// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A transport with a fixed window: cumulative acknowledgements, go-back-N after a fixed time, and no reaction to
//! congestion.
//!
//! It is the example of docs/how-to/add-a-transport.md, and the traffic that does not give way. There is no handshake
//! and no FIN: the first data opens the connection, sequence numbers count bytes from 0, and the end that has closed is
//! finished when all its data is acknowledged.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::packet::{Flags, Refusal, Segment, SourceQuench, Verdict};
use crate::time::Ns;
use crate::transport::settings::{between, check_segment_bytes, seconds};
use crate::transport::{ConnectionEvent, Counters, Io, Opening, Socket, Transport};

/// Settings of a stack with `"transport": "fixed-window"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedWindowConfig {
    /// Full segments that may be in flight.
    pub window_pkts: u32,
    /// Payload of a full segment.
    pub segment_bytes: u32,
    /// Time without an acknowledgement of new data after which everything in flight is sent again.
    pub timeout_s: f64,
}

/// The settings, checked.
#[derive(Debug)]
pub struct FixedWindow {
    segment_bytes: u32,
    window_bytes: u64,
    timeout_ns: Ns,
}

impl FixedWindow {
    pub fn new(config: &FixedWindowConfig) -> Result<Self, Error> {
        between("window_pkts", config.window_pkts, 1, 1 << 16)?;
        check_segment_bytes(config.segment_bytes)?;
        Ok(Self {
            segment_bytes: config.segment_bytes,
            window_bytes: u64::from(config.window_pkts) * u64::from(config.segment_bytes),
            timeout_ns: seconds("timeout_s", config.timeout_s, 3600.0)?,
        })
    }
}

impl Transport for FixedWindow {
    fn segment_bytes(&self) -> u32 {
        self.segment_bytes
    }

    fn open(self: Arc<Self>, opening: Opening, _now: Ns, io: &mut Io) -> Box<dyn Socket> {
        Box::new(End::new(self, opening, io))
    }

    fn accept(
        self: Arc<Self>,
        opening: Opening,
        first: &Segment,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        if first.payload_bytes == 0 {
            return None;
        }
        let mut end = End::new(self, opening, io);
        end.on_segment(first, now, io);
        Some(Box::new(end))
    }
}

/// One end. Positions count the bytes of a stream from 0.
#[derive(Debug)]
struct End {
    transport: Arc<FixedWindow>,
    opening: Opening,
    /// Everything before this position is acknowledged.
    acked: u64,
    /// The next byte to send: less than `sent` after a timeout.
    next: u64,
    /// The end of everything sent so far.
    sent: u64,
    /// The end of the data to send; [`u64::MAX`]: without end.
    end: u64,
    closing: bool,
    timeout_at: Option<Ns>,
    /// Everything before this position of the peer's stream has arrived.
    received: u64,
    counters: Counters,
}

impl End {
    fn new(transport: Arc<FixedWindow>, opening: Opening, io: &mut Io) -> Self {
        io.events.push(ConnectionEvent::Established);
        Self {
            transport,
            opening,
            acked: 0,
            next: 0,
            sent: 0,
            end: 0,
            closing: false,
            timeout_at: None,
            received: 0,
            counters: Counters::default(),
        }
    }

    /// Sends what the window allows.
    fn fill_window(&mut self, now: Ns, io: &mut Io) {
        let segment_bytes = u64::from(self.transport.segment_bytes);
        let end = self.end.min(self.acked + self.transport.window_bytes);
        while self.next < end {
            let bytes = segment_bytes.min(end - self.next);
            self.counters.data_pkts_sent += 1;
            self.counters.data_bytes_sent += bytes;
            if self.next < self.sent {
                self.counters.retransmitted_pkts += 1;
                self.counters.retransmitted_bytes += bytes;
            }
            self.put(self.next, bytes as u32, io);
            self.next += bytes;
            self.sent = self.sent.max(self.next);
        }
        if self.next > self.acked {
            self.timeout_at
                .get_or_insert(now + self.transport.timeout_ns);
        }
    }

    fn put(&self, position: u64, payload_bytes: u32, io: &mut Io) {
        io.segments.push(Segment {
            source: self.opening.local,
            destination: self.opening.remote,
            seq: position as u32,
            ack: self.received as u32,
            flags: Flags::ACK,
            payload_bytes,
            ..Segment::default()
        });
    }

    fn on_ack(&mut self, ack: u32, now: Ns, io: &mut Io) {
        let bytes = u64::from(ack.wrapping_sub(self.acked as u32));
        if bytes == 0 || bytes > self.flight_bytes() {
            return;
        }
        self.acked += bytes;
        self.next = self.next.max(self.acked);
        self.timeout_at = None;
        self.counters.acked_bytes += bytes;
        io.events.push(ConnectionEvent::Acked { bytes });
        self.fill_window(now, io);
        self.report_closing(io);
    }

    /// Takes the segment that is next, and no other: go-back-N.
    fn on_data(&mut self, segment: &Segment, io: &mut Io) {
        self.counters.data_pkts_received += 1;
        if segment.seq == self.received as u32 {
            let bytes = u64::from(segment.payload_bytes);
            self.received += bytes;
            self.counters.received_bytes += bytes;
            io.events.push(ConnectionEvent::Received { bytes });
        } else {
            self.counters.duplicate_pkts_received += 1;
        }
        self.counters.acks_sent += 1;
        self.put(self.next, 0, io);
    }

    fn report_closing(&self, io: &mut Io) {
        if self.is_finished() {
            io.events.push(ConnectionEvent::Closed);
        }
    }
}

impl Socket for End {
    fn send(&mut self, bytes: u64, now: Ns, io: &mut Io) {
        if !self.closing {
            self.end = self.end.saturating_add(bytes);
            self.fill_window(now, io);
        }
    }

    fn close(&mut self, _now: Ns, io: &mut Io) {
        if self.closing {
            return;
        }
        if self.end == u64::MAX {
            self.end = self.sent;
        }
        self.closing = true;
        self.report_closing(io);
    }

    fn on_segment(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        self.on_ack(segment.ack, now, io);
        if segment.payload_bytes > 0 {
            self.on_data(segment, io);
        }
    }

    fn on_source_quench(&mut self, _quench: &SourceQuench, _now: Ns) -> Verdict {
        let verdict = Verdict::Refused(Refusal::NotListening);
        self.counters.quench.count(verdict);
        verdict
    }

    fn on_timer(&mut self, now: Ns, io: &mut Io) {
        if self.timeout_at.is_some_and(|at| at <= now) {
            self.timeout_at = None;
            self.counters.timeouts += 1;
            self.next = self.acked;
            self.fill_window(now, io);
        }
    }

    fn timer_ns(&self) -> Option<Ns> {
        self.timeout_at
    }

    fn is_finished(&self) -> bool {
        self.closing && self.acked >= self.end
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn flight_bytes(&self) -> u64 {
        self.sent - self.acked
    }

    fn cwnd_pkts(&self) -> f64 {
        (self.transport.window_bytes / u64::from(self.transport.segment_bytes)) as f64
    }
}
