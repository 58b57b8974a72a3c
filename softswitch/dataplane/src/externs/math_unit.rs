// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tofino's math unit: functions like squares, roots and inverses, by a table of 16 numbers.
//!
//! The first bit that is 1 gives the exponent of the result, the three bits behind it the row of the table. The
//! arithmetic is that of the Tofino model (`mau-stateful-alu.cpp` of open-p4studio); softswitch/docs/tna-units.md has it.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MathUnit {
    /// The result falls as the operand grows.
    pub invert: bool,
    /// The exponent's: 1 doubles it, -1 halves it.
    pub shift: i32,
    /// Added to the exponent, -32 to 31.
    pub scale: i32,
    pub table: [u8; 16],
    /// Width of the result.
    pub bits: u32,
}

/// Exponents from here on give 0.
const LOWEST: i32 = -32;
const HIGHEST: i32 = 32;

impl MathUnit {
    pub fn compute(&self, operand: u32) -> u32 {
        let log = operand.checked_ilog2().unwrap_or(0);
        let (log, exponent) = match self.shift {
            1 => (log, 2 * log),
            // A root's exponent is even, so the row has one bit fewer where it is not.
            -1 => (log + log % 2, log.div_ceil(2)),
            _ => (log, log),
        };
        let row = ((u64::from(operand) << 3) >> log) as usize & 15;
        let exponent = match self.invert {
            true => -(exponent as i32),
            false => exponent as i32,
        };
        let mantissa = u32::from(self.table[row]);
        let exponent = exponent + self.scale;
        let result = if exponent <= LOWEST || exponent >= HIGHEST {
            0
        } else if exponent < 0 {
            mantissa >> exponent.unsigned_abs()
        } else {
            mantissa << exponent
        };
        match self.bits {
            32.. => result,
            bits => result & ((1 << bits) - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As p4c fills the table of `function` times `factor`, whose largest value is `most`.
    fn unit(
        invert: bool,
        shift: i32,
        factor: f64,
        most: f64,
        function: fn(f64) -> f64,
    ) -> MathUnit {
        let scale = (factor * most).log2().floor() as i32 - 7;
        let first = if shift == -1 { 4 } else { 8 };
        let mut table = [0; 16];
        for (row, entry) in table.iter_mut().enumerate().skip(first) {
            let value = function(row as f64 / 8.0) * factor * f64::from(-scale).exp2();
            *entry = value.round_ties_even().clamp(0.0, 255.0) as u8;
        }
        MathUnit {
            invert,
            shift,
            scale,
            table,
            bits: 32,
        }
    }

    #[test]
    fn three_bits_behind_the_first_one_count() {
        let product = unit(false, 0, 1.0, 1.875, |t| t);
        assert_eq!((product.scale, product.table[12]), (-7, 192));
        for (operand, want) in [(0, 0), (1, 1), (9, 9), (100, 96), (1000, 960)] {
            assert_eq!(product.compute(operand), want, "{operand}");
        }
        assert_eq!(product.compute(u32::MAX), 0xf000_0000);
    }

    #[test]
    fn squares_and_roots_scale_the_exponent() {
        let square = unit(false, 1, 1.0, 3.515_625, |t| t * t);
        assert_eq!((square.scale, square.table[12]), (-6, 144));
        assert_eq!(
            [3, 100, 65_535].map(|x| square.compute(x)),
            [9, 9216, 225 << 24]
        );
        // 2^32 and more have no bits left.
        assert_eq!(square.compute(1 << 20), 0);
        let root = unit(false, -1, 1.0, 1.37, f64::sqrt);
        assert_eq!((root.scale, root.table[12], root.table[6]), (-7, 157, 111));
        // 100 has an even exponent and row 12; 50 gets one, and with it row 6.
        assert_eq!([0, 1, 50, 100].map(|x| root.compute(x)), [0, 1, 6, 9]);
    }

    #[test]
    fn inverses_fall() {
        let inverse = unit(true, 0, 65_536.0, 1.0, |t| 1.0 / t);
        assert_eq!(
            (inverse.scale, inverse.table[8], inverse.table[12]),
            (9, 128, 85)
        );
        assert_eq!(
            [0, 1, 100, 1 << 16].map(|x| inverse.compute(x)),
            [0, 65_536, 680, 1]
        );
        let narrow = MathUnit {
            bits: 16,
            ..inverse
        };
        assert_eq!([1, 100].map(|x| narrow.compute(x)), [0, 680]);
    }

    #[test]
    fn exponents_out_of_range_give_zero() {
        let mut unit = unit(false, 0, 1.0, 1.875, |t| t);
        unit.scale = 24;
        assert_eq!([1, 2].map(|x| unit.compute(x)), [1 << 31, 0]);
        unit.scale = 31;
        assert_eq!([1, 2].map(|x| unit.compute(x)), [0, 0]);
        unit.scale = -32;
        assert_eq!([1, 2].map(|x| unit.compute(x)), [0, 128 >> 31]);
    }
}
