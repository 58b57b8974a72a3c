// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The advice in a switch's signal: `advice_t` of p4src/common/types.p4.

/// With it the other bits are a pause in microseconds; without it they are a reduction in percent.
const PAUSE_BIT: u16 = 0x8000;

/// The reaction that a switch asks of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Advice {
    #[default]
    None,
    /// To reduce the rate by so many percent of it, 1 to 100.
    Reduce(u8),
    /// To send nothing for so many microseconds, 1 to 32767.
    Pause(u16),
}

impl Advice {
    /// Bits that have no meaning are no advice.
    pub fn from_bits(bits: u16) -> Self {
        match bits {
            1..=100 => Self::Reduce(bits as u8),
            PAUSE_BIT.. if bits != PAUSE_BIT => Self::Pause(bits & !PAUSE_BIT),
            _ => Self::None,
        }
    }

    pub fn bits(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Reduce(percent) => percent.into(),
            Self::Pause(us) => PAUSE_BIT | us,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bits_are_advice_or_none() {
        for (bits, advice) in [
            (0, Advice::None),
            (1, Advice::Reduce(1)),
            (100, Advice::Reduce(100)),
            (101, Advice::None),
            (0x7fff, Advice::None),
            (0x8000, Advice::None),
            (0x8001, Advice::Pause(1)),
            (0xffff, Advice::Pause(0x7fff)),
        ] {
            assert_eq!(Advice::from_bits(bits), advice, "{bits:#x}");
        }
        for bits in 0..=u16::MAX {
            let advice = Advice::from_bits(bits);
            let written = advice.bits();
            assert!(written == bits || (advice, written) == (Advice::None, 0));
        }
    }
}
