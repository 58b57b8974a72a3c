// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Metadata fields that the switch itself reads and writes for every packet.

use super::loc::Loc;

/// A field at the end of a slot ([`Loc::in_slot`]) that is read and written as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The first byte of the slot.
    at: u32,
    /// 1, 2, 4 or 8.
    nbytes: u32,
    mask: u64,
}

impl Slot {
    /// `None` for a field of more than 64 bits.
    pub fn of(loc: Loc) -> Option<Self> {
        let nbytes = Loc::slot_bytes(loc.bits);
        let mask = match loc.bits {
            0 => 0,
            bits => u64::MAX >> 64u32.checked_sub(bits)?,
        };
        Some(Self {
            at: loc.byte + loc.nbytes() as u32 - nbytes,
            nbytes,
            mask,
        })
    }

    /// The byte behind the slot.
    pub fn end(self) -> u64 {
        u64::from(self.at) + u64::from(self.nbytes)
    }

    #[inline(always)]
    pub fn read(self, buf: &[u8]) -> u64 {
        let buf = &buf[self.at as usize..];
        match self.nbytes {
            1 => u64::from(buf[0]),
            2 => u64::from(u16::from_be_bytes(first(buf))),
            4 => u64::from(u32::from_be_bytes(first(buf))),
            _ => u64::from_be_bytes(first(buf)),
        }
    }

    /// Writes the low bits of `value`. A few of these go with every packet, each with its own size.
    #[inline(always)]
    pub fn write(self, buf: &mut [u8], value: u64) {
        let at = self.at as usize;
        let value = value & self.mask;
        match self.nbytes {
            1 => buf[at] = value as u8,
            2 => buf[at..at + 2].copy_from_slice(&(value as u16).to_be_bytes()),
            4 => buf[at..at + 4].copy_from_slice(&(value as u32).to_be_bytes()),
            _ => buf[at..at + 8].copy_from_slice(&value.to_be_bytes()),
        }
    }
}

#[inline(always)]
fn first<const N: usize>(buf: &[u8]) -> [u8; N] {
    buf[..N].try_into().expect("a slice of N bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_slot_is_the_field_that_ends_it(bits in 0u32..=64, value in any::<u64>(), fill in any::<u8>()) {
            let loc = Loc::in_slot(3, bits);
            let end = 3 + Loc::slot_bytes(bits) as usize;
            prop_assert_eq!(end, loc.byte as usize + loc.nbytes());
            let slot = Slot::of(loc).expect("a narrow field");
            let mut buf = vec![fill; 40];
            buf[3..end].fill(0);
            let mut other = buf.clone();
            slot.write(&mut buf, value);
            loc.write_u64(&mut other, value);
            prop_assert_eq!(slot.read(&buf), loc.read_u64(&other));
            prop_assert_eq!(buf, other);
        }
    }

    #[test]
    fn wide_fields_are_no_slots() {
        assert_eq!(Slot::of(Loc::in_slot(0, 65)), None);
    }
}
