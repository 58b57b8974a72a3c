// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sorts of packets of RoCEv2 for those who count the packets of a link: without checks, of frames as they come.

use quench_dataplane::PacketBytes;

use super::super::layout::*;
use super::types::{is_send, opcode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A packet with payload.
    Data,
    /// One without: acknowledgements, and the CNPs of receivers.
    Answer,
    /// A switch's notification to a sender.
    Signal,
}

/// None: it is no packet of RoCEv2.
pub fn sort(frame: &PacketBytes) -> Option<Sort> {
    let [high, low, first] = frame.array(ETHERNET_BYTES - 2)?;
    let ip = ETHERNET_BYTES;
    match (u16::from_be_bytes([high, low]), first >> 4) {
        (ETHERTYPE_IPV4, 4) if frame.array(ip + 9)? == [PROTOCOL_UDP] => {
            sort_at(frame, ip + usize::from(first & 0x0f) * 4)
        }
        (ETHERTYPE_IPV6, 6) => match frame.array(ip + 6)? {
            [PROTOCOL_UDP] => sort_at(frame, ip + IPV6_BYTES),
            [DESTINATION_OPTIONS] => {
                let [next, length] = frame.array(ip + IPV6_BYTES)?;
                let udp = ip + IPV6_BYTES + 8 * (usize::from(length) + 1);
                let found = (next == PROTOCOL_UDP).then(|| sort_at(frame, udp))??;
                let bth = frame.array(udp + UDP_BYTES)?;
                Some(if bth == [opcode::CNP] {
                    Sort::Signal
                } else {
                    found
                })
            }
            _ => None,
        },
        _ => None,
    }
}

fn sort_at(frame: &PacketBytes, udp: usize) -> Option<Sort> {
    let header: [u8; UDP_BYTES + 1] = frame.array(udp)?;
    if !is_roce(&header) {
        return None;
    }
    let is_empty = usize::from(u16_at(&header, 4)) <= UDP_BYTES + BTH_BYTES + ICRC_BYTES;
    match header[UDP_BYTES] {
        opcode if is_send(opcode) => Some(if is_empty { Sort::Answer } else { Sort::Data }),
        opcode::ACKNOWLEDGE => Some(Sort::Answer),
        opcode::CNP => {
            let reserved = frame.array(udp + UDP_BYTES + BTH_BYTES)?;
            let is_receivers = reserved == [0; CNP_BYTES];
            Some(if is_receivers {
                Sort::Answer
            } else {
                Sort::Signal
            })
        }
        _ => None,
    }
}
