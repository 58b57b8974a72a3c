// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames with a header about their segmentation: they are refused or cut into packets that together are the frame. What is
//! joined of packets is cut into the same packets.
//!
//! An input is a byte, and then either the header and the frame, or packets, each a length and its bytes.

use fastrand::Rng;
use quench_realtime::offload::{join, Cutter, Gso, VnetHeader, MAX_SEGMENTS, VNET_HEADER_BYTES};

use crate::bytes;
use crate::counts::COUNTS;

const FRAME: u8 = 0;
const PACKETS: u8 = 1;
const MTU_BYTES: usize = 1500;
/// Ethernet with four VLAN tags, and the longest of IP.
const MAX_FRAME_BYTES: usize = 14 + 16 + 65_535;

pub(crate) fn run(data: &[u8]) -> bool {
    COUNTS.input();
    let Some((&kind, data)) = data.split_first() else {
        return false;
    };
    let packets = if kind == FRAME {
        match data.split_first_chunk() {
            Some((vnet, frame)) => cut(vnet, frame),
            None => None,
        }
    } else {
        Some(split(data))
    };
    let Some(packets) = packets else {
        return false;
    };
    COUNTS.accept();
    rejoin(&packets);
    true
}

/// The packets of a frame, if it is not refused.
fn cut(vnet: &[u8; VNET_HEADER_BYTES], frame: &[u8]) -> Option<Vec<Vec<u8>>> {
    let vnet = VnetHeader::parse(vnet).ok()?;
    let packets = cut_by(&vnet, frame)?;
    assert!((1..=MAX_SEGMENTS).contains(&packets.len()));
    if packets.len() == 1 {
        assert_eq!(packets[0].len(), frame.len());
        return Some(packets);
    }
    let header_bytes = packets[0].len() - usize::from(vnet.segment_bytes);
    let payload = packets.iter().flat_map(|packet| &packet[header_bytes..]);
    assert!(payload.eq(&frame[header_bytes..]), "another payload");
    Some(packets)
}

fn cut_by(vnet: &VnetHeader, frame: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut frame = frame.to_vec();
    let Some(mut cutter) = Cutter::start(&mut frame, vnet).ok()? else {
        return Some(vec![frame]);
    };
    let mut packets = Vec::new();
    while let Some(place) = cutter.next(&mut frame) {
        COUNTS.packet();
        packets.push(frame[place].to_vec());
    }
    Some(packets)
}

fn rejoin(packets: &[Vec<u8>]) {
    let mut rest = packets;
    while !rest.is_empty() {
        let Some(joined) = join(rest, MTU_BYTES) else {
            rest = &rest[1..];
            continue;
        };
        let (run, others) = rest.split_at(joined.packets);
        assert!(run.len() > 1);
        let payload = run.iter().flat_map(|packet| &packet[joined.payload()..]);
        let (vnet, header) = joined.head().split_first_chunk().expect("it begins so");
        let frame: Vec<u8> = header.iter().chain(payload).copied().collect();
        assert!(frame.len() <= MAX_FRAME_BYTES);
        let vnet = VnetHeader::parse(vnet).expect("it was written");
        let again = cut_by(&vnet, &frame).expect("what was joined can be cut");
        assert!(again == run, "{run:x?} is joined and cut into {again:x?}");
        rest = others;
    }
}

fn split(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    while let [high, low, rest @ ..] = data {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (packet, rest) = rest.split_at(length);
        packets.push(packet.to_vec());
        data = rest;
    }
    packets
}

pub(crate) fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut data = data.to_vec();
    bytes::change(&mut data, donor, rng);
    data
}

/// Frames of each kind, and the packets of each.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (name, tagged, v6, tcp) in [
        ("tcp4", false, false, true),
        ("tcp6", false, true, true),
        ("udp4", false, false, false),
        ("udp6", true, true, false),
        ("tagged", true, false, true),
    ] {
        let (vnet, frame) = frame(tagged, v6, tcp);
        let mut packets = vec![PACKETS];
        for packet in cut_by(&vnet, &frame).expect("it can be cut") {
            packets.extend((packet.len() as u16).to_be_bytes());
            packets.extend(packet);
        }
        seeds.push((format!("{name}_packets"), packets));
        let frame = [&[FRAME], &vnet.bytes()[..], &frame].concat();
        seeds.push((format!("{name}_frame"), frame));
    }
    seeds
}

fn frame(tagged: bool, v6: bool, tcp: bool) -> (VnetHeader, Vec<u8>) {
    const PAYLOAD_BYTES: u16 = 250;
    const SEGMENT_BYTES: u16 = 100;
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    if tagged {
        frame.extend([0x81, 0x00, 0x60, 0x07]);
    }
    let (protocol, header_bytes) = if tcp { (6, 20) } else { (17, 8) };
    let length = header_bytes + PAYLOAD_BYTES;
    let addresses = if v6 {
        frame.extend([0x86, 0xdd, 0x60, 0, 0, 1]);
        frame.extend(length.to_be_bytes());
        frame.extend([protocol, 64]);
        32
    } else {
        frame.extend([0x08, 0x00, 0x45, 0]);
        frame.extend((20 + length).to_be_bytes());
        frame.extend([0, 1, 0x40, 0, 64, protocol, 0, 0]);
        8
    };
    // Addresses of zeros, of which the pseudo-header's sum is the rest of it.
    frame.resize(frame.len() + addresses, 0);
    let pseudo_sum = (u16::from(protocol) + length).to_be_bytes();
    let transport = frame.len() as u16;
    let checksum_offset = if tcp {
        frame.extend([0, 80, 0, 81, 0, 0, 0, 9, 0, 0, 0, 7, 0x50, 0x98, 1, 0]);
        frame.extend(pseudo_sum);
        frame.extend([0, 0]);
        16
    } else {
        frame.extend([0, 80, 0, 81]);
        frame.extend(length.to_be_bytes());
        frame.extend(pseudo_sum);
        6
    };
    frame.resize(frame.len() + usize::from(PAYLOAD_BYTES), 0x5a);
    let gso = match (tcp, v6) {
        (true, false) => Gso::Tcp4,
        (true, true) => Gso::Tcp6,
        (false, _) => Gso::Udp,
    };
    let vnet = VnetHeader {
        gso: Some(gso),
        cwr: tcp,
        header_bytes: transport + header_bytes,
        segment_bytes: SEGMENT_BYTES,
        checksum: Some((transport, checksum_offset)),
    };
    (vnet, frame)
}
