// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys as the control plane gives them: checked, in canonical form, and packed.

use super::ternary::{RangeCheck, TernaryKey};
use crate::model::error::{ControlError, ControlResult, ErrorCode};
use crate::model::info::MatchKind;
use crate::model::values::MatchField;
use crate::program::table::{Algorithm, KeyField, TableDef};

/// A number in exactly the bytes of `bits` bits, or a refusal where it has more.
pub fn fit(value: &[u8], bits: u32, what: impl FnOnce() -> String) -> ControlResult<Vec<u8>> {
    let start = value
        .iter()
        .position(|&byte| byte != 0)
        .unwrap_or(value.len());
    let digits = &value[start..];
    let used = digits
        .first()
        .map_or(0, |top| digits.len() * 8 - top.leading_zeros() as usize);
    if used > bits as usize {
        let message = format!("{}: the value has {used} bits, the field {bits}", what());
        return Err(ControlError::new(ErrorCode::OutOfRange, message));
    }
    let mut fitted = vec![0; bits.div_ceil(8) as usize - digits.len()];
    fitted.extend_from_slice(digits);
    Ok(fitted)
}

/// Ones in the first `prefix` of `bits` bits, in whole bytes.
pub fn prefix_mask(bits: u32, prefix: u32) -> Vec<u8> {
    let mut mask = vec![0u8; bits.div_ceil(8) as usize];
    let first = mask.len() as u32 * 8 - bits;
    for bit in first..first + prefix {
        mask[bit as usize / 8] |= 0x80 >> (bit % 8);
    }
    mask
}

fn and(value: &mut [u8], mask: &[u8]) {
    value
        .iter_mut()
        .zip(mask)
        .for_each(|(value, mask)| *value &= mask);
}

/// A field of a key, checked and in canonical form: equal fields have equal bytes.
pub fn canonical(
    kind: MatchKind,
    bits: u32,
    field: &MatchField,
    what: &dyn Fn() -> String,
) -> ControlResult<MatchField> {
    let refuse = |message: String| {
        Err(ControlError::new(
            ErrorCode::InvalidArgument,
            format!("{}: {message}", what()),
        ))
    };
    let fit = |value: &[u8]| fit(value, bits, what);
    Ok(match (kind, field) {
        (MatchKind::Exact | MatchKind::Valid, MatchField::Exact(value)) => {
            MatchField::Exact(fit(value)?)
        }
        (MatchKind::Exact | MatchKind::Valid, _) => {
            return refuse("an exact field needs an exact value".into())
        }
        (_, MatchField::DontCare) => MatchField::DontCare,
        (MatchKind::Optional, MatchField::Optional(value) | MatchField::Exact(value)) => {
            MatchField::Optional(fit(value)?)
        }
        (MatchKind::Lpm, MatchField::Exact(value)) => MatchField::Lpm(fit(value)?, bits),
        (MatchKind::Lpm | MatchKind::Ternary, MatchField::Lpm(value, prefix)) => {
            if *prefix > bits {
                return refuse(format!("prefix length {prefix} of a field of {bits} bits"));
            }
            let mut value = fit(value)?;
            let mask = prefix_mask(bits, *prefix);
            and(&mut value, &mask);
            match (prefix, kind) {
                (0, _) => MatchField::DontCare,
                (_, MatchKind::Lpm) => MatchField::Lpm(value, *prefix),
                _ => MatchField::Ternary(value, mask),
            }
        }
        (MatchKind::Ternary, MatchField::Exact(value) | MatchField::Optional(value)) => {
            MatchField::Ternary(fit(value)?, prefix_mask(bits, bits))
        }
        (MatchKind::Ternary, MatchField::Ternary(value, mask)) => {
            let (mut value, mask) = (fit(value)?, fit(mask)?);
            and(&mut value, &mask);
            if mask.iter().all(|&byte| byte == 0) {
                MatchField::DontCare
            } else {
                MatchField::Ternary(value, mask)
            }
        }
        (MatchKind::Range, MatchField::Exact(value)) => MatchField::Range(fit(value)?, fit(value)?),
        (MatchKind::Range, MatchField::Range(low, high)) => {
            let (low, high) = (fit(low)?, fit(high)?);
            if low > high {
                return refuse("the lowest value of the range is above its highest".into());
            }
            if high == prefix_mask(bits, bits) && low.iter().all(|&byte| byte == 0) {
                MatchField::DontCare
            } else {
                MatchField::Range(low, high)
            }
        }
        _ => {
            return refuse(format!(
                "the value's form does not suit a field that is matched '{}'",
                kind.as_str()
            ))
        }
    })
}

/// A whole key in canonical form.
pub fn canonical_key(def: &TableDef, key: &[MatchField]) -> ControlResult<Vec<MatchField>> {
    if key.len() != def.key.len() {
        let message = format!(
            "table '{}' has {} key fields, {} are given",
            def.name,
            def.key.len(),
            key.len()
        );
        return Err(ControlError::new(ErrorCode::InvalidArgument, message));
    }
    let fields = def.key.iter().zip(key);
    let one = |(field, value): (&KeyField, &MatchField)| {
        canonical(field.kind, field.bits(), value, &|| {
            format!("table '{}', key field '{}'", def.name, field.name)
        })
    };
    fields.map(one).collect()
}

/// A key as lookups compare it.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    pub value: Vec<u64>,
    pub mask: Vec<u64>,
    pub ranges: Vec<RangeCheck>,
    /// Length of the prefix in a table with prefixes.
    pub prefix_bits: u32,
}

fn put_bytes(words: &mut [u64], at: u32, bytes: impl Iterator<Item = u8>) {
    for (i, byte) in bytes.enumerate() {
        let at = at as usize + i;
        words[at / 8] |= u64::from(byte) << (56 - 8 * (at % 8));
    }
}

impl Packed {
    pub fn new(words: usize) -> Self {
        Self {
            value: vec![0; words],
            mask: vec![0; words],
            ..Self::default()
        }
    }

    /// Adds a canonical field of `bits` bits at a byte of the key.
    pub fn add(&mut self, at: u32, bits: u32, field: &MatchField) {
        match field {
            MatchField::Exact(value) | MatchField::Optional(value) => {
                put_bytes(&mut self.value, at, value.iter().copied());
                let nbytes = bits.div_ceil(8) as usize;
                put_bytes(&mut self.mask, at, std::iter::repeat_n(0xff, nbytes));
            }
            MatchField::Lpm(value, prefix) => {
                put_bytes(&mut self.value, at, value.iter().copied());
                put_bytes(&mut self.mask, at, prefix_mask(bits, *prefix).into_iter());
            }
            MatchField::Ternary(value, mask) => {
                put_bytes(&mut self.value, at, value.iter().copied());
                put_bytes(&mut self.mask, at, mask.iter().copied());
            }
            MatchField::Range(low, high) => {
                let check = RangeCheck {
                    at,
                    low: low.as_slice().into(),
                    high: high.as_slice().into(),
                };
                self.ranges.push(check);
            }
            MatchField::DontCare => {}
        }
    }

    pub fn of(def: &TableDef, key: &[MatchField]) -> Self {
        let mut packed = Self::new(def.key_words);
        for (field, value) in def.key.iter().zip(key) {
            packed.add(field.at, field.bits(), value);
        }
        if let Algorithm::Lpm(field) = def.algorithm {
            packed.prefix_bits = match &key[field as usize] {
                MatchField::Lpm(_, prefix) => *prefix,
                _ => 0,
            };
        }
        packed
    }

    pub fn ternary(self) -> TernaryKey {
        TernaryKey {
            words: self.value.into_iter().zip(self.mask).collect(),
            ranges: self.ranges.into(),
        }
    }
}
