// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packet captures in wall-clock time.

use std::io;
use std::path::Path;

use crate::clock::epoch_offset_ns;

/// One capture file. After a failed write it says so once and stays as it is.
#[derive(Debug)]
pub struct Capture {
    file: quench_capture::Capture,
    epoch_offset_ns: i128,
}

impl Capture {
    /// In a file that was not there: an interface's packets are not for all users of the machine.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: quench_capture::Capture::create_new(path)?,
            epoch_offset_ns: epoch_offset_ns(),
        })
    }

    /// Record a packet at a time of the switch's clock.
    pub fn record(&mut self, time_ns: u64, packet: &[u8]) {
        let since_epoch_ns = i128::from(time_ns) + self.epoch_offset_ns;
        let written = self.file.record(since_epoch_ns as u64, packet);
        self.check(written);
    }

    /// Make everything recorded so far visible in the file.
    pub fn flush(&mut self) {
        let flushed = self.file.flush();
        self.check(flushed);
    }

    fn check(&self, result: io::Result<()>) {
        if let Err(error) = result {
            tracing::error!("{}: {error}", self.file.path().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcap::PcapReader;
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn packets_have_wall_clock_times() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("x.pcap");
        let mut capture = Capture::create(&path).expect("the file can be created");
        capture.record(crate::clock::now_ns(), &[1, 2, 3]);
        capture.flush();
        let mut reader = PcapReader::new(File::open(&path).expect("open")).expect("a header");
        let packet = reader.next_packet().expect("a packet");
        let packet = packet.expect("well formed");
        assert_eq!(packet.data.as_ref(), [1, 2, 3]);
        let wall = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("after 1970");
        assert!(wall.abs_diff(packet.timestamp).as_secs() < 60);
    }
}
