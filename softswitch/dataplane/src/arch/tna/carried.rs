// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Facts that go along with a packet from ingress through its queue.

/// Kept as a number with the packet (`Packet::carried`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Carried {
    /// The length of the frame that ingress received, as the chip counts.
    pub frame_bytes: u16,
    /// The first copy for a node of a multicast group.
    pub rid_first: bool,
    /// The packet leaves as ingress made it.
    pub bypasses_egress: bool,
    /// The packet comes to ingress a second time.
    pub resubmitted: bool,
}

const RID_FIRST: u64 = 1 << 16;
const BYPASSES_EGRESS: u64 = 1 << 17;
const RESUBMITTED: u64 = 1 << 18;

impl From<Carried> for u64 {
    fn from(carried: Carried) -> Self {
        let flag = |is: bool, flag| if is { flag } else { 0 };
        Self::from(carried.frame_bytes)
            | flag(carried.rid_first, RID_FIRST)
            | flag(carried.bypasses_egress, BYPASSES_EGRESS)
            | flag(carried.resubmitted, RESUBMITTED)
    }
}

impl From<u64> for Carried {
    fn from(number: u64) -> Self {
        Self {
            frame_bytes: number as u16,
            rid_first: number & RID_FIRST != 0,
            bypasses_egress: number & BYPASSES_EGRESS != 0,
            resubmitted: number & RESUBMITTED != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_survives() {
        for flags in 0..8 {
            let carried = Carried {
                frame_bytes: 1504,
                rid_first: flags & 1 != 0,
                bypasses_egress: flags & 2 != 0,
                resubmitted: flags & 4 != 0,
            };
            assert_eq!(Carried::from(u64::from(carried)), carried);
        }
    }
}
