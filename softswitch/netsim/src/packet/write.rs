// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets into frames.

use super::checksum::Sum;
use super::layout::*;
use super::types::{Datagram, Endpoint, Options, Segment};

/// Puts the segment, in IPv4 and Ethernet, in place of what `frame` held.
pub fn write_segment(frame: &mut Vec<u8>, segment: &Segment, ip_id: u16) {
    let option_bytes = option_bytes(&segment.options);
    let header_bytes = TCP_BYTES + option_bytes;
    let transport_bytes = header_bytes + segment.payload_bytes as usize;

    begin(
        frame,
        &Ip {
            source: segment.source.address,
            destination: segment.destination.address,
            protocol: PROTOCOL_TCP,
            tos: segment.dscp << 2 | segment.ecn,
            id: ip_id,
            transport_bytes,
        },
    );
    put_ports(frame, segment.source, segment.destination);
    frame.extend_from_slice(&segment.seq.to_be_bytes());
    frame.extend_from_slice(&segment.ack.to_be_bytes());
    let offset_and_flags = (header_bytes as u16 / 4) << 12 | segment.flags.0 & 0x1ff;
    frame.extend_from_slice(&offset_and_flags.to_be_bytes());
    frame.extend_from_slice(&segment.window.to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    put_options(frame, &segment.options);
    let sum = transport_sum(frame, PROTOCOL_TCP, transport_bytes);
    put_u16(frame, TCP_CHECKSUM, sum.checksum());
    pad(frame, transport_bytes);
}

/// Puts the datagram, in IPv4 and Ethernet, in place of what `frame` held.
pub fn write_datagram(frame: &mut Vec<u8>, datagram: &Datagram, ip_id: u16) {
    let transport_bytes = UDP_BYTES + datagram.payload_bytes as usize;
    let mut stamp = [0; DATAGRAM_STAMP_BYTES];

    begin(
        frame,
        &Ip {
            source: datagram.source.address,
            destination: datagram.destination.address,
            protocol: PROTOCOL_UDP,
            tos: datagram.dscp << 2 | datagram.ecn,
            id: ip_id,
            transport_bytes,
        },
    );
    put_ports(frame, datagram.source, datagram.destination);
    frame.extend_from_slice(&(transport_bytes as u16).to_be_bytes());
    frame.extend_from_slice(&[0; 2]);
    stamp[..4].copy_from_slice(&datagram.flow.to_be_bytes());
    stamp[4..12].copy_from_slice(&datagram.number.to_be_bytes());
    stamp[12..].copy_from_slice(&datagram.sent_ns.to_be_bytes());
    let room = DATAGRAM_STAMP_BYTES.min(datagram.payload_bytes as usize);
    frame.extend_from_slice(&stamp[..room]);
    // 0 would mean that there is no checksum (RFC 768).
    let checksum = match transport_sum(frame, PROTOCOL_UDP, transport_bytes).checksum() {
        0 => 0xffff,
        checksum => checksum,
    };
    put_u16(frame, UDP_CHECKSUM, checksum);
    pad(frame, transport_bytes);
}

/// What the IPv4 header says.
struct Ip {
    source: u32,
    destination: u32,
    protocol: u8,
    tos: u8,
    id: u16,
    transport_bytes: usize,
}

/// Ethernet and IPv4. The MAC addresses are locally administered ones that follow from the IP addresses.
fn begin(frame: &mut Vec<u8>, ip: &Ip) {
    frame.clear();
    frame.reserve(ETHERNET_BYTES + IP_BYTES + ip.transport_bytes);
    for address in [ip.destination, ip.source] {
        frame.extend_from_slice(&[0x02, 0x00]);
        frame.extend_from_slice(&address.to_be_bytes());
    }
    frame.extend_from_slice(&ETHERTYPE_IPV4.to_be_bytes());
    let mut header = [0u8; IP_BYTES];
    header[0] = 0x45;
    header[1] = ip.tos;
    header[2..4].copy_from_slice(&((IP_BYTES + ip.transport_bytes) as u16).to_be_bytes());
    header[4..6].copy_from_slice(&ip.id.to_be_bytes());
    header[6..8].copy_from_slice(&IP_DONT_FRAGMENT.to_be_bytes());
    header[8] = IP_TTL;
    header[9] = ip.protocol;
    header[12..16].copy_from_slice(&ip.source.to_be_bytes());
    header[16..20].copy_from_slice(&ip.destination.to_be_bytes());
    let checksum = Sum::default().bytes(&header).checksum();
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    frame.extend_from_slice(&header);
}

fn put_ports(frame: &mut Vec<u8>, source: Endpoint, destination: Endpoint) {
    frame.extend_from_slice(&source.port.to_be_bytes());
    frame.extend_from_slice(&destination.port.to_be_bytes());
}

/// The sum over the pseudo-header and what there is of the transport header and payload; the rest will be zeros.
fn transport_sum(frame: &[u8], protocol: u8, transport_bytes: usize) -> Sum {
    let transport = ETHERNET_BYTES + IP_BYTES;

    Sum::default()
        .bytes(&frame[transport - 8..transport])
        .word(u16::from(protocol))
        .double_word(transport_bytes as u32)
        .bytes(&frame[transport..])
}

fn put_u16(frame: &mut [u8], transport_offset: usize, value: u16) {
    let offset = ETHERNET_BYTES + IP_BYTES + transport_offset;

    frame[offset..offset + 2].copy_from_slice(&value.to_be_bytes());
}

fn pad(frame: &mut Vec<u8>, transport_bytes: usize) {
    frame.resize(ETHERNET_BYTES + IP_BYTES + transport_bytes, 0);
}

/// SACK blocks for which there is room beside the other options.
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
}

/// Bytes of the options with their padding.
fn option_bytes(options: &Options) -> usize {
    let blocks = sack_blocks(options).len();

    fixed_bytes(options) + if blocks > 0 { 4 + 8 * blocks } else { 0 }
}

fn put_options(frame: &mut Vec<u8>, options: &Options) {
    let blocks = sack_blocks(options);

    if let Some(mss) = options.mss {
        frame.extend_from_slice(&[OPTION_MSS, 4]);
        frame.extend_from_slice(&mss.to_be_bytes());
    }
    if let Some(shift) = options.window_scale {
        frame.extend_from_slice(&[OPTION_NOP, OPTION_WINDOW_SCALE, 3, shift]);
    }
    if options.sack_permitted {
        frame.extend_from_slice(&[OPTION_NOP, OPTION_NOP, OPTION_SACK_PERMITTED, 2]);
    }
    if let Some((value, echo)) = options.timestamps {
        frame.extend_from_slice(&[OPTION_NOP, OPTION_NOP, OPTION_TIMESTAMPS, 10]);
        frame.extend_from_slice(&value.to_be_bytes());
        frame.extend_from_slice(&echo.to_be_bytes());
    }
    if !blocks.is_empty() {
        let bytes = 2 + 8 * blocks.len() as u8;
        frame.extend_from_slice(&[OPTION_NOP, OPTION_NOP, OPTION_SACK, bytes]);
        for (first, end) in blocks {
            frame.extend_from_slice(&first.to_be_bytes());
            frame.extend_from_slice(&end.to_be_bytes());
        }
    }
    if options.mecn {
        frame.extend_from_slice(&[OPTION_EXPERIMENT, 4]);
        frame.extend_from_slice(&MECN_EXPERIMENT.to_be_bytes());
    }
}
