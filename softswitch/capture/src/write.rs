// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Writing captures.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use byteorder_slice::NativeEndian;
use pcap_file::pcap::{PcapHeader, RawPcapPacket};
use pcap_file::{Endianness, TsResolution};

use crate::error::io_error;

const NS_PER_S: u64 = 1_000_000_000;

/// One capture file. The first write that fails is an error; nothing is written after it.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    file: BufWriter<File>,
    failed: bool,
}

impl Capture {
    /// An empty capture, on disk already. A file that there is is replaced.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::begin(path, File::create(path)?)
    }

    /// The same in a file that was not there, which only its owner reads. A link is no place for one.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        Self::begin(path, options.open(path)?)
    }

    fn begin(path: &Path, file: File) -> io::Result<Self> {
        let mut file = BufWriter::new(file);
        let header = PcapHeader {
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::native(),
            ..PcapHeader::default()
        };
        header.write_to(&mut file).map_err(io_error)?;
        file.flush()?;
        Ok(Self {
            path: path.to_owned(),
            file,
            failed: false,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a packet, with the time since 1970.
    pub fn record(&mut self, time_ns: u64, packet: &[u8]) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let length = packet.len() as u32;
        let record = RawPcapPacket {
            ts_sec: (time_ns / NS_PER_S) as u32,
            ts_frac: (time_ns % NS_PER_S) as u32,
            incl_len: length,
            orig_len: length,
            data: Cow::Borrowed(packet),
        };
        let written = record.write_to::<_, NativeEndian>(&mut self.file);
        self.noted(written.map(|_| ()).map_err(io_error))
    }

    /// Makes all that was recorded visible in the file.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.failed || self.file.buffer().is_empty() {
            return Ok(());
        }
        let flushed = self.file.flush();
        self.noted(flushed)
    }

    fn noted(&mut self, result: io::Result<()>) -> io::Result<()> {
        self.failed |= result.is_err();
        result.map_err(|error| {
            io::Error::new(error.kind(), format!("the capture ends here: {error}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcap::PcapReader;
    use std::os::unix::fs::{symlink, PermissionsExt};
    use std::time::Duration;

    #[test]
    fn a_new_capture_replaces_nothing_and_is_its_owners() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (path, link) = (dir.path().join("x.pcap"), dir.path().join("link.pcap"));
        Capture::create_new(&path).expect("there is no such file");
        let mode = path.metadata().expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        symlink(dir.path().join("elsewhere"), &link).expect("a link");
        for path in [&path, &link] {
            let error = Capture::create_new(path).expect_err("something is there");
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        }
        assert!(!dir.path().join("elsewhere").exists());
    }

    #[test]
    fn packets_come_back_with_their_bytes_and_time() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("x.pcap");
        let mut capture = Capture::create(&path).expect("the file can be created");
        capture
            .record(3_000_000_007, &[1, 2, 3])
            .expect("there is room");
        capture.record(3_000_000_008, &[4]).expect("there is room");
        capture.flush().expect("there is room");
        assert_eq!(capture.path(), path);
        let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
        assert_eq!(reader.header().ts_resolution, TsResolution::NanoSecond);
        for (time, bytes) in [(7, &[1u8, 2, 3][..]), (8, &[4])] {
            let packet = reader.next_packet().expect("a packet");
            let packet = packet.expect("well formed");
            assert_eq!(packet.timestamp, Duration::new(3, time));
            assert_eq!(packet.data.as_ref(), bytes);
        }
        assert!(reader.next_packet().is_none());
    }

    #[test]
    fn a_full_disk_is_an_error_at_once() {
        let error = Capture::create(Path::new("/dev/full")).expect_err("/dev/full takes nothing");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_disk_that_becomes_full_is_reported_once() {
        let mut capture = Capture {
            path: PathBuf::from("/dev/full"),
            file: BufWriter::new(File::create("/dev/full").expect("it can be opened")),
            failed: false,
        };
        capture
            .record(0, &[0; 100])
            .expect("the packet is kept for now");
        let error = capture.flush().expect_err("/dev/full takes nothing");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let message = error.to_string();
        assert!(message.starts_with("the capture ends here: "), "{message}");
        capture
            .record(0, &[0; 100_000])
            .expect("nothing is written");
        capture.flush().expect("nothing is written");
    }
}
