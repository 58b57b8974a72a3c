// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Accurate ECN (RFC 9768): the receiver counts the packets that arrive with CE, and each segment without SYN has the
//! last three bits of the count in AE, CWR and ECE, the ACE field. Without the AccECN options, which are optional.

use crate::packet::{ecn, Flags, Segment};

/// The flags of the negotiation and of the ACE field.
pub(super) const ECN_FLAGS: Flags = Flags(Flags::AE.0 | Flags::CWR.0 | Flags::ECE.0);
/// The SYN of a client that knows Accurate ECN, and one of RFC 3168.
pub(super) const ASKS_FOR_ACCECN: u8 = 0b111;
pub(super) const ASKS_FOR_RFC3168: u8 = 0b011;
/// The SYN-ACK of a server of RFC 3168.
pub(super) const GRANTS_RFC3168: u8 = 0b001;
/// The codes by which SYN-ACK and third ACK say that a SYN arrived as not ECN-capable, or with CE.
const SAW_NOT_ECT: u8 = 0b010;
const SAW_CE: u8 = 0b110;
/// A SYN-ACK with this code says nothing of the SYN (section 3.1.3).
const SAYS_NOTHING: u8 = 0b101;

/// Both counts of CE begin with this (section 3.2.1).
const FIRST_COUNT: u32 = 5;
/// Values of the ACE field.
const CYCLE: u32 = 8;
/// Packets with CE after which a receiver sends an ACK: with data that is not acknowledged, and without
/// (section 3.2.2.5.1).
const MARKS_PER_ACK: u32 = 2;
const MARKS_PER_ACK_OF_ACKS: u32 = 3;
/// The counter is taken to have cycled only where ACKs are for so few packets on average ("well below 8",
/// appendix A.2.1).
const MAX_USUAL_PKTS: u32 = 4;
/// The weight of an ACK in that average is 1 / 2^3.
const AVERAGE_SHIFT: u32 = 3;
/// No ACK is for more packets.
const MAX_ACKED_PKTS: u32 = 1 << 20;

/// One end of a connection with Accurate ECN, as a receiver and as a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AccEcn {
    /// Packets that have arrived with CE (r.cep).
    received: u32,
    /// The part of this end's packets with CE that the peer has reported (s.cep).
    reported: u32,
    marks_since_ack: u32,
    previous_was_marked: bool,
    /// The ECN field of the latest SYN or SYN-ACK that arrived, and whether a SYN-ACK with CE was counted.
    syn_arrived_with: u8,
    syn_ack_counted: bool,
    /// Packets that an ACK is for, on average, in units of 2^-3.
    usual_pkts_q3: u32,
    /// This end's packets may be ECN-capable.
    pub sends_ect: bool,
    /// This end obeys what the peer reports.
    obeys: bool,
}

impl AccEcn {
    pub fn new() -> Self {
        Self {
            received: FIRST_COUNT,
            reported: FIRST_COUNT,
            marks_since_ack: 0,
            previous_was_marked: false,
            syn_arrived_with: ecn::NOT_ECT,
            syn_ack_counted: false,
            usual_pkts_q3: 0,
            sends_ect: true,
            obeys: true,
        }
    }

    /// A server: a SYN has arrived. One without ECN after others says that the client may have given up ECN
    /// (section 3.1.5).
    pub fn on_syn(&mut self, segment: &Segment) {
        self.syn_arrived_with = segment.ecn;
        if ecn_bits(segment.flags) == 0 {
            self.sends_ect = false;
        }
    }

    /// A client: the SYN-ACK has arrived, the first or a repeated one. Only one is counted (section 3.2.2.2).
    pub fn on_syn_ack(&mut self, segment: &Segment) {
        self.syn_arrived_with = segment.ecn;
        if segment.ecn == ecn::CE && !self.syn_ack_counted {
            self.syn_ack_counted = true;
            self.received = self.received.wrapping_add(1);
        }
    }

    /// A client: what the first SYN-ACK says of the SYN. Returns whether it arrived with CE. A SYN leaves as not
    /// ECN-capable, so any other code shows a path that changes the field (section 3.2.2.3).
    pub fn read_syn_ack(&mut self, segment: &Segment) -> bool {
        let bits = ecn_bits(segment.flags);

        self.sends_ect &= bits == SAW_NOT_ECT || bits == SAYS_NOTHING;
        bits == SAW_CE
    }

    /// A server: what the ACK of its SYN-ACK says of that (section 3.2.2.1). Returns whether it arrived with CE.
    pub fn read_third_ack(&mut self, segment: &Segment) -> bool {
        match ecn_bits(segment.flags) {
            0 => {
                self.sends_ect = false;
                self.obeys = false;
            }
            SAW_CE => {
                self.sends_ect = false;
                self.reported = self.reported.wrapping_add(1);
                return true;
            }
            // The codes of ECT(1) and ECT(0).
            0b011 | 0b100 => self.sends_ect = false,
            _ => {}
        }
        false
    }

    /// The flags of a SYN-ACK, or of the ACK of one: the ECN field with which the latest one arrived.
    pub fn handshake_flags(&self) -> Flags {
        flags_of(match self.syn_arrived_with {
            ecn::CE => SAW_CE,
            ecn::ECT0 => 0b100,
            ecn::ECT1 => 0b011,
            _ => SAW_NOT_ECT,
        })
    }

    /// Counts a segment without SYN that is acceptable. Returns whether an ACK is due at once. `waits`: data that
    /// arrived before is not acknowledged yet. `acks_acks`: the peer can tell an ACK of ACKs from a duplicate ACK.
    pub fn on_arrival(&mut self, segment: &Segment, waits: bool, acks_acks: bool) -> bool {
        let is_marked = segment.ecn == ecn::CE;
        let is_data = segment.payload_bytes > 0;
        let begins = is_marked && is_data && !self.previous_was_marked;

        self.previous_was_marked = is_marked;
        if is_marked {
            self.received = self.received.wrapping_add(1);
            self.marks_since_ack = self.marks_since_ack.saturating_add(1);
        }
        begins
            || if is_data || waits {
                self.marks_since_ack >= MARKS_PER_ACK
            } else {
                acks_acks && self.marks_since_ack >= MARKS_PER_ACK_OF_ACKS
            }
    }

    /// The ACE field of a segment to be sent.
    pub fn ace(&self) -> Flags {
        flags_of((self.received % CYCLE) as u8)
    }

    /// A segment with the ACE field was sent.
    pub fn acked(&mut self) {
        self.marks_since_ack = 0;
    }

    /// Reads the ACE field of an ACK that is the first to report so many packets as delivered. Returns how many
    /// packets with CE it reports. An ACK that reports none is superseded (appendix A.1).
    pub fn read(&mut self, segment: &Segment, delivered_pkts: u32) -> u32 {
        let pkts = delivered_pkts.min(MAX_ACKED_PKTS);

        if pkts == 0 || !self.obeys {
            return 0;
        }
        let least = (u32::from(ecn_bits(segment.flags)) + CYCLE - self.reported % CYCLE) % CYCLE;
        let is_usual = self.usual_pkts_q3 <= MAX_USUAL_PKTS << AVERAGE_SHIFT;
        let marks = if pkts >= CYCLE && is_usual {
            pkts - (pkts - least) % CYCLE
        } else {
            least
        };

        self.usual_pkts_q3 += pkts;
        self.usual_pkts_q3 -= self.usual_pkts_q3 >> AVERAGE_SHIFT;
        self.reported = self.reported.wrapping_add(marks);
        marks
    }
}

/// AE, CWR and ECE as a number of three bits.
pub(super) fn ecn_bits(flags: Flags) -> u8 {
    let bit = |flag, value| if flags.has(flag) { value } else { 0 };

    bit(Flags::AE, 4) | bit(Flags::CWR, 2) | bit(Flags::ECE, 1)
}

/// The three flags of such a number.
pub(super) fn flags_of(bits: u8) -> Flags {
    [(Flags::AE, 4), (Flags::CWR, 2), (Flags::ECE, 1)]
        .into_iter()
        .filter(|&(_, value)| bits & value != 0)
        .fold(Flags::default(), |flags, (flag, _)| flags | flag)
}
