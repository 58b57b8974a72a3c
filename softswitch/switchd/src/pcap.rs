// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packet captures with nanosecond timestamps.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use byteorder_slice::NativeEndian;
use pcap_file::pcap::{PcapHeader, RawPcapPacket};
use pcap_file::{Endianness, PcapError, TsResolution};

use crate::clock::epoch_offset_ns;

const NS_PER_S: i128 = 1_000_000_000;

/// One capture file. After a failed write it says so once and stays as it is.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    file: BufWriter<File>,
    epoch_offset_ns: i128,
    failed: bool,
}

impl Capture {
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        let header = PcapHeader {
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::native(),
            ..PcapHeader::default()
        };
        header.write_to(&mut file).map_err(io_error)?;
        file.flush()?;
        let epoch_offset_ns = epoch_offset_ns();
        Ok(Self {
            path: path.to_owned(),
            file,
            epoch_offset_ns,
            failed: false,
        })
    }

    /// Record a packet at a time of the switch's clock.
    pub fn record(&mut self, time_ns: u64, packet: &[u8]) {
        if self.failed {
            return;
        }
        let since_epoch_ns = i128::from(time_ns) + self.epoch_offset_ns;
        let len = packet.len() as u32;
        let record = RawPcapPacket {
            ts_sec: (since_epoch_ns / NS_PER_S) as u32,
            ts_frac: (since_epoch_ns % NS_PER_S) as u32,
            incl_len: len,
            orig_len: len,
            data: Cow::Borrowed(packet),
        };
        let written = record.write_to::<_, NativeEndian>(&mut self.file);
        self.check(written.map(|_| ()).map_err(io_error));
    }

    /// Make everything recorded so far visible in the file.
    pub fn flush(&mut self) {
        if !self.failed && !self.file.buffer().is_empty() {
            let flushed = self.file.flush();
            self.check(flushed);
        }
    }

    fn check(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed = true;
            tracing::error!("{}: the capture ends here: {error}", self.path.display());
        }
    }
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcap::PcapReader;
    use std::time::SystemTime;

    #[test]
    fn packets_come_back_with_their_bytes_and_wall_clock_time() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("x.pcap");
        let mut capture = Capture::create(&path).expect("the file can be created");
        let now_ns = crate::clock::now_ns();
        capture.record(now_ns, &[1, 2, 3]);
        capture.record(now_ns + 1, &[4]);
        capture.flush();
        let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
        let first = reader
            .next_packet()
            .expect("a packet")
            .expect("well formed")
            .into_owned();
        let second = reader
            .next_packet()
            .expect("a packet")
            .expect("well formed")
            .into_owned();
        assert!(reader.next_packet().is_none());
        assert_eq!(
            (first.data.as_ref(), second.data.as_ref()),
            (&[1u8, 2, 3][..], &[4u8][..])
        );
        assert_eq!((second.timestamp - first.timestamp).as_nanos(), 1);
        let wall = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("after 1970");
        assert!(wall.abs_diff(first.timestamp).as_secs() < 60);
    }

    #[test]
    fn a_full_disk_is_an_error_at_once() {
        let error = Capture::create(Path::new("/dev/full")).expect_err("/dev/full takes nothing");
        assert_eq!(error.raw_os_error(), Some(libc::ENOSPC));
    }
}
