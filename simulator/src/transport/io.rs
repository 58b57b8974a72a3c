// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The output of a socket: segments, and events for the application.

use crate::packet::roce::RocePacket;
use crate::packet::{OwnSegment, Segment};

/// An event for the application on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEvent {
    Established,
    /// New bytes have arrived in order. Each byte counts once.
    Received {
        bytes: u64,
    },
    /// Bytes that this end sent are acknowledged. Each byte counts once.
    Acked {
        bytes: u64,
    },
    /// The peer has closed its stream, and all of it has arrived.
    PeerClosed,
    /// Both directions are closed.
    Closed,
    /// The connection was reset, or the transport has given it up.
    Failed,
}

impl ConnectionEvent {
    /// Is it one of the frequent events, which come with nearly every segment?
    pub fn is_progress(self) -> bool {
        matches!(self, Self::Received { .. } | Self::Acked { .. })
    }
}

/// Segments to send and events, which a socket appends. The caller takes them out and clears it, to reuse its
/// memory.
#[derive(Debug)]
pub struct Io {
    /// Data may be sent now: else the socket waits for its turn on the host's link, and its timer stays due.
    pub may_send: bool,
    pub segments: Vec<Segment>,
    /// Those with a header of the transport's own. They are sent after the others.
    pub own_segments: Vec<OwnSegment>,
    /// Packets of RoCEv2, which are sent last.
    pub roce_packets: Vec<RocePacket>,
    pub events: Vec<ConnectionEvent>,
}

impl Default for Io {
    fn default() -> Self {
        Self {
            may_send: true,
            segments: Vec::new(),
            own_segments: Vec::new(),
            roce_packets: Vec::new(),
            events: Vec::new(),
        }
    }
}

impl Io {
    pub fn clear(&mut self) {
        self.segments.clear();
        self.own_segments.clear();
        self.roce_packets.clear();
        self.events.clear();
    }
}
