// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The receiving half of an end: it takes the packet that is next, answers each, and tells of marks.
//!
//! A packet that is next or came before is acknowledged. One behind a gap gets a NAK, but only the first one until the gap is
//! closed, or until a time is over: cards send no more. A mark causes a CNP at once if none was sent within the interval
//! before; if one was, the next goes at the end of the interval.

use crate::packet::roce::{RoceContent, NUMBER_MASK};
use crate::time::Ns;

/// Half of the numbers: those before it are ahead, the others behind.
const HALF: u32 = 1 << 23;

/// A packet with data as the receiver sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It is taken.
    Next,
    Duplicate,
    /// Packets before it are missing.
    Ahead,
    /// It cannot come from the peer.
    Wrong,
}

#[derive(Debug, Default)]
pub(super) struct Receiver {
    /// Packets that have arrived: all before this number.
    expected: u64,
    /// All of the peer's stream has arrived.
    ended: bool,
    /// The time of the last NAK, until the packet that it asked for is there.
    nak_ns: Option<Ns>,
    /// No CNP is sent before.
    cnp_from_ns: Ns,
    /// A mark has come that no CNP has told yet.
    owes_cnp: bool,
}

impl Receiver {
    pub fn on_data(&mut self, psn: u32, first: bool, last: bool) -> Arrival {
        let ahead = psn.wrapping_sub(self.expected as u32) & NUMBER_MASK;
        if ahead >= HALF {
            return Arrival::Duplicate;
        }
        // The first packet of a stream is its number 0, and nothing follows the last.
        let is_first = self.expected + u64::from(ahead) == 0;
        if first != is_first || self.ended {
            return Arrival::Wrong;
        }
        if ahead > 0 {
            return Arrival::Ahead;
        }
        self.expected += 1;
        self.ended = last;
        self.nak_ns = None;
        Arrival::Next
    }

    pub fn has_begun(&self) -> bool {
        self.expected > 0
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The answer to a packet that is taken, or was before.
    pub fn ack(&self) -> RoceContent {
        RoceContent::Ack {
            psn: (self.expected as u32).wrapping_sub(1) & NUMBER_MASK,
            msn: self.ended.into(),
        }
    }

    /// The answer to a packet behind a gap; none if the peer has been told.
    pub fn nak(&mut self, now: Ns, interval_ns: Ns) -> Option<RoceContent> {
        let told = self.nak_ns;
        if told.is_some_and(|told| now.saturating_sub(told) < interval_ns) {
            return None;
        }
        self.nak_ns = Some(now);
        Some(RoceContent::Nak {
            psn: self.expected as u32 & NUMBER_MASK,
            msn: 0,
        })
    }

    /// A packet with a mark has arrived. True: a CNP has to be sent now.
    pub fn on_mark(&mut self, now: Ns, interval_ns: Ns) -> bool {
        self.owes_cnp = true;
        self.pays_cnp(now, interval_ns)
    }

    /// Whether a CNP that is owed has to be sent now.
    pub fn pays_cnp(&mut self, now: Ns, interval_ns: Ns) -> bool {
        let pays = self.owes_cnp && now >= self.cnp_from_ns;
        if pays {
            self.owes_cnp = false;
            self.cnp_from_ns = now.saturating_add(interval_ns);
        }
        pays
    }

    /// The time of the next CNP, if one is owed.
    pub fn cnp_at(&self) -> Option<Ns> {
        self.owes_cnp.then_some(self.cnp_from_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap() {
        for turn in [1u64 << 24, 3 << 24, 1 << 32] {
            let mut receiver = Receiver {
                expected: turn - 1,
                ..Receiver::default()
            };
            assert_eq!(receiver.on_data(0, false, false), Arrival::Ahead);
            assert_eq!(receiver.on_data(0xff_ffff, false, false), Arrival::Next);
            let ack = RoceContent::Ack {
                psn: 0xff_ffff,
                msn: 0,
            };
            assert_eq!(receiver.ack(), ack);
            let nak = RoceContent::Nak { psn: 0, msn: 0 };
            assert_eq!(receiver.nak(5, 9), Some(nak));
            assert_eq!(receiver.on_data(0, true, false), Arrival::Wrong);
            assert_eq!(receiver.on_data(0, false, false), Arrival::Next);
            assert_eq!(
                receiver.on_data(0xff_ffff, false, false),
                Arrival::Duplicate
            );
        }
    }

    #[test]
    fn a_gap_is_told_once_until_it_is_closed_or_a_time_is_over() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.on_data(2, false, false), Arrival::Ahead);
        let nak = Some(RoceContent::Nak { psn: 0, msn: 0 });
        assert_eq!(receiver.nak(100, 50), nak);
        assert_eq!(receiver.nak(149, 50), None);
        assert_eq!(receiver.nak(150, 50), nak);
        assert_eq!(receiver.on_data(0, true, false), Arrival::Next);
        let nak = Some(RoceContent::Nak { psn: 1, msn: 0 });
        assert_eq!(receiver.nak(151, 50), nak, "another packet is missing");
    }

    #[test]
    fn nothing_comes_behind_the_end() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.on_data(0, true, true), Arrival::Next);
        assert_eq!(receiver.ack(), RoceContent::Ack { psn: 0, msn: 1 });
        assert_eq!(receiver.on_data(1, false, false), Arrival::Wrong);
        assert_eq!(receiver.on_data(9, false, false), Arrival::Wrong);
        assert_eq!(receiver.on_data(0, true, true), Arrival::Duplicate);
    }

    #[test]
    fn marks_within_an_interval_are_told_together_at_its_end() {
        let mut receiver = Receiver::default();
        assert!(receiver.on_mark(10, 50));
        assert_eq!(receiver.cnp_at(), None);
        assert!(!receiver.on_mark(11, 50) && !receiver.on_mark(59, 50));
        assert_eq!(receiver.cnp_at(), Some(60));
        assert!(!receiver.pays_cnp(59, 50) && receiver.pays_cnp(60, 50));
        assert_eq!(
            (receiver.cnp_at(), receiver.pays_cnp(200, 50)),
            (None, false)
        );
        assert!(receiver.on_mark(200, 50));
        let mut each = Receiver::default();
        assert!(each.on_mark(1, 0) && each.on_mark(1, 0));
    }
}
