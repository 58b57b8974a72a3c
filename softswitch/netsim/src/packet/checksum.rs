// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The Internet checksum (RFC 1071).

/// A sum under way. Parts but the last have an even number of bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum(u64);

impl Sum {
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        // 32-bit words: their ones' complement sum folds to that of the 16-bit words, and in the machine's byte order it
        // is the same with its bytes swapped (RFC 1071 section 2), which vector instructions can do.
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

    pub fn word(self, word: u16) -> Self {
        Self(self.0 + u64::from(word))
    }

    pub fn double_word(self, word: u32) -> Self {
        Self(self.0 + u64::from(word))
    }

    /// What belongs into the checksum field, over which the sum was taken as 0.
    pub fn checksum(self) -> u16 {
        !self.folded()
    }

    /// Is the sum, checksum included, right?
    pub fn is_right(self) -> bool {
        self.folded() == 0xffff
    }

    fn folded(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }
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
    fn an_odd_byte_is_the_upper_half_of_a_word() {
        assert_eq!(Sum::default().bytes(&[1, 2, 3]).folded(), 0x0402);
        assert_eq!(Sum::default().bytes(&[1]).folded(), 0x0100);
    }
}
