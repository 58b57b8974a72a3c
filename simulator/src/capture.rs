// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packet captures in simulated time.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use crate::error::Error;
use crate::time::Ns;

/// One capture file. The time is the simulation's, as if it had begun in 1970.
#[derive(Debug)]
pub struct Capture {
    file: quench_capture::Capture,
    /// The reason that writing failed, until [`Capture::finish`] has returned it.
    failure: Option<Error>,
}

impl Capture {
    pub fn create(path: &Path) -> Result<Self, Error> {
        let file = quench_capture::Capture::create(path)
            .map_err(|error| Error::at(path.display().to_string(), error))?;
        Ok(Self {
            file,
            failure: None,
        })
    }

    /// Writes a packet. [`Capture::finish`] returns the error of a write that failed.
    pub fn record(&mut self, now: Ns, frame: &[u8]) {
        let written = self.file.record(now, frame);
        self.check(written);
    }

    /// Flushes all recorded packets to the file.
    pub fn finish(&mut self) -> Result<(), Error> {
        let flushed = self.file.flush();
        self.check(flushed);
        self.failure.take().map_or(Ok(()), Err)
    }

    fn check(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failure = Some(Error::at(self.file.path().display().to_string(), error));
        }
    }
}

/// The place to which packets of a captured direction go.
#[derive(Debug)]
pub enum Tap {
    /// The file of both directions, in a network of one cell.
    File(Capture),
    /// Kept for a capture of which the other direction may be in another cell.
    Kept(VecDeque<(Ns, Vec<u8>)>),
}

impl Tap {
    pub fn record(&mut self, now: Ns, frame: &[u8]) {
        match self {
            Self::File(capture) => capture.record(now, frame),
            Self::Kept(frames) => frames.push_back((now, frame.to_vec())),
        }
    }

    pub fn finish(&mut self) -> Result<(), Error> {
        match self {
            Self::File(capture) => capture.finish(),
            Self::Kept(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_full_disk_names_the_file() {
        let error = Capture::create(Path::new("/dev/full")).expect_err("/dev/full takes nothing");
        assert_eq!(error.place, "/dev/full");
        let error = Capture::create(Path::new("/nonexistent/x.pcap")).expect_err("no such folder");
        assert!(
            error.to_string().starts_with("/nonexistent/x.pcap: "),
            "{error}"
        );
    }
}
