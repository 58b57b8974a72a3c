// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The room of a port's socket.
//!
//! The kernel has a queue of its own behind the socket. The program does not see the packets in it, and no scheduler
//! can change their order, so the socket may hold only enough to keep the interface busy. As in the byte queue limits
//! of Linux (lib/dynamic_queue_limits.c), that is found out: more when the interface ran dry, less when it did not
//! for a second.

/// The fewest frames of the longest length: one that is being sent, one that waits until the switch has noticed, and
/// one for which it asks.
const LEAST_FRAMES: usize = 3;
/// The time that the interface must not have run dry before the limit is tried lower.
const CALM_NS: u64 = 1_000_000_000;

/// The size of a socket's send buffer, in the kernel's measure: the memory of packets, not their length.
#[derive(Debug)]
pub struct SendRoom {
    bytes: usize,
    least_bytes: usize,
    most_bytes: usize,
    /// Since then the interface did not run dry, and the limit did not change.
    calm_since_ns: u64,
}

impl SendRoom {
    /// For frames that take up to `frame_bytes` of memory, and never beyond `most_bytes` unless three frames are.
    pub fn new(frame_bytes: usize, most_bytes: usize) -> Self {
        let least_bytes = LEAST_FRAMES * frame_bytes;
        Self {
            bytes: least_bytes,
            least_bytes,
            most_bytes: most_bytes.max(least_bytes),
            calm_since_ns: 0,
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The socket takes packets again while the interface has still `left_bytes` to send; true when the size changed.
    pub fn refill(&mut self, now_ns: u64, left_bytes: usize) -> bool {
        let old_bytes = self.bytes;
        if left_bytes == 0 {
            self.calm_since_ns = now_ns;
            self.bytes = (2 * self.bytes).min(self.most_bytes);
        } else if now_ns.saturating_sub(self.calm_since_ns) >= CALM_NS {
            self.calm_since_ns = now_ns;
            self.bytes = (self.bytes / 2).max(self.least_bytes);
        }
        self.bytes != old_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_when_the_interface_ran_dry_and_halves_after_a_calm_time() {
        let mut room = SendRoom::new(100, 1000);
        let grown: Vec<(bool, usize)> = (0..3).map(|_| (room.refill(7, 0), room.bytes())).collect();
        assert_eq!(grown, [(true, 600), (true, 1000), (false, 1000)]);
        for (seconds, expected) in [(1, 500), (2, 300)] {
            let due_ns = 7 + seconds * CALM_NS;
            assert!(!room.refill(due_ns - 1, 1));
            assert!(room.refill(due_ns, 1));
            assert_eq!(room.bytes(), expected);
        }
        assert!(!room.refill(9 * CALM_NS, 1), "it is as small as it may be");
    }

    #[test]
    fn a_dry_interface_ends_the_calm_time() {
        let mut room = SendRoom::new(100, 1000);
        room.refill(0, 0);
        room.refill(CALM_NS - 1, 0);
        room.refill(CALM_NS, 1);
        assert_eq!(room.bytes(), 1000);
    }

    #[test]
    fn three_of_the_longest_frames_always_fit() {
        let mut room = SendRoom::new(100, 50);
        assert_eq!(room.bytes(), 300);
        assert!(!room.refill(0, 0));
    }
}
