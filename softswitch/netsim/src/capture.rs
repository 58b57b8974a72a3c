// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packet captures with nanosecond timestamps, which Wireshark opens.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use byteorder_slice::NativeEndian;
use pcap_file::pcap::{PcapHeader, RawPcapPacket};
use pcap_file::{Endianness, PcapError, TsResolution};

use crate::error::Error;
use crate::time::{Ns, NS_PER_S};

/// One capture file. The time is the simulation's, as if it had begun in 1970.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    file: BufWriter<File>,
    /// Why writing failed, until somebody has asked.
    failure: Option<String>,
    failed: bool,
}

impl Capture {
    pub fn create(path: &Path) -> Result<Self, Error> {
        let error = |error| Error::at(path.display().to_string(), error);
        let mut file = BufWriter::new(File::create(path).map_err(error)?);
        let header = PcapHeader {
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::native(),
            ..PcapHeader::default()
        };
        header
            .write_to(&mut file)
            .map_err(io_error)
            .and_then(|_| file.flush())
            .map_err(error)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            failure: None,
            failed: false,
        })
    }

    /// Writes a packet. After a failure nothing more is written; [`Capture::finish`] tells about it.
    pub fn record(&mut self, now: Ns, frame: &[u8]) {
        if self.failed {
            return;
        }
        let length = frame.len() as u32;
        let record = RawPcapPacket {
            ts_sec: (now / NS_PER_S) as u32,
            ts_frac: (now % NS_PER_S) as u32,
            incl_len: length,
            orig_len: length,
            data: Cow::Borrowed(frame),
        };
        let written = record.write_to::<_, NativeEndian>(&mut self.file);
        self.check(written.map(|_| ()).map_err(io_error));
    }

    /// Makes all that was recorded visible in the file.
    pub fn finish(&mut self) -> Result<(), Error> {
        if !self.failed {
            let flushed = self.file.flush();
            self.check(flushed);
        }
        match self.failure.take() {
            Some(failure) => Err(Error::at(self.path.display().to_string(), failure)),
            None => Ok(()),
        }
    }

    fn check(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed = true;
            self.failure = Some(format!("the capture ends here: {error}"));
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
    use std::time::Duration;

    #[test]
    fn packets_come_back_with_their_bytes_and_simulated_time() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("x.pcap");
        let mut capture = Capture::create(&path).expect("the file can be created");
        capture.record(3_000_000_007, &[1, 2, 3]);
        capture.record(3_000_000_008, &[4]);
        capture.finish().expect("written");
        let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
        assert_eq!(reader.header().ts_resolution, TsResolution::NanoSecond);
        let first = reader
            .next_packet()
            .expect("a packet")
            .expect("well formed");
        assert_eq!(first.timestamp, Duration::new(3, 7));
        assert_eq!(first.data.as_ref(), [1, 2, 3]);
        let second = reader
            .next_packet()
            .expect("a packet")
            .expect("well formed");
        assert_eq!(second.data.as_ref(), [4]);
        assert!(reader.next_packet().is_none());
    }

    #[test]
    fn a_full_disk_is_told_with_the_files_name() {
        let error = Capture::create(Path::new("/dev/full")).expect_err("/dev/full takes nothing");
        assert_eq!(error.place, "/dev/full");
        let error = Capture::create(Path::new("/nonexistent/x.pcap")).expect_err("no such folder");
        assert!(
            error.to_string().starts_with("/nonexistent/x.pcap: "),
            "{error}"
        );
    }
}
