// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Integer literals: `10`, `0xFF`, `0b1010_1010`, `8w255`, `4s0b1111`.

use crate::limits::MAX_DIGITS;
use crate::limits::MAX_WIDTH_BITS;
use num_bigint::BigInt;
use num_traits::One;

#[derive(Debug, PartialEq)]
pub(super) struct Integer {
    /// Reduced to the width, if there is one.
    pub value: BigInt,
    /// Bits, and whether signed.
    pub width: Option<(u32, bool)>,
    /// The literal's value did not fit its width.
    pub wrapped: bool,
}

pub(super) fn parse_integer(text: &str) -> Result<Integer, String> {
    let invalid = || format!("'{text}' is not an integer");
    let prefix_length = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (prefix, rest) = text.split_at(prefix_length);
    let (width, digits) = match rest.chars().next() {
        Some(sign @ ('w' | 's')) => {
            let bits = prefix
                .parse::<u32>()
                .ok()
                .filter(|&bits| bits <= MAX_WIDTH_BITS);
            let bits =
                bits.ok_or_else(|| format!("'{text}': a width is at most {MAX_WIDTH_BITS} bits"))?;
            (Some((bits, sign == 's')), &rest[1..])
        }
        _ => (None, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0d") => (10, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ => (10, lower.as_str()),
    };
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    if digits.len() > MAX_DIGITS {
        return Err(format!("an integer with more than {MAX_DIGITS} digits"));
    }
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(invalid());
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), radix).ok_or_else(invalid)?;
    let Some((bits, signed)) = width else {
        return Ok(Integer {
            value,
            width,
            wrapped: false,
        });
    };
    if signed && bits == 0 {
        return Err(format!("'{text}': a signed integer has at least one bit"));
    }
    let reduced = reduce(&value, bits, signed);
    Ok(Integer {
        wrapped: reduced != value,
        value: reduced,
        width,
    })
}

/// The value of the low `bits` bits.
fn reduce(value: &BigInt, bits: u32, signed: bool) -> BigInt {
    let modulus = BigInt::one() << bits;
    let low: BigInt = value & (&modulus - BigInt::one());
    let sign_bit = modulus.clone() >> 1usize;
    let negative = signed && low >= sign_bit && bits > 0;
    if negative {
        low - modulus
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value, width and whether it was wrapped.
    type Parts = (i64, Option<(u32, bool)>, bool);

    fn value(text: &str) -> Option<Parts> {
        let Integer {
            value,
            width,
            wrapped,
        } = parse_integer(text).ok()?;
        Some((i64::try_from(value).ok()?, width, wrapped))
    }

    #[test]
    fn bases_widths_and_underscores() {
        assert_eq!(value("1_000"), Some((1000, None, false)));
        assert_eq!(value("0xFf"), Some((255, None, false)));
        assert_eq!(value("0D10"), Some((10, None, false)));
        assert_eq!(value("0o17"), Some((15, None, false)));
        assert_eq!(
            value("8w0b1010_1010"),
            Some((0xaa, Some((8, false)), false))
        );
        assert_eq!(value("16s5"), Some((5, Some((16, true)), false)));
        assert_eq!(value("0w0"), Some((0, Some((0, false)), false)));
    }

    #[test]
    fn too_large_values_wrap() {
        assert_eq!(value("8w256"), Some((0, Some((8, false)), true)));
        assert_eq!(value("4s15"), Some((-1, Some((4, true)), true)));
        assert_eq!(value("1s1"), Some((-1, Some((1, true)), true)));
    }

    #[test]
    fn what_is_no_integer() {
        for text in [
            "0x", "8w", "8w_", "12ab", "0b12", "8q1", "0s0", "4000w1", "0xG",
        ] {
            assert!(parse_integer(text).is_err(), "{text}");
        }
    }
}
