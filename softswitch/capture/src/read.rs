// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading captures that others wrote.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use pcap_file::pcap::PcapParser;
use pcap_file::{DataLink, Endianness, PcapError};

use crate::error::io_error;

/// The longest packet, in the file's header.
const SNAP_LEN: Range<usize> = 16..20;
/// In front of each packet's bytes: its time, its captured length and its length.
const RECORD_HEADER_BYTES: usize = 16;
/// The captured length, in a record's header.
const CAPTURED_LEN: Range<usize> = 8..12;
/// The longest packet that libpcap writes (its `MAXIMUM_SNAPLEN`). A record that claims more is no packet.
const MOST_PACKET_BYTES: u32 = 262_144;

/// A packet of a capture, with the time since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    pub time_ns: u64,
    pub bytes: Vec<u8>,
    /// The end of the packet that was not captured (tcpdump's `-s` cuts it off).
    pub missing_bytes: u32,
}

/// The packets of a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub packets: Vec<Captured>,
    /// The file ends inside the record behind these packets, as it does where the capturing program was killed.
    pub is_cut: bool,
}

/// All packets of a pcap file of Ethernet frames, which may be `most_bytes` long.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Reading> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    // A pipe or a growing file has no length that could be asked for.
    file.by_ref().take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(invalid(format!("longer than {most_bytes} bytes")));
    }
    // Some programs write 0 there, or longer packets. All packets together are limited already.
    if let Some(snap_len) = bytes.get_mut(SNAP_LEN) {
        snap_len.fill(0xff);
    }
    let (mut rest, parser) = PcapParser::new(&bytes).map_err(|error| {
        invalid(format!(
            "not a pcap file (editcap -F pcap makes one): {}",
            io_error(error)
        ))
    })?;
    let link = parser.header().datalink;
    if link != DataLink::ETHERNET {
        return Err(invalid(format!("frames of {link:?}, not of Ethernet")));
    }
    let mut reading = Reading::default();
    while !rest.is_empty() {
        let of_packet =
            |problem: String| invalid(format!("packet {}: {problem}", reading.packets.len() + 1));
        let claimed_bytes = captured_len(rest, parser.header().endianness);
        if let Some(bytes) = claimed_bytes.filter(|bytes| *bytes > MOST_PACKET_BYTES) {
            return Err(of_packet(format!(
                "{bytes} bytes captured, but a packet has at most {MOST_PACKET_BYTES}: the file is damaged"
            )));
        }
        match parser.next_packet(rest) {
            Ok((behind, packet)) => {
                reading.packets.push(Captured {
                    time_ns: u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX),
                    missing_bytes: packet.orig_len.saturating_sub(packet.data.len() as u32),
                    bytes: packet.data.into_owned(),
                });
                rest = behind;
            }
            Err(PcapError::IncompleteBuffer) => {
                reading.is_cut = true;
                break;
            }
            Err(error) => return Err(of_packet(io_error(error).to_string())),
        }
    }
    Ok(reading)
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// The fields of the header of the first record, if it is whole.
fn captured_len(records: &[u8], order: Endianness) -> Option<u32> {
    let header = records.get(..RECORD_HEADER_BYTES)?;
    let bytes = header.get(CAPTURED_LEN)?.try_into().ok()?;
    Some(match order {
        Endianness::Big => u32::from_be_bytes(bytes),
        Endianness::Little => u32::from_le_bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn written(packets: &[(u64, &[u8])]) -> Vec<u8> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("x.pcap");
        let mut capture = Capture::create(&path).expect("the file can be created");
        for (time_ns, bytes) in packets {
            capture.record(*time_ns, bytes).expect("there is room");
        }
        capture.flush().expect("there is room");
        std::fs::read(&path).expect("it is there")
    }

    fn read_bytes(bytes: &[u8], most_bytes: u64) -> io::Result<Reading> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("y.pcap");
        std::fs::write(&path, bytes).expect("there is room");
        read(&path, most_bytes)
    }

    #[test]
    fn packets_are_read_as_they_were_recorded() {
        let file = written(&[(3_000_000_007, &[1, 2, 3]), (3_000_000_008, &[4])]);
        let reading = read_bytes(&file, 1 << 20).expect("a capture");
        let expected = [(3_000_000_007, vec![1, 2, 3]), (3_000_000_008, vec![4])];
        let packets = expected.map(|(time_ns, bytes)| Captured {
            time_ns,
            bytes,
            missing_bytes: 0,
        });
        assert_eq!(reading.packets, packets);
        assert!(!reading.is_cut);
    }

    #[test]
    fn a_file_that_ends_anywhere_is_read_up_to_the_last_whole_packet() {
        let file = written(&[(1, &[1, 2, 3]), (2, &[4; 40]), (3, &[])]);
        let ends = [24, 24 + 16 + 3, 24 + 16 + 3 + 16 + 40, file.len()];
        let whole = read_bytes(&file, 1000).expect("a capture").packets;
        for length in ends[0]..=file.len() {
            let reading = read_bytes(&file[..length], 1000).expect("a capture");
            let packets = ends.iter().filter(|end| **end <= length).count() - 1;
            assert_eq!(reading.packets, whole[..packets], "{length}");
            assert_eq!(reading.is_cut, !ends.contains(&length), "{length}");
        }
    }

    #[test]
    fn a_snapped_packet_says_how_much_is_missing() {
        let mut file = written(&[(1, &[1, 2, 3]), (2, &[4])]);
        for (length, missing) in [(3u32, 0), (4, 1), (1500, 1497), (u32::MAX, u32::MAX - 3)] {
            file[36..40].copy_from_slice(&length.to_ne_bytes());
            let packets = read_bytes(&file, 1000).expect("a capture").packets;
            assert_eq!(packets[0].bytes, [1, 2, 3]);
            assert_eq!(packets[0].missing_bytes, missing);
            assert_eq!(packets[1].missing_bytes, 0);
        }
    }

    #[test]
    fn a_record_that_cannot_be_a_packet_is_no_cut() {
        let mut file = written(&[(1, &[1, 2, 3]), (2, &[4])]);
        let length = MOST_PACKET_BYTES + 1;
        for place in [51, 55] {
            file[place..place + 4].copy_from_slice(&length.to_ne_bytes());
        }
        let error = read_bytes(&file, 1000).expect_err("refused").to_string();
        assert!(
            error.starts_with("packet 2: 262145 bytes captured"),
            "{error}"
        );
        for (packet, is_whole) in [(MOST_PACKET_BYTES, true), (MOST_PACKET_BYTES + 1, false)] {
            let long = written(&[(1, &vec![0; packet as usize])]);
            assert_eq!(read_bytes(&long, 1 << 20).is_ok(), is_whole);
        }
    }

    #[test]
    fn packets_may_be_longer_than_the_header_says() {
        let mut file = written(&[(1, &[1, 2, 3])]);
        for snap_len in [0u32, 2, u32::MAX] {
            file[SNAP_LEN].copy_from_slice(&snap_len.to_ne_bytes());
            let packets = read_bytes(&file, 1000).expect("a capture").packets;
            assert_eq!(packets[0].bytes, [1, 2, 3], "{snap_len}");
        }
    }

    #[test]
    fn what_is_no_capture_is_refused() {
        let file = written(&[(1, &[1, 2, 3])]);
        let error = |bytes: &[u8], most| read_bytes(bytes, most).expect_err("refused").to_string();
        assert!(error(b"", 100).starts_with("not a pcap file"));
        assert!(error(&[0; 100], 100).starts_with("not a pcap file"));
        assert_eq!(error(&file, 20), "longer than 20 bytes");
        let mut late = file.clone();
        late[28..32].copy_from_slice(&1_000_000_000u32.to_ne_bytes());
        assert!(error(&late, 1000).starts_with("packet 1: "));
        let mut other = file.clone();
        let link = other[20..24].to_vec();
        assert!(link.contains(&1), "the link type in either byte order");
        other[20..24].copy_from_slice(&[101, 0, 0, 0]);
        assert!(error(&other, 1000).ends_with("not of Ethernet"));
    }
}
