// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What sources record: one entry for each web object, file and call.

use serde::Serialize;

use crate::time::Ns;

/// One thing that a source did.
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
    /// When the server had the acknowledgement of the last byte; none: the connection failed or the time was over.
    pub acked_ns: Option<Ns>,
}

/// A file of a source that sends one after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    pub bytes: u64,
    pub started_ns: Ns,
    /// When the sender had the acknowledgement of the last byte; none: the connection failed or the time was over.
    pub acked_ns: Option<Ns>,
}

/// A call, or the attempt at one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    pub number: u64,
    /// Turned away by the admission limit; nothing was sent.
    pub blocked: bool,
    pub started_ns: Ns,
    /// When it was hung up (of a call that the end of the simulation cut off: that time).
    pub ended_ns: Ns,
    pub sent_pkts: u64,
    /// Packets that arrived until one drain time after the call; `sent_pkts - received_pkts` were lost.
    pub received_pkts: u64,
    /// Mean one-way delay of the packets received, in seconds; none without any.
    pub mean_delay_s: Option<f64>,
    pub max_delay_s: Option<f64>,
    /// Mean absolute difference of the delays of packets that arrived one after another; none under two packets.
    pub jitter_s: Option<f64>,
}

impl Record {
    /// When the thing began: what counts as after the warm-up is decided by it.
    pub fn started_ns(&self) -> Ns {
        match self {
            Self::Object(object) => object.requested_ns,
            Self::File(file) => file.started_ns,
            Self::Call(call) => call.started_ns,
        }
    }
}
