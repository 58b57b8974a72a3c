// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets as bytes: Ethernet, IPv4, TCP, UDP and ICMP.

/// An IPv4 address and a port, in host order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Endpoint {
    pub address: u32,
    pub port: u16,
}

/// A UDP datagram; the last three travel in the first bytes of its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    pub source: Endpoint,
    pub destination: Endpoint,
    pub payload_bytes: u32,
    pub ecn: u8,
    pub dscp: u8,
    pub flow: u32,
    pub number: u64,
    pub sent_ns: u64,
}
