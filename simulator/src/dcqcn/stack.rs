// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The transport: it opens and accepts ends.

use std::sync::Arc;

use super::config::{DcqcnConfig, Settings};
use super::end::End;
use crate::error::Error;
use crate::packet::roce::{packet_bytes, RoceContent, RocePacket};
use crate::packet::{Carrier, Segment};
use crate::time::Ns;
use crate::transport::{Io, Opening, Socket, Transport};

impl DcqcnConfig {
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        Ok(Arc::new(self.checked()?))
    }
}

impl Transport for Settings {
    fn segment_bytes(&self) -> u32 {
        self.segment_bytes
    }

    fn header_bytes(&self) -> u32 {
        packet_bytes(self.version, self.segment_bytes) - self.segment_bytes
    }

    fn carrier(&self) -> Carrier {
        Carrier::Roce(self.version)
    }

    fn open(self: Arc<Self>, opening: Opening, _now: Ns, io: &mut Io) -> Box<dyn Socket> {
        Box::new(End::new(self, opening, io))
    }

    /// A segment of TCP opens nothing.
    fn accept(
        self: Arc<Self>,
        _opening: Opening,
        _first: &Segment,
        _now: Ns,
        _io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        None
    }

    fn accept_roce(
        self: Arc<Self>,
        opening: Opening,
        first: &RocePacket,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        if !matches!(first.content, RoceContent::Data { .. }) {
            return None;
        }
        let mut end = End::new(self, opening, io);
        end.on_roce_packet(first, now, io);
        Some(Box::new(end))
    }
}
