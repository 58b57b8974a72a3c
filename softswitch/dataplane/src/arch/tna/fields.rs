// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of fields as bytes: the headers of mirrors and the data of resubmitted packets.

use crate::program::{CopiedField, FieldList};

/// Appends a list's bits to `bytes`, the most significant one of the first field first, with zeros up to a whole byte.
pub fn append(list: &FieldList, phv: &[u8], bytes: &mut Vec<u8>) {
    let mut bits = Bits { bytes, used: 0 };
    let mut number = Vec::new();
    for field in list {
        match field {
            CopiedField::Field(loc) => {
                number.clear();
                loc.append_bytes(phv, &mut number);
                bits.append(&number, loc.bits);
            }
            CopiedField::Constant(number, width) => bits.append(number, *width),
            // The compiler makes no such list for TNA: all lengths are known.
            CopiedField::Var(_) => (),
        }
    }
}

/// Bits at the end of bytes.
struct Bits<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bits of the last byte that are used; 0 where all are.
    used: u32,
}

impl Bits<'_> {
    /// The low `width` bits of a number in whole bytes.
    fn append(&mut self, number: &[u8], width: u32) {
        let skipped = (number.len() as u32 * 8).saturating_sub(width);
        for at in skipped..skipped + width {
            let bit = number[at as usize / 8] >> (7 - at % 8) & 1;
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (7 - self.used);
            }
            self.used = (self.used + 1) % 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::loc::Loc;

    #[test]
    fn fields_follow_each_other_bit_by_bit() {
        let phv = [0, 0, 0xab, 0xcd, 0, 0, 0, 0, 0, 0, 0, 0];
        let list = vec![
            CopiedField::Constant(vec![0x05], 3),
            CopiedField::Field(Loc::unsigned(2, 4, 8)),
            CopiedField::Field(Loc::unsigned(2, 0, 16)),
            CopiedField::Constant(vec![0, 0x01], 9),
        ];
        let mut bytes = vec![0xff];
        append(&list, &phv, &mut bytes);
        // 101, 1011'1100, 1010'1011'1100'1101, 0'0000'0001, and zeros.
        let expected = [
            0b1011_0111,
            0b1001_0101,
            0b0111_1001,
            0b1010_0000,
            0b0001_0000,
        ];
        assert_eq!(bytes[0], 0xff);
        assert_eq!(bytes[1..], expected);
    }
}
