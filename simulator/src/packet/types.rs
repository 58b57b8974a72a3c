// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Segments and datagrams as values.

use super::csig::Tag;
use crate::time::Ns;

/// Codepoints of the ECN field (RFC 3168; RFC 9331 for ECT(1)).
pub mod ecn {
    pub const NOT_ECT: u8 = 0;
    pub const ECT1: u8 = 1;
    pub const ECT0: u8 = 2;
    pub const CE: u8 = 3;
}

/// One end of a connection: an IPv4 address, in host order, and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Endpoint {
    pub address: u32,
    pub port: u16,
}

/// Flags of a segment, AE (RFC 9768) included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u16);

impl Flags {
    pub const FIN: Self = Self(0x001);
    pub const SYN: Self = Self(0x002);
    pub const RST: Self = Self(0x004);
    pub const PSH: Self = Self(0x008);
    pub const ACK: Self = Self(0x010);
    pub const URG: Self = Self(0x020);
    pub const ECE: Self = Self(0x040);
    pub const CWR: Self = Self(0x080);
    pub const AE: Self = Self(0x100);

    /// Are all of these set?
    pub fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    pub fn with(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }

    pub fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }

    /// Those of `mask` that are set.
    pub fn only(self, mask: Self) -> Self {
        Self(self.0 & mask.0)
    }
}

impl std::ops::BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.with(other)
    }
}

/// SACK blocks that fit into the options (RFC 2018).
pub const MAX_SACK_BLOCKS: usize = 4;

/// SACK blocks of one segment: of each, the first sequence number and the number after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    blocks: [(u32, u32); MAX_SACK_BLOCKS],
    count: u8,
}

impl SackBlocks {
    /// Appends a block. A block beyond [`MAX_SACK_BLOCKS`] is left out.
    pub fn push(&mut self, first: u32, end: u32) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.count)) {
            *slot = (first, end);
            self.count += 1;
        }
    }

    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count as u8);
    }
}

/// Options of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub mss: Option<u16>,
    pub window_scale: Option<u8>,
    pub sack_permitted: bool,
    pub sack: SackBlocks,
    /// Value and echo (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// Multilevel ECN is offered or accepted (docs/hosts.md).
    pub mecn: bool,
    /// The tag of CSIG that the segment returns to its sender.
    pub returned: Option<Tag>,
}

/// A segment of a connection with the header of TCP (RFC 9293), which the routers' programs read and source quenches
/// quote. Its payload is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Segment {
    pub source: Endpoint,
    pub destination: Endpoint,
    pub seq: u32,
    pub ack: u32,
    pub flags: Flags,
    /// As in the header, before scaling.
    pub window: u16,
    pub options: Options,
    pub payload_bytes: u32,
    /// The ECN field of the IP header.
    pub ecn: u8,
    pub dscp: u8,
    /// Routers that it has passed, by its time to live.
    pub hops: u8,
    /// In front of the IP packet.
    pub tag: Option<Tag>,
}

/// Most bytes of a header that is not TCP's.
pub const MAX_HEADER_BYTES: usize = 64;

/// A segment of a connection with a header of its transport's own, directly behind IPv4. Its payload is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnSegment {
    pub source: Endpoint,
    pub destination: Endpoint,
    /// The number in the IP header.
    pub protocol: u8,
    pub header_bytes: u8,
    /// The first `header_bytes` of them are on the wire; of these the first four are the ports, written from the
    /// endpoints.
    pub header: [u8; MAX_HEADER_BYTES],
    pub payload_bytes: u32,
    pub ecn: u8,
    pub dscp: u8,
    /// Routers that it has passed, by its time to live.
    pub hops: u8,
}

/// The header of a transport that does not have TCP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderFormat {
    /// The number in the IP header.
    pub protocol: u8,
    /// 4 to [`MAX_HEADER_BYTES`]: both ports come first.
    pub bytes: u8,
    /// The mark of packets that are routers' signals to a source, if the transport has such packets.
    pub signal: Option<HeaderBits>,
}

/// The version of the IP packets that carry a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpVersion {
    V4,
    V6,
}

/// The packets that carry the segments of a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Tcp,
    /// A header of its own, with this number in the IP header.
    Own(u8),
    Roce(IpVersion),
}

/// Bits of a header: one of its bytes, and those of its bits that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeaderBits {
    pub byte: u8,
    pub mask: u8,
}

/// The headers of their own that the transports of a network have, by IP protocol.
#[derive(Debug, Clone)]
pub struct Formats([Known; 256]);

/// The size of a header, 0 of an unknown protocol; and the mark of a signal, without bits if there is none.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    bytes: u8,
    signal: HeaderBits,
}

impl Default for Formats {
    fn default() -> Self {
        Self([Known::default(); 256])
    }
}

impl Formats {
    pub fn of(formats: impl IntoIterator<Item = HeaderFormat>) -> Self {
        let mut known = Self::default();
        for format in formats {
            debug_assert!((4..=MAX_HEADER_BYTES).contains(&usize::from(format.bytes)));
            known.0[usize::from(format.protocol)] = Known {
                bytes: format.bytes,
                signal: format.signal.unwrap_or_default(),
            };
        }
        known
    }

    /// Bytes of the header; none of an unknown protocol.
    #[inline]
    pub fn header_bytes(&self, protocol: u8) -> Option<usize> {
        let bytes = usize::from(self.0[usize::from(protocol)].bytes);
        (bytes > 0).then_some(bytes)
    }

    /// The mark of a router's signal to a source; without bits if the protocol has no signals.
    #[inline]
    pub fn signal(&self, protocol: u8) -> HeaderBits {
        self.0[usize::from(protocol)].signal
    }
}

/// A datagram of UDP. Flow, number and time of sending are in the first bytes of the payload, as far as there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Datagram {
    pub source: Endpoint,
    pub destination: Endpoint,
    pub payload_bytes: u32,
    pub ecn: u8,
    pub dscp: u8,
    /// Chosen by the sender.
    pub flow: u32,
    /// Number of the datagram within its flow.
    pub number: u64,
    pub sent_ns: Ns,
}
