// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tofino's math unit: functions like squares, roots and inverses, by a table of 16 numbers.
//!
//! The first bit that is 1 gives the exponent of the result, the three bits behind it the row of the table. The
//! arithmetic is that of the Tofino model (`mau-stateful-alu.cpp` of open-p4studio); docs/reference/tna-units.md has it.

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
