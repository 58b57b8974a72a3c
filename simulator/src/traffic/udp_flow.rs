// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The datagrams of one source: from one host to another, of one size and class.

use super::check::{Check, SourceError};
use super::ids::NodeId;

/// The IPv4 and UDP headers of a datagram.
pub(super) const HEADER_BYTES: u32 = 28;
/// Least payload of a datagram: its flow, number and time of sending, for the measurements.
pub(super) const LEAST_PAYLOAD_BYTES: u32 = 20;

/// The fields that all datagrams of a source have in common.
#[derive(Debug, Clone, Copy)]
pub struct UdpFlow {
    pub from: NodeId,
    pub to: NodeId,
    pub payload_bytes: u32,
    pub dscp: u8,
    /// The ECN field of the IP header.
    pub ecn: u8,
}

impl UdpFlow {
    /// Fails if there is no such host, or the class is wrong.
    pub(super) fn new(
        check: &Check,
        (from, to): (&str, &str),
        payload_bytes: u32,
        (dscp, ecn): (u8, u8),
    ) -> Result<Self, SourceError> {
        check.traffic_class(dscp, ecn)?;
        let (from, to) = check.ends(from, to)?;
        Ok(Self {
            from,
            to,
            payload_bytes,
            dscp,
            ecn,
        })
    }
}
