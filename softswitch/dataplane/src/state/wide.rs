// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Two's complement arithmetic on any number of 64-bit limbs, least significant limb first.
//!
//! Every operation works modulo `2^(64 * limbs)`; the loader chooses enough limbs for its results to be exact.
//!
//! The limbs lie in the packet's own buffers, and their number is known only when a program is loaded: `ruint` has it in
//! the type, and `num-bigint` allocates each result. A product and a sum of four limbs take 164 instructions here and 207
//! with `num-bigint` even where its results are short (callgrind), and about half of the time. Division, which is rare, is
//! left to `num-bigint`.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

pub fn is_negative(a: &[u64]) -> bool {
    a.last().is_some_and(|&top| top >> 63 == 1)
}

pub fn is_zero(a: &[u64]) -> bool {
    a.iter().all(|&limb| limb == 0)
}

/// `a += b`
pub fn add(a: &mut [u64], b: &[u64]) {
    let mut carry = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (sum, c1) = x.overflowing_add(y);
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        *x = sum;
        carry = c1 | c2;
    }
}

/// `a -= b`
pub fn sub(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (diff, b1) = x.overflowing_sub(y);
        let (diff, b2) = diff.overflowing_sub(u64::from(borrow));
        *x = diff;
        borrow = b1 | b2;
    }
}

/// `out = a * b`
pub fn mul(a: &[u64], b: &[u64], out: &mut [u64]) {
    out.fill(0);
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (slot, &y) in out[i..].iter_mut().zip(b) {
            let sum = u128::from(x) * u128::from(y) + u128::from(*slot) + carry;
            *slot = sum as u64;
            carry = sum >> 64;
        }
    }
}

pub fn not(a: &mut [u64]) {
    a.iter_mut().for_each(|limb| *limb = !*limb);
}

pub fn shl(a: &mut [u64], amount: u64) {
    let limbs = a.len();
    if amount >= 64 * limbs as u64 {
        a.fill(0);
        return;
    }
    let (whole, part) = ((amount / 64) as usize, amount % 64);
    for i in (0..limbs).rev() {
        let high = if i >= whole { a[i - whole] } else { 0 };
        let low = if i > whole { a[i - whole - 1] } else { 0 };
        a[i] = if part == 0 {
            high
        } else {
            high << part | low >> (64 - part)
        };
    }
}

/// Arithmetic shift: the sign fills from above.
pub fn shr(a: &mut [u64], amount: u64) {
    let limbs = a.len();
    let fill = if is_negative(a) { u64::MAX } else { 0 };
    if amount >= 64 * limbs as u64 {
        a.fill(fill);
        return;
    }
    let (whole, part) = ((amount / 64) as usize, amount % 64);
    for i in 0..limbs {
        let low = a.get(i + whole).copied().unwrap_or(fill);
        let high = a.get(i + whole + 1).copied().unwrap_or(fill);
        a[i] = if part == 0 {
            low
        } else {
            low >> part | high << (64 - part)
        };
    }
}

pub fn cmp(a: &[u64], b: &[u64]) -> Ordering {
    is_negative(b)
        .cmp(&is_negative(a))
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Bit `bits - 1` fills everything above it.
pub fn sign_extend(a: &mut [u64], bits: u32) {
    let total = 64 * a.len() as u32;
    if bits < total {
        let spare = u64::from(total - bits);
        shl(a, spare);
        shr(a, spare);
    }
}

/// Zeros above the low `bits` bits.
pub fn zero_extend(a: &mut [u64], bits: u32) {
    for (i, limb) in a.iter_mut().enumerate() {
        let low = 64 * i as u32;
        if bits <= low {
            *limb = 0;
        } else if bits < low + 64 {
            *limb &= (1u64 << (bits - low)) - 1;
        }
    }
}

/// The largest (`max`) or the smallest number of `bits` bits, signed or not; that of `a` where it has fewer bits.
fn limit(a: &mut [u64], bits: u32, signed: bool, max: bool) {
    let wanted = if signed { bits.saturating_sub(1) } else { bits };
    let magnitude = wanted.min(64 * a.len() as u32 - 1);
    match (max, signed) {
        (true, _) => {
            a.fill(u64::MAX);
            zero_extend(a, magnitude);
        }
        (false, false) => a.fill(0),
        (false, true) => {
            a.fill(u64::MAX);
            shl(a, u64::from(magnitude));
        }
    }
}

/// Clamps to `bits` bits; `scratch` has as many limbs as `a`.
pub fn saturate(a: &mut [u64], scratch: &mut [u64], bits: u32, signed: bool) {
    for (max, outside) in [(true, Ordering::Greater), (false, Ordering::Less)] {
        limit(scratch, bits, signed, max);
        if cmp(a, scratch) == outside {
            a.copy_from_slice(scratch);
        }
    }
}

/// `a = a / b` or `a % b`, rounding towards zero; 0 where `b` is 0.
pub fn div_rem(a: &mut [u64], b: &[u64], want_remainder: bool) {
    let (x, y) = (to_bigint(a), to_bigint(b));
    let result = if y.sign() == Sign::NoSign {
        y
    } else if want_remainder {
        x % y
    } else {
        x / y
    };
    from_bigint(&result, a);
}

pub fn to_bigint(a: &[u64]) -> BigInt {
    let bytes: Vec<u8> = a.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigInt::from_signed_bytes_le(&bytes)
}

/// Modulo `2^(64 * out.len())`.
pub fn from_bigint(value: &BigInt, out: &mut [u64]) {
    let fill = if value.sign() == Sign::Minus { 0xff } else { 0 };
    let bytes = value.to_signed_bytes_le();
    for (i, limb) in out.iter_mut().enumerate() {
        let mut word = [fill; 8];
        for (slot, byte) in word.iter_mut().zip(bytes.iter().skip(8 * i)) {
            *slot = *byte;
        }
        *limb = u64::from_le_bytes(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrap(value: &BigInt, limbs: usize) -> BigInt {
        let mut out = vec![0; limbs];
        from_bigint(value, &mut out);
        to_bigint(&out)
    }

    fn number(limbs: usize) -> impl Strategy<Value = Vec<u64>> {
        let limb = prop_oneof![Just(0), Just(u64::MAX), Just(1 << 63), any::<u64>()];
        prop::collection::vec(limb, limbs)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_num_bigint(
            (a, b) in (1usize..6).prop_flat_map(|n| (number(n), number(n))), amount in 0u64..400, bits in 1u32..320,
        ) {
            let n = a.len();
            let (x, y) = (to_bigint(&a), to_bigint(&b));
            let mut sum = a.clone();
            add(&mut sum, &b);
            prop_assert_eq!(to_bigint(&sum), wrap(&(&x + &y), n));
            let mut diff = a.clone();
            sub(&mut diff, &b);
            prop_assert_eq!(to_bigint(&diff), wrap(&(&x - &y), n));
            let mut product = vec![0; n];
            mul(&a, &b, &mut product);
            prop_assert_eq!(to_bigint(&product), wrap(&(&x * &y), n));
            let mut left = a.clone();
            shl(&mut left, amount);
            prop_assert_eq!(to_bigint(&left), wrap(&(&x << amount), n));
            let mut right = a.clone();
            shr(&mut right, amount);
            prop_assert_eq!(to_bigint(&right), &x >> amount);
            let mut inverted = a.clone();
            not(&mut inverted);
            prop_assert_eq!(to_bigint(&inverted), !&x);
            prop_assert_eq!(cmp(&a, &b), x.cmp(&y));
            prop_assert_eq!(is_zero(&a), x == BigInt::from(0));
            for remainder in [false, true] {
                let mut quotient = a.clone();
                div_rem(&mut quotient, &b, remainder);
                let want = match (y.sign(), remainder) {
                    (Sign::NoSign, _) => BigInt::from(0),
                    (_, true) => &x % &y,
                    (_, false) => &x / &y,
                };
                prop_assert_eq!(to_bigint(&quotient), wrap(&want, n));
            }
            let total = 64 * n as u32;
            if bits >= total {
                let mut clamped = a.clone();
                saturate(&mut clamped, &mut vec![0; n], bits, true);
                prop_assert_eq!(&clamped, &a);
                saturate(&mut clamped, &mut vec![0; n], bits, false);
                prop_assert_eq!(to_bigint(&clamped), x.clone().max(BigInt::from(0)));
            }
            let bits = bits.min(total - 1);
            let modulus = BigInt::from(1) << bits;
            let low = ((&x % &modulus) + &modulus) % &modulus;
            let mut unsigned = a.clone();
            zero_extend(&mut unsigned, bits);
            prop_assert_eq!(to_bigint(&unsigned), low.clone());
            let mut signed = a.clone();
            sign_extend(&mut signed, bits);
            let half = BigInt::from(1) << (bits - 1);
            prop_assert_eq!(to_bigint(&signed), if low >= half { &low - &modulus } else { low });
            let mut clamped = a.clone();
            saturate(&mut clamped, &mut vec![0; n], bits, false);
            prop_assert_eq!(to_bigint(&clamped), x.clone().clamp(BigInt::from(0), &modulus - 1));
            let mut clamped = a.clone();
            saturate(&mut clamped, &mut vec![0; n], bits, true);
            prop_assert_eq!(to_bigint(&clamped), x.clamp(-&half, &half - 1));
        }
    }
}
