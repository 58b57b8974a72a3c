// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Datagrams of one kind: from one host to another, of one size and class.

use super::app::{Ctx, NodeId};
use super::check::{Check, SourceError};

/// The IPv4 and UDP headers of a datagram.
pub(super) const HEADER_BYTES: u32 = 28;
/// Least payload of a datagram: its flow, number and time of sending, for the measurements.
pub(super) const LEAST_PAYLOAD_BYTES: u32 = 20;

#[derive(Debug, Clone, Copy)]
pub(super) struct Datagrams {
    from: NodeId,
    to: NodeId,
    payload_bytes: u32,
    dscp: u8,
    ecn: u8,
}

impl Datagrams {
    /// Fails if there is no such host, or the class is wrong.
    pub fn new(
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

    pub fn send(&self, number: u64, ctx: &mut dyn Ctx) {
        let Self {
            from,
            to,
            payload_bytes,
            dscp,
            ecn,
        } = *self;
        ctx.send_datagram(from, to, payload_bytes, dscp, ecn, number);
    }
}
