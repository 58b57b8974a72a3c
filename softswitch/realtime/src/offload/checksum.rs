// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksums of the Internet (RFC 1071) and of SCTP (RFC 9260).

/// Words of a block, which are added up beside each other.
const LANES: usize = 16;
/// A lane of 32 bits holds the sum of more words than that many bytes have.
const PART_BYTES: usize = 1 << 16;

/// The one's complement sum of 16-bit words, of which the last may be half a word. Sums may be added up.
pub fn sum(bytes: &[u8]) -> u64 {
    // The sum does not depend on the order of bytes but for that of its own two (RFC 1071, 2B), and not on the order of
    // words. The compiler makes vector instructions of the lanes.
    let sum = bytes.chunks(PART_BYTES).map(sum_of_part).sum();
    u64::from(u16::from_be(fold(sum)))
}

fn sum_of_part(bytes: &[u8]) -> u64 {
    let word = |word: &[u8]| u32::from(u16::from_ne_bytes([word[0], word[1]]));
    let mut lanes = [0u32; LANES];
    let blocks = bytes.chunks_exact(2 * LANES);
    let words = blocks.remainder().chunks_exact(2);
    let half = words
        .remainder()
        .first()
        .map_or(0, |&byte| word(&[byte, 0]));
    for block in blocks {
        for (lane, two) in lanes.iter_mut().zip(block.chunks_exact(2)) {
            *lane = lane.wrapping_add(word(two));
        }
    }
    let lanes = lanes.into_iter().chain(words.map(word)).chain([half]);
    lanes.map(u64::from).sum()
}

/// The number that takes a value from a sum when it is added to it.
pub fn minus(value: u16) -> u64 {
    u64::from(!value)
}

pub fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The checksum for a sum. It is never zero, which UDP has for none; to all others it is the same number.
pub fn complement(sum: u64) -> u16 {
    match !fold(sum) {
        0 => 0xffff,
        checksum => checksum,
    }
}

/// CRC-32C, as SCTP has it.
pub fn crc32c(parts: &[&[u8]]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut crc = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                crc = (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
                bit += 1;
            }
            table[byte] = crc;
            byte += 1;
        }
        table
    };
    let bytes = parts.iter().flat_map(|part| part.iter());
    !bytes.fold(!0, |crc: u32, byte| {
        (crc >> 8) ^ TABLE[(crc as u8 ^ byte) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bytes after the other, as RFC 1071 has it.
    fn slowly(bytes: &[u8]) -> u16 {
        let words = bytes.chunks(2);
        let words = words.map(|word| [word[0], *word.get(1).unwrap_or(&0)]);
        fold(words.map(|word| u64::from(u16::from_be_bytes(word))).sum())
    }

    #[test]
    fn sums_are_those_of_the_rfc() {
        let bytes: Vec<u8> = (0..2000u32).map(|i| ((i * i) >> 3) as u8 | 0x80).collect();
        for end in 0..bytes.len() {
            assert_eq!(fold(sum(&bytes[..end])), slowly(&bytes[..end]), "{end}");
        }
        assert_eq!(sum(&[0xff; 65_535]), u64::from(slowly(&[0xff; 65_535])));
        assert_eq!(sum(&[0; 64]), 0);
        // The example of RFC 1071, 3.
        assert_eq!(
            sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            0xddf2
        );
    }

    #[test]
    fn sums_can_be_added_taken_away_and_complemented() {
        let (left, right) = ([0x12, 0x34, 0xff, 0xfe], [0xab, 0xcd, 0x01]);
        let whole = [&left[..], &right[..]].concat();
        assert_eq!(fold(sum(&left) + sum(&right)), fold(sum(&whole)));
        assert_eq!(fold(sum(&left) + 77 + minus(77)), fold(sum(&left)));
        assert_eq!(complement(0xffff), 0xffff);
        assert_eq!(complement(0xfffe), 1);
    }

    #[test]
    fn the_crc_is_that_of_the_catalogues() {
        assert_eq!(crc32c(&[b"1234", b"", b"56789"]), 0xe306_9283);
    }
}
