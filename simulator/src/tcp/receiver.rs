// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The receiving half of a connection: reassembly, and when ACKs are sent.

use super::ranges::Ranges;
use crate::packet::{SackBlocks, MAX_SACK_BLOCKS};
use crate::time::Ns;

/// Segments that one ACK may cover (RFC 5681 section 4.2).
const SEGMENTS_PER_ACK: u32 = 2;

/// The receiving half of a connection. Positions are bytes of the peer's stream, its SYN included.
#[derive(Debug, Clone, Default)]
pub(super) struct Receiver {
    /// The peer's initial sequence number; none before the first segment.
    pub irs: Option<u32>,
    /// Everything before this position has arrived (RCV.NXT).
    pub next: u64,
    /// Bytes that have arrived beyond a gap.
    beyond: Ranges,
    /// A byte of each range that SACK blocks report, the most recent first.
    recent: [u64; MAX_SACK_BLOCKS],
    recent_count: usize,
    /// Position of the peer's FIN.
    pub fin_at: Option<u64>,
    /// Segments that arrived since the last ACK.
    pub unacked_segments: u32,
    /// The time at which the delayed ACK is due.
    pub delayed_ack_at: Option<Ns>,
    /// An ACK has to be sent at once.
    pub ack_now: bool,
}

/// The result of a segment's arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// New bytes in order.
    pub delivered: u64,
    /// No byte of it was new.
    pub duplicate: bool,
}

impl Receiver {
    /// The bytes `first..end` have arrived. Bytes beyond `window_end` are discarded.
    pub fn on_data(&mut self, first: u64, end: u64, window_end: u64) -> Arrival {
        let (first, end) = (first.max(self.next), end.min(window_end));
        let was = self.next;
        self.unacked_segments += 1;
        // Most segments: with no gap, there is nothing to report by SACK blocks either.
        if self.beyond.is_empty() && first == was && end > first {
            self.next = end;
            return Arrival {
                delivered: end - first,
                duplicate: false,
            };
        }
        let had_gap = !self.beyond.is_empty();
        let new = self.beyond.insert(first, end);

        if new > 0 {
            self.report_first(first);
        }
        self.next = self.beyond.first_outside(self.next);
        self.beyond.remove_before(self.next);
        let in_order = self.next > was;
        // RFC 5681 section 4.2: at once if the data is out of order or fills a gap.
        if !in_order || had_gap {
            self.ack_now = true;
        }
        Arrival {
            delivered: self.next - was,
            duplicate: new == 0,
        }
    }

    /// To be called after data: sends the ACK at once, or delays it by `delay_ns`; none: ACKs are never delayed.
    pub fn delay_ack(&mut self, delay_ns: Option<Ns>, now: Ns) {
        match delay_ns {
            Some(delay_ns) if self.unacked_segments < SEGMENTS_PER_ACK && !self.ack_now => {
                self.delayed_ack_at.get_or_insert(now + delay_ns);
            }
            _ => self.ack_now = true,
        }
    }

    /// An ACK was sent.
    pub fn acked(&mut self) {
        self.unacked_segments = 0;
        self.delayed_ack_at = None;
        self.ack_now = false;
    }

    pub fn fin_reached(&self) -> bool {
        self.fin_at.is_some_and(|fin| self.next > fin)
    }

    /// RFC 2018 section 4: first the block with the newest segment, then the blocks that were reported most recently.
    pub fn sack_blocks(&mut self) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let irs = self.irs.unwrap_or(0);
        let mut kept = [0; MAX_SACK_BLOCKS];
        let mut count = 0;

        for &byte in &self.recent[..self.recent_count] {
            let Some((first, end)) = self.beyond.around(byte) else {
                continue;
            };
            let block = (irs.wrapping_add(first as u32), irs.wrapping_add(end as u32));
            if !blocks.as_slice().contains(&block) {
                blocks.push(block.0, block.1);
                kept[count] = byte;
                count += 1;
            }
        }
        (self.recent, self.recent_count) = (kept, count);
        blocks
    }

    /// The block with this byte becomes the first that is reported.
    fn report_first(&mut self, byte: u64) {
        let count = (self.recent_count + 1).min(MAX_SACK_BLOCKS);

        self.recent.copy_within(..count - 1, 1);
        self.recent[0] = byte;
        self.recent_count = count;
    }
}
