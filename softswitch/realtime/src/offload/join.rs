// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Joining packets of one flow into a frame that is cut into exactly these packets again.

use super::header::{Gso, VnetHeader, VNET_HEADER_BYTES};
use super::layout::{put_word, word, Ip, Layout};
use super::refusal::MAX_HEADER_BYTES;
use super::segment::{Headers, Place, CWR, ENDS};

const ETHERNET_BYTES: usize = 14;
const ADDRESSES_BYTES: usize = 12;
const TAG: u16 = 0x8100;
const TAG_BYTES: usize = 4;
/// The most that the length in an IP header can say.
const MAX_IP_BYTES: usize = 65_535;
/// URG, RST and SYN: none of them belongs to a part of a stream.
const SINGLE: u8 = 0x20 | 0x04 | 0x02;

/// The beginning of a frame; the payloads of its packets follow.
#[derive(Debug)]
pub struct Joined {
    pub vnet: VnetHeader,
    pub packets: usize,
    /// The header before the frame, and the frame's own.
    head: Vec<u8>,
}

impl Joined {
    /// The frame's beginning, behind the header that says how it is to be cut.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The place where the payload begins in each of the packets.
    pub fn payload(&self) -> usize {
        self.head.len() - VNET_HEADER_BYTES
    }
}

/// One frame for the first of `packets`, as many as can be; none where these are fewer than two. A packet that alone is
/// too long for the interface is not joined.
pub fn join<P: AsRef<[u8]>>(packets: &[P], mtu_bytes: usize) -> Option<Joined> {
    let (first, next) = (packets.first()?.as_ref(), packets.get(1)?.as_ref());
    if !may_follow(first, next) {
        return None;
    }
    let tag_bytes = if word(first, ADDRESSES_BYTES) == TAG {
        TAG_BYTES
    } else {
        0
    };
    if first.len() > mtu_bytes + ETHERNET_BYTES + tag_bytes {
        return None;
    }
    let layout = Layout::of(first).ok()?;
    if !continues(&layout, first, next) {
        return None;
    }
    let headers = Headers::of(first, layout, layout.pseudo_sum(first));
    if headers.flags() & (ENDS | SINGLE) != 0 || first.len() == layout.payload {
        return None;
    }
    let segment_bytes = first.len() - layout.payload;
    let mut run = Run {
        headers,
        segment_bytes,
        packets: 0,
        payload_bytes: 0,
        ends: 0,
    };
    for packet in packets {
        let packet = packet.as_ref();
        if run.is_over() || !may_follow(first, packet) || !run.takes(packet) {
            break;
        }
    }
    (run.packets > 1).then(|| run.joined())
}

/// A quick look at two packets: whether they can be of one flow, and of lengths that one frame can have.
fn may_follow(first: &[u8], next: &[u8]) -> bool {
    ETHERNET_BYTES <= next.len()
        && next.len() <= first.len()
        && next[..ETHERNET_BYTES] == first[..ETHERNET_BYTES]
}

/// A quick look at what differs most often between packets of two flows, or of one that was not cut up.
fn continues(layout: &Layout, first: &[u8], next: &[u8]) -> bool {
    let same = |from: usize, to: usize| next.get(from..to) == first.get(from..to);
    let identification = |packet: &[u8]| word(packet, layout.network + 4);
    same(layout.transport, layout.transport + 4)
        && match layout.ip {
            Ip::V4 => identification(next) == identification(first).wrapping_add(1),
            Ip::V6 => true,
        }
}

/// Packets that one frame would be cut into.
struct Run {
    headers: Headers,
    segment_bytes: usize,
    packets: usize,
    payload_bytes: usize,
    ends: u8,
}

impl Run {
    /// No packet comes after one that is shorter than the first, or has a flag of the last.
    fn is_over(&self) -> bool {
        self.ends != 0 || self.payload_bytes < self.packets * self.segment_bytes
    }

    /// Take one more packet, if it is what the frame would be cut into.
    fn takes(&mut self, packet: &[u8]) -> bool {
        let layout = self.headers.layout;
        if packet.len() <= layout.payload {
            return false;
        }
        let (header, payload) = packet.split_at(layout.payload);
        let ip_bytes = layout.payload - layout.network + self.payload_bytes + payload.len();
        if ip_bytes > MAX_IP_BYTES {
            return false;
        }
        let checksum_at = self.headers.checksum_at();
        let checksum = word(header, checksum_at);
        // UDP has zero for none, and software differs in which of the two zeros it writes.
        if checksum == 0 || checksum == 0xffff {
            return false;
        }
        let ends = if layout.tcp {
            header[layout.transport + 13] & ENDS
        } else {
            0
        };
        let place = Place {
            number: self.packets,
            offset_bytes: self.payload_bytes,
            payload_bytes: payload.len(),
            ends,
        };
        let mut expected = [0; MAX_HEADER_BYTES];
        let expected = &mut expected[..layout.payload];
        self.headers.write(place, expected);
        let behind = checksum_at + 2;
        if expected[..checksum_at] != header[..checksum_at]
            || expected[behind..] != header[behind..]
        {
            return false;
        }
        if self.headers.checksum(expected, payload) != checksum {
            return false;
        }
        self.packets += 1;
        self.payload_bytes += payload.len();
        self.ends = ends;
        true
    }

    fn joined(&self) -> Joined {
        let layout = self.headers.layout;
        let place = Place {
            number: 0,
            offset_bytes: 0,
            payload_bytes: self.payload_bytes,
            ends: self.ends,
        };
        let gso = match (layout.tcp, layout.ip) {
            (true, Ip::V4) => Gso::Tcp4,
            (true, Ip::V6) => Gso::Tcp6,
            (false, _) => Gso::Udp,
        };
        let vnet = VnetHeader {
            gso: Some(gso),
            cwr: self.headers.flags() & CWR != 0,
            header_bytes: layout.payload as u16,
            segment_bytes: self.segment_bytes as u16,
            checksum: Some((layout.transport as u16, layout.checksum_offset() as u16)),
        };
        let mut head = vnet.bytes().to_vec();
        head.resize(VNET_HEADER_BYTES + layout.payload, 0);
        let header = &mut head[VNET_HEADER_BYTES..];
        self.headers.write(place, header);
        let unfinished = self.headers.unfinished_checksum(self.payload_bytes);
        put_word(header, self.headers.checksum_at(), unfinished);
        Joined {
            vnet,
            packets: self.packets,
            head,
        }
    }
}
