// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Loss recovery with SACK (RFC 6675).

use super::connection::Connection;
use crate::packet::Segment;
use crate::time::Ns;
use crate::transport::Io;

impl Connection {
    /// Records the SACK blocks, and returns how many bytes are sacked for the first time.
    pub(super) fn note_sacks(&mut self, segment: &Segment, ack: u64) -> u64 {
        if !self.sack {
            return 0;
        }
        let mut new = 0;
        for &(first, end) in segment.options.sack.as_slice() {
            let (Some(first), Some(end)) = (self.sender.position(first), self.sender.position(end))
            else {
                continue;
            };
            if end <= self.sender.max {
                new += self.sender.sacked.insert(first.max(ack), end);
            }
        }
        new
    }

    /// RFC 6675's IsLost: enough data beyond this byte has arrived.
    pub(super) fn is_lost(&self, position: u64) -> bool {
        position < self.lost_before()
    }

    /// Bytes before this position that are not sacked are lost. Beyond it are `dupack_threshold` sacked ranges, or
    /// sacked bytes of more than one segment less (RFC 6675 section 4, IsLost).
    fn lost_before(&self) -> u64 {
        let threshold = self.stack.dupack_threshold as usize;
        let enough_bytes = (threshold as u64 - 1) * self.mss();
        let mut bytes = 0;

        for (count, range) in self.sender.sacked.as_slice().iter().rev().enumerate() {
            bytes += range.1 - range.0;
            if count + 1 >= threshold || bytes > enough_bytes {
                return range.0;
            }
        }
        0
    }

    /// RFC 6675's SetPipe: bytes that are neither sacked nor lost, and bytes that were sent again.
    fn pipe(&self) -> u64 {
        let sender = &self.sender;
        let unsacked = |first: u64, end: u64| {
            let first = first.min(end);
            end - first - sender.sacked.covered(first, end)
        };
        let lost_before = self.lost_before().max(sender.una);

        unsacked(lost_before, sender.max) + unsacked(sender.una, sender.resent)
    }

    /// RFC 6675 section 5, step C: sends while the pipe has room for a segment.
    pub(super) fn transmit_in_sack_recovery(&mut self, now: Ns, io: &mut Io) {
        let window = u64::from(
            self.sender
                .window
                .whole_pkts()
                .min(self.stack.max_window_pkts),
        ) * self.mss();
        let mut stopped = false;

        while let Some((position, bytes)) = self.next_segment() {
            if self.pipe() + self.mss() > window {
                stopped = true;
                break;
            }
            self.send_data(position, bytes, now, io);
            if position < self.sender.next {
                self.sender.resent = position + bytes;
            } else {
                self.sender.next = position + bytes;
            }
        }
        self.note_usage(stopped);
    }

    /// RFC 6675's NextSeg, rules 1 to 3: a lost hole, else new data, else any hole.
    fn next_segment(&self) -> Option<(u64, u64)> {
        let sender = &self.sender;
        let highest_sacked = sender.sacked.as_slice().last().map_or(0, |range| range.0);
        let hole = sender.sacked.first_outside(sender.resent.max(sender.una));
        let hole_bytes = if hole < highest_sacked {
            self.segment_at(hole)
        } else {
            0
        };

        if hole_bytes > 0 && self.is_lost(hole) {
            return Some((hole, hole_bytes));
        }
        let new = sender.next.max(sender.max);
        let new_bytes = self.segment_at(new);
        if new_bytes > 0 && new + new_bytes <= sender.una + sender.peer_window.max(self.mss()) {
            return Some((new, new_bytes));
        }
        (hole_bytes > 0).then_some((hole, hole_bytes))
    }
}
