// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets into frames.

use super::types::{Datagram, Segment};

/// Puts the segment, in IPv4 and Ethernet, in place of what `frame` held.
pub fn write_segment(frame: &mut Vec<u8>, segment: &Segment, ip_id: u16) {
    todo!()
}

/// Puts the datagram, in IPv4 and Ethernet, in place of what `frame` held.
pub fn write_datagram(frame: &mut Vec<u8>, datagram: &Datagram, ip_id: u16) {
    todo!()
}
