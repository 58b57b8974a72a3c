// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Writing of frames.

use super::checksum::Sum;
use super::csig::{self, TagForm};
use super::layout::*;
use super::types::{Datagram, Endpoint, Options, OwnSegment, Segment};
use quench_dataplane::PacketBytes;

/// The byte at which the transport header begins.
const TRANSPORT: usize = ETHERNET_BYTES + IP_BYTES;
const TTL: usize = ETHERNET_BYTES + 8;
/// IPv6's TTL.
const HOP_LIMIT: usize = ETHERNET_BYTES + 7;
const IP_CHECKSUM: usize = ETHERNET_BYTES + 10;
/// The first bytes of a MAC address, which make it a locally administered one; the IPv4 address follows.
const MAC_PREFIX: [u8; 2] = [0x02, 0x00];

/// Replaces the content of `frame` by the segment, in IPv4 and Ethernet. Its payload is implied zeros.
pub fn write_segment(frame: &mut PacketBytes, segment: &Segment, ip_id: u16) {
    let option_bytes = option_bytes(&segment.options);
    let header_bytes = TCP_BYTES + option_bytes;
    let transport_bytes = header_bytes + segment.payload_bytes as usize;

    let offset_and_flags = (header_bytes as u16 / 4) << 12 | segment.flags.0 & 0x1ff;
    let mut sum = begin(
        frame,
        &Ip {
            source: segment.source.address,
            destination: segment.destination.address,
            protocol: PROTOCOL_TCP,
            tos: segment.dscp << 2 | segment.ecn,
            ttl: IP_TTL.saturating_sub(segment.hops),
            id: ip_id,
            transport_bytes,
        },
        [
            ports(segment.source, segment.destination),
            segment.seq,
            segment.ack,
            u32::from(offset_and_flags) << 16 | u32::from(segment.window),
            0,
        ],
    );
    if option_bytes > 0 {
        put_options(frame, &segment.options);
        sum = sum.bytes(&frame.real()[TRANSPORT + TCP_BYTES..]);
    }
    put_u16(frame.real_mut(), TRANSPORT + TCP_CHECKSUM, sum.checksum());
    frame.append_zeros(segment.payload_bytes as usize);
    if let Some(tag) = &segment.tag {
        tag.insert(frame);
    }
}

/// As [`write_segment`], with a header of the transport's own.
pub fn write_own_segment(frame: &mut PacketBytes, segment: &OwnSegment, ip_id: u16) {
    let header = segment.header.get(4..usize::from(segment.header_bytes));
    let header = header.unwrap_or_default();
    let ip = Ip {
        source: segment.source.address,
        destination: segment.destination.address,
        protocol: segment.protocol,
        tos: segment.dscp << 2 | segment.ecn,
        ttl: IP_TTL.saturating_sub(segment.hops),
        id: ip_id,
        transport_bytes: 4 + header.len() + segment.payload_bytes as usize,
    };

    begin(frame, &ip, [ports(segment.source, segment.destination)]);
    frame.append_slice(header);
    frame.append_zeros(segment.payload_bytes as usize);
}

/// Replaces the content of `frame` by the datagram, in IPv4 and Ethernet.
pub fn write_datagram(frame: &mut PacketBytes, datagram: &Datagram, ip_id: u16) {
    let transport_bytes = UDP_BYTES + datagram.payload_bytes as usize;
    let mut stamp = [0; DATAGRAM_STAMP_BYTES];

    let sum = begin(
        frame,
        &Ip {
            source: datagram.source.address,
            destination: datagram.destination.address,
            protocol: PROTOCOL_UDP,
            tos: datagram.dscp << 2 | datagram.ecn,
            ttl: IP_TTL,
            id: ip_id,
            transport_bytes,
        },
        [
            ports(datagram.source, datagram.destination),
            (transport_bytes as u32) << 16,
        ],
    );
    stamp[..4].copy_from_slice(&datagram.flow.to_be_bytes());
    stamp[4..12].copy_from_slice(&datagram.number.to_be_bytes());
    stamp[12..].copy_from_slice(&datagram.sent_ns.to_be_bytes());
    let payload_bytes = datagram.payload_bytes as usize;
    let room = DATAGRAM_STAMP_BYTES.min(payload_bytes);
    frame.append_slice(&stamp[..room]);
    // 0 would mean that there is no checksum (RFC 768).
    let checksum = match sum.bytes(&stamp[..room]).checksum() {
        0 => 0xffff,
        checksum => checksum,
    };
    put_u16(frame.real_mut(), TRANSPORT + UDP_CHECKSUM, checksum);
    frame.append_zeros(payload_bytes - room);
}

/// Lets a written frame pass a router more: it then has the TTL that its host has written.
pub fn add_hop(frame: &mut PacketBytes) {
    let tag_bytes = csig::tag_form(frame).map_or(0, TagForm::bytes);
    let headers = &mut frame.real_mut()[tag_bytes..];
    if headers[ETHERNET_BYTES] >> 4 == 6 {
        headers[HOP_LIMIT] += 1;
        return;
    }
    headers[TTL] += 1;
    // RFC 1624: the field's word has grown by 0x0100, and so falls the checksum, whose carry comes back.
    let checksum = u16_at(headers, IP_CHECKSUM);
    let (less, borrows) = checksum.overflowing_sub(0x0100);
    put_u16(headers, IP_CHECKSUM, less - u16::from(borrows));
}

/// The fields of an IPv4 header that differ between packets.
pub(super) struct Ip {
    pub source: u32,
    pub destination: u32,
    pub protocol: u8,
    pub tos: u8,
    pub ttl: u8,
    pub id: u16,
    pub transport_bytes: usize,
}

/// Writes Ethernet, IPv4 and the transport header (as words, with 0 for its checksum). Returns the sum over the
/// pseudo-header and the transport header. The sum is taken over the values, because to read back the bytes that
/// have just been written would stall the processor.
pub(super) fn begin<const N: usize>(frame: &mut PacketBytes, ip: &Ip, transport: [u32; N]) -> Sum {
    let ip_bytes = (IP_BYTES + ip.transport_bytes) as u16;
    let mut words = [
        u32::from(0x4500 | u16::from(ip.tos)) << 16 | u32::from(ip_bytes),
        u32::from(ip.id) << 16 | u32::from(IP_DONT_FRAGMENT),
        u32::from(u16::from_be_bytes([ip.ttl, ip.protocol])) << 16,
        ip.source,
        ip.destination,
    ];
    let sum = Sum::default().double_words(&words);
    words[2] |= u32::from(sum.checksum());

    frame.reset(TRANSPORT + 4 * N, 0);
    let headers = frame.real_mut();
    put_ethernet(headers, ip.source, ip.destination, ETHERTYPE_IPV4);
    for (index, word) in words.into_iter().enumerate() {
        put_u32(headers, ETHERNET_BYTES + 4 * index, word);
    }
    for (index, word) in transport.into_iter().enumerate() {
        put_u32(headers, TRANSPORT + 4 * index, word);
    }
    Sum::default()
        .double_words(&[ip.source, ip.destination, ip.transport_bytes as u32])
        .word(ip.protocol.into())
        .double_words(&transport)
}

/// Ethernet's header between two hosts, by their IPv4 addresses.
#[inline(always)]
pub(super) fn put_ethernet(headers: &mut [u8], source: u32, destination: u32, ether_type: u16) {
    for (offset, address) in [(0, destination), (6, source)] {
        headers[offset..offset + 2].copy_from_slice(&MAC_PREFIX);
        put_u32(headers, offset + 2, address);
    }
    put_u16(headers, 12, ether_type);
}

fn ports(source: Endpoint, destination: Endpoint) -> u32 {
    u32::from(source.port) << 16 | u32::from(destination.port)
}

fn put_u16(frame: &mut [u8], offset: usize, value: u16) {
    frame[offset..offset + 2].copy_from_slice(&value.to_be_bytes());
}

pub(super) fn put_u32(frame: &mut [u8], offset: usize, value: u32) {
    frame[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
}

/// The SACK blocks for which the other options leave room.
fn sack_blocks(options: &Options) -> &[(u32, u32)] {
    let blocks = options.sack.as_slice();
    let others = fixed_bytes(options) + 4;

    &blocks[..blocks
        .len()
        .min(MAX_OPTION_BYTES.saturating_sub(others) / 8)]
}

/// Bytes of all options but SACK blocks. Each is padded to a multiple of four.
fn fixed_bytes(options: &Options) -> usize {
    let present = [
        options.mss.is_some(),
        options.window_scale.is_some(),
        options.sack_permitted,
        options.mecn,
    ];

    present.iter().filter(|&&present| present).count() * 4
        + if options.timestamps.is_some() { 12 } else { 0 }
        + options.returned.map_or(0, |tag| tag.option_bytes())
}

/// Bytes of the options with their padding.
fn option_bytes(options: &Options) -> usize {
    let blocks = sack_blocks(options).len();

    fixed_bytes(options) + if blocks > 0 { 4 + 8 * blocks } else { 0 }
}

fn put_options(frame: &mut PacketBytes, options: &Options) {
    let blocks = sack_blocks(options);

    if let Some(mss) = options.mss {
        frame.append_slice(&[OPTION_MSS, 4]);
        frame.append_slice(&mss.to_be_bytes());
    }
    if let Some(shift) = options.window_scale {
        frame.append_slice(&[OPTION_NOP, OPTION_WINDOW_SCALE, 3, shift]);
    }
    if options.sack_permitted {
        frame.append_slice(&[OPTION_NOP, OPTION_NOP, OPTION_SACK_PERMITTED, 2]);
    }
    if let Some((value, echo)) = options.timestamps {
        frame.append_slice(&[OPTION_NOP, OPTION_NOP, OPTION_TIMESTAMPS, 10]);
        frame.append_slice(&value.to_be_bytes());
        frame.append_slice(&echo.to_be_bytes());
    }
    if !blocks.is_empty() {
        let bytes = 2 + 8 * blocks.len() as u8;
        frame.append_slice(&[OPTION_NOP, OPTION_NOP, OPTION_SACK, bytes]);
        for (first, end) in blocks {
            frame.append_slice(&first.to_be_bytes());
            frame.append_slice(&end.to_be_bytes());
        }
    }
    if options.mecn {
        frame.append_slice(&[OPTION_EXPERIMENT, 4]);
        frame.append_slice(&MECN_EXPERIMENT.to_be_bytes());
    }
    if let Some(tag) = &options.returned {
        tag.put_option(frame);
    }
}
