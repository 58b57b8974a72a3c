// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Captures of links in a network of several cells: each direction's packets are kept where they arrive, and written in
//! the order of their times, `ab` before `ba`, when every cell is past them.

use super::whole::{Cells, Place};
use crate::capture::{Capture, Tap};
use crate::error::Error;
use crate::time::Ns;

/// The captures of a network. One of a single cell has none here: its packets are written as they come.
#[derive(Debug, Default)]
pub struct Taps {
    /// Each with the taps of its two directions.
    captures: Vec<(Capture, [Place; 2])>,
}

impl Taps {
    pub fn add(&mut self, capture: Capture, directions: [Place; 2]) {
        self.captures.push((capture, directions));
    }

    /// Writes the packets that arrived before this time.
    pub fn write(&mut self, cells: &Cells, before: Ns) {
        for (capture, places) in &mut self.captures {
            let mut lines = places.map(|place| cells.kept(place, before).into_iter().peekable());
            loop {
                let [ab, ba] = &mut lines;
                let next = match (ab.peek(), ba.peek()) {
                    (Some((at, _)), Some((other, _))) if other < at => ba.next(),
                    (Some(_), _) => ab.next(),
                    (None, _) => ba.next(),
                };
                let Some((at, frame)) = next else { break };
                capture.record(at, &frame);
            }
        }
    }

    /// Flushes all that was written; the first error of a write that failed.
    pub fn finish(&mut self) -> Result<(), Error> {
        for (capture, _) in &mut self.captures {
            capture.finish()?;
        }
        Ok(())
    }
}

impl Cells {
    /// Takes the packets of a tap that arrived before this time.
    fn kept(&self, place: Place, before: Ns) -> Vec<(Ns, Vec<u8>)> {
        let mut cell = self.lock(place.0);
        let Tap::Kept(frames) = &mut cell.network.taps[place.1] else {
            return Vec::new();
        };
        let count = frames.partition_point(|(at, _)| *at < before);
        frames.drain(..count).collect()
    }
}
