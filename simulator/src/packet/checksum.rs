// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Internet checksum (RFC 1071).

/// Longest stamp at the beginning of a payload: 16 bytes in segments, 20 in datagrams.
const PAYLOAD_STAMP_BYTES: usize = 20;

/// A partial sum. Each part that is added, but the last, has an even number of bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum(u64);

impl Sum {
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        // 32-bit words: their ones' complement sum folds to that of the 16-bit words, and in the machine's byte order
        // it is the same with its bytes swapped (RFC 1071 section 2), which vector instructions can do.
        let mut words = bytes.chunks_exact(4);
        let mut sum = Self::default();
        for word in &mut words {
            sum.0 += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        }
        self.0 += u64::from(u16::from_be(sum.folded()));
        match *words.remainder() {
            [a] => self.word(u16::from_be_bytes([a, 0])),
            [a, b] => self.word(u16::from_be_bytes([a, b])),
            [a, b, c] => self
                .word(u16::from_be_bytes([a, b]))
                .word(u16::from_be_bytes([c, 0])),
            _ => self,
        }
    }

    /// Adds a payload. Most are zeros after a stamp, and to compare with zeros is faster than to sum.
    pub fn payload(self, bytes: &[u8]) -> Self {
        match bytes.split_at_checked(PAYLOAD_STAMP_BYTES) {
            Some((stamp, rest)) if are_zeros(rest) => self.bytes(stamp),
            _ => self.bytes(bytes),
        }
    }

    pub fn word(self, word: u16) -> Self {
        Self(self.0 + u64::from(word))
    }

    pub fn double_word(self, word: u32) -> Self {
        Self(self.0 + u64::from(word))
    }

    pub fn double_words(self, words: &[u32]) -> Self {
        words.iter().fold(self, |sum, &word| sum.double_word(word))
    }

    /// The value of the checksum field, if the sum was taken with 0 in its place.
    pub fn checksum(self) -> u16 {
        !self.folded()
    }

    /// Is the sum, over data that includes the checksum, right?
    pub fn is_right(self) -> bool {
        self.folded() == 0xffff
    }

    fn folded(self) -> u16 {
        // At most 2^33, 2^18, 2^16 + 2 and 2^16 - 1.
        let mut sum = (self.0 & 0xffff_ffff) + (self.0 >> 32);
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        sum as u16
    }
}

fn are_zeros(bytes: &[u8]) -> bool {
    // No early return, so that the compiler can use vector instructions.
    bytes.iter().fold(0, |any, &byte| any | byte) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1071() {
        let sum = Sum::default().bytes(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.folded(), 0xddf2);
        assert_eq!(sum.checksum(), 0x220d);
        assert!(sum.word(0x220d).is_right());
    }

    #[test]
    fn any_sum_folds_to_16_bits() {
        for sum in [0, 1, 0xffff, 0x1_0000, 0xffff_ffff, u64::MAX - 1, u64::MAX] {
            let by_division = match sum % 0xffff {
                0 if sum > 0 => 0xffff,
                rest => rest,
            };
            assert_eq!(u64::from(Sum(sum).folded()), by_division, "{sum:#x}");
        }
    }

    #[test]
    fn a_payload_byte_counts_wherever_it_is() {
        for length in [0, 1, 19, 20, 21, 40, 77] {
            let zeros = vec![0; length];
            assert_eq!(Sum::default().payload(&zeros).folded(), 0);
            for index in 0..length {
                let mut payload = zeros.clone();
                payload[index] = 0x12;
                let sum = if index % 2 == 0 { 0x1200 } else { 0x12 };
                assert_eq!(Sum::default().payload(&payload).folded(), sum);
            }
        }
    }

    #[test]
    fn an_odd_byte_is_the_upper_half_of_a_word() {
        assert_eq!(Sum::default().bytes(&[1, 2, 3]).folded(), 0x0402);
        assert_eq!(Sum::default().bytes(&[1]).folded(), 0x0100);
    }
}
