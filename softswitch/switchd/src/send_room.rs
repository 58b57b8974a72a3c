// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! How much a port's socket may hold.
//!
//! The kernel has a queue of its own behind the socket. What waits there is not seen by the program and cannot be put in
//! another order, so the socket may hold only what keeps the interface busy. As in the byte queue limits of Linux
//! (dynamic queue limits), experience says how much that is: more when the interface ran dry, less when it did not for a
//! while.

/// Of the longest length, at the least: one that is being sent, one that waits until the switch has noticed, and one for
/// which it asks.
const LEAST_FRAMES: usize = 3;
/// Refills in a row before which the interface had something left to send.
const CALM_REFILLS: u32 = 64;

/// The size of a socket's send buffer, in the kernel's measure: the memory of packets, not their length.
#[derive(Debug)]
pub struct SendRoom {
    bytes: usize,
    least_bytes: usize,
    most_bytes: usize,
    calm_refills: u32,
}

impl SendRoom {
    /// For frames that take up to `frame_bytes` of memory, and never beyond `most_bytes` unless three frames are.
    pub fn new(frame_bytes: usize, most_bytes: usize) -> Self {
        let least_bytes = LEAST_FRAMES * frame_bytes;
        Self {
            bytes: least_bytes,
            least_bytes,
            most_bytes: most_bytes.max(least_bytes),
            calm_refills: 0,
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The socket takes packets again while the interface has still `left_bytes` to send; true when the size changed.
    pub fn refill(&mut self, left_bytes: usize) -> bool {
        let old_bytes = self.bytes;
        if left_bytes == 0 {
            self.calm_refills = 0;
            self.bytes = (2 * self.bytes).min(self.most_bytes);
        } else {
            self.calm_refills += 1;
            if self.calm_refills == CALM_REFILLS {
                self.calm_refills = 0;
                self.bytes = (self.bytes / 2).max(self.least_bytes);
            }
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
        let grown: Vec<(bool, usize)> = (0..3).map(|_| (room.refill(0), room.bytes())).collect();
        assert_eq!(grown, [(true, 600), (true, 1000), (false, 1000)]);
        for expected in [500, 300] {
            assert!((1..CALM_REFILLS).all(|_| !room.refill(1)));
            assert!(room.refill(1));
            assert_eq!(room.bytes(), expected);
        }
        assert!(
            (0..CALM_REFILLS).all(|_| !room.refill(1)),
            "it is as small as it may be"
        );
    }

    #[test]
    fn a_dry_interface_ends_the_calm_time() {
        let mut room = SendRoom::new(100, 1000);
        for left_bytes in [0].into_iter().chain([1; 63]).chain([0]).chain([1; 63]) {
            room.refill(left_bytes);
        }
        assert_eq!(room.bytes(), 1000);
    }

    #[test]
    fn three_of_the_longest_frames_always_fit() {
        let mut room = SendRoom::new(100, 50);
        assert_eq!(room.bytes(), 300);
        assert!(!room.refill(0));
    }
}
