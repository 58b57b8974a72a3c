// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Sizes, offsets and numbers of Ethernet, IP, TCP, UDP, ICMP and RoCEv2.

pub const ETHERNET_BYTES: usize = 14;
pub const ETHERTYPE_IPV4: u16 = 0x0800;
pub const ETHERTYPE_IPV6: u16 = 0x86dd;

pub const IP_BYTES: usize = 20;
pub const IP_TTL: u8 = 64;
pub const IP_DONT_FRAGMENT: u16 = 0x4000;
pub const IP_MORE_FRAGMENTS: u16 = 0x2000;
pub const IP_OFFSET: u16 = 0x1fff;
pub const PROTOCOL_ICMP: u8 = 1;
pub const PROTOCOL_TCP: u8 = 6;
pub const PROTOCOL_UDP: u8 = 17;
pub const PROTOCOL_ICMPV6: u8 = 58;

pub const IPV6_BYTES: usize = 40;
/// The IPv6 extension header that only the destination reads (RFC 8200 section 4.6).
pub const DESTINATION_OPTIONS: u8 = 60;

pub const TCP_BYTES: usize = 20;
pub const TCP_CHECKSUM: usize = 16;
pub const MAX_OPTION_BYTES: usize = 40;
pub const OPTION_END: u8 = 0;
pub const OPTION_NOP: u8 = 1;
pub const OPTION_MSS: u8 = 2;
pub const OPTION_WINDOW_SCALE: u8 = 3;
pub const OPTION_SACK_PERMITTED: u8 = 4;
pub const OPTION_SACK: u8 = 5;
pub const OPTION_TIMESTAMPS: u8 = 8;
/// RFC 6994.
pub const OPTION_EXPERIMENT: u8 = 253;
/// Experiment identifier of Multilevel ECN, as in `host_stack/bpf/q_mecn_tc.bpf.c`.
pub const MECN_EXPERIMENT: u16 = 0x4d45;
/// Experiment identifier of the option that returns a tag of CSIG.
pub const CSIG_EXPERIMENT: u16 = 0x4353;

pub const UDP_BYTES: usize = 8;
pub const UDP_CHECKSUM: usize = 6;
/// UDP's destination port of RoCEv2.
pub const ROCE_PORT: u16 = 4791;
/// The base transport header.
pub const BTH_BYTES: usize = 12;
/// The header behind it of an acknowledgement.
pub const AETH_BYTES: usize = 4;
/// The bytes behind it of a congestion notification packet (CNP).
pub const CNP_BYTES: usize = 16;
/// The invariant CRC at the end of a packet.
pub const ICRC_BYTES: usize = 4;
/// Flow, number and time of sending at the start of a datagram's payload.
pub const DATAGRAM_STAMP_BYTES: usize = 20;

pub const ICMP_BYTES: usize = 8;
pub const ICMP_SOURCE_QUENCH: u8 = 4;
/// The type is that of p4src/common/types.p4.
pub const ICMPV6_SOURCE_QUENCH: u8 = 100;
/// RFC 1812 4.3.2.3: an ICMP error quotes as much as fits into a datagram of 576 bytes.
pub const MAX_ICMP_BYTES: usize = 556;
/// Bytes of the transport header that an ICMP error quotes at least (RFC 792).
pub const QUOTE_TRANSPORT_BYTES: usize = 8;

/// The size of a frame on links: the bytes of its IP packet.
pub fn counted_bytes(frame_bytes: usize) -> u32 {
    frame_bytes.saturating_sub(ETHERNET_BYTES) as u32
}

/// The octet of an IP packet that has DSCP and ECN, by the first bytes of its frame; of another packet some byte.
pub fn traffic_class(frame: &[u8; ETHERNET_BYTES + 2]) -> u8 {
    let ip = &frame[ETHERNET_BYTES..];
    match ip[0] >> 4 {
        6 => ip[0] << 4 | ip[1] >> 4,
        _ => ip[1],
    }
}

/// Is it a packet of RoCEv2, by the first bytes of UDP?
pub fn is_roce(udp: &[u8]) -> bool {
    udp.len() >= 4 && u16_at(udp, 2) == ROCE_PORT
}

pub fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes([bytes[offset], bytes[offset + 1]])
}

pub fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes([
        bytes[offset],
        bytes[offset + 1],
        bytes[offset + 2],
        bytes[offset + 3],
    ])
}
