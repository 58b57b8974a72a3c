// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The records of sources: one for each web object, file and call; and messages.

use serde::Serialize;

use super::ids::NodeId;
use crate::time::Ns;

/// One record of a source.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    Object(Object),
    File(File),
    Call(Call),
}

/// A web object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Object {
    pub session: u64,
    /// Page within the session, from 0.
    pub page: u64,
    pub bytes: u64,
    pub requested_ns: Ns,
    /// The time at which the server had the acknowledgement of the last byte; none: the connection failed, or the
    /// simulation ended before.
    pub acked_ns: Option<Ns>,
}

/// A file that was sent over a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    pub bytes: u64,
    pub started_ns: Ns,
    /// The time at which the sender had the acknowledgement of the last byte; none: the connection failed, or the
    /// simulation ended before.
    pub acked_ns: Option<Ns>,
}

/// A message of one host to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    pub from: NodeId,
    pub to: NodeId,
    pub bytes: u64,
    pub started_ns: Ns,
    /// The time at which the sender had the acknowledgement of the last byte; none: the connection failed, or the
    /// simulation ended before.
    pub acked_ns: Option<Ns>,
}

/// A call, or the attempt at one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    pub number: u64,
    /// Rejected by the admission limit; nothing was sent.
    pub blocked: bool,
    pub started_ns: Ns,
    /// The time at which the call ended; the end of the simulation for a call that was going on then.
    pub ended_ns: Ns,
    pub sent_pkts: u64,
    /// Packets that arrived during the call and `drain_s` after it. `sent_pkts - received_pkts` were lost.
    pub received_pkts: u64,
    /// Mean one-way delay of the packets received, in seconds; none without any.
    pub mean_delay_s: Option<f64>,
    pub max_delay_s: Option<f64>,
    /// Mean absolute difference of the delays of packets that arrived one after another; none under two packets.
    pub jitter_s: Option<f64>,
}

impl Record {
    /// The time at which the recorded action began. A record from before the end of the warm-up is not kept.
    pub fn started_ns(&self) -> Ns {
        match self {
            Self::Object(object) => object.requested_ns,
            Self::File(file) => file.started_ns,
            Self::Call(call) => call.started_ns,
        }
    }
}
