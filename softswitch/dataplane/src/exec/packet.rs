// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One packet inside the switch.

use super::budget::Budget;
use super::queues::Entry;
use crate::model::packet_bytes::PacketBytes;
use crate::state::layout::Layout;
use crate::state::phv::Phv;
use crate::trace::Record;

/// The reason that a packet goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort {
    Assertion,
    /// The packet spent its budget.
    EndlessLoop,
}

impl Abort {
    pub fn reason(self) -> &'static str {
        match self {
            Self::Assertion => "an assertion failed",
            Self::EndlessLoop => "its budget for loops, passes and copies is spent",
        }
    }
}

/// Requests of a packet's actions, carried out after the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests {
    /// Session and field list of the last clone call.
    pub clone: Option<(u16, u16)>,
    /// 0 asks for nothing, as in BMv2.
    pub digest: u16,
    pub resubmit: u16,
    pub recirculate: u16,
    /// The packet is sent with at most this many bytes.
    pub truncate_bytes: u32,
    pub exit: bool,
    /// The packet goes no further.
    pub abort: Option<Abort>,
    pub deflection: Deflection,
}

/// The way of a packet whose queue has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deflection {
    /// It is dropped.
    #[default]
    None,
    /// It goes to the switch's queue for such packets, if there is one.
    Wanted,
    /// It went there.
    Done,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            clone: None,
            digest: 0,
            resubmit: 0,
            recirculate: 0,
            truncate_bytes: u32::MAX,
            exit: false,
            abort: None,
            deflection: Deflection::None,
        }
    }
}

#[derive(Debug, Default)]
pub struct Packet {
    pub phv: Phv,
    /// The packet as it was received.
    pub data: PacketBytes,
    /// Bytes of `data` that the parser consumed. They are real.
    pub parsed: usize,
    pub ingress_port: u32,
    /// Length when it was received, for counters and meters.
    pub ingress_bytes: u32,
    /// `packet_length`, which adding and removing headers changes.
    pub length: u32,
    pub requests: Requests,
    /// The number that replication gave to this copy.
    pub rid: Option<u16>,
    /// A number that belongs to the architecture, which alone knows its meaning.
    pub carried: u64,
    /// Its entry into the queue that it left last, where the program asks for that.
    pub entry: Entry,
    /// The number of times that it was cloned, resubmitted or recirculated.
    pub passes: u16,
    pub budget: Budget,
    /// The record of what the packet meets, if somebody wants to know; the interpreter runs it then.
    pub trace: Option<Box<Record>>,
}

impl Packet {
    pub fn new(layout: &Layout) -> Self {
        Self {
            phv: Phv::new(layout),
            ..Self::default()
        }
    }

    /// Notes the port that a packet came to, and its length.
    pub fn arrived(&mut self, port: u32) {
        self.ingress_port = port;
        self.ingress_bytes = self.data.len() as u32;
        self.length = self.ingress_bytes;
    }

    /// Gives the packet's bytes away, those that the parser consumed with them.
    pub fn take_data(&mut self) -> PacketBytes {
        self.parsed = 0;
        std::mem::take(&mut self.data)
    }

    /// Notes why a traced packet goes no further.
    #[inline]
    pub fn dropped(&mut self, reason: &str) {
        if let Some(trace) = &mut self.trace {
            trace.dropped(reason);
        }
    }

    pub fn payload_bytes(&self) -> usize {
        self.data.len() - self.parsed
    }

    /// Whether there are so many bytes behind those that the parser consumed; if so, they are real from now on.
    #[inline(always)]
    pub fn reaches(&mut self, bytes: usize) -> bool {
        let end = self.parsed.saturating_add(bytes);
        self.data.lengthen(end)
    }

    /// All of the packet counts as consumed: there is no payload.
    pub fn consume(&mut self) {
        self.parsed = self.data.len();
        self.data.lengthen(self.parsed);
    }
}
