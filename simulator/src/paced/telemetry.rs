// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! In-band telemetry in the form of HPCC's code: a count of hops, and five records of 8 bytes, which routers fill in.

/// Records of a packet. A sixth router records nothing.
pub(super) const MAX_HOPS: usize = 5;
/// The count and the records, whether they are filled in or not.
pub(super) const TELEMETRY_BYTES: usize = 2 + 8 * MAX_HOPS;

/// Link rates in Gb/s by their code; 0 is none.
const RATES_GBPS: [u64; 8] = [0, 25, 50, 100, 200, 400, 10, 40];
const TIME_BITS: u32 = 24;
const BYTES_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;

/// The telemetry of one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Telemetry {
    pub hops: u16,
    pub records: [Record; MAX_HOPS],
}

/// A record: from its upper end a rate code (3 bits), a time in ns (24), bytes sent (20), and the queue (17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Record(pub u64);

impl Telemetry {
    pub fn read(bytes: &[u8; TELEMETRY_BYTES]) -> Self {
        let mut telemetry = Self {
            hops: u16::from_be_bytes([bytes[0], bytes[1]]),
            ..Self::default()
        };
        for (record, bytes) in telemetry.records.iter_mut().zip(bytes[2..].chunks_exact(8)) {
            let value = bytes
                .iter()
                .fold(0, |value, &byte| value << 8 | u64::from(byte));
            *record = Record(value);
        }
        telemetry
    }

    pub fn write(&self, bytes: &mut [u8; TELEMETRY_BYTES]) {
        bytes[..2].copy_from_slice(&self.hops.to_be_bytes());
        for (record, bytes) in self.records.iter().zip(bytes[2..].chunks_exact_mut(8)) {
            bytes.copy_from_slice(&record.0.to_be_bytes());
        }
    }

    /// The records that are filled in; none if there cannot be so many, or one of them has no rate.
    pub fn path(&self) -> Option<&[Record]> {
        let path = self.records.get(..usize::from(self.hops))?;
        path.iter()
            .all(|record| record.rate_bps() > 0)
            .then_some(path)
    }
}

impl Record {
    fn field(self, low: u32, bits: u32) -> u64 {
        self.0 >> low & ((1 << bits) - 1)
    }

    fn code(self) -> usize {
        self.field(TIME_BITS + BYTES_BITS + QUEUE_BITS, 3) as usize
    }

    pub fn rate_bps(self) -> u64 {
        RATES_GBPS[self.code()] * 1_000_000_000
    }

    /// The factor of the units of bytes and of the queue: that of 25 Gb/s is 1.
    fn multiple(self) -> u64 {
        (RATES_GBPS[self.code()] / 25).max(1)
    }

    pub fn queue_bytes(self) -> u64 {
        self.field(0, QUEUE_BITS) * 80 * self.multiple()
    }

    /// The time since an earlier record of the same link, below 2^24 ns.
    pub fn since_ns(self, earlier: Self) -> u64 {
        let time = |record: Self| record.field(QUEUE_BITS + BYTES_BITS, TIME_BITS);
        time(self).wrapping_sub(time(earlier)) & ((1 << TIME_BITS) - 1)
    }

    /// The bytes sent since an earlier record of the same link.
    pub fn sent_bytes(self, earlier: Self) -> u64 {
        let sent = |record: Self| record.field(QUEUE_BITS, BYTES_BITS);
        let units = sent(self).wrapping_sub(sent(earlier)) & ((1 << BYTES_BITS) - 1);
        units * 128 * self.multiple()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A record by its fields.
    pub fn record(code: u64, time_ns: u64, sent: u64, queue: u64) -> Record {
        Record(code << 61 | (time_ns & 0xff_ffff) << 37 | (sent & 0xf_ffff) << 17 | queue)
    }

    #[test]
    fn fields_are_read_with_the_units_of_their_rate_and_wrap() {
        let earlier = record(3, 0xff_fff0, 0xf_fffe, 0);
        let later = record(3, 0x10, 3, 2);
        assert_eq!(later.rate_bps(), 100_000_000_000);
        assert_eq!(later.since_ns(earlier), 0x20);
        assert_eq!(later.sent_bytes(earlier), 5 * 128 * 4);
        assert_eq!(later.queue_bytes(), 2 * 80 * 4);
        let rates = [0, 25, 50, 100, 200, 400, 10, 40].map(|gbps| gbps * 1_000_000_000);
        let multiples = [1, 1, 2, 4, 8, 16, 1, 1];
        for code in 0..8 {
            let record = record(code, 0, 0, 1);
            assert_eq!(record.rate_bps(), rates[code as usize]);
            assert_eq!(record.queue_bytes(), 80 * multiples[code as usize]);
        }
    }

    #[test]
    fn telemetry_is_written_and_read_back() {
        let mut telemetry = Telemetry {
            hops: 2,
            ..Telemetry::default()
        };
        telemetry.records[0] = record(5, 1, 2, 3);
        telemetry.records[1] = record(1, 4, 5, 6);
        let mut bytes = [0xee; TELEMETRY_BYTES];
        telemetry.write(&mut bytes);
        assert_eq!(
            (bytes[1], bytes[2] >> 5, bytes[18..42].iter().max()),
            (2, 5, Some(&0))
        );
        assert_eq!(Telemetry::read(&bytes), telemetry);
        assert_eq!(telemetry.path(), Some(&telemetry.records[..2]));
    }

    #[test]
    fn records_without_a_rate_and_too_many_hops_are_no_path() {
        let mut telemetry = Telemetry::default();
        assert_eq!(telemetry.path(), Some(&[][..]));
        for hops in [1, 6, u16::MAX] {
            telemetry.hops = hops;
            assert_eq!(telemetry.path(), None, "{hops}");
        }
    }
}
