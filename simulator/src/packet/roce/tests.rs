// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use quench_dataplane::PacketBytes;

use super::super::layout::*;
use super::super::types::IpVersion;
use super::super::{add_hop, ecn, read, Advice, Endpoint, Formats, Received};
use super::types::*;
use super::*;

const OPENER: Endpoint = Endpoint {
    address: 0x0a00_0101,
    port: 1024,
};
const ACCEPTOR: Endpoint = Endpoint {
    address: 0x0a00_0201,
    port: ROCE_PORT,
};
const UDP_AT: [usize; 2] = [ETHERNET_BYTES + IP_BYTES, ETHERNET_BYTES + IPV6_BYTES];

pub(super) fn packet(version: IpVersion, content: RoceContent) -> RocePacket {
    RocePacket {
        version,
        source: OPENER,
        destination: ACCEPTOR,
        content,
        ecn: ecn::NOT_ECT,
        dscp: 0,
        hops: 0,
    }
}

fn data(version: IpVersion, payload_bytes: u32) -> RocePacket {
    let content = RoceContent::Data {
        psn: 7,
        first: true,
        last: true,
        payload_bytes,
    };
    RocePacket {
        ecn: ecn::ECT0,
        ..packet(version, content)
    }
}

pub(super) fn frame_of(packet: &RocePacket) -> PacketBytes {
    let mut frame = PacketBytes::new(vec![0xee; 7], 3);
    write_roce(&mut frame, packet, 0x1234);
    frame
}

/// Reads a frame. It is the same however many of the zeros at its end are implied.
fn reading(frame: &[u8]) -> Received {
    let received = read(&frame.to_vec().into(), &Formats::default());
    let last = frame.iter().rposition(|&byte| byte != 0);
    for real in last.map_or(0, |last| last + 1)..frame.len() {
        let implied = PacketBytes::new(frame[..real].to_vec(), frame.len() - real);
        assert_eq!(read(&implied, &Formats::default()), received, "{real}");
    }
    received
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.split_whitespace().collect::<String>();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// The frames are Scapy's, with its ICRC.
#[test]
fn frames_are_those_of_another_implementation() {
    let ack = RocePacket {
        dscp: 46,
        ..packet(
            IpVersion::V4,
            RoceContent::Ack {
                psn: 0xff_fffe,
                msn: 1,
            },
        )
    };
    let cnp = RocePacket {
        source: Endpoint {
            port: ROCE_PORT,
            ..OPENER
        },
        destination: Endpoint {
            port: 1024,
            ..ACCEPTOR
        },
        dscp: 48,
        ..packet(IpVersion::V6, RoceContent::Cnp)
    };
    for (packet, expected) in [
        (
            ack,
            "02000a000201 02000a000101 0800 45b80030 12344000 401110d0 0a000101 0a000201
             040012b7 001c0000 1140ffff 00000400 00fffffe 1f000001 38f93613",
        ),
        (
            cnp,
            "02000a000201 02000a000101 86dd 6c000000 00281140
             fd5175656e6368000000 00000a000101 fd5175656e6368000000 00000a000201
             12b712b7 00280000 8100ffff 40000400 00000000 00000000 00000000 00000000 00000000 11ce423d",
        ),
        (
            data(IpVersion::V4, 5),
            "02000a000201 02000a000101 0800 45020034 12344000 40111182 0a000101 0a000201
             040012b7 00200000 0470ffff 00000400 80000007 00000000 00000000 b8364a84",
        ),
        (
            data(IpVersion::V6, 5),
            "02000a000201 02000a000101 86dd 60200000 00201140
             fd5175656e6368000000 00000a000101 fd5175656e6368000000 00000a000201
             040012b7 00200000 0470ffff 00000400 80000007 00000000 00000000 f3a7dc98",
        ),
    ] {
        let frame = frame_of(&packet);
        let whole = complete(frame.all()).into_owned();
        assert_eq!(whole, hex(expected), "{packet:?}");
        assert_eq!(reading(&whole), Received::Roce(packet));
        assert_eq!(reading(&frame.all()), Received::Roce(packet));
    }
}

#[test]
fn the_icrc_of_payload_is_implied_until_somebody_looks() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let frame = frame_of(&data(version, 1000));
        assert_eq!(frame.zeros(), 1004);
        assert_eq!(
            frame.len() - ETHERNET_BYTES,
            packet_bytes(version, 1000) as usize
        );
        let whole = complete(frame.all());
        assert_ne!(whole[whole.len() - 4..], [0; 4]);
        assert_eq!(complete(whole.clone()), whole, "it is there already");
        // Padding of Ethernet comes behind it.
        let mut padded = frame.all().into_owned();
        padded.extend([0; 9]);
        let padded = complete(padded.into()).into_owned();
        assert_eq!(padded[..whole.len()], *whole);
        assert_eq!(reading(&padded), Received::Roce(data(version, 1000)));
    }
    let mut other = frame_of(&data(IpVersion::V4, 8)).into_vec();
    other[UDP_AT[0] + 3] ^= 1;
    assert_eq!(complete(other.clone().into()), other, "no RoCEv2");
    let mut cnp = frame_of(&packet(IpVersion::V6, RoceContent::Cnp)).into_vec();
    let crc = cnp.len() - ICRC_BYTES;
    cnp[crc..].fill(0);
    assert_eq!(
        complete(cnp.clone().into()),
        cnp,
        "it is wrong, and stays so"
    );
}

#[test]
fn what_routers_change_does_not_change_the_icrc() {
    for (version, udp) in [IpVersion::V4, IpVersion::V6].into_iter().zip(UDP_AT) {
        let ack = packet(version, RoceContent::Ack { psn: 1, msn: 0 });
        let mut frame = frame_of(&ack);
        add_hop(&mut frame);
        let mut bytes = frame.into_vec();
        bytes[udp + UDP_BYTES + 4] |= 0x80;
        match version {
            IpVersion::V4 => {
                bytes[ETHERNET_BYTES + 1] |= 3;
                bytes[ETHERNET_BYTES + 11] -= 3;
            }
            IpVersion::V6 => {
                bytes[ETHERNET_BYTES + 1] |= 0x35;
                bytes[ETHERNET_BYTES + 3] = 0xff;
            }
        }
        let marked = RocePacket {
            ecn: ecn::CE,
            ..ack
        };
        assert_eq!(reading(&bytes), Received::Roce(marked), "{version:?}");
        for at in [udp + 1, udp + UDP_BYTES + 11, bytes.len() - 1] {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0x10;
            assert_eq!(reading(&wrong), Received::Other, "{version:?} {at}");
        }
    }
}

#[test]
fn a_router_that_a_packet_has_passed_counts() {
    for (version, ttl) in [(IpVersion::V4, 8), (IpVersion::V6, 7)] {
        let mut bytes = frame_of(&data(version, 64)).into_vec();
        bytes[ETHERNET_BYTES + ttl] -= 2;
        if version == IpVersion::V4 {
            bytes[ETHERNET_BYTES + 10] += 2;
        }
        let passed = RocePacket {
            hops: 2,
            ..data(version, 64)
        };
        assert_eq!(reading(&bytes), Received::Roce(passed));
        assert_eq!(frame_of(&passed).into_vec(), bytes);
    }
}

fn notification(version: IpVersion) -> SwitchCnp {
    SwitchCnp {
        version,
        local: OPENER,
        remote: ACCEPTOR,
        advice: Advice::Pause(50),
    }
}

fn notification_frame(cnp: &SwitchCnp, fast: bool) -> Vec<u8> {
    let mut frame = PacketBytes::default();
    write_switch_cnp(&mut frame, cnp, 0x0aff_ff01, fast);
    frame.into_vec()
}

#[test]
fn a_switch_names_the_flow_by_its_ports_and_the_original_destination() {
    for (version, fast) in [
        (IpVersion::V4, false),
        (IpVersion::V6, false),
        (IpVersion::V6, true),
    ] {
        let of_opener = notification(version);
        let of_acceptor = SwitchCnp {
            local: ACCEPTOR,
            remote: OPENER,
            ..of_opener
        };
        for cnp in [of_opener, of_acceptor] {
            let frame = notification_frame(&cnp, fast);
            assert_eq!(reading(&frame), Received::SwitchCnp(cnp));
            assert_eq!(sort(&frame.into()), Some(Sort::Signal));
        }
    }
}

/// The ICRC of the bytes, which were changed.
fn set_icrc(frame: &mut [u8], udp: usize) {
    let end = frame.len() - ICRC_BYTES;
    let crc = icrc::icrc(&frame[ETHERNET_BYTES..end], udp - ETHERNET_BYTES);
    frame[end..].copy_from_slice(&crc);
}

#[test]
fn a_number_of_more_bits_than_advice_is_none() {
    let cnp = notification(IpVersion::V4);
    let mut frame = notification_frame(&cnp, false);
    frame[UDP_AT[0] + 17] = 1;
    set_icrc(&mut frame, UDP_AT[0]);
    let advice = Advice::None;
    let expected = SwitchCnp { advice, ..cnp };
    assert_eq!(reading(&frame), Received::SwitchCnp(expected));
}

#[test]
fn a_fast_cnp_is_found_among_other_options() {
    let start = ETHERNET_BYTES + IPV6_BYTES;
    let original = &notification_frame(&notification(IpVersion::V6), true)[start + 8..start + 24];
    let with = |before: &[u8], after: &[u8]| {
        let mut frame = notification_frame(&notification(IpVersion::V6), true);
        let mut options = before.to_vec();
        options.extend([0x1e, 16]);
        options.extend(original);
        options.extend(after);
        let bytes = options.len() + 2;
        assert_eq!(bytes % 8, 0);
        frame[start + 1] = (bytes / 8 - 1) as u8;
        frame.splice(start + 2..start + 24, options);
        frame[start - 35] = (40 + bytes) as u8;
        set_icrc(&mut frame, start + bytes);
        reading(&frame)
    };
    let found = Received::SwitchCnp(notification(IpVersion::V6));
    assert_eq!(with(&[], &[1, 2, 0, 0]), found);
    assert_eq!(with(&[0, 0, 0, 0], &[]), found);
    assert_eq!(with(&[0x1d, 2, 7, 7], &[]), found, "may be skipped");
    assert_eq!(with(&[0, 0x3f, 4, 1, 2, 3, 4], &[1, 3, 0, 0, 0]), found);
    for kind in [0x40, 0x80, 0xc2] {
        assert_eq!(with(&[kind, 2, 0, 0], &[]), Received::Other, "{kind:#x}");
    }
    assert_eq!(with(&[1, 3, 0, 0], &[]), Received::Other, "out of step");
    assert_eq!(with(&[], &[1, 9, 0, 0]), Received::Other, "beyond the end");
    let mut twice = vec![0x1e, 16];
    twice.extend(original);
    assert_eq!(with(&twice, &[0; 2]), Received::Other);
}

/// A change of a frame, whose ICRC is right again afterwards, and why it makes the packet wrong.
type Change = (&'static str, fn(&mut Vec<u8>, usize));

#[test]
fn what_is_not_right_is_no_packet() {
    let changes: [Change; 12] = [
        ("another length of UDP", |frame, udp| frame[udp + 5] += 1),
        ("a wrong checksum of UDP", |frame, udp| frame[udp + 7] = 1),
        ("an unknown opcode", |frame, udp| frame[udp + 8] = 0x06),
        ("another version of the BTH", |frame, udp| {
            frame[udp + 9] |= 1
        }),
        ("another partition", |frame, udp| frame[udp + 10] = 0),
        ("a number that is no port", |frame, udp| frame[udp + 13] = 1),
        ("another queue pair", |frame, udp| frame[udp + 15] += 1),
        ("the accepting end's, to itself", |frame, udp| {
            frame[udp..udp + 2].copy_from_slice(&[0x12, 0xb7]);
            frame[udp + 14..udp + 16].copy_from_slice(&[0x12, 0xb7]);
        }),
        ("another port of UDP", |frame, udp| frame[udp + 3] += 1),
        ("no padding that fits", |frame, udp| frame[udp + 9] |= 0x30),
        ("cut", |frame, _| frame.truncate(frame.len() - 4)),
        ("another version of IP", |frame, _| {
            frame[ETHERNET_BYTES] ^= 0x10;
        }),
    ];
    for (version, udp) in [IpVersion::V4, IpVersion::V6].into_iter().zip(UDP_AT) {
        for content in [
            RoceContent::Ack { psn: 5, msn: 0 },
            RoceContent::Nak { psn: 5, msn: 0 },
            RoceContent::Cnp,
        ] {
            for (why, change) in changes {
                let mut frame = frame_of(&packet(version, content)).into_vec();
                change(&mut frame, udp);
                set_icrc(&mut frame, udp);
                let received = reading(&frame);
                let is_none = !matches!(received, Received::Roce(_) | Received::SwitchCnp(_));
                assert!(is_none, "{why}: {version:?} {content:?} {received:?}");
            }
        }
        let mut nak = frame_of(&packet(version, RoceContent::Nak { psn: 5, msn: 0 })).into_vec();
        nak[udp + 20] = 0x61;
        set_icrc(&mut nak, udp);
        assert_eq!(reading(&nak), Received::Other, "another reason");
        let mut cnp = frame_of(&packet(version, RoceContent::Cnp)).into_vec();
        cnp[udp + 12] = 0;
        set_icrc(&mut cnp, udp);
        assert_eq!(reading(&cnp), Received::Other, "without BECN");
        let mut empty = frame_of(&data(version, 0)).into_vec();
        assert_eq!(reading(&empty), Received::Roce(data(version, 0)));
        empty[udp + 8] = 0;
        set_icrc(&mut empty, udp);
        assert_eq!(reading(&empty), Received::Other, "nothing, and no end");
    }
}

#[test]
fn notifications_of_no_flow_are_none() {
    let v6 = notification_frame(&notification(IpVersion::V6), false);
    let udp = UDP_AT[1];
    let mut mapped = v6.clone();
    mapped[udp + 20..udp + 32].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
    set_icrc(&mut mapped, udp);
    assert_eq!(reading(&mapped), Received::Other, "IPv4's, over IPv6");
    let mut unnamed = v6;
    unnamed[udp + 20..udp + 36].fill(0);
    set_icrc(&mut unnamed, udp);
    assert_eq!(reading(&unnamed), Received::Other, "of no host");
    let start = ETHERNET_BYTES + IPV6_BYTES;
    let mut both = notification_frame(&notification(IpVersion::V6), true);
    both[start + 24 + 20] = 1;
    set_icrc(&mut both, start + 24);
    assert_eq!(reading(&both), Received::Other, "two originals");
    let mut data = notification_frame(&notification(IpVersion::V6), true);
    data[start + 24 + 8] = 0x04;
    set_icrc(&mut data, start + 24);
    assert_eq!(reading(&data), Received::Other, "the option, of data");
}

#[test]
fn packets_count_by_what_they_are() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let sorted = |packet: &RocePacket| sort(&frame_of(packet));
        assert_eq!(sorted(&data(version, 1)), Some(Sort::Data));
        assert_eq!(sorted(&data(version, 0)), Some(Sort::Answer));
        for content in [RoceContent::Ack { psn: 0, msn: 0 }, RoceContent::Cnp] {
            assert_eq!(sorted(&packet(version, content)), Some(Sort::Answer));
        }
        let frame = frame_of(&data(version, 100)).into_vec();
        for bytes in 0..frame.len() {
            sort(&frame[..bytes].to_vec().into());
        }
    }
}
