// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Writing of RoCEv2 packets.

use quench_dataplane::PacketBytes;

use super::super::layout::*;
use super::super::types::IpVersion;
use super::super::write::{begin, put_ethernet, put_u32, Ip};
use super::address::ipv6_of;
use super::icrc::icrc;
use super::types::*;

/// The BTH's bit for a path that has not migrated, as cards send it.
const MIGRATED: u8 = 0x40;
/// The default partition, with all rights.
const PARTITION: u32 = 0xffff;
/// The BTH's bit that asks for an acknowledgement.
const ASKS_ACK: u8 = 0x80;

/// Replaces the content of `frame` by the packet. Of one with payload the ICRC is left out: [`super::complete`] puts it in.
pub fn write_roce(frame: &mut PacketBytes, packet: &RocePacket, ip_id: u16) {
    let (opcode, flags, psn, asks) = match packet.content {
        RoceContent::Data {
            psn, first, last, ..
        } => {
            let opcode = match (first, last) {
                (true, true) => opcode::SEND_ONLY,
                (true, false) => opcode::SEND_FIRST,
                (false, false) => opcode::SEND_MIDDLE,
                (false, true) => opcode::SEND_LAST,
            };
            (opcode, MIGRATED, psn, ASKS_ACK)
        }
        RoceContent::Ack { psn, .. } | RoceContent::Nak { psn, .. } => {
            (opcode::ACKNOWLEDGE, MIGRATED, psn, 0)
        }
        RoceContent::Cnp => (opcode::CNP, 0, 0, 0),
    };
    let congestion = match packet.content {
        RoceContent::Cnp => BECN,
        _ => 0,
    };
    let (source, destination) = (packet.source, packet.destination);
    let queue_pair = match source.port {
        ROCE_PORT => destination.port,
        port => port,
    };
    let pad = packet.payload_bytes().wrapping_neg() as u8 & 3;
    let udp_bytes =
        UDP_BYTES + BTH_BYTES + extension_bytes(opcode) + packet.trailing_bytes() as usize;
    let transport = [
        u32::from(source.port) << 16 | u32::from(ROCE_PORT),
        (udp_bytes as u32) << 16,
        u32::from(opcode) << 24 | u32::from(flags | pad << 4) << 16 | PARTITION,
        u32::from(congestion) << 24 | u32::from(queue_pair),
        u32::from(asks) << 24 | psn & NUMBER_MASK,
    ];
    let class = packet.dscp << 2 | packet.ecn;
    let ttl = IP_TTL.saturating_sub(packet.hops);
    match packet.version {
        IpVersion::V4 => {
            let ip = Ip {
                source: source.address,
                destination: destination.address,
                protocol: PROTOCOL_UDP,
                tos: class,
                ttl,
                id: ip_id,
                transport_bytes: udp_bytes,
            };
            begin(frame, &ip, transport);
        }
        IpVersion::V6 => {
            let lengths = [udp_bytes as u16, u16::from_be_bytes([PROTOCOL_UDP, ttl])];
            begin_v6(frame, (source.address, destination.address), class, lengths);
            let headers = frame.real_mut();
            for (index, word) in transport.into_iter().enumerate() {
                put_u32(headers, ETHERNET_BYTES + IPV6_BYTES + 4 * index, word);
            }
        }
    }
    match packet.content {
        RoceContent::Data { payload_bytes, .. } if payload_bytes > 0 => {
            frame.append_zeros(packet.trailing_bytes() as usize);
            return;
        }
        RoceContent::Data { .. } => {}
        RoceContent::Ack { msn, .. } => put_answer(frame, SYNDROME_ACK, msn),
        RoceContent::Nak { msn, .. } => put_answer(frame, SYNDROME_NAK, msn),
        RoceContent::Cnp => frame.append_slice(&[0; CNP_BYTES]),
    }
    let udp = ip_bytes(packet.version);
    let crc = icrc(&frame.real()[ETHERNET_BYTES..], udp);
    frame.append_slice(&crc);
}

/// Ethernet, IPv6, and room for UDP and the BTH. `lengths` are the payload's, and next header with hop limit.
fn begin_v6(
    frame: &mut PacketBytes,
    (source, destination): (u32, u32),
    class: u8,
    lengths: [u16; 2],
) {
    frame.reset(ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES, 0);
    let headers = frame.real_mut();
    put_ethernet(headers, source, destination, ETHERTYPE_IPV6);
    let ip = &mut headers[ETHERNET_BYTES..];
    put_u32(ip, 0, 6 << 28 | u32::from(class) << 20);
    put_u32(ip, 4, u32::from(lengths[0]) << 16 | u32::from(lengths[1]));
    ip[8..24].copy_from_slice(&ipv6_of(source));
    ip[24..40].copy_from_slice(&ipv6_of(destination));
}

fn put_answer(frame: &mut PacketBytes, syndrome: u8, msn: u32) {
    let word = u32::from(syndrome) << 24 | msn & NUMBER_MASK;
    frame.append_slice(&word.to_be_bytes());
}
