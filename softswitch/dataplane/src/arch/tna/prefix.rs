// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Intrinsic metadata as bytes in front of the packets that parsers get, in the layouts of tofino1_base.p4.

use crate::tm::Dequeued;

/// `ingress_intrinsic_metadata_t`, and port metadata or resubmit data behind it.
pub const INGRESS_BYTES: usize = HEADER_BYTES + DATA_BYTES;
const HEADER_BYTES: usize = 8;
const DATA_BYTES: usize = 8;

/// `egress_intrinsic_metadata_t`.
pub const EGRESS_BYTES: usize = 27;

pub const PORT_MASK: u32 = 0x1ff;
const TIME_MASK: u64 = (1 << 48) - 1;
/// The bits of depths in cells, and of times in the queue.
const DEPTH_MASK: u64 = (1 << 19) - 1;
const QUEUE_TIME_MASK: u64 = (1 << 18) - 1;

/// A packet that comes to ingress.
pub struct Arrival {
    pub port: u32,
    pub chip_ns: u64,
    pub resubmitted: bool,
}

impl Arrival {
    /// Writes the first bytes of `data`; `behind` are the 64 bits of port metadata or of resubmit data.
    pub fn write(&self, data: &mut [u8], behind: u64) {
        let resubmit_flag = u64::from(self.resubmitted) << 63;
        let port = u64::from(self.port & PORT_MASK) << 48;
        let header = resubmit_flag | port | self.chip_ns & TIME_MASK;
        data[..HEADER_BYTES].copy_from_slice(&header.to_be_bytes());
        data[HEADER_BYTES..INGRESS_BYTES].copy_from_slice(&behind.to_be_bytes());
    }
}

/// Facts that a packet brings out of its queue besides the queue's own numbers.
pub struct Departure {
    pub rid: u16,
    pub rid_first: bool,
    /// The length of the frame that ingress received.
    pub frame_bytes: u16,
    /// The packet's own queue had no room.
    pub deflected: bool,
}

impl Departure {
    pub fn bytes(&self, from: &Dequeued<()>, chip_ns: impl Fn(u64) -> u64) -> [u8; EGRESS_BYTES] {
        let (enq_ns, deq_ns) = (chip_ns(from.enq_ns), chip_ns(from.deq_ns));
        let mut bytes = [0; EGRESS_BYTES];
        let mut at = 0;
        let mut put = |value: u64, nbytes: usize| {
            bytes[at..at + nbytes].copy_from_slice(&value.to_be_bytes()[8 - nbytes..]);
            at += nbytes;
        };
        let waited_ns = deq_ns - enq_ns;
        put(u64::from(from.port & PORT_MASK), 2);
        put(from.enq_cells.min(DEPTH_MASK), 3);
        // The meaning of the chip's states of congestion is not published.
        let congestion = 0;
        put(congestion, 1);
        put(enq_ns & QUEUE_TIME_MASK, 4);
        put(from.deq_cells.min(DEPTH_MASK), 3);
        put(congestion, 1);
        put(congestion, 1);
        put(waited_ns & QUEUE_TIME_MASK, 4);
        put(u64::from(self.rid), 2);
        put(u64::from(self.rid_first), 1);
        put(u64::from(from.queue), 1);
        let class_of_service = 0;
        put(class_of_service, 1);
        put(u64::from(self.deflected), 1);
        put(u64::from(self.frame_bytes), 2);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tm::Depth;

    #[test]
    fn fields_of_arrivals_lie_as_the_architecture_says() {
        let mut data = [0xaa; INGRESS_BYTES + 1];
        let arrival = Arrival {
            port: 0x1ff,
            chip_ns: 0x1234_0102_0304_0506,
            resubmitted: true,
        };
        arrival.write(&mut data, 0x0908_0706_0504_0302);
        let header = [0x81, 0xff, 1, 2, 3, 4, 5, 6];
        assert_eq!(data[2..8], [0x01, 0x02, 3, 4, 5, 6]);
        assert_eq!(data[..2], header[..2]);
        assert_eq!(data[8..16], [9, 8, 7, 6, 5, 4, 3, 2]);
        assert_eq!(data[16], 0xaa);
    }

    #[test]
    fn fields_of_departures_lie_as_the_architecture_says() {
        let departure = Departure {
            rid: 0x0102,
            rid_first: true,
            frame_bytes: 1504,
            deflected: true,
        };
        let from = Dequeued {
            port: 0x144,
            queue: 5,
            item: (),
            len_bytes: 0,
            enq_ns: 0x4_0001,
            enq_depth: Depth::default(),
            enq_cells: 0x10203,
            deq_ns: 0x4_0001 + 0x12345,
            deq_depth: Depth::default(),
            deq_cells: u64::MAX,
        };
        let bytes = departure.bytes(&from, |ns| ns);
        assert_eq!(bytes[..2], [1, 0x44]);
        assert_eq!(bytes[2..5], [1, 2, 3]);
        assert_eq!(bytes[6..10], [0, 0, 0, 1]);
        assert_eq!(bytes[10..13], [7, 0xff, 0xff]);
        assert_eq!(bytes[15..19], [0, 1, 0x23, 0x45]);
        assert_eq!(bytes[19..22], [1, 2, 1]);
        assert_eq!(bytes[22..26], [5, 0, 1, 5]);
        assert_eq!(bytes[26], 0xe0);
    }
}
