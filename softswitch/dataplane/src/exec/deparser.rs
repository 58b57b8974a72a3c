// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From headers back to bytes.

use super::calc;
use super::env::Env;
use crate::model::packet_bytes::PacketBytes;
use crate::program::Deparser;

impl Env<'_> {
    /// Updates checksums and gives the valid headers and the payload. They take the place of the packet's bytes: a
    /// packet whose headers have kept their length is not copied.
    pub fn deparse<const TRACED: bool>(&mut self, deparser: &Deparser) -> PacketBytes {
        if TRACED {
            self.update_and_note(deparser);
        } else {
            calc::update(self.program, self.externs, self.packet);
        }
        self.run::<TRACED>(&deparser.ops, &[]);
        self.emit(deparser);
        self.packet.take_data()
    }

    /// Puts the valid headers in the place of what the parser consumed.
    pub fn emit(&mut self, deparser: &Deparser) {
        let layout = &self.program.layout;
        let packet = &mut *self.packet;
        let order = deparser.order.iter().copied();
        let valid = order.filter(|&header| packet.phv.is_valid(layout, header));
        let length: u32 = valid
            .clone()
            .map(|header| packet.phv.header_bytes(layout, header))
            .sum();
        let length = length as usize;
        let mut bytes = std::mem::take(&mut packet.data);
        if length != packet.parsed {
            bytes.resize_start(packet.parsed, length);
        }
        let mut at = 0;
        for header in valid {
            at += packet
                .phv
                .write_header(layout, header, &mut bytes.real_mut()[at..]);
        }
        packet.data = bytes;
    }
}
