// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Frames into the parser of the simulator's hosts: a host reads only packets whose checksum is right, and reads the same
//! when it is written again. Segments go on to both ends of a connection of each transport.
//!
//! In: bytes of a fuzzer. Out: nothing, or a panic.

#![forbid(unsafe_code)]

mod icrc;

use std::sync::{Arc, OnceLock};

use fastrand::Rng;
use quench_dataplane::PacketBytes;
use quench_fuzz::{bytes, Target, COUNTS};
use quench_simulator::packet::csig::tag_form;
use quench_simulator::packet::roce::{
    complete, sort, write_roce, write_switch_cnp, RoceContent, RocePacket, SwitchCnp,
};
use quench_simulator::packet::{
    read, write_datagram, write_own_segment, write_segment, Advice, Datagram, Endpoint, Formats,
    HeaderBits, HeaderFormat, IpVersion, OwnSegment, Received, Segment, Tag, TagForm,
    MAX_HEADER_BYTES,
};
use quench_simulator::stacks;
use quench_simulator::transport::{Io, Opening, Transport};

pub const FRAMES: Target = Target {
    name: "frames",
    run,
    keeps_refused: true,
    mutate,
    seeds,
};

const ETHERNET_BYTES: usize = 14;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMP: u8 = 1;
/// Headers of transports' own: a short one, and a long one.
const OWN: [HeaderFormat; 2] = [
    HeaderFormat {
        protocol: 196,
        bytes: 21,
        signal: Some(HeaderBits {
            byte: 9,
            mask: 0x10,
        }),
    },
    HeaderFormat {
        protocol: 254,
        bytes: 63,
        signal: None,
    },
];

fn run(data: &[u8]) -> bool {
    COUNTS.input();
    COUNTS.packet();
    let formats = Formats::of(OWN);
    let received = read(&data.to_vec().into(), &formats);
    let last = data.iter().rposition(|&byte| byte != 0);
    let real = last.map_or(0, |last| last + 1);
    let implied = PacketBytes::new(data[..real].to_vec(), data.len() - real);
    assert_eq!(
        read(&implied, &formats),
        received,
        "implied zeros are read otherwise"
    );
    let whole = complete(data.into());
    assert_eq!(
        read(&whole.to_vec().into(), &formats),
        received,
        "with its ICRC it is read otherwise"
    );
    sort(&implied);
    let mut again = PacketBytes::default();
    match &received {
        // SACK blocks of others may leave no room for the options that the writer puts before them.
        Received::Segment(segment) if !segment.options.sack.is_empty() => {}
        Received::Segment(segment) => write_segment(&mut again, segment, 1),
        Received::OwnSegment(segment) => write_own_segment(&mut again, segment, 1),
        Received::Datagram(datagram) => write_datagram(&mut again, datagram, 1),
        Received::Roce(packet) => write_roce(&mut again, packet, 1),
        Received::SwitchCnp(cnp) => write_switch_cnp(&mut again, cnp, 1, false),
        Received::SourceQuench(_) | Received::Other => return false,
    }
    COUNTS.accept();
    give(&received);
    let ip = &data[ip_at(data)..];
    // IPv6 has no checksum.
    if ip[0] >> 4 == 4 {
        let header = &ip[..usize::from(ip[0] & 15) * 4];
        assert_eq!(folded(sum(header)), 0xffff, "a wrong checksum is taken");
    }
    if matches!(received, Received::Roce(_) | Received::SwitchCnp(_)) {
        let place = icrc::find(ip).expect("a packet that is none is taken");
        let crc = &ip[place.0 - 4..place.0];
        let may_miss = matches!(&received, Received::Roce(packet) if packet.payload_bytes() > 0);
        let is_right = crc == icrc::icrc(ip, place) || (may_miss && crc == [0; 4]);
        assert!(is_right, "a wrong ICRC is taken");
    }
    if !again.is_empty() {
        assert_eq!(
            read(&again, &formats),
            received,
            "another packet is written"
        );
    }
    true
}

/// The transports, with windows as large as they may be.
fn transports() -> &'static [Arc<dyn Transport>] {
    static STACKS: OnceLock<Vec<Arc<dyn Transport>>> = OnceLock::new();
    STACKS.get_or_init(|| {
        let common = r#""rate_bps": 4e11, "base_rtt_s": 1e-6, "segment_bytes": 1000, "initial_window_bytes": 50000"#;
        let rest = [
            r#""transport": "bolt", "max_window_bytes": 1073741824"#,
            r#""transport": "hpcc""#,
            r#""transport": "swift""#,
            r#""transport": "swift", "csig": {"form": "wide", "ramp_up": 1}"#,
            r#""transport": "dctcp""#,
            r#""transport": "becn", "rule": "queue", "level_bytes": 1500"#,
        ];
        let stack = |json: String| stacks::from_json(&json).expect("the settings are right");
        let of_family = rest.map(|rest| format!("{{{common}, {rest}}}"));
        // With the window of all that may be in flight, and without.
        let rdma = [
            r#""preset": "vendor", "switch_signals": "advice", "window": "rate", "window_bytes": 1073741824"#,
            r#""preset": "paper", "switch_signals": "cut", "ip": 4"#,
        ];
        let rdma = rdma.map(|rest| {
            format!(
                r#"{{"transport": "dcqcn", "rate_bps": 4e11, "base_rtt_s": 1e-6, "segment_bytes": 1000, {rest}}}"#
            )
        });
        of_family.into_iter().chain(rdma).map(stack).collect()
    })
}

/// Gives a packet twice to an end that has sent something, and to one that it opens.
fn give(received: &Received) {
    const NOW: u64 = 1 << 33;
    let opening = Opening {
        local: Default::default(),
        remote: Default::default(),
        first_number: 0,
    };
    for stack in transports() {
        let (mut io, stack) = (Io::default(), || Arc::clone(stack));
        let mut ends = vec![stack().open(opening, 0, &mut io)];
        ends[0].send(10_000, NOW, &mut io);
        ends[0].on_timer(NOW, &mut io);
        ends.extend(match received {
            Received::Segment(first) => stack().accept(opening, first, NOW, &mut io),
            Received::OwnSegment(first) => stack().accept_own(opening, first, NOW, &mut io),
            Received::Roce(first) => stack().accept_roce(opening, first, NOW, &mut io),
            Received::SwitchCnp(_) => None,
            _ => return,
        });
        for end in &mut ends {
            for now in [NOW + 1, NOW + 20_000] {
                match received {
                    Received::Segment(segment) => end.on_segment(segment, now, &mut io),
                    Received::OwnSegment(segment) => end.on_own_segment(segment, now, &mut io),
                    Received::Roce(packet) => end.on_roce_packet(packet, now, &mut io),
                    Received::SwitchCnp(cnp) => end.on_switch_cnp(cnp.advice, now),
                    _ => {}
                }
                if let Some(at) = end.timer_ns() {
                    end.on_timer(at, &mut io);
                }
                assert!(end.cwnd_pkts() <= 2e6 && end.flight_bytes() <= 10_000);
            }
        }
    }
}

/// Bytes change; in most mutants lengths and checksums are then made right, or nothing behind their check is reached.
fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut frame = data.to_vec();
    for _ in 0..rng.usize(1..4) {
        bytes::change(&mut frame, donor, rng);
    }
    if rng.u8(..8) > 0 {
        make_right(&mut frame);
        let at = ip_at(&frame);
        if let Some(ip) = frame.get_mut(at..) {
            icrc::make_right(ip);
        }
    }
    frame
}

/// The byte at which IP begins: behind a tag of CSIG, if there is one.
fn ip_at(frame: &[u8]) -> usize {
    ETHERNET_BYTES + tag_form(&frame.to_vec().into()).map_or(0, TagForm::bytes)
}

fn make_right(frame: &mut [u8]) {
    let Some(ip) = frame.get_mut(ip_at(frame)..) else {
        return;
    };
    let Some(header_bytes) = ip.first().map(|byte| usize::from(byte & 15) * 4) else {
        return;
    };
    let total_bytes = ip.len().min(0xffff);
    if header_bytes < 20 || header_bytes > total_bytes {
        return;
    }
    put(ip, 2, total_bytes as u16);
    put(ip, 10, 0);
    put(ip, 10, !folded(sum(&ip[..header_bytes])));
    let protocol = ip[9];
    let pseudo = sum(&ip[12..20]) + u64::from(protocol) + (total_bytes - header_bytes) as u64;
    let transport = &mut ip[header_bytes..total_bytes];
    let (at, start) = match protocol {
        TCP => (16, pseudo),
        UDP => (6, pseudo),
        ICMP => (2, 0),
        _ => return,
    };
    if transport.len() < at + 2 {
        return;
    }
    if protocol == UDP {
        put(transport, 4, transport.len() as u16);
    }
    put(transport, at, 0);
    let checksum = !folded(start + sum(transport));
    put(transport, at, checksum);
}

/// The flag of data, and of LAST.
fn data_header() -> [u8; MAX_HEADER_BYTES] {
    let mut header = [0; MAX_HEADER_BYTES];
    header[9] = 0x41;
    header
}

fn own(format: HeaderFormat) -> OwnSegment {
    OwnSegment {
        source: Default::default(),
        destination: Default::default(),
        protocol: format.protocol,
        header_bytes: format.bytes,
        header: data_header(),
        payload_bytes: 20,
        ecn: 0,
        dscp: 0,
        hops: 0,
    }
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// The checksum as RFC 1071 describes it, to compare the fast one with.
fn sum(bytes: &[u8]) -> u64 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// A segment with each option, segments with tags, segments with headers of their own, and a datagram.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut segment = Segment {
        payload_bytes: 20,
        ..Segment::default()
    };
    segment.options.mss = Some(1460);
    segment.options.window_scale = Some(7);
    segment.options.sack_permitted = true;
    segment.options.timestamps = Some((1, 2));
    segment.options.mecn = true;
    let tagged = |form| {
        let tag = Some(Tag {
            form,
            about: 2,
            number: 9,
            locator: 1,
        });
        let mut segment = segment;
        (segment.tag, segment.options.returned) = (tag, tag);
        segment
    };
    let mut with_sack = Segment::default();
    with_sack.options.sack.push(1, 2);
    let datagram = Datagram {
        payload_bytes: 30,
        flow: 7,
        ..Datagram::default()
    };
    let mut frames = [
        ("segment", PacketBytes::default()),
        ("sack", PacketBytes::default()),
        ("datagram", PacketBytes::default()),
        ("short", PacketBytes::default()),
        ("long", PacketBytes::default()),
        ("compact-tag", PacketBytes::default()),
        ("wide-tag", PacketBytes::default()),
    ];
    let mut rdma = Vec::new();
    write_segment(&mut frames[0].1, &segment, 1);
    write_segment(&mut frames[1].1, &with_sack, 2);
    write_datagram(&mut frames[2].1, &datagram, 3);
    for (format, (_, frame)) in OWN.iter().zip(&mut frames[3..5]) {
        write_own_segment(frame, &own(*format), 4);
    }
    write_segment(&mut frames[5].1, &tagged(TagForm::Compact), 5);
    write_segment(&mut frames[6].1, &tagged(TagForm::Wide), 6);
    for (name, content) in roce_contents() {
        for version in [IpVersion::V4, IpVersion::V6] {
            let (source, destination) = (roce_end(1, 1024), roce_end(2, 4791));
            let packet = RocePacket {
                version,
                source,
                destination,
                content,
                ecn: 3,
                dscp: 0,
                hops: 0,
            };
            let mut frame = PacketBytes::default();
            write_roce(&mut frame, &packet, 5);
            rdma.push((format!("{name}-{version:?}"), frame.into_vec()));
        }
    }
    for (version, fast) in [
        (IpVersion::V4, false),
        (IpVersion::V6, false),
        (IpVersion::V6, true),
    ] {
        let cnp = SwitchCnp {
            version,
            local: roce_end(1, 1024),
            remote: roce_end(2, 4791),
            advice: Advice::Pause(50),
        };
        let mut frame = PacketBytes::default();
        write_switch_cnp(&mut frame, &cnp, 3, fast);
        rdma.push((format!("switch-{version:?}-{fast}"), frame.into_vec()));
    }
    frames
        .into_iter()
        .map(|(name, frame)| (name.to_owned(), frame.into_vec()))
        .chain(rdma)
        .collect()
}

fn roce_end(address: u32, port: u16) -> Endpoint {
    Endpoint { address, port }
}

fn roce_contents() -> [(&'static str, RoceContent); 4] {
    let data = RoceContent::Data {
        psn: 0,
        first: true,
        last: true,
        payload_bytes: 21,
    };
    [
        ("data", data),
        ("ack", RoceContent::Ack { psn: 3, msn: 0 }),
        ("nak", RoceContent::Nak { psn: 3, msn: 0 }),
        ("cnp", RoceContent::Cnp),
    ]
}
