// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use proptest::prelude::*;

use quench_dataplane::PacketBytes;

use super::checksum::Sum;
use super::csig::tests::any_tag;
use super::*;

const HOST: u32 = 0x0a00_0101;
const PEER: u32 = 0x0a00_0201;

fn segment() -> Segment {
    Segment {
        source: Endpoint {
            address: HOST,
            port: 10_000,
        },
        destination: Endpoint {
            address: PEER,
            port: 80,
        },
        seq: 0x0102_0304,
        ack: 0xfffe_fdfc,
        flags: Flags::ACK | Flags::ECE,
        window: 0xabcd,
        payload_bytes: 960,
        ecn: ecn::ECT0,
        dscp: 46,
        ..Segment::default()
    }
}

/// A protocol with a header of 21 bytes, and one with the most.
fn formats() -> Formats {
    let format = |protocol, bytes| HeaderFormat {
        protocol,
        bytes,
        signal: None,
    };
    Formats::of([format(200, 21), format(201, MAX_HEADER_BYTES as u8)])
}

fn own_segment(protocol: u8, payload_bytes: u32) -> OwnSegment {
    let header_bytes = formats().header_bytes(protocol).expect("it is known");
    let mut header = [0; MAX_HEADER_BYTES];
    header[..header_bytes].fill(0xa5);
    header[..4].copy_from_slice(&[0x27, 0x10, 0x00, 0x50]);
    let Segment {
        source,
        destination,
        ..
    } = segment();
    OwnSegment {
        source,
        destination,
        protocol,
        header_bytes: header_bytes as u8,
        header,
        payload_bytes,
        ecn: ecn::CE,
        dscp: 46,
        hops: 3,
    }
}

fn own_frame(segment: &OwnSegment) -> Vec<u8> {
    let mut frame = PacketBytes::new(vec![0xee; 7], 3);
    write_own_segment(&mut frame, segment, 0x1234);
    frame.into_vec()
}

fn frame_of(segment: &Segment) -> Vec<u8> {
    let mut frame = PacketBytes::new(vec![0xee; 7], 3);
    write_segment(&mut frame, segment, 0x1234);
    frame.into_vec()
}

/// Reads a frame. It is the same however many of the zeros at its end are implied.
fn read(frame: &[u8]) -> Received {
    let received = super::read(&frame.to_vec().into(), &formats());
    let last = frame.iter().rposition(|&byte| byte != 0);
    for real in last.map_or(0, |last| last + 1)..frame.len() {
        let implied = PacketBytes::new(frame[..real].to_vec(), frame.len() - real);
        assert_eq!(
            super::read(&implied, &formats()),
            received,
            "{real} real bytes"
        );
    }
    received
}

#[test]
fn a_data_packet_of_960_bytes_has_1000_on_the_wire() {
    let frame = frame_of(&segment());

    assert_eq!(frame.len(), 14 + 1000);
    assert_eq!(
        &frame[12..24],
        &[
            0x08,
            0x00,
            0x45,
            46 << 2 | 2,
            0x03,
            0xe8,
            0x12,
            0x34,
            0x40,
            0x00,
            64,
            6
        ]
    );
    assert_eq!(
        &frame[34..50],
        &[0x27, 0x10, 0x00, 0x50, 1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc, 0x50, 0x50, 0xab, 0xcd]
    );
    assert_eq!(read(&frame), Received::Segment(segment()));
}

#[test]
fn an_ack_without_options_has_40_bytes() {
    let ack = Segment {
        payload_bytes: 0,
        ..segment()
    };

    assert_eq!(frame_of(&ack).len(), 14 + 40);
}

#[test]
fn the_option_of_multilevel_ecn_comes_last() {
    let syn = Segment {
        flags: Flags::SYN,
        options: Options {
            mss: Some(960),
            window_scale: Some(7),
            sack_permitted: true,
            mecn: true,
            ..Options::default()
        },
        payload_bytes: 0,
        ..segment()
    };
    let frame = frame_of(&syn);

    assert_eq!(
        &frame[54..],
        &[2, 4, 3, 0xc0, 1, 3, 3, 7, 1, 1, 4, 2, 253, 4, 0x4d, 0x45]
    );
    assert_eq!(read(&frame), Received::Segment(syn));
}

#[test]
fn sack_blocks_for_which_there_is_no_room_are_left_out() {
    let mut ack = segment();
    for i in 0..5 {
        ack.options.sack.push(i * 2000, i * 2000 + 1000);
    }
    assert_eq!(ack.options.sack.as_slice().len(), 4);
    assert_eq!(read(&frame_of(&ack)), Received::Segment(ack));

    ack.options.timestamps = Some((5, 6));
    let Received::Segment(read) = read(&frame_of(&ack)) else {
        panic!("no segment")
    };
    assert_eq!(
        read.options.sack.as_slice(),
        &ack.options.sack.as_slice()[..3]
    );
    assert_eq!(read.options.timestamps, Some((5, 6)));
}

#[test]
fn a_header_of_ones_own_is_directly_behind_ipv4() {
    for (protocol, payload_bytes) in [(200, 0), (200, 1459), (201, 0), (201, 1000)] {
        let segment = own_segment(protocol, payload_bytes);
        let frame = own_frame(&segment);
        let header_bytes = usize::from(segment.header_bytes);
        assert_eq!(frame.len(), 34 + header_bytes + payload_bytes as usize);
        assert_eq!((frame[22], frame[23]), (61, protocol));
        assert_eq!(
            &frame[34..34 + header_bytes],
            &segment.header[..header_bytes]
        );
        assert_eq!(read(&frame), Received::OwnSegment(segment));
        for length in 0..34 + header_bytes {
            assert_eq!(read(&frame[..length]), Received::Other, "{length} bytes");
        }
        let mut unknown = frame.clone();
        unknown[23] = 199;
        unknown[25] += protocol - 199;
        assert_eq!(read(&unknown), Received::Other);
    }
    let mut short = own_segment(200, 0);
    short.header_bytes = 20;
    assert_eq!(read(&own_frame(&short)), Received::Other);
}

#[test]
fn the_time_to_live_says_how_many_routers_a_segment_has_passed() {
    let mut frame = frame_of(&segment());
    for (ttl, hops) in [(64, 0), (61, 3), (0, 64), (255, 0)] {
        frame[22] = ttl;
        frame[24..26].fill(0);
        let checksum = Sum::default().bytes(&frame[14..34]).checksum();
        frame[24..26].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!(
            read(&frame),
            Received::Segment(Segment { hops, ..segment() })
        );
    }
}

#[test]
fn a_hop_more_keeps_the_checksum_right() {
    for dscp in 0..64 {
        let packet = Segment { dscp, ..segment() };
        let mut frame = PacketBytes::default();
        write_segment(&mut frame, &packet, 7 * u16::from(dscp));
        let written = frame.all().to_vec();
        add_hop(&mut frame);
        let mut frame = frame.all().to_vec();
        assert_eq!((written[22], frame[22]), (64, 65));
        assert!(Sum::default().bytes(&frame[14..34]).is_right(), "{dscp}");
        frame[22..26].copy_from_slice(&written[22..26]);
        assert_eq!(frame, written);
    }
}

#[test]
fn malformed_packets_are_ignored() {
    let frame = frame_of(&segment());

    for broken in [14, 24, 34, 60, 1000] {
        let mut copy = frame.clone();
        copy[broken] ^= 1;
        assert_eq!(read(&copy), Received::Other, "byte {broken}");
    }
    for length in [0, 13, 14, 33, 34, 53, frame.len() - 1] {
        assert_eq!(read(&frame[..length]), Received::Other, "{length} bytes");
    }
    let mut padded = frame.clone();
    padded.extend_from_slice(&[0; 6]);
    assert_eq!(read(&padded), Received::Segment(segment()));
}

fn datagram() -> Datagram {
    Datagram {
        source: segment().source,
        destination: segment().destination,
        payload_bytes: 160,
        ecn: ecn::NOT_ECT,
        dscp: 46,
        flow: 7,
        number: 1 << 40,
        sent_ns: 123_456_789_012,
    }
}

#[test]
fn a_datagram_carries_flow_number_and_time() {
    let mut frame = PacketBytes::default();
    write_datagram(&mut frame, &datagram(), 1);

    assert_eq!(frame.len(), 14 + 20 + 8 + 160);
    assert_eq!(read(&frame.all()), Received::Datagram(datagram()));
}

#[test]
fn a_short_datagram_carries_as_much_as_there_is_room_for() {
    let mut frame = PacketBytes::default();
    let short = Datagram {
        payload_bytes: 4,
        ..datagram()
    };
    write_datagram(&mut frame, &short, 1);

    let Received::Datagram(read) = read(&frame.all()) else {
        panic!("no datagram")
    };
    assert_eq!((read.flow, read.number, read.sent_ns), (7, 0, 0));
}

/// An ISQ about `segment()`, and the bytes of its ICMP part.
fn quench(change: impl Fn(&mut Vec<u8>), change_ip: impl Fn(&mut Vec<u8>)) -> Received {
    let quoted = frame_of(&segment());
    let mut icmp = vec![4, 0, 0, 0, 0x80 | 5, 0, 0, 30];
    icmp.extend_from_slice(&quoted[14..14 + 28]);
    change(&mut icmp);
    let sum = Sum::default().bytes(&icmp).checksum();
    icmp[2..4].copy_from_slice(&sum.to_be_bytes());
    let mut frame = vec![0; 12];
    frame.extend_from_slice(&[
        0x08, 0x00, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 1, 0, 0, 10, 9, 9, 9,
    ]);
    frame.extend_from_slice(&HOST.to_be_bytes());
    let total = 20 + icmp.len() as u16;
    frame[16..18].copy_from_slice(&total.to_be_bytes());
    let sum = Sum::default().bytes(&frame[14..34]).checksum();
    frame[24..26].copy_from_slice(&sum.to_be_bytes());
    frame.extend_from_slice(&icmp);
    change_ip(&mut frame);
    read(&frame)
}

fn refusal(change: impl Fn(&mut Vec<u8>), change_ip: impl Fn(&mut Vec<u8>)) -> Option<Refusal> {
    match quench(change, change_ip) {
        Received::SourceQuench(quench) => quench.quote.err(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_source_quench_is_read_with_its_quote() {
    let Received::SourceQuench(quench) = quench(|_| {}, |_| {}) else {
        panic!("no ISQ")
    };

    assert_eq!((quench.marked, quench.level), (true, 5));
    assert_eq!(quench.advice, Advice::Reduce(30));
    assert_eq!(
        quench.quote,
        Ok(Quote {
            source: segment().source,
            destination: segment().destination,
            carrier: Carrier::Tcp,
            seq: segment().seq,
        })
    );
}

#[test]
fn a_wrong_source_quench_is_refused_for_the_kernels_reasons() {
    let none = |_: &mut Vec<u8>| {};

    assert_eq!(refusal(none, none), None);
    assert_eq!(
        refusal(|icmp| icmp.truncate(35), none),
        Some(Refusal::Truncated)
    );
    assert_eq!(
        refusal(none, |frame| frame.truncate(60)),
        Some(Refusal::Truncated)
    );
    assert_eq!(
        refusal(|icmp| icmp.resize(557, 0), none),
        Some(Refusal::TooLong)
    );
    assert_eq!(refusal(|icmp| icmp.resize(556, 0), none), None);
    assert_eq!(
        refusal(none, |frame| frame[20] = 0x20),
        Some(Refusal::Fragment)
    );
    assert_eq!(
        refusal(none, |frame| frame[22] ^= 1),
        Some(Refusal::BadChecksum)
    );
    assert_eq!(
        refusal(none, |frame| frame[50] ^= 1),
        Some(Refusal::BadChecksum)
    );
    assert_eq!(refusal(|icmp| icmp[1] = 1, none), Some(Refusal::BadCode));
    assert_eq!(
        refusal(|icmp| icmp[8] = 0x65, none),
        Some(Refusal::BadQuote)
    );
    assert_eq!(refusal(|icmp| icmp[15] = 1, none), Some(Refusal::BadQuote));
    assert_eq!(
        refusal(
            |icmp| icmp[10..12].copy_from_slice(&39u16.to_be_bytes()),
            none
        ),
        Some(Refusal::BadQuote)
    );
    assert_eq!(refusal(|icmp| icmp[17] = 17, none), Some(Refusal::NotTcp));
    assert_eq!(
        refusal(|icmp| icmp[20] ^= 1, none),
        Some(Refusal::WrongSource)
    );
    // A quoted header with options, cut off before the sequence number.
    assert_eq!(
        refusal(|icmp| icmp[8] = 0x46, none),
        Some(Refusal::Truncated)
    );
}

#[test]
fn a_later_fragment_of_icmp_is_no_source_quench() {
    assert_eq!(quench(|_| {}, |frame| frame[21] = 1), Received::Other);
    assert_eq!(quench(|icmp| icmp[0] = 3, |_| {}), Received::Other);
}

#[test]
fn each_verdict_is_counted_once() {
    let mut counters = QuenchCounters::default();

    counters.count(Verdict::AcceptedMarked);
    counters.count(Verdict::Refused(Refusal::NotInFlight));
    counters.count(Verdict::Refused(Refusal::NotInFlight));
    assert_eq!(
        counters,
        QuenchCounters {
            isq_received: 3,
            isq_accepted_marked: 1,
            isq_refused_not_in_flight: 2,
            ..QuenchCounters::default()
        }
    );
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let endpoint =
        || (any::<u32>(), any::<u16>()).prop_map(|(address, port)| Endpoint { address, port });
    let options = (
        any::<Option<u16>>(),
        any::<Option<u8>>(),
        any::<bool>(),
        any::<bool>(),
        proptest::collection::vec(any::<(u32, u32)>(), 0..3),
        proptest::option::of(any_tag()),
    )
        .prop_map(
            |(mss, window_scale, sack_permitted, mecn, blocks, returned)| {
                let mut options = Options {
                    mss,
                    window_scale,
                    sack_permitted,
                    mecn,
                    returned,
                    ..Options::default()
                };
                // There is no room for both.
                if returned.is_none() {
                    blocks
                        .iter()
                        .for_each(|&(first, end)| options.sack.push(first, end));
                }
                options
            },
        );

    (
        (endpoint(), endpoint(), any::<u32>(), any::<u32>()),
        (0u16..0x200, any::<u16>(), options),
        (0u32..1500, 0u8..4, 0u8..64, 0u8..=64),
        proptest::option::of(any_tag()),
    )
        .prop_map(
            |(
                (source, destination, seq, ack),
                (flags, window, options),
                (payload_bytes, ecn, dscp, hops),
                tag,
            )| Segment {
                source,
                destination,
                seq,
                ack,
                flags: Flags(flags),
                window,
                options,
                payload_bytes,
                ecn,
                dscp,
                hops,
                tag,
            },
        )
}

proptest! {
    #[test]
    fn a_segment_that_is_written_is_read_back(segment in any_segment()) {
        prop_assert_eq!(read(&frame_of(&segment)), Received::Segment(segment));
    }

    #[test]
    fn reading_never_panics(frame in proptest::collection::vec(any::<u8>(), 0..120), proto in 0usize..6) {
        let mut frame = frame;
        if frame.len() > 40 {
            frame[12..15].copy_from_slice(&[8, 0, 0x45]);
            frame[23] = [1, 6, 17, 99, 200, 201][proto];
            frame[34] = 4;
        }
        let _ = read(&frame);
    }
}
