// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The seam between the network and a transport: the calls that the network makes, and what it gets for them.
//!
//! A [`Transport`] makes the two ends of a connection. Each end is a [`Socket`], a state machine without I/O and
//! without a clock of its own. In: segments, source quenches, calls of the application, and the time. Out: segments
//! and events, in [`Io`], and the time of the next timer.
//!
//! docs/how-to/add-a-transport.md adds one, with `../fixed_window` as its example.

mod counters;
mod io;
pub mod settings;

use std::fmt::Debug;
use std::sync::Arc;

use crate::packet::layout::IP_BYTES;
use crate::packet::roce::RocePacket;
use crate::packet::{
    Advice, Carrier, Endpoint, HeaderFormat, OwnSegment, Segment, SourceQuench, Verdict,
};
use crate::time::Ns;

pub use counters::Counters;
pub use io::{ConnectionEvent, Io};

/// TCP's header without options.
const TCP_BYTES: u32 = 20;

/// The settings with which a socket begins.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    pub local: Endpoint,
    pub remote: Endpoint,
    /// Random: the sequence numbers of this end may begin with it.
    pub first_number: u32,
}

/// The place of a message among the flows between its two hosts, where messages share flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It has joined the flow, and ends it now.
    Joins,
    /// The flow has more to send, and the message is short: it gets a flow beside that one.
    Beside,
    /// All of the flow has been sent: the message gets the flow that comes after it.
    After,
}

/// A transport with its settings, which many connections share.
pub trait Transport: Debug + Send + Sync {
    /// Payload of a full segment.
    fn segment_bytes(&self) -> u32;

    /// Headers of a full segment, from IP's on.
    fn header_bytes(&self) -> u32 {
        let own = self.header().map(|header| u32::from(header.bytes));
        IP_BYTES as u32 + own.unwrap_or(TCP_BYTES)
    }

    /// Messages from one host to another share a flow, or at least its window.
    fn shares_flows(&self) -> bool {
        false
    }

    /// The end that opens a connection.
    fn open(self: Arc<Self>, opening: Opening, now: Ns, io: &mut Io) -> Box<dyn Socket>;

    /// The end that accepts, with the first segment that arrives; none if that does not open a connection.
    fn accept(
        self: Arc<Self>,
        opening: Opening,
        first: &Segment,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>>;

    /// The header of the segments, if it is not that of TCP.
    fn header(&self) -> Option<HeaderFormat> {
        None
    }

    /// The packets that carry the segments.
    fn carrier(&self) -> Carrier {
        match self.header() {
            None => Carrier::Tcp,
            Some(header) => Carrier::Own(header.protocol),
        }
    }

    /// As [`Transport::accept`], with a header of the transport's own.
    fn accept_own(
        self: Arc<Self>,
        _opening: Opening,
        _first: &OwnSegment,
        _now: Ns,
        _io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        None
    }

    /// As [`Transport::accept`], with a packet of RoCEv2.
    fn accept_roce(
        self: Arc<Self>,
        _opening: Opening,
        _first: &RocePacket,
        _now: Ns,
        _io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        None
    }
}

/// One end of a connection. The network calls it with each arrival and when its timer runs out, and then sends the
/// segments that it has put into [`Io`].
pub trait Socket: Debug + Send {
    /// Appends bytes to the stream; `u64::MAX`: a stream without end.
    fn send(&mut self, bytes: u64, now: Ns, io: &mut Io);

    /// Closes the stream after all bytes that were appended. A stream without end is cut after the bytes sent so far.
    fn close(&mut self, now: Ns, io: &mut Io);

    /// A message comes, of a transport that shares flows. If it joins, its bytes are appended to the stream, although that
    /// is closed.
    fn join(&mut self, _bytes: u64, _now: Ns) -> Turn {
        Turn::After
    }

    /// The window of a flow that another between the same hosts may begin with.
    fn window_bytes(&self) -> Option<u64> {
        None
    }

    /// The flow, which has not sent anything, begins with the window of another between the same hosts.
    fn begin_with(&mut self, _window_bytes: u64) {}

    /// A segment of the connection has arrived. Its ECN field has the mark, if a router has set one.
    fn on_segment(&mut self, segment: &Segment, now: Ns, io: &mut Io);

    /// As [`Socket::on_segment`], of a segment with a header of the transport's own.
    fn on_own_segment(&mut self, _segment: &OwnSegment, _now: Ns, _io: &mut Io) {}

    /// As [`Socket::on_segment`], of a packet of RoCEv2.
    fn on_roce_packet(&mut self, _packet: &RocePacket, _now: Ns, _io: &mut Io) {}

    /// A switch's CNP has arrived about a packet of this end.
    fn on_switch_cnp(&mut self, _advice: Advice, _now: Ns) {}

    /// An ISQ has arrived that quotes a packet of this end. The socket checks it, counts the verdict, and reacts.
    fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns) -> Verdict;

    /// Called at [`Socket::timer_ns`]. A call at another time does no harm.
    fn on_timer(&mut self, now: Ns, io: &mut Io);

    /// The time at which [`Socket::on_timer`] is next due; none: not before another call. It is asked for after every
    /// call.
    fn timer_ns(&self) -> Option<Ns>;

    /// The socket may be dropped: it neither sends nor answers any more.
    fn is_finished(&self) -> bool;

    fn counters(&self) -> &Counters;

    /// Bytes sent and not acknowledged.
    fn flight_bytes(&self) -> u64;

    /// The window of packets that may be in flight.
    fn cwnd_pkts(&self) -> f64;

    /// The slow-start threshold; NaN of a transport without one.
    fn ssthresh_pkts(&self) -> f64 {
        f64::NAN
    }

    /// The smoothed RTT; none before the first sample, and of a transport that measures none.
    fn srtt_ns(&self) -> Option<Ns> {
        None
    }
}
