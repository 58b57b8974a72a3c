// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The echo of congestion marks: the flags CWR and ECE, as a receiver sends them and as a sender reads them.

use super::accecn::AccEcn;
use crate::cc::MarkLevel;
use crate::packet::{ecn, Flags, Segment};
use crate::transport::Counters;

/// A peer with Multilevel ECN sets CWR or ECE in every pure ACK. After so many in a row without either it is taken to
/// have stopped (as in host_stack/bpf/q_mecn_tc.bpf.c).
const MAX_ACKS_WITHOUT_CODE: u32 = 8;

/// Both flags: the codes of Multilevel ECN.
const CODE: Flags = Flags(Flags::CWR.0 | Flags::ECE.0);

/// The ECN variant that the ends have agreed on, and the state of the echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    Off,
    /// RFC 3168 section 6.1.3: ECE in all ACKs from a mark until CWR arrives.
    Rfc3168 {
        ece: bool,
    },
    /// ECE if and only if the newest data packet was marked (RFC 8257 section 3.2).
    Accurate {
        ce: bool,
    },
    Mecn(Mecn),
    AccEcn(AccEcn),
}

/// The marks that an ACK reports.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    pub level: MarkLevel,
    /// The packets that were marked, where the receiver counts them.
    pub pkts: Option<u32>,
}

impl Marks {
    /// The marks of a receiver that counts them.
    pub fn counted(pkts: u32) -> Self {
        let level = if pkts > 0 {
            MarkLevel::Ece
        } else {
            MarkLevel::None
        };
        Self {
            level,
            pkts: Some(pkts),
        }
    }
}

/// Multilevel ECN (docs/hosts.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mecn {
    /// A level is echoed until the sender reports a reduced window, instead of once.
    until_reduced: bool,
    /// The highest level that arrived and was not echoed yet.
    pending: MarkLevel,
    /// Pure ACKs in a row without CWR and ECE.
    acks_without_code: u32,
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

    /// Is a reduced window reported to the receiver?
    pub fn has_cwr(&self) -> bool {
        self.is_on() && !matches!(self, Self::AccEcn(_))
    }

    pub fn accecn(&mut self) -> Option<&mut AccEcn> {
        match self {
            Self::AccEcn(accecn) => Some(accecn),
            _ => None,
        }
    }

    /// Does the mark of this data packet change the echo? Then the packets before it have to be acknowledged first.
    pub fn changes_with(&self, segment: &Segment) -> bool {
        matches!(self, Self::Accurate { ce } if *ce != (segment.ecn == ecn::CE))
    }

    /// Reads the mark of a data packet, and whether its sender reports a reduced window.
    pub fn on_data(&mut self, segment: &Segment, counters: &mut Counters) {
        let ce = segment.ecn == ecn::CE;

        counters.ce_received += u64::from(ce);
        match self {
            // Accurate ECN counts all packets, not only those with data.
            Self::Off | Self::AccEcn(_) => {}
            Self::Rfc3168 { ece } => {
                // A mark in a packet with CWR is newer than the reduction.
                *ece = ce || *ece && !segment.flags.has(Flags::CWR);
            }
            Self::Accurate { ce: newest } => *newest = ce,
            Self::Mecn(mecn) => mecn.on_data(segment, counters),
        }
    }

    /// Reads the mark that an ACK echoes. The ACK is for data in flight. Counts are read by [`AccEcn::read`].
    pub fn read_echo(&mut self, segment: &Segment, counters: &mut Counters) -> Marks {
        let level = match self {
            Self::Off | Self::AccEcn(_) => MarkLevel::None,
            Self::Rfc3168 { .. } | Self::Accurate { .. } => ece_level(segment),
            Self::Mecn(mecn) => {
                if mecn.has_peer_stopped(segment) {
                    counters.mecn_peer_silent += 1;
                    *self = Self::Rfc3168 { ece: false };
                    return Marks::default();
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
        Marks { level, pkts: None }
    }

    /// The flags of a segment to be sent. `reduced`: the segment reports a reduced window.
    pub fn flags(&mut self, reduced: bool) -> Flags {
        let cwr = if reduced {
            Flags::CWR
        } else {
            Flags::default()
        };

        match self {
            Self::Off => Flags::default(),
            Self::Rfc3168 { ece: true } | Self::Accurate { ce: true } => cwr | Flags::ECE,
            Self::Rfc3168 { .. } | Self::Accurate { .. } => cwr,
            Self::Mecn(mecn) => mecn.flags(reduced),
            Self::AccEcn(accecn) => accecn.ace(),
        }
    }
}

impl Mecn {
    fn on_data(&mut self, segment: &Segment, counters: &mut Counters) {
        let mark = match segment.ecn {
            ecn::CE => MarkLevel::Moderate,
            ecn::ECT1 => MarkLevel::Incipient,
            _ => MarkLevel::None,
        };

        if self.until_reduced && segment.flags.only(CODE) == Flags::default() {
            self.pending = MarkLevel::None;
        }
        match mark {
            MarkLevel::Moderate => counters.marks_moderate_received += 1,
            MarkLevel::Incipient => counters.marks_incipient_received += 1,
            _ => {}
        }
        if mark as u8 > self.pending as u8 {
            self.pending = mark;
        }
    }

    fn has_peer_stopped(&mut self, segment: &Segment) -> bool {
        if segment.flags.only(CODE) != Flags::default() {
            self.acks_without_code = 0;
        } else if segment.payload_bytes == 0 {
            self.acks_without_code += 1;
        }
        self.acks_without_code >= MAX_ACKS_WITHOUT_CODE
    }

    /// The code of table 2 of Durresi et al. A level waits for the next packet if this one reports a reduced window.
    fn flags(&mut self, reduced: bool) -> Flags {
        if reduced {
            return Flags::default();
        }
        let level = self.pending;
        if !self.until_reduced {
            self.pending = MarkLevel::None;
        }
        match level {
            MarkLevel::Moderate => CODE,
            MarkLevel::Incipient => Flags::CWR,
            _ => Flags::ECE,
        }
    }
}

fn ece_level(segment: &Segment) -> MarkLevel {
    if segment.flags.has(Flags::ECE) {
        MarkLevel::Ece
    } else {
        MarkLevel::None
    }
}

fn mecn_level(segment: &Segment) -> MarkLevel {
    match (segment.flags.has(Flags::CWR), segment.flags.has(Flags::ECE)) {
        (true, true) => MarkLevel::Moderate,
        (true, false) => MarkLevel::Incipient,
        _ => MarkLevel::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(codepoint: u8, flags: Flags, payload_bytes: u32) -> Segment {
        Segment {
            ecn: codepoint,
            flags,
            payload_bytes,
            ..Segment::default()
        }
    }

    fn data(codepoint: u8) -> Segment {
        // "No congestion", so that Multilevel ECN does not read "window reduced".
        packet(codepoint, Flags::ECE, 1000)
    }

    #[test]
    fn ece_is_set_from_a_mark_until_cwr() {
        let mut counters = Counters::default();
        let mut echo = Echo::Rfc3168 { ece: false };

        echo.on_data(&packet(ecn::CE, Flags::ACK, 1000), &mut counters);
        assert_eq!(echo.flags(false), Flags::ECE);
        echo.on_data(&packet(ecn::ECT0, Flags::ACK, 1000), &mut counters);
        assert_eq!(echo.flags(true), CODE);
        // The mark in the packet with CWR is newer.
        echo.on_data(&packet(ecn::CE, Flags::CWR, 1000), &mut counters);
        assert_eq!(echo.flags(false), Flags::ECE);
        echo.on_data(&packet(ecn::ECT0, Flags::CWR, 1000), &mut counters);
        assert_eq!(echo.flags(false), Flags::default());
        assert_eq!(counters.ce_received, 2);
    }

    #[test]
    fn the_highest_level_is_echoed_once_and_waits_behind_reduced() {
        let mut counters = Counters::default();
        let mut echo = Echo::mecn(false);

        assert_eq!(echo.flags(false), Flags::ECE);
        echo.on_data(&data(ecn::CE), &mut counters);
        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(echo.flags(true), Flags::default());
        assert_eq!(echo.flags(false), CODE);
        assert_eq!(echo.flags(false), Flags::ECE);
        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(echo.flags(false), Flags::CWR);
        assert_eq!(counters.marks_incipient_received, 2);
        assert_eq!(counters.marks_moderate_received, 1);
    }

    #[test]
    fn a_level_may_be_echoed_until_the_window_is_reduced() {
        let mut counters = Counters::default();
        let mut echo = Echo::mecn(true);

        echo.on_data(&data(ecn::ECT1), &mut counters);
        assert_eq!(
            (echo.flags(false), echo.flags(false)),
            (Flags::CWR, Flags::CWR)
        );
        echo.on_data(&packet(ecn::ECT0, Flags::default(), 1000), &mut counters);
        assert_eq!(echo.flags(false), Flags::ECE);
    }

    #[test]
    fn a_peer_that_stops_multilevel_ecn_falls_back_to_rfc_3168() {
        let mut counters = Counters::default();
        let mut echo = Echo::mecn(false);
        let silent = packet(ecn::NOT_ECT, Flags::ACK, 0);

        for _ in 0..MAX_ACKS_WITHOUT_CODE - 1 {
            let marks = echo.read_echo(&silent, &mut counters);
            assert_eq!(marks.level, MarkLevel::None);
        }
        assert!(matches!(echo, Echo::Mecn(_)));
        echo.read_echo(&silent, &mut counters);
        assert_eq!(echo, Echo::Rfc3168 { ece: false });
        assert_eq!(counters.mecn_peer_silent, 1);
    }
}
