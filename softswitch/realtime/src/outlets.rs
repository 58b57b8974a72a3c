// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Mailboxes of packets for the controller and of digest messages: they leave the switch by no interface.

use std::sync::Arc;

use crate::mailbox::{Mailbox, Parcel};

/// Memory of an item, or of a field of a digest, beside its bytes, here and in Python.
const OVERHEAD_BYTES: usize = 128;

/// A packet that left by the CPU port, with its `packet_in` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuPacket {
    pub bytes: Vec<u8>,
    /// `CLOCK_MONOTONIC`.
    pub time_ns: u64,
}

impl Parcel for CpuPacket {
    fn size_bytes(&self) -> usize {
        OVERHEAD_BYTES + self.bytes.len()
    }
}

/// One message of `digest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestMessage {
    /// The id that the BMv2 JSON gives the digest's learn list.
    pub id: u32,
    /// The values of its fields, big-endian.
    pub fields: Vec<Vec<u8>>,
    /// `CLOCK_MONOTONIC`.
    pub time_ns: u64,
}

impl Parcel for DigestMessage {
    fn size_bytes(&self) -> usize {
        let fields = self.fields.iter();
        OVERHEAD_BYTES
            + fields
                .map(|field| OVERHEAD_BYTES + field.len())
                .sum::<usize>()
    }
}

/// The mailboxes that a controller reads.
#[derive(Debug, Clone)]
pub struct Outlets {
    pub cpu: Arc<Mailbox<CpuPacket>>,
    pub digests: Arc<Mailbox<DigestMessage>>,
}
