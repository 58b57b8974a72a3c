// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets of RoCEv2 as values, and the numbers in their headers.

use super::super::advice::Advice;
use super::super::layout::*;
use super::super::types::{Endpoint, IpVersion};

/// Sequence numbers of packets (PSN) and of messages (MSN), and the numbers of queue pairs, have 24 bits.
pub const NUMBER_MASK: u32 = (1 << 24) - 1;

/// Opcodes of the BTH.
pub(super) mod opcode {
    pub const SEND_FIRST: u8 = 0x00;
    pub const SEND_MIDDLE: u8 = 0x01;
    pub const SEND_LAST: u8 = 0x02;
    pub const SEND_ONLY: u8 = 0x04;
    pub const ACKNOWLEDGE: u8 = 0x11;
    pub const CNP: u8 = 0x81;
}

/// An acknowledgement's syndrome: all is well, and how much more may be sent is not said.
pub(super) const SYNDROME_ACK: u8 = 0x1f;
/// A packet is missing: all from the acknowledgement's PSN on is to be sent again.
pub(super) const SYNDROME_NAK: u8 = 0x60;
/// The bit of the BTH's fifth byte that says that a packet is a congestion notification.
pub(super) const BECN: u8 = 0x40;

/// A packet of a connection. Its payload is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RocePacket {
    pub version: IpVersion,
    /// One of the two ports is 4791, the accepting end's; the other is the queue pairs' number.
    pub source: Endpoint,
    pub destination: Endpoint,
    pub content: RoceContent,
    /// The ECN field of the IP header.
    pub ecn: u8,
    pub dscp: u8,
    /// Routers that it has passed, by its time to live.
    pub hops: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoceContent {
    /// A part of a message, all of one if it is the first and the last.
    Data {
        psn: u32,
        first: bool,
        last: bool,
        /// 0 only in the last.
        payload_bytes: u32,
    },
    /// All up to this packet has arrived, and so many messages.
    Ack { psn: u32, msn: u32 },
    /// All before this packet has arrived, and it is missing.
    Nak { psn: u32, msn: u32 },
    /// The peer got packets with a mark.
    Cnp,
}

/// A switch's notification about a packet of a host: a CNP, or a Fast CNP, that names the original destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchCnp {
    pub version: IpVersion,
    /// The end that sent the packet.
    pub local: Endpoint,
    /// The end to which it was sent.
    pub remote: Endpoint,
    pub advice: Advice,
}

impl RocePacket {
    pub fn payload_bytes(&self) -> u32 {
        match self.content {
            RoceContent::Data { payload_bytes, .. } => payload_bytes,
            _ => 0,
        }
    }

    /// Bytes behind the headers: the payload, the padding to words, and the ICRC.
    pub fn trailing_bytes(&self) -> u32 {
        self.payload_bytes().next_multiple_of(4) + ICRC_BYTES as u32
    }
}

/// Bytes of a packet with payload from IP's header on.
pub fn packet_bytes(version: IpVersion, payload_bytes: u32) -> u32 {
    let headers = ip_bytes(version) + UDP_BYTES + BTH_BYTES + ICRC_BYTES;
    headers as u32 + payload_bytes.next_multiple_of(4)
}

/// Bytes of the IP header.
pub(super) fn ip_bytes(version: IpVersion) -> usize {
    match version {
        IpVersion::V4 => IP_BYTES,
        IpVersion::V6 => IPV6_BYTES,
    }
}

/// Is it a packet with data?
pub(super) fn is_send(opcode: u8) -> bool {
    matches!(
        opcode,
        opcode::SEND_FIRST | opcode::SEND_MIDDLE | opcode::SEND_LAST | opcode::SEND_ONLY
    )
}

/// Bytes of the header behind the BTH.
pub(super) fn extension_bytes(opcode: u8) -> usize {
    match opcode {
        opcode::ACKNOWLEDGE => AETH_BYTES,
        opcode::CNP => CNP_BYTES,
        _ => 0,
    }
}
