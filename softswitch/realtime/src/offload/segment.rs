// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Cutting a frame into the packets that its sender would have sent without offloads.

use std::ops::Range;

use super::checksum::{complement, crc32c, fold, minus, sum};
use super::header::{Gso, VnetHeader};
use super::layout::{put_word, word, Ip, Layout, Network, SCTP};
use super::refusal::{Refusal, MAX_HEADER_BYTES, MAX_SEGMENTS};

const FLAGS: usize = 13;
pub const FIN: u8 = 0x01;
pub const PSH: u8 = 0x08;
pub const CWR: u8 = 0x80;
/// Flags that only the last packet has.
pub const ENDS: u8 = FIN | PSH;
/// The offset of SCTP's checksum behind its header's beginning.
const SCTP_CHECKSUM: usize = 8;
const IPV6_BYTES: usize = 40;

/// The headers of packets of one frame, which differ only in what grows.
#[derive(Debug, Clone)]
pub struct Headers {
    bytes: [u8; MAX_HEADER_BYTES],
    pub layout: Layout,
    /// The sum of the pseudo-header without the length.
    pseudo_sum: u64,
    /// UDP may be without.
    checksummed: bool,
}

/// A packet's place in its frame.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub number: usize,
    /// The payload of the packets before it.
    pub offset_bytes: usize,
    pub payload_bytes: usize,
    /// Those of the flags [`ENDS`] that it has.
    pub ends: u8,
}

impl Headers {
    /// The headers of a packet, or of a frame.
    pub fn of(frame: &[u8], layout: Layout, pseudo_sum: u64) -> Self {
        let mut bytes = [0; MAX_HEADER_BYTES];
        bytes[..layout.payload].copy_from_slice(&frame[..layout.payload]);
        let checksum = layout.transport + layout.checksum_offset();
        let checksummed = layout.tcp || word(&bytes, checksum) != 0;
        put_word(&mut bytes, checksum, 0);
        Self {
            bytes,
            layout,
            pseudo_sum,
            checksummed,
        }
    }

    /// The header of one packet, without the transport's checksum.
    pub fn write(&self, place: Place, header: &mut [u8]) {
        let layout = self.layout;
        header.copy_from_slice(&self.bytes[..layout.payload]);
        let network_bytes = (layout.payload - layout.network + place.payload_bytes) as u16;
        let transport_bytes = (layout.payload - layout.transport + place.payload_bytes) as u16;
        let (network, transport) = header.split_at_mut(layout.transport);
        let network = &mut network[layout.network..];
        match layout.ip {
            Ip::V4 => {
                let identification = word(network, 4).wrapping_add(place.number as u16);
                put_word(network, 2, network_bytes);
                put_word(network, 4, identification);
                put_word(network, 10, 0);
                // Linux leaves a zero here, unlike in the transport's checksum.
                let checksum = !fold(sum(network));
                put_word(network, 10, checksum);
            }
            Ip::V6 => put_word(network, 4, network_bytes - IPV6_BYTES as u16),
        }
        if layout.tcp {
            let first = u32::from_be_bytes(transport[4..8].try_into().expect("it has four bytes"));
            let sequence = first.wrapping_add(place.offset_bytes as u32);
            transport[4..8].copy_from_slice(&sequence.to_be_bytes());
            let not_here = if place.number > 0 { ENDS | CWR } else { ENDS };
            transport[FLAGS] = transport[FLAGS] & !not_here | place.ends;
        } else {
            put_word(transport, 4, transport_bytes);
        }
    }

    /// The transport's checksum of a packet whose header has none as yet.
    pub fn checksum(&self, header: &[u8], payload: &[u8]) -> u16 {
        if !self.checksummed {
            return 0;
        }
        let transport = &header[self.layout.transport..];
        let length = (transport.len() + payload.len()) as u64;
        complement(self.pseudo_sum + length + sum(transport) + sum(payload))
    }

    /// The sum of the pseudo-header of so many bytes, which stands for a checksum that is not finished.
    pub fn unfinished_checksum(&self, payload_bytes: usize) -> u16 {
        let transport_bytes = self.layout.payload - self.layout.transport + payload_bytes;
        fold(self.pseudo_sum + transport_bytes as u64)
    }

    pub fn checksum_at(&self) -> usize {
        self.layout.transport + self.layout.checksum_offset()
    }

    /// Those of the flags [`ENDS`] that the frame has.
    pub fn ends(&self) -> u8 {
        self.flags() & ENDS
    }

    pub fn flags(&self) -> u8 {
        if self.layout.tcp {
            self.bytes[self.layout.transport + FLAGS]
        } else {
            0
        }
    }
}

/// Cuts one frame, in its own memory: the header of each packet comes to lie before its payload, over the packet before.
#[derive(Debug)]
pub struct Cutter {
    headers: Headers,
    frame_bytes: usize,
    segment_bytes: usize,
    number: usize,
}

impl Cutter {
    /// Finish what was left undone in a frame, if that can be done at once, else begin to cut it.
    pub fn start(frame: &mut [u8], vnet: &VnetHeader) -> Result<Option<Self>, Refusal> {
        let Some(gso) = vnet.gso else {
            finish(frame, vnet)?;
            return Ok(None);
        };
        let layout = Layout::of(frame)?;
        let as_described = match gso {
            Gso::Tcp4 => layout.tcp && layout.ip == Ip::V4,
            Gso::Tcp6 => layout.tcp && layout.ip == Ip::V6,
            Gso::Udp => !layout.tcp,
        };
        let segment_bytes = usize::from(vnet.segment_bytes);
        let payload_bytes = frame.len() - layout.payload;
        // The checksum's beginning tells a tunnel from what it looks like.
        match vnet.checksum {
            Some((start, _)) if usize::from(start) != layout.transport => {
                return Err(Refusal::Tunnel);
            }
            _ if !as_described => return Err(Refusal::Transport),
            Some((_, offset)) if usize::from(offset) != layout.checksum_offset() => {
                return Err(Refusal::Checksum);
            }
            None if layout.routed => return Err(Refusal::Routed),
            _ if segment_bytes == 0 => return Err(Refusal::SegmentSize),
            _ if payload_bytes > MAX_SEGMENTS * segment_bytes => return Err(Refusal::Segments),
            _ => {}
        }
        if payload_bytes <= segment_bytes {
            finish(frame, vnet)?;
            return Ok(None);
        }
        let pseudo_sum = match vnet.checksum {
            None => layout.pseudo_sum(frame),
            // The sender put the sum of the pseudo-header there, with the length of the whole.
            Some((start, offset)) => {
                let transport_bytes = (frame.len() - layout.transport) as u16;
                let place = usize::from(start) + usize::from(offset);
                u64::from(word(frame, place)) + minus(transport_bytes)
            }
        };
        let mut headers = Headers::of(frame, layout, pseudo_sum);
        headers.checksummed |= vnet.checksum.is_some();
        Ok(Some(Self {
            headers,
            frame_bytes: frame.len(),
            segment_bytes,
            number: 0,
        }))
    }

    /// The place in the frame of the next packet, which is complete now; the one before is no longer. The frame is the one
    /// that the cutter was made for.
    pub fn next(&mut self, frame: &mut [u8]) -> Option<Range<usize>> {
        let start = self.number * self.segment_bytes;
        let payload = start + self.headers.layout.payload;
        if payload >= self.frame_bytes {
            return None;
        }
        let end = (payload + self.segment_bytes).min(self.frame_bytes);
        let last = end == self.frame_bytes;
        let place = Place {
            number: self.number,
            offset_bytes: start,
            payload_bytes: end - payload,
            ends: if last { self.headers.ends() } else { 0 },
        };
        let (before, after) = frame.split_at_mut(payload);
        let header = &mut before[start..];
        self.headers.write(place, header);
        let checksum = self.headers.checksum(header, &after[..end - payload]);
        put_word(header, self.headers.checksum_at(), checksum);
        self.number += 1;
        Some(start..end)
    }
}

/// Finish the checksum of a packet, if it is not.
pub fn finish(packet: &mut [u8], vnet: &VnetHeader) -> Result<(), Refusal> {
    let Some((start, offset)) = vnet.checksum else {
        return Ok(());
    };
    let (start, offset) = (usize::from(start), usize::from(offset));
    let place = start + offset;
    if place + 2 > packet.len() {
        return Err(Refusal::Checksum);
    }
    // The header does not tell this checksum from others.
    let is_sctp = |network: Network| network.protocol == SCTP && network.transport == start;
    if offset == SCTP_CHECKSUM && Network::of(packet).is_ok_and(is_sctp) {
        if place + 4 > packet.len() {
            return Err(Refusal::Checksum);
        }
        let checksum = crc32c(&[&packet[start..place], &[0; 4], &packet[place + 4..]]);
        packet[place..place + 4].copy_from_slice(&checksum.to_le_bytes());
        return Ok(());
    }
    // The sum of the pseudo-header is there already.
    let checksum = complement(sum(&packet[start..]));
    put_word(packet, place, checksum);
    Ok(())
}
