// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The ends of a run of packets that are joined.

use super::*;

fn counts(packets: &[Vec<u8>]) -> Vec<usize> {
    let mut rest = packets;
    let mut counts = Vec::new();
    while !rest.is_empty() {
        let count = join(rest, MTU_BYTES).map_or(1, |joined| joined.packets);
        counts.push(count);
        rest = &rest[count..];
    }
    counts
}

/// Packets of one flow of which one differs, with correct checksums.
fn with_another(change: impl Fn(&mut Sender), from: usize, to: usize) -> Vec<Vec<u8>> {
    let sender = Sender::default();
    let mut other = sender.clone();
    change(&mut other);
    let mut packets = sender.packets();
    packets[from..to].clone_from_slice(&other.packets()[from..to]);
    packets
}

#[test]
fn a_run_ends_where_a_packet_differs() {
    assert_eq!(counts(&Sender::default().packets()), [7]);
    // Another congestion mark or window, as other options, begins a run of its own.
    let marked = with_another(|_| {}, 0, 0);
    let marked = marked.iter().enumerate().map(|(i, packet)| {
        let mut packet = packet.clone();
        if i == 3 {
            packet[15] |= 3;
            packet[24..26].fill(0);
            let sum = checksum(&packet[14..34]);
            packet[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        packet
    });
    assert_eq!(counts(&marked.collect::<Vec<_>>()), [3, 1, 3]);
    let changes: [fn(&mut Sender); 6] = [
        |other| other.options[1] += 1,
        |other| other.flags |= 0x40,
        |other| other.sequence += 1,
        |other| other.identification += 1,
        |other| other.tags = vec![5],
        |other| other.v6 = true,
    ];
    for change in changes {
        let packets = with_another(change, 2, 4);
        let found = counts(&packets);
        assert_eq!(found.iter().sum::<usize>(), 7);
        assert_eq!((found[0], found.last()), (2, Some(&3)), "{found:?}");
    }
    // PSH and FIN are those of a last packet, and a shorter packet is one.
    assert_eq!(
        counts(&with_another(|other| other.segment_bytes = 10_000, 0, 0)),
        [7]
    );
    let pushed: Vec<_> = [0x18, 0x11, 0x10]
        .iter()
        .flat_map(|flags| {
            let sender = Sender {
                flags: *flags,
                ..Sender::default()
            };
            sender.packets()
        })
        .collect();
    assert_eq!(counts(&pushed), [7, 7, 7]);
}

#[test]
fn what_segmentation_would_not_make_is_not_joined() {
    let packets = |change: fn(&mut Sender)| {
        let mut sender = Sender::default();
        change(&mut sender);
        sender.packets()
    };
    // SYN, RST and URG.
    let flags: [fn(&mut Sender); 3] = [
        |sender| sender.flags = 0x12,
        |sender| sender.flags = 0x14,
        |sender| sender.flags = 0x30,
    ];
    for flags in flags {
        assert_eq!(counts(&packets(flags)), [1; 7]);
    }
    // Packets that are longer than the interface takes; a tag does not count.
    assert_eq!(counts(&packets(|s| s.segment_bytes = 1449)), [1; 7]);
    assert_eq!(counts(&packets(|s| s.tags = vec![7])), [7]);
    assert_eq!(counts(&packets(|s| s.tags = vec![7, 7])), [1; 7]);
    // A wrong checksum must stay wrong.
    let mut wrong = packets(|_| {});
    wrong[2][100] ^= 1;
    assert_eq!(counts(&wrong), [2, 1, 4]);
    // No payload, or too little of anything.
    assert_eq!(
        counts(&[
            vec![0; 60],
            vec![0; 60],
            vec![],
            vec![],
            vec![8; 14],
            vec![8; 14]
        ]),
        [1; 6]
    );
    // Padding behind the packet.
    let padded = packets(|s| s.segment_bytes = 500)
        .into_iter()
        .map(|packet| [packet, vec![0; 4]].concat());
    assert_eq!(counts(&padded.collect::<Vec<_>>()), [1; 20]);
    // UDP without a checksum.
    let udp = Sender {
        tcp: false,
        options: Vec::new(),
        ..Sender::default()
    };
    let unchecked = udp.packets().into_iter().map(|mut packet| {
        packet[40..42].fill(0);
        packet
    });
    assert_eq!(counts(&unchecked.collect::<Vec<_>>()), [1; 7]);
    assert_eq!(counts(&udp.packets()), [7]);
}

#[test]
fn a_frame_is_never_longer_than_an_ip_packet() {
    let sender = Sender {
        payload: vec![1; 65_535 - 52],
        ..Sender::default()
    };
    let packets = sender.packets();
    assert_eq!(counts(&packets), [packets.len()]);
    let more = Sender {
        payload: vec![1; 1448],
        sequence: sender.sequence.wrapping_add(46 * 1448),
        identification: sender.identification.wrapping_add(46),
        ..Sender::default()
    };
    let sequel: Vec<_> = packets[..45]
        .iter()
        .cloned()
        .chain(more.packets())
        .collect();
    assert_eq!(counts(&sequel), [45, 1]);
}
