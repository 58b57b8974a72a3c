// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What a connection says about marks in the flags CWR and ECE, and what it hears in them.

use super::io::TcpCounters;
use crate::cc::MarkLevel;
use crate::packet::{ecn, Segment, TcpFlags};

/// Pure ACKs in a row that told nothing, after which a peer no longer speaks Multilevel ECN (q_mecn_tc.bpf.c).
const SILENT_ACKS: u32 = 8;

/// The two flags.
const CODE: TcpFlags = TcpFlags(TcpFlags::CWR.0 | TcpFlags::ECE.0);

/// What the ends have agreed on, and what this end owes to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    Off,
    /// ECE from a mark until CWR comes.
    Rfc3168 {
        ece: bool,
    },
    /// ECE says whether the newest data packet was marked (RFC 8257 section 3.2).
    Accurate {
        ce: bool,
    },
    Mecn(Mecn),
}

/// Multilevel ECN (docs/hosts.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mecn {
    until_reduced: bool,
    /// The highest level that is still to be told.
    untold: MarkLevel,
    silent: u32,
}

impl Echo {
    pub fn mecn(until_reduced: bool) -> Self {
        Self::Mecn(Mecn {
            until_reduced,
            ..Mecn::default()
        })
    }

    pub fn is_on(&self) -> bool {
        *self != Self::Off
    }

    /// Would this data packet change what is said of the ones before it?
    pub fn changes_with(&self, segment: &Segment) -> bool {
        matches!(self, Self::Accurate { ce } if *ce != (segment.ecn == ecn::CE))
    }

    /// Takes in the mark of a packet with data, and what its sender says of its window.
    pub fn on_data(&mut self, segment: &Segment, counters: &mut TcpCounters) {
        let ce = segment.ecn == ecn::CE;

        counters.ce_received += u64::from(ce);
        match self {
            Self::Off => {}
            Self::Rfc3168 { ece } => {
                // Both in one packet: the mark is younger than the reduction.
                *ece = ce || *ece && !segment.flags.has(TcpFlags::CWR);
            }
            Self::Accurate { ce: newest } => *newest = ce,
            Self::Mecn(mecn) => mecn.on_data(segment, counters),
        }
    }

    /// What the peer says of our data. The ACK is for something in flight.
    pub fn hear(&mut self, segment: &Segment, counters: &mut TcpCounters) -> MarkLevel {
        let level = match self {
            Self::Off => MarkLevel::None,
            Self::Rfc3168 { .. } | Self::Accurate { .. } => ece_level(segment),
            Self::Mecn(mecn) => {
                if mecn.peer_fell_silent(segment) {
                    counters.mecn_peer_silent += 1;
                    *self = Self::Rfc3168 { ece: false };
                    return MarkLevel::None;
                }
                mecn_level(segment)
            }
        };

        match level {
            MarkLevel::None => {}
            MarkLevel::Ece => counters.ece_received += 1,
            MarkLevel::Incipient => counters.echoes_incipient_received += 1,
            MarkLevel::Moderate => counters.echoes_moderate_received += 1,
        }
        level
    }

    /// The flags of a segment that leaves; `reduced`: it is to say that the window has been reduced.
    pub fn flags(&mut self, reduced: bool) -> TcpFlags {
        let cwr = if reduced {
            TcpFlags::CWR
        } else {
            TcpFlags::default()
        };

        match self {
            Self::Off => TcpFlags::default(),
            Self::Rfc3168 { ece: true } | Self::Accurate { ce: true } => cwr | TcpFlags::ECE,
            Self::Rfc3168 { .. } | Self::Accurate { .. } => cwr,
            Self::Mecn(mecn) => mecn.flags(reduced),
        }
    }
}

impl Mecn {
    fn on_data(&mut self, segment: &Segment, counters: &mut TcpCounters) {
        let mark = match segment.ecn {
            ecn::CE => MarkLevel::Moderate,
            ecn::ECT1 => MarkLevel::Incipient,
            _ => MarkLevel::None,
        };

        if self.until_reduced && segment.flags.only(CODE) == TcpFlags::default() {
            self.untold = MarkLevel::None;
        }
        match mark {
            MarkLevel::Moderate => counters.marks_moderate_received += 1,
            MarkLevel::Incipient => counters.marks_incipient_received += 1,
            _ => {}
        }
        if mark as u8 > self.untold as u8 {
            self.untold = mark;
        }
    }

    fn peer_fell_silent(&mut self, segment: &Segment) -> bool {
        if segment.flags.only(CODE) != TcpFlags::default() {
            self.silent = 0;
        } else if segment.payload_bytes == 0 {
            self.silent += 1;
        }
        self.silent >= SILENT_ACKS
    }

    /// Table 2 of the paper. Where "reduced" is due a level waits for the next packet.
    fn flags(&mut self, reduced: bool) -> TcpFlags {
        if reduced {
            return TcpFlags::default();
        }
        let level = self.untold;
        if !self.until_reduced {
            self.untold = MarkLevel::None;
        }
        match level {
            MarkLevel::Moderate => CODE,
            MarkLevel::Incipient => TcpFlags::CWR,
            _ => TcpFlags::ECE,
        }
    }
}

fn ece_level(segment: &Segment) -> MarkLevel {
    if segment.flags.has(TcpFlags::ECE) {
        MarkLevel::Ece
    } else {
        MarkLevel::None
    }
}

fn mecn_level(segment: &Segment) -> MarkLevel {
    match (
        segment.flags.has(TcpFlags::CWR),
        segment.flags.has(TcpFlags::ECE),
    ) {
        (true, true) => MarkLevel::Moderate,
        (true, false) => MarkLevel::Incipient,
        _ => MarkLevel::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(codepoint: u8, flags: TcpFlags, payload_bytes: u32) -> Segment {
        Segment {
            ecn: codepoint,
            flags,
            payload_bytes,
            ..Segment::default()
        }
    }

    fn data(codepoint: u8) -> Segment {
        // "No congestion", so that Multilevel ECN does not read "window reduced".
        packet(codepoint, TcpFlags::ECE, 1000)
    }

    #[test]
    fn ece_is_said_from_a_mark_until_cwr() {
        let mut counters = TcpCounters::default();
        let mut echo = Echo::Rfc3168 { ece: false };

        echo.on_data(&packet(ecn::CE, TcpFlags::ACK, 1000), &mut counters);
        assert_eq!(echo.flags(false), TcpFlags::ECE);
        echo.on_data(&packet(ecn::ECT0, TcpFlags::ACK, 1000), &mut counters);
        assert_eq!(echo.flags(true), CODE);
        // A mark in the packet with CWR is younger.
        echo.on_data(&packet(ecn::CE, TcpFlags::CWR, 1000), &mut counters);
        assert_eq!(echo.flags(false), TcpFlags::ECE);
        echo.on_data(&packet(ecn::ECT0, TcpFlags::CWR, 1000), &mut counters);
        assert_eq!(echo.flags(false), TcpFlags::default());
        assert_eq!(counters.ce_received, 2);
    }

    #[test]
    fn the_highest_level_is_told_once_and_waits_behind_reduced() {
        let mut counters = TcpCounters::default();
        let mut echo = Echo::mecn(false);

        assert_eq!(echo.flags(false), TcpFlags::ECE);
        echo.on_data(&data(ecn::CE), &mut counters);
        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(echo.flags(true), TcpFlags::default());
        assert_eq!(echo.flags(false), CODE);
        assert_eq!(echo.flags(false), TcpFlags::ECE);
        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(echo.flags(false), TcpFlags::CWR);
        assert_eq!(counters.marks_incipient_received, 2);
        assert_eq!(counters.marks_moderate_received, 1);
    }

    #[test]
    fn a_level_may_be_told_until_the_window_is_reduced() {
        let mut counters = TcpCounters::default();
        let mut echo = Echo::mecn(true);

        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(
            (echo.flags(false), echo.flags(false)),
            (TcpFlags::CWR, TcpFlags::CWR)
        );
        echo.on_data(&packet(ecn::ECT0, TcpFlags::default(), 1000), &mut counters);
        assert_eq!(echo.flags(false), TcpFlags::ECE);
    }

    #[test]
    fn a_peer_that_no_longer_speaks_multilevel_ecn_is_left_to_rfc_3168() {
        let mut counters = TcpCounters::default();
        let mut echo = Echo::mecn(false);
        let silent = packet(ecn::NOT_ECT, TcpFlags::ACK, 0);

        for _ in 0..SILENT_ACKS - 1 {
            assert_eq!(echo.hear(&silent, &mut counters), MarkLevel::None);
        }
        assert!(matches!(echo, Echo::Mecn(_)));
        echo.hear(&silent, &mut counters);
        assert_eq!(echo, Echo::Rfc3168 { ece: false });
        assert_eq!(counters.mecn_peer_silent, 1);
    }
}
