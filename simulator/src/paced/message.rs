// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets of the family as values, and their headers.
//!
//! Bolt's and HPCC's headers begin with the same 21 bytes: ports, sequence number (4), flags (2), message (2, unused),
//! queue (4), time of sending (4), hops (1). HPCC's goes on with telemetry. The others have TCP's header: a packet with
//! data has the time of sending in the place of the number that it would acknowledge; an ACK has ACK set, echoes the time
//! as its sequence number, echoes a mark as ECE, returns a tag of CSIG, and is a NACK if it has URG, too.

use super::telemetry::{Telemetry, TELEMETRY_BYTES};
use crate::packet::{
    ecn, Endpoint, Flags, HeaderBits, HeaderFormat, Options, OwnSegment, Segment, Tag,
    MAX_HEADER_BYTES,
};
use crate::transport::Io;

/// Bytes of a TCP header without options.
const TCP_BYTES: u32 = 20;
const BOLT_BYTES: usize = 21;
const HPCC_BYTES: usize = BOLT_BYTES + TELEMETRY_BYTES;
/// The number in Bolt's ns-3 code.
const PROTOCOL_BOLT: u8 = 196;
/// An experimental number (RFC 3692).
const PROTOCOL_HPCC: u8 = 254;

/// Flags of Bolt's header.
pub(super) mod flag {
    pub const DATA: u16 = 1 << 0;
    pub const ACK: u16 = 1 << 1;
    pub const NACK: u16 = 1 << 2;
    pub const CHOP: u16 = 1 << 3;
    /// A router's signal to the source.
    pub const SRC: u16 = 1 << 4;
    pub const FIN: u16 = 1 << 5;
    pub const LAST: u16 = 1 << 6;
    pub const FIRST: u16 = 1 << 7;
    pub const INC: u16 = 1 << 8;
    pub const DEC: u16 = 1 << 9;
    pub const AI: u16 = 1 << 10;
    /// One bit for each rate from here on.
    pub const RATES: u32 = 11;
    /// The kind of a packet, by one of these bits.
    pub const KINDS: u16 = DATA | ACK | NACK | CHOP | SRC;
}

/// The place of [`flag::SRC`]: flags are in network order from byte 8 on.
const SIGNAL: HeaderBits = HeaderBits {
    byte: 9,
    mask: flag::SRC as u8,
};

/// Rates in bits per ns, by their flag from [`flag::RATES`] on.
const RATES: [u64; 5] = [10, 25, 40, 100, 400];

/// The header of the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Tcp,
    Bolt,
    Hpcc,
}

impl Form {
    pub fn header_bytes(self) -> u32 {
        match self {
            Self::Tcp => TCP_BYTES,
            Self::Bolt => BOLT_BYTES as u32,
            Self::Hpcc => HPCC_BYTES as u32,
        }
    }

    pub fn header(self) -> Option<HeaderFormat> {
        let (protocol, bytes, signal) = match self {
            Self::Tcp => return None,
            Self::Bolt => (PROTOCOL_BOLT, BOLT_BYTES as u8, Some(SIGNAL)),
            Self::Hpcc => (PROTOCOL_HPCC, HPCC_BYTES as u8, None),
        };
        Some(HeaderFormat {
            protocol,
            bytes,
            signal,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Data,
    Ack,
    /// An ACK that says that packets before the one that it answers are missing.
    Nack,
    /// A router's signal to the source.
    Signal,
}

/// A packet without its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Message {
    pub kind: Kind,
    /// Data: the first byte. An ACK or NACK: the next byte expected. A signal: that of the packet that it is about.
    pub seq: u32,
    /// Data: the time of sending, modulo 2^32 ns. The others have that of the packet which they answer.
    pub time_ns: u32,
    pub payload_bytes: u32,
    /// The end of the stream, or its echo.
    pub fin: bool,
    /// A router marked the data packet (CE), or the echo of that.
    pub marked: bool,
    /// Routers that the packet has passed.
    pub hops: u8,
    /// Bolt's flags without [`flag::KINDS`] and FIN.
    pub flags: u16,
    /// Bytes in a router's queue, of Bolt.
    pub queue_bytes: u32,
    /// HPCC's telemetry.
    pub telemetry: Telemetry,
    /// A tag of CSIG: of data its own, of an ACK or NACK that of the data.
    pub tag: Option<Tag>,
}

impl Message {
    /// May it open a connection?
    pub fn opens(&self) -> bool {
        self.kind == Kind::Data && (self.payload_bytes > 0 || self.fin)
    }

    /// The ACK or NACK of a packet with data.
    pub fn answer(&self, kind: Kind, expected: u32) -> Self {
        Self {
            kind,
            seq: expected,
            payload_bytes: 0,
            hops: 0,
            ..*self
        }
    }

    /// The rate of the router's link, in bits per ns, if just one is named.
    pub fn link_bits_per_ns(&self) -> Option<u64> {
        let named = self.flags >> flag::RATES;
        let index = named.trailing_zeros() as usize;
        (named.count_ones() == 1).then(|| RATES[index])
    }

    /// Appends the packet to `io`.
    pub fn put(
        &self,
        form: Form,
        (source, destination): (Endpoint, Endpoint),
        (ecn, dscp): (u8, u8),
        io: &mut Io,
    ) {
        if let Some(format) = form.header() {
            io.own_segments.push(OwnSegment {
                source,
                destination,
                protocol: format.protocol,
                header_bytes: format.bytes,
                header: self.own_header(form),
                payload_bytes: self.payload_bytes,
                ecn,
                dscp,
                hops: 0,
            });
            return;
        }
        let (seq, ack, kind) = match self.kind {
            Kind::Data => (self.seq, self.time_ns, Flags::PSH),
            Kind::Ack | Kind::Signal => (self.time_ns, self.seq, Flags::ACK),
            Kind::Nack => (self.time_ns, self.seq, Flags::ACK | Flags::URG),
        };
        let mut flags = kind;
        if self.fin {
            flags = flags | Flags::FIN;
        }
        if self.marked && self.kind != Kind::Data {
            flags = flags | Flags::ECE;
        }
        let (tag, returned) = match self.kind {
            Kind::Data => (self.tag, None),
            _ => (None, self.tag),
        };
        io.segments.push(Segment {
            source,
            destination,
            seq,
            ack,
            flags,
            payload_bytes: self.payload_bytes,
            ecn,
            dscp,
            options: Options {
                returned,
                ..Options::default()
            },
            tag,
            ..Segment::default()
        });
    }

    fn own_header(&self, form: Form) -> [u8; MAX_HEADER_BYTES] {
        let kind = match self.kind {
            Kind::Data => flag::DATA,
            Kind::Ack => flag::ACK,
            Kind::Nack => flag::NACK,
            Kind::Signal => flag::SRC,
        };
        let fin = if self.fin { flag::FIN } else { 0 };
        let mut header = [0; MAX_HEADER_BYTES];
        header[4..8].copy_from_slice(&self.seq.to_be_bytes());
        header[8..10].copy_from_slice(&(kind | fin | self.flags).to_be_bytes());
        header[12..16].copy_from_slice(&self.queue_bytes.to_be_bytes());
        header[16..20].copy_from_slice(&self.time_ns.to_be_bytes());
        if form == Form::Hpcc {
            if let Some(bytes) = header[BOLT_BYTES..].first_chunk_mut() {
                self.telemetry.write(bytes);
            }
        }
        header
    }

    /// None: it is not of this form, or not right.
    pub fn read_own(form: Form, segment: &OwnSegment) -> Option<Self> {
        let format = form.header()?;
        if (segment.protocol, segment.header_bytes) != (format.protocol, format.bytes) {
            return None;
        }
        let header = &segment.header;
        let word = |at: usize| {
            u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let all = u16::from_be_bytes([header[8], header[9]]);
        let kind = match all & flag::KINDS {
            flag::DATA => Kind::Data,
            flag::ACK => Kind::Ack,
            flag::NACK => Kind::Nack,
            flag::SRC if form == Form::Bolt => Kind::Signal,
            _ => return None,
        };
        let telemetry = match form {
            Form::Hpcc => Telemetry::read(header[BOLT_BYTES..].first_chunk()?),
            _ => Telemetry::default(),
        };
        let message = Self {
            kind,
            seq: word(4),
            time_ns: word(16),
            payload_bytes: segment.payload_bytes,
            fin: all & flag::FIN != 0,
            marked: segment.ecn == ecn::CE,
            hops: segment.hops,
            flags: all & !(flag::KINDS | flag::FIN),
            queue_bytes: word(12),
            telemetry,
            tag: None,
        };
        message.checked()
    }

    /// None: it is not of this form, or not right.
    pub fn read_segment(form: Form, segment: &Segment) -> Option<Self> {
        if form != Form::Tcp {
            return None;
        }
        let has = |flags| segment.flags.has(flags);
        let kind = match (has(Flags::ACK), has(Flags::URG)) {
            (false, false) => Kind::Data,
            (true, false) => Kind::Ack,
            (true, true) => Kind::Nack,
            (false, true) => return None,
        };
        let (seq, time_ns, marked, tag) = match kind {
            Kind::Data => (
                segment.seq,
                segment.ack,
                segment.ecn == ecn::CE,
                segment.tag,
            ),
            _ => (
                segment.ack,
                segment.seq,
                has(Flags::ECE),
                segment.options.returned,
            ),
        };
        let message = Self {
            kind,
            seq,
            time_ns,
            payload_bytes: segment.payload_bytes,
            fin: has(Flags::FIN),
            marked,
            hops: segment.hops,
            tag,
            ..Self::default()
        };
        message.checked()
    }

    /// Data has payload, or ends its stream. The others have none.
    fn checked(self) -> Option<Self> {
        let is_right = match self.kind {
            Kind::Data => self.payload_bytes > 0 || self.fin,
            _ => self.payload_bytes == 0,
        };
        is_right.then_some(self)
    }
}
