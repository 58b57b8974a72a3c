// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames into packets.

use super::checksum::Sum;
use super::layout::*;
use super::quench::{read_quench, Outer};
use super::types::{Datagram, Endpoint, Options, Received, Segment, TcpFlags};

/// What the frame carries. Fragments, and packets with wrong checksums or lengths, are [`Received::Other`], but source
/// quenches say what is wrong with them.
pub fn read(frame: &[u8]) -> Received {
    let Some(ip) = ip_packet(frame) else {
        return Received::Other;
    };
    let ip_bytes = usize::from(ip[0] & 0x0f) * 4;
    let total_bytes = usize::from(u16_at(ip, 2));
    let is_whole = total_bytes >= ip_bytes && total_bytes <= ip.len();
    let fragment = u16_at(ip, 6);
    let ip_checksum_right = Sum::default().bytes(&ip[..ip_bytes]).is_right();

    if ip[9] == PROTOCOL_ICMP {
        // A later fragment has no ICMP header: what looks like its type is payload.
        if fragment & IP_OFFSET != 0 || ip.get(ip_bytes) != Some(&ICMP_SOURCE_QUENCH) {
            return Received::Other;
        }
        return Received::SourceQuench(read_quench(&Outer {
            destination: u32_at(ip, 16),
            is_whole,
            is_fragment: fragment & IP_MORE_FRAGMENTS != 0,
            checksum_right: ip_checksum_right,
            icmp: if is_whole {
                &ip[ip_bytes..total_bytes]
            } else {
                &[]
            },
        }));
    }
    if !is_whole || !ip_checksum_right || fragment & (IP_OFFSET | IP_MORE_FRAGMENTS) != 0 {
        return Received::Other;
    }
    let transport = &ip[ip_bytes..total_bytes];
    match ip[9] {
        PROTOCOL_TCP => read_segment(ip, transport).map_or(Received::Other, Received::Tcp),
        PROTOCOL_UDP => read_datagram(ip, transport).map_or(Received::Other, Received::Udp),
        _ => Received::Other,
    }
}

/// From the IPv4 header on; the header is there in full.
fn ip_packet(frame: &[u8]) -> Option<&[u8]> {
    let ip = frame.get(ETHERNET_BYTES..)?;
    let version_and_length = *ip.first()?;
    let ip_bytes = usize::from(version_and_length & 0x0f) * 4;

    (u16_at(frame, ETHERNET_BYTES - 2) == ETHERTYPE_IPV4
        && version_and_length >> 4 == 4
        && ip_bytes >= IP_BYTES
        && ip.len() >= ip_bytes)
        .then_some(ip)
}

fn checksum_right(ip: &[u8], transport: &[u8]) -> bool {
    Sum::default()
        .bytes(&ip[12..20])
        .word(u16::from(ip[9]))
        .double_word(transport.len() as u32)
        .bytes(transport)
        .is_right()
}

fn endpoints(ip: &[u8], transport: &[u8]) -> (Endpoint, Endpoint) {
    let end = |address_offset, port_offset| Endpoint {
        address: u32_at(ip, address_offset),
        port: u16_at(transport, port_offset),
    };

    (end(12, 0), end(16, 2))
}

fn read_segment(ip: &[u8], tcp: &[u8]) -> Option<Segment> {
    if tcp.len() < TCP_BYTES {
        return None;
    }
    let header_bytes = usize::from(tcp[12] >> 4) * 4;
    if header_bytes < TCP_BYTES || tcp.len() < header_bytes || !checksum_right(ip, tcp) {
        return None;
    }
    let (source, destination) = endpoints(ip, tcp);
    Some(Segment {
        source,
        destination,
        seq: u32_at(tcp, 4),
        ack: u32_at(tcp, 8),
        flags: TcpFlags(u16_at(tcp, 12) & 0x1ff),
        window: u16_at(tcp, 14),
        options: read_options(&tcp[TCP_BYTES..header_bytes]),
        payload_bytes: (tcp.len() - header_bytes) as u32,
        ecn: ip[1] & 3,
        dscp: ip[1] >> 2,
    })
}

/// Options up to the first that is broken.
fn read_options(mut bytes: &[u8]) -> Options {
    let mut options = Options::default();

    while let [kind, rest @ ..] = bytes {
        if *kind == OPTION_NOP {
            bytes = rest;
            continue;
        }
        let length = rest.first().map_or(0, |&length| usize::from(length));
        if *kind == OPTION_END || length < 2 || length > bytes.len() {
            break;
        }
        let (option, after) = bytes.split_at(length);
        read_option(*kind, &option[2..], &mut options);
        bytes = after;
    }
    options
}

fn read_option(kind: u8, content: &[u8], options: &mut Options) {
    match (kind, content.len()) {
        (OPTION_MSS, 2) => options.mss = Some(u16_at(content, 0)),
        (OPTION_WINDOW_SCALE, 1) => options.window_scale = Some(content[0]),
        (OPTION_SACK_PERMITTED, 0) => options.sack_permitted = true,
        (OPTION_SACK, _) => content
            .chunks_exact(8)
            .for_each(|block| options.sack.push(u32_at(block, 0), u32_at(block, 4))),
        (OPTION_TIMESTAMPS, 8) => {
            options.timestamps = Some((u32_at(content, 0), u32_at(content, 4)));
        }
        (OPTION_EXPERIMENT, 2) => options.mecn |= u16_at(content, 0) == MECN_EXPERIMENT,
        _ => {}
    }
}

fn read_datagram(ip: &[u8], udp: &[u8]) -> Option<Datagram> {
    if udp.len() < UDP_BYTES || usize::from(u16_at(udp, 4)) != udp.len() {
        return None;
    }
    if u16_at(udp, UDP_CHECKSUM) != 0 && !checksum_right(ip, udp) {
        return None;
    }
    let (source, destination) = endpoints(ip, udp);
    let payload = &udp[UDP_BYTES..];
    let mut stamp = [0; DATAGRAM_STAMP_BYTES];
    let room = payload.len().min(DATAGRAM_STAMP_BYTES);
    stamp[..room].copy_from_slice(&payload[..room]);
    let u64_at =
        |offset| u64::from(u32_at(&stamp, offset)) << 32 | u64::from(u32_at(&stamp, offset + 4));
    Some(Datagram {
        source,
        destination,
        payload_bytes: payload.len() as u32,
        ecn: ip[1] & 3,
        dscp: ip[1] >> 2,
        flow: u32_at(&stamp, 0),
        number: u64_at(4),
        sent_ns: u64_at(12),
    })
}
