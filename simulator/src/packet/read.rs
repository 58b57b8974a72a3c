// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading of frames.

use quench_dataplane::PacketBytes;

use super::checksum::Sum;
use super::csig::{self, Tag, TagForm};
use super::layout::*;
use super::quench::{read_quench, Outer, SourceQuench};
use super::roce::{self, Found, RocePacket, SwitchCnp};
use super::types::{
    Datagram, Endpoint, Flags, Formats, Options, OwnSegment, Segment, MAX_HEADER_BYTES,
};

/// An IPv4 header without its options.
type IpHeader = [u8; IP_BYTES];

/// The packet in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    Segment(Segment),
    OwnSegment(OwnSegment),
    Roce(RocePacket),
    /// A switch's notification about a packet of RoCEv2.
    SwitchCnp(SwitchCnp),
    Datagram(Datagram),
    SourceQuench(SourceQuench),
    /// A packet of another protocol, or a malformed one.
    Other,
}

/// Reads a frame, in a network of transports with these headers of their own. Fragments, and packets with wrong checksums or lengths, are [`Received::Other`]; but a source quench
/// is always a [`SourceQuench`], with the reason why it is refused.
pub fn read(frame: &PacketBytes, formats: &Formats) -> Received {
    match csig::tag_form(frame) {
        None => read_untagged(frame, formats),
        Some(form) => read_tagged(frame, form, formats),
    }
}

/// Only segments of TCP have tags.
#[cold]
fn read_tagged(frame: &PacketBytes, form: TagForm, formats: &Formats) -> Received {
    let Some((tag, rest)) = csig::untagged(frame, form) else {
        return Received::Other;
    };
    let mut received = read_untagged(&rest, formats);
    if let Received::Segment(segment) = &mut received {
        segment.tag = Some(tag);
    }
    received
}

fn read_untagged(frame: &PacketBytes, formats: &Formats) -> Received {
    let real = frame.real();
    let zeros = frame.zeros();
    if zeros == 0 || header_bytes(real, zeros, formats).is_some_and(|n| n <= real.len()) {
        read_parts(real, zeros, formats)
    } else {
        read_parts(&frame.all(), 0, formats)
    }
}

/// The bytes of the headers of a segment or a datagram, with the stamp of a datagram; none of another packet, and of one
/// whose headers do not say it.
fn header_bytes(frame: &[u8], zeros: usize, formats: &Formats) -> Option<usize> {
    let transport = ETHERNET_BYTES + usize::from(frame.get(ETHERNET_BYTES)? & 0x0f) * 4;
    if frame[ETHERNET_BYTES] >> 4 == 6 {
        let is_udp = *frame.get(ETHERNET_BYTES + 6)? == PROTOCOL_UDP;
        let udp = is_udp.then_some(ETHERNET_BYTES + IPV6_BYTES)?;
        return roce::header_bytes(frame, zeros, udp);
    }
    match *frame.get(ETHERNET_BYTES + 9)? {
        PROTOCOL_TCP => Some(transport + usize::from(frame.get(transport + 12)? >> 4) * 4),
        PROTOCOL_UDP if is_roce(frame.get(transport..)?) => {
            roce::header_bytes(frame, zeros, transport)
        }
        PROTOCOL_UDP => Some(transport + UDP_BYTES + DATAGRAM_STAMP_BYTES),
        protocol => Some(transport + formats.header_bytes(protocol)?),
    }
}

/// Reads a frame whose last bytes are `zeros` that are implied. All that is more than payload is real.
fn read_parts(frame: &[u8], zeros: usize, formats: &Formats) -> Received {
    let Some((header, ip)) = ip_packet(frame) else {
        return match frame.split_first_chunk::<ETHERNET_BYTES>() {
            Some((ethernet, ip)) if u16_at(ethernet, ETHERNET_BYTES - 2) == ETHERTYPE_IPV6 => {
                match roce::read_icmpv6(ip) {
                    Some(quench) if zeros == 0 => Received::SourceQuench(quench),
                    _ => of_roce(roce::read_v6(ip, zeros)),
                }
            }
            _ => Received::Other,
        };
    };
    let ip_bytes = usize::from(header[0] & 0x0f) * 4;
    let total_bytes = usize::from(u16_at(header, 2));
    let is_whole = total_bytes >= ip_bytes && total_bytes <= ip.len() + zeros;
    let fragment = u16_at(header, 6);
    let ip_checksum_right = Sum::default()
        .double_words(&words::<{ IP_BYTES / 4 }>(header))
        .bytes(&ip[IP_BYTES..ip_bytes])
        .is_right();

    if header[9] == PROTOCOL_ICMP {
        // A later fragment has no ICMP header: what looks like its type is payload.
        if fragment & IP_OFFSET != 0 || ip.get(ip_bytes) != Some(&ICMP_SOURCE_QUENCH) {
            return Received::Other;
        }
        return Received::SourceQuench(read_quench(&Outer {
            destination: u32_at(header, 16),
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
    let real_bytes = total_bytes.min(ip.len());
    let (transport, zeros) = (&ip[ip_bytes..real_bytes], total_bytes - real_bytes);
    match header[9] {
        PROTOCOL_TCP => read_segment(header, transport, zeros),
        // RoCEv2 has no IPv4 options.
        PROTOCOL_UDP if is_roce(transport) => match ip_bytes {
            IP_BYTES => of_roce(roce::read_v4(&ip[..real_bytes], zeros)),
            _ => Received::Other,
        },
        PROTOCOL_UDP => {
            read_datagram(header, transport, zeros).map_or(Received::Other, Received::Datagram)
        }
        protocol => formats
            .header_bytes(protocol)
            .and_then(|bytes| read_own_segment(header, transport, zeros, bytes))
            .map_or(Received::Other, Received::OwnSegment),
    }
}

fn of_roce(found: Option<Found>) -> Received {
    match found {
        Some(Found::Packet(packet)) => Received::Roce(packet),
        Some(Found::SwitchCnp(cnp)) => Received::SwitchCnp(cnp),
        None => Received::Other,
    }
}

/// The IPv4 header without its options, and everything from that header on. All of the header is in the frame.
fn ip_packet(frame: &[u8]) -> Option<(&IpHeader, &[u8])> {
    let (ethernet, ip) = frame.split_first_chunk::<ETHERNET_BYTES>()?;
    let header = ip.first_chunk::<IP_BYTES>()?;
    let ip_bytes = usize::from(header[0] & 0x0f) * 4;

    (u16_at(ethernet, ETHERNET_BYTES - 2) == ETHERTYPE_IPV4
        && header[0] >> 4 == 4
        && ip_bytes >= IP_BYTES
        && ip.len() >= ip_bytes)
        .then_some((header, ip))
}

fn words<const N: usize>(header: &[u8]) -> [u32; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(header.chunks_exact(4)) {
        *word = u32_at(bytes, 0);
    }
    words
}

/// The sum over the pseudo-header.
fn pseudo_sum(ip: &IpHeader, transport_bytes: usize) -> Sum {
    Sum::default()
        .double_words(&[u32_at(ip, 12), u32_at(ip, 16), transport_bytes as u32])
        .word(ip[9].into())
}

fn endpoints(ip: &IpHeader, ports: u32) -> (Endpoint, Endpoint) {
    let end = |address_offset, port| Endpoint {
        address: u32_at(ip, address_offset),
        port,
    };

    (end(12, (ports >> 16) as u16), end(16, ports as u16))
}

fn read_segment(ip: &IpHeader, transport: &[u8], zeros: usize) -> Received {
    let Some((header, rest)) = transport.split_first_chunk::<TCP_BYTES>() else {
        return Received::Other;
    };
    let option_bytes = (usize::from(header[12] >> 4) * 4).checked_sub(TCP_BYTES);
    let Some((options, payload)) = option_bytes.and_then(|bytes| rest.split_at_checked(bytes))
    else {
        return Received::Other;
    };
    let words: [u32; TCP_BYTES / 4] = words(header);
    let sum = pseudo_sum(ip, transport.len() + zeros)
        .double_words(&words)
        .bytes(options)
        .payload(payload);
    if !sum.is_right() {
        return Received::Other;
    }
    segment(ip, &words, options, payload.len() + zeros)
}

/// Builds the segment in place, because a copy of its options is slow.
fn segment(
    ip: &IpHeader,
    words: &[u32; TCP_BYTES / 4],
    options: &[u8],
    payload_bytes: usize,
) -> Received {
    let (source, destination) = endpoints(ip, words[0]);
    let mut received = Received::Segment(Segment {
        source,
        destination,
        seq: words[1],
        ack: words[2],
        flags: Flags((words[3] >> 16) as u16 & 0x1ff),
        window: words[3] as u16,
        options: Options::default(),
        payload_bytes: payload_bytes as u32,
        ecn: ip[1] & 3,
        dscp: ip[1] >> 2,
        hops: hops(ip),
        tag: None,
    });
    if let Received::Segment(segment) = &mut received {
        read_options(options, &mut segment.options);
    }
    received
}

/// Routers that a packet has passed.
fn hops(ip: &IpHeader) -> u8 {
    IP_TTL.saturating_sub(ip[8])
}

#[inline(never)]
fn read_own_segment(
    ip: &IpHeader,
    transport: &[u8],
    zeros: usize,
    header_bytes: usize,
) -> Option<OwnSegment> {
    let (bytes, payload) = transport.split_at_checked(header_bytes)?;
    let mut header = [0; MAX_HEADER_BYTES];
    header.get_mut(..header_bytes)?.copy_from_slice(bytes);
    let (source, destination) = endpoints(ip, u32_at(&header, 0));
    Some(OwnSegment {
        source,
        destination,
        protocol: ip[9],
        header_bytes: header_bytes as u8,
        header,
        payload_bytes: (payload.len() + zeros) as u32,
        ecn: ip[1] & 3,
        dscp: ip[1] >> 2,
        hops: hops(ip),
    })
}

/// Reads options up to the first malformed one.
fn read_options(mut bytes: &[u8], options: &mut Options) {
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
        read_option(*kind, &option[2..], options);
        bytes = after;
    }
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
        (OPTION_EXPERIMENT, 3..) if u16_at(content, 0) == CSIG_EXPERIMENT => {
            options.returned = Tag::read_option(&content[2..]).or(options.returned);
        }
        _ => {}
    }
}

fn read_datagram(ip: &IpHeader, udp: &[u8], zeros: usize) -> Option<Datagram> {
    let (header, payload) = udp.split_first_chunk::<UDP_BYTES>()?;
    let words: [u32; UDP_BYTES / 4] = words(header);
    let udp_bytes = udp.len() + zeros;
    if (words[1] >> 16) as usize != udp_bytes {
        return None;
    }
    let sum = pseudo_sum(ip, udp_bytes)
        .double_words(&words)
        .payload(payload);
    if u16_at(header, UDP_CHECKSUM) != 0 && !sum.is_right() {
        return None;
    }
    let (source, destination) = endpoints(ip, words[0]);
    let mut stamp = [0; DATAGRAM_STAMP_BYTES];
    let room = payload.len().min(DATAGRAM_STAMP_BYTES);
    stamp[..room].copy_from_slice(&payload[..room]);
    let u64_at =
        |offset| u64::from(u32_at(&stamp, offset)) << 32 | u64::from(u32_at(&stamp, offset + 4));
    Some(Datagram {
        source,
        destination,
        payload_bytes: (payload.len() + zeros) as u32,
        ecn: ip[1] & 3,
        dscp: ip[1] >> 2,
        flow: u32_at(&stamp, 0),
        number: u64_at(4),
        sent_ns: u64_at(12),
    })
}
