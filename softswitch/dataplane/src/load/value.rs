// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Small values in the JSON.

use num_bigint::{BigInt, BigUint, Sign};

use super::json::Json;
use crate::model::load_error::{fail, LoadResult};

/// A piece of JSON for a message.
pub fn short(json: &Json) -> String {
    let mut text = json.to_string();
    if text.len() > 80 {
        let end = (0..=77)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

pub fn text(json: &Json) -> LoadResult<&str> {
    json.as_str().map_or_else(
        || fail(format!("expected a string, found {}", short(json))),
        Ok,
    )
}

/// `[header, field]`
pub fn pair(json: &Json) -> LoadResult<(&str, &str)> {
    match json.as_array() {
        Some([header, field]) => Ok((text(header)?, text(field)?)),
        _ => fail(format!("expected [header, field], found {}", short(json))),
    }
}

/// `hexstr`: hexadecimal with an optional sign and an optional `0x`.
pub fn hex_number(text: &str) -> LoadResult<BigInt> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (Sign::Minus, digits),
        None => (Sign::Plus, text),
    };
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let valid = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    match BigUint::parse_bytes(digits.as_bytes(), 16) {
        Some(magnitude) if valid => Ok(BigInt::from_biguint(sign, magnitude)),
        _ => fail(format!("'{text}' is not a hexadecimal number")),
    }
}

/// A `hexstr` that is not negative, as big-endian bytes of exactly `nbytes`.
pub fn hex_bytes(text: &str, nbytes: usize) -> LoadResult<Vec<u8>> {
    let (sign, bytes) = hex_number(text)?.to_bytes_be();
    let bytes = if sign == Sign::NoSign {
        Vec::new()
    } else {
        bytes
    };
    if sign == Sign::Minus || bytes.len() > nbytes {
        return fail(format!("'{text}' does not fit into {nbytes} bytes"));
    }
    let mut padded = vec![0; nbytes - bytes.len()];
    padded.extend(bytes);
    Ok(padded)
}

/// A `hexstr` in two's complement of `bits` bits, as big-endian bytes.
pub fn hex_bits(text: &str, bits: u32) -> LoadResult<Vec<u8>> {
    let modulus = BigInt::from(1) << bits;
    let number = ((hex_number(text)? % &modulus) + &modulus) % &modulus;
    let nbytes = bits.div_ceil(8) as usize;
    let bytes = number.to_bytes_be().1;
    let bytes = &bytes[bytes.len().saturating_sub(nbytes)..];
    let mut padded = vec![0; nbytes - bytes.len()];
    padded.extend_from_slice(bytes);
    Ok(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_sign_and_any_number_of_digits() {
        assert_eq!(hex_number("0x0ff").unwrap(), BigInt::from(255));
        assert_eq!(hex_number("-0x80").unwrap(), BigInt::from(-128));
        assert_eq!(hex_number("a").unwrap(), BigInt::from(10));
        for bad in ["", "0x", "-", "0xg", "+1", "1_0"] {
            assert!(hex_number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_are_padded_or_refused() {
        assert_eq!(hex_bytes("0x102", 3).unwrap(), [0, 1, 2]);
        assert_eq!(hex_bytes("0x0", 1).unwrap(), [0]);
        assert!(hex_bytes("0x100", 1).is_err());
        assert!(hex_bytes("-0x1", 1).is_err());
        assert_eq!(hex_bits("-0x1", 9).unwrap(), [1, 255]);
        assert_eq!(hex_bits("0x3ff", 9).unwrap(), [1, 255]);
    }
}
