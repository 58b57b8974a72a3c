// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The places of the headers in a frame.

use super::checksum::sum;
use super::refusal::{Refusal, MAX_HEADER_BYTES};

const ETHERNET_BYTES: usize = 14;
const TAG_BYTES: usize = 4;
const MAX_TAGS: usize = 4;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const MORE_FRAGMENTS_OR_OFFSET: u16 = 0x3fff;

pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const SCTP: u8 = 132;
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION: u8 = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ip {
    V4,
    V6,
}

/// The network header of a frame and what follows it.
#[derive(Debug, Clone, Copy)]
pub struct Network {
    pub ip: Ip,
    pub start: usize,
    /// The transport protocol, and where its header begins.
    pub protocol: u8,
    pub transport: usize,
    /// It has a routing header: the destination of the checksum may be another than the header's.
    pub routed: bool,
}

/// The headers of a TCP segment or a UDP datagram. All are within the frame, whose lengths agree.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub ip: Ip,
    pub network: usize,
    pub tcp: bool,
    pub transport: usize,
    pub payload: usize,
    pub routed: bool,
}

pub fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

pub fn put_word(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

impl Network {
    pub fn of(frame: &[u8]) -> Result<Self, Refusal> {
        let mut start = ETHERNET_BYTES;
        let mut tags = 0;
        loop {
            if frame.len() < start {
                return Err(Refusal::Short);
            }
            match word(frame, start - 2) {
                0x0800 => return Self::ipv4(frame, start),
                0x86dd => return Self::ipv6(frame, start),
                0x8100 | 0x88a8 if tags < MAX_TAGS => {
                    tags += 1;
                    start += TAG_BYTES;
                }
                _ => return Err(Refusal::Network),
            }
        }
    }

    fn ipv4(frame: &[u8], start: usize) -> Result<Self, Refusal> {
        let header = &frame[start..];
        if header.len() < IPV4_BYTES {
            return Err(Refusal::Short);
        }
        let header_bytes = usize::from(header[0] & 0xf) * 4;
        if header[0] >> 4 != 4 || header_bytes < IPV4_BYTES {
            return Err(Refusal::Network);
        }
        if word(header, 6) & MORE_FRAGMENTS_OR_OFFSET != 0 {
            return Err(Refusal::Fragment);
        }
        if usize::from(word(header, 2)) != header.len() || header_bytes > header.len() {
            return Err(Refusal::Length);
        }
        Ok(Self {
            ip: Ip::V4,
            start,
            protocol: header[9],
            transport: start + header_bytes,
            routed: false,
        })
    }

    fn ipv6(frame: &[u8], start: usize) -> Result<Self, Refusal> {
        let header = &frame[start..];
        if header.len() < IPV6_BYTES {
            return Err(Refusal::Short);
        }
        if header[0] >> 4 != 6 {
            return Err(Refusal::Network);
        }
        if usize::from(word(header, 4)) != header.len() - IPV6_BYTES {
            return Err(Refusal::Length);
        }
        let mut protocol = header[6];
        let mut transport = start + IPV6_BYTES;
        let mut routed = false;
        while let HOP_BY_HOP | ROUTING | DESTINATION = protocol {
            let &[next, eights, ..] = &frame[transport..] else {
                return Err(Refusal::Short);
            };
            routed |= protocol == ROUTING;
            protocol = next;
            transport += 8 * (1 + usize::from(eights));
            if transport > MAX_HEADER_BYTES {
                return Err(Refusal::Headers);
            }
            if transport > frame.len() {
                return Err(Refusal::Short);
            }
        }
        if protocol == FRAGMENT {
            return Err(Refusal::Fragment);
        }
        Ok(Self {
            ip: Ip::V6,
            start,
            protocol,
            transport,
            routed,
        })
    }
}

impl Layout {
    pub fn of(frame: &[u8]) -> Result<Self, Refusal> {
        let network = Network::of(frame)?;
        let header = &frame[network.transport..];
        let header_bytes = match network.protocol {
            TCP if header.len() >= TCP_BYTES => usize::from(header[12] >> 4) * 4,
            UDP if header.len() >= UDP_BYTES => UDP_BYTES,
            TCP | UDP => return Err(Refusal::Short),
            _ => return Err(Refusal::Transport),
        };
        let tcp = network.protocol == TCP;
        if (tcp && header_bytes < TCP_BYTES) || header_bytes > header.len() {
            return Err(Refusal::Length);
        }
        if !tcp && usize::from(word(header, 4)) != header.len() {
            return Err(Refusal::Length);
        }
        let payload = network.transport + header_bytes;
        if payload > MAX_HEADER_BYTES {
            return Err(Refusal::Headers);
        }
        Ok(Self {
            ip: network.ip,
            network: network.start,
            tcp,
            transport: network.transport,
            payload,
            routed: network.routed,
        })
    }

    /// The place of the checksum, behind the beginning of the transport header.
    pub fn checksum_offset(&self) -> usize {
        if self.tcp {
            16
        } else {
            6
        }
    }

    /// The sum of the pseudo-header without the length, for a packet whose way ends at its destination.
    pub fn pseudo_sum(&self, frame: &[u8]) -> u64 {
        let addresses = match self.ip {
            Ip::V4 => self.network + 12..self.network + 20,
            Ip::V6 => self.network + 8..self.network + 40,
        };
        sum(&frame[addresses]) + u64::from(if self.tcp { TCP } else { UDP })
    }
}
