// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames are cut into what a sender without offloads sends, and joined again.

mod cutting;
mod joining;

use proptest::prelude::*;

use super::{join, Cutter, Gso, Joined, Refusal, VnetHeader, MAX_SEGMENTS, VNET_HEADER_BYTES};

const MTU_BYTES: usize = 1500;

/// A sender, which makes packets by itself, and frames for others to cut.
#[derive(Debug, Clone)]
pub struct Sender {
    pub tags: Vec<u16>,
    pub v6: bool,
    pub tcp: bool,
    /// Extension headers of IPv6, each with the number of its kind, of eight bytes.
    pub extensions: Vec<u8>,
    /// Options of TCP, in words.
    pub options: Vec<u32>,
    pub flags: u8,
    pub identification: u16,
    pub sequence: u32,
    pub segment_bytes: usize,
    pub payload: Vec<u8>,
}

fn checksum(bytes: &[u8]) -> u16 {
    let mut sum = 0u32;
    for word in bytes.chunks(2) {
        sum += u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

impl Sender {
    fn protocol(&self) -> u8 {
        if self.tcp {
            6
        } else {
            17
        }
    }

    fn transport(&self) -> usize {
        let extensions = 8 * self.extensions.len();
        14 + 4 * self.tags.len() + if self.v6 { 40 + extensions } else { 20 }
    }

    fn checksum_offset(&self) -> usize {
        if self.tcp {
            16
        } else {
            6
        }
    }

    /// The packet, or the frame, with a part of the payload: `number` packets went before. Its checksum is finished or not.
    fn packet(
        &self,
        number: usize,
        offset: usize,
        payload: &[u8],
        flags: u8,
        finished: bool,
    ) -> Vec<u8> {
        let mut transport = Vec::new();
        transport.extend([0x12, 0x34, 0x00, 0x50]);
        if self.tcp {
            transport.extend(self.sequence.wrapping_add(offset as u32).to_be_bytes());
            transport.extend(77u32.to_be_bytes());
            transport.extend([((5 + self.options.len()) << 4) as u8, flags]);
            transport.extend([0x10, 0x00, 0, 0, 0, 0]);
            self.options
                .iter()
                .for_each(|word| transport.extend(word.to_be_bytes()));
        } else {
            transport.extend(((8 + payload.len()) as u16).to_be_bytes());
            transport.extend([0, 0]);
        }
        transport.extend(payload);
        let addresses: Vec<u8> = (1..=if self.v6 { 32 } else { 8 }).collect();
        let mut pseudo = addresses.clone();
        pseudo.extend((transport.len() as u32).to_be_bytes());
        pseudo.extend([0, 0, 0, self.protocol()]);
        let sum = if finished {
            let sum = checksum(&[&pseudo[..], &transport[..]].concat());
            if sum == 0 {
                0xffff
            } else {
                sum
            }
        } else {
            !checksum(&pseudo)
        };
        let at = self.checksum_offset();
        transport[at..at + 2].copy_from_slice(&sum.to_be_bytes());

        let mut packet = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
        for (i, tag) in self.tags.iter().enumerate() {
            packet.extend(if i + 1 < self.tags.len() {
                [0x88, 0xa8]
            } else {
                [0x81, 0x00]
            });
            packet.extend(tag.to_be_bytes());
        }
        if self.v6 {
            packet.extend([0x86, 0xdd, 0x60, 0x2a, 0xbc, 0xde]);
            packet.extend(((8 * self.extensions.len() + transport.len()) as u16).to_be_bytes());
            packet.extend([*self.extensions.first().unwrap_or(&self.protocol()), 64]);
            packet.extend(addresses);
            for i in 0..self.extensions.len() {
                let next = self.extensions.get(i + 1).copied();
                packet.extend([next.unwrap_or(self.protocol()), 0, 1, 4, 0, 0, 0, 0]);
            }
        } else {
            let mut header = vec![0x45, 0x02];
            header.extend(((20 + transport.len()) as u16).to_be_bytes());
            header.extend(
                self.identification
                    .wrapping_add(number as u16)
                    .to_be_bytes(),
            );
            header.extend([0x40, 0x00, 64, self.protocol(), 0, 0]);
            header.extend(addresses);
            let sum = checksum(&header);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            packet.extend([0x08, 0x00]);
            packet.extend(header);
        }
        packet.extend(transport);
        packet
    }

    /// Make a changed packet's checksums those of what it has now.
    fn finish(&self, packet: &mut [u8]) {
        let network = 14 + 4 * self.tags.len();
        let (head, transport) = packet.split_at_mut(self.transport());
        let head = &mut head[network..];
        let addresses = if self.v6 { 8..40 } else { 12..20 };
        if !self.v6 {
            head[10..12].fill(0);
            let sum = checksum(head);
            head[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        let at = self.checksum_offset();
        transport[at..at + 2].fill(0);
        let mut pseudo = head[addresses].to_vec();
        pseudo.extend((transport.len() as u32).to_be_bytes());
        pseudo.extend([0, 0, 0, self.protocol()]);
        let sum = checksum(&[&pseudo[..], &*transport].concat());
        transport[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }

    /// The packets that go out without offloads.
    pub fn packets(&self) -> Vec<Vec<u8>> {
        let chunks = self.payload.chunks(self.segment_bytes);
        let count = chunks.len();
        let one = |(number, payload): (usize, &[u8])| {
            let mut flags = self.flags;
            if number > 0 {
                flags &= !0x80;
            }
            if number + 1 < count {
                flags &= !0x09;
            }
            self.packet(number, number * self.segment_bytes, payload, flags, true)
        };
        chunks.enumerate().map(one).collect()
    }

    /// The frame that goes out with them.
    pub fn frame(&self) -> (VnetHeader, Vec<u8>) {
        let gso = match (self.tcp, self.v6) {
            (true, false) => Gso::Tcp4,
            (true, true) => Gso::Tcp6,
            (false, _) => Gso::Udp,
        };
        let frame = self.packet(0, 0, &self.payload, self.flags, false);
        let vnet = VnetHeader {
            gso: Some(gso),
            cwr: self.flags & 0x80 != 0 && self.tcp,
            header_bytes: (frame.len() - self.payload.len()) as u16,
            segment_bytes: self.segment_bytes as u16,
            checksum: Some((self.transport() as u16, self.checksum_offset() as u16)),
        };
        (vnet, frame)
    }
}

impl Default for Sender {
    fn default() -> Self {
        Self {
            tags: Vec::new(),
            v6: false,
            tcp: true,
            extensions: Vec::new(),
            options: vec![0x0101_080a, 0x1234_5678, 0x9abc_def0],
            flags: 0x10,
            identification: 0xfffe,
            sequence: 0xffff_ff00,
            segment_bytes: 1448,
            payload: (0..10_000u32).map(|i| ((i * 7) >> 3) as u8).collect(),
        }
    }
}

fn cut(vnet: &VnetHeader, frame: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
    let mut frame = frame.to_vec();
    let Some(mut cutter) = Cutter::start(&mut frame, vnet)? else {
        return Ok(vec![frame]);
    };
    let mut packets = Vec::new();
    while let Some(range) = cutter.next(&mut frame) {
        packets.push(frame[range].to_vec());
    }
    Ok(packets)
}

/// The frame that is sent, of its parts.
fn whole(joined: &Joined, packets: &[Vec<u8>]) -> Vec<u8> {
    let payloads = packets[..joined.packets].iter();
    let payloads = payloads.flat_map(|packet| packet[joined.payload()..].to_vec());
    let header = &joined.head()[VNET_HEADER_BYTES..];
    header.iter().copied().chain(payloads).collect()
}

fn any_sender() -> impl Strategy<Value = Sender> {
    let ip = (
        prop::collection::vec(any::<u16>(), 0..3),
        any::<bool>(),
        prop::collection::vec(prop::sample::select(vec![0u8, 60]), 0..3),
        any::<u16>(),
    );
    let tcp = (
        any::<bool>(),
        prop::collection::vec(any::<u32>(), 0..10),
        prop::sample::select(vec![0x10u8, 0x18, 0x11, 0x90, 0xd9, 0x50]),
        any::<u32>(),
    );
    let sizes = (1usize..=1300, 1usize..=20, any::<u64>());
    (ip, tcp, sizes).prop_map(|(ip, tcp, (segment_bytes, segments, seed))| {
        let mut seed = seed | 1;
        let mut byte = || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (seed >> 56) as u8
        };
        let last = usize::from(byte()) % segment_bytes + 1;
        let length = (segments - 1) * segment_bytes + last;
        Sender {
            tags: ip.0,
            v6: ip.1,
            extensions: if ip.1 { ip.2 } else { Vec::new() },
            identification: ip.3,
            tcp: tcp.0,
            options: if tcp.0 { tcp.1 } else { Vec::new() },
            flags: tcp.2,
            sequence: tcp.3,
            segment_bytes,
            payload: (0..length).map(|_| byte()).collect(),
        }
    })
}

/// Whether a packet's checksum can be joined: software differs about zero.
fn plain(sender: &Sender, packet: &[u8]) -> bool {
    let at = sender.transport() + sender.checksum_offset();
    packet[at..at + 2] != [0xff, 0xff]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_frame_becomes_the_packets_of_a_sender_without_offloads(sender in any_sender()) {
        let (vnet, frame) = sender.frame();
        prop_assert_eq!(cut(&vnet, &frame), Ok(sender.packets()));
        // Hardware that has checked the checksum may leave it as it was in any of the packets.
        let finished = VnetHeader { checksum: None, ..vnet };
        if sender.packets().len() > 1 {
            prop_assert_eq!(cut(&finished, &frame), Ok(sender.packets()));
        }
    }

    #[test]
    fn packets_become_the_frame_that_they_were(sender in any_sender()) {
        let (vnet, frame) = sender.frame();
        let packets = sender.packets();
        prop_assume!(packets.iter().all(|packet| plain(&sender, packet)));
        match join(&packets, MTU_BYTES) {
            None => prop_assert_eq!(packets.len(), 1),
            Some(joined) => {
                prop_assert_eq!(joined.packets, packets.len());
                prop_assert_eq!(joined.vnet, vnet);
                prop_assert_eq!(whole(&joined, &packets), frame);
            }
        }
    }

    /// Whatever changes in whichever packet: what is joined is cut into the same again.
    #[test]
    fn what_is_joined_is_cut_into_the_same(
        sender in any_sender(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..80, any::<u8>()), 0..3),
        finish in any::<bool>(),
    ) {
        let mut packets = sender.packets();
        for (which, at, change) in changes {
            let packet = which.get_mut(&mut packets);
            let length = packet.len();
            packet[at % length] ^= change;
            // As a program that changes a packet does.
            if finish {
                sender.finish(packet);
            }
        }
        let mut rest = &packets[..];
        while !rest.is_empty() {
            let Some(joined) = join(rest, MTU_BYTES) else {
                rest = &rest[1..];
                continue;
            };
            let frame = whole(&joined, rest);
            prop_assert!(frame.len() <= 65_535 + 22);
            prop_assert_eq!(cut(&joined.vnet, &frame), Ok(rest[..joined.packets].to_vec()));
            rest = &rest[joined.packets..];
        }
    }
}
