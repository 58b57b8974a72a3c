// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading captures that others wrote.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use pcap_file::pcap::PcapReader;
use pcap_file::DataLink;

use crate::io_error;

/// The longest packet, in the file's header.
const SNAP_LEN: Range<usize> = 16..20;

/// A packet of a capture, with the time since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    pub time_ns: u64,
    pub bytes: Vec<u8>,
}

/// All packets of a pcap file of Ethernet frames, which may be `most_bytes` long.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<Captured>> {
    let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    // A pipe or a growing file has no length that could be asked for.
    file.by_ref().take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(invalid(format!("longer than {most_bytes} bytes")));
    }
    let not_pcap = |error| {
        invalid(format!(
            "not a pcap file (editcap -F pcap makes one): {}",
            io_error(error)
        ))
    };
    // Some programs write 0 there, or longer packets. All packets together are limited already.
    if let Some(snap_len) = bytes.get_mut(SNAP_LEN) {
        snap_len.fill(0xff);
    }
    let mut reader = PcapReader::new(bytes.as_slice()).map_err(not_pcap)?;
    let link = reader.header().datalink;
    if link != DataLink::ETHERNET {
        return Err(invalid(format!("frames of {link:?}, not of Ethernet")));
    }
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.map_err(|error| {
            invalid(format!("packet {}: {}", packets.len() + 1, io_error(error)))
        })?;
        packets.push(Captured {
            time_ns: u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX),
            bytes: packet.data.into_owned(),
        });
    }
    Ok(packets)
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

    fn read_bytes(bytes: &[u8], most_bytes: u64) -> io::Result<Vec<Captured>> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("y.pcap");
        std::fs::write(&path, bytes).expect("there is room");
        read(&path, most_bytes)
    }

    #[test]
    fn packets_are_read_as_they_were_recorded() {
        let file = written(&[(3_000_000_007, &[1, 2, 3]), (3_000_000_008, &[4])]);
        let packets = read_bytes(&file, 1 << 20).expect("a capture");
        let expected = [(3_000_000_007, vec![1, 2, 3]), (3_000_000_008, vec![4])];
        assert_eq!(
            packets,
            expected.map(|(time_ns, bytes)| Captured { time_ns, bytes })
        );
    }

    #[test]
    fn packets_may_be_longer_than_the_header_says() {
        let mut file = written(&[(1, &[1, 2, 3])]);
        for snap_len in [0u32, 2, u32::MAX] {
            file[SNAP_LEN].copy_from_slice(&snap_len.to_ne_bytes());
            let packets = read_bytes(&file, 1000).expect("a capture");
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
        assert!(error(&file[..file.len() - 1], 1000).starts_with("packet 1: "));
        let mut other = file.clone();
        let link = other[20..24].to_vec();
        assert!(link.contains(&1), "the link type in either byte order");
        other[20..24].copy_from_slice(&[101, 0, 0, 0]);
        assert!(error(&other, 1000).ends_with("not of Ethernet"));
    }
}
