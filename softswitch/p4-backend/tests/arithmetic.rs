// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arithmetic of every operator and width against an independent model, run on the data plane.

use crate::common::{data, Program};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    Bit(u32),
    Int(u32),
}

impl Ty {
    fn width(self) -> u32 {
        match self {
            Ty::Bit(w) | Ty::Int(w) => w,
        }
    }

    fn name(self) -> String {
        match self {
            Ty::Bit(w) => format!("bit<{w}>"),
            Ty::Int(w) => format!("int<{w}>"),
        }
    }

    /// The value in the type's range that is equal modulo its size.
    fn wrap(self, value: &BigInt) -> BigInt {
        let size = BigInt::one() << self.width();
        let low = ((value % &size) + &size) % &size;
        match self {
            Ty::Int(w) if low >= BigInt::one() << (w - 1) => low - size,
            _ => low,
        }
    }

    fn clamp(self, value: BigInt) -> BigInt {
        let (lo, hi) = match self {
            Ty::Bit(w) => (BigInt::zero(), (BigInt::one() << w) - 1),
            Ty::Int(w) => (-(BigInt::one() << (w - 1)), (BigInt::one() << (w - 1)) - 1),
        };
        value.clamp(lo, hi)
    }
}

/// P4 text and the value that it must have.
#[derive(Clone, Debug)]
struct Term {
    text: String,
    ty: Ty,
    value: BigInt,
}

const FIELDS: [u64; 5] = [0xdead_beef, 0x1234_5678, 0x9c, 0x05, 0xfedc];

fn leaf(ty: Ty) -> impl Strategy<Value = Term> {
    let field = (0..5usize).prop_map(move |index| {
        let (name, width) = [("a", 32), ("b", 32), ("c", 8), ("d", 8), ("e", 16)][index];
        let value = BigInt::from(FIELDS[index]);
        // One cast changes either the width or the sign.
        let resized = Ty::Bit(ty.width());
        let value = ty.wrap(&resized.wrap(&Ty::Bit(width).wrap(&value)));
        let text = format!("({})((bit<{}>)hdr.data.{name})", ty.name(), ty.width());
        Term { text, ty, value }
    });
    let constant = any::<u64>().prop_map(move |n| {
        let unsigned = Ty::Bit(ty.width()).wrap(&n.into());
        let text = format!("({})({}w{unsigned})", ty.name(), ty.width());
        let value = ty.wrap(&unsigned);
        Term { text, ty, value }
    });
    prop_oneof![3 => field, 1 => constant]
}

fn any_type() -> impl Strategy<Value = Ty> {
    let width = prop_oneof![
        Just(2u32),
        Just(7),
        Just(8),
        Just(16),
        Just(31),
        Just(32),
        Just(64),
        Just(65)
    ];
    (width, any::<bool>()).prop_map(|(w, signed)| if signed { Ty::Int(w) } else { Ty::Bit(w) })
}

fn term(ty: Ty, depth: u32) -> BoxedStrategy<Term> {
    if depth == 0 {
        return leaf(ty).boxed();
    }
    let sub = move |ty| term(ty, depth - 1);
    let binary = (sub(ty), sub(ty), 0..8usize).prop_map(move |(l, r, op)| {
        let (symbol, value) = match op {
            0 => ("+", ty.wrap(&(&l.value + &r.value))),
            1 => ("-", ty.wrap(&(&l.value - &r.value))),
            2 => ("*", ty.wrap(&(&l.value * &r.value))),
            3 => ("|+|", ty.clamp(&l.value + &r.value)),
            4 => ("|-|", ty.clamp(&l.value - &r.value)),
            5 => ("&", ty.wrap(&(&l.value & &r.value))),
            6 => ("|", ty.wrap(&(&l.value | &r.value))),
            _ => ("^", ty.wrap(&(&l.value ^ &r.value))),
        };
        let text = format!("({} {symbol} {})", l.text, r.text);
        Term { text, ty, value }
    });
    let unary = (sub(ty), any::<bool>()).prop_map(move |(operand, negate)| {
        let (symbol, value) = match negate {
            true => ("-", ty.wrap(&-&operand.value)),
            false => ("~", ty.wrap(&!&operand.value)),
        };
        let text = format!("({symbol}{})", operand.text);
        Term { text, ty, value }
    });
    let shift = (sub(ty), sub(Ty::Bit(8)), any::<bool>()).prop_map(move |(l, r, left)| {
        let amount = u32::try_from(&r.value).expect("eight bits");
        let (symbol, value) = match left {
            true => ("<<", ty.wrap(&(&l.value << amount))),
            false => (">>", &l.value >> amount),
        };
        let text = format!("({} {symbol} {})", l.text, r.text);
        Term { text, ty, value }
    });
    let choice = (sub(ty), sub(ty), any_type(), 0..4usize).prop_flat_map(move |(l, r, of, op)| {
        (Just((l, r, op)), sub(of), sub(of)).prop_map(move |((l, r, op), x, y)| {
            let (symbol, holds) = match op {
                0 => ("<", x.value < y.value),
                1 => (">=", x.value >= y.value),
                2 => ("==", x.value == y.value),
                _ => ("!=", x.value != y.value),
            };
            let text = format!("({} {symbol} {} ? {} : {})", x.text, y.text, l.text, r.text);
            let value = if holds { l.value } else { r.value };
            Term { text, ty, value }
        })
    });
    // Through another width of the same sign, or the other sign of the same width.
    let cast = (1u32..70).prop_flat_map(move |w| {
        let through = match ty {
            Ty::Bit(_) => Ty::Bit(w),
            Ty::Int(_) => Ty::Int(w.max(2)),
        };
        sub(through).prop_map(move |inner| {
            let text = format!("(({})({}))", ty.name(), inner.text);
            let value = ty.wrap(&inner.value);
            Term { text, ty, value }
        })
    });
    let sign = sub(match ty {
        Ty::Bit(w) => Ty::Int(w.max(2)),
        Ty::Int(w) => Ty::Bit(w),
    })
    .prop_map(move |inner| {
        let value = ty.wrap(&inner.value);
        let text = match inner.ty.width() == ty.width() {
            true => format!("(({})({}))", ty.name(), inner.text),
            // There is no int<1> to come from.
            false => format!("((bit<1>)(bit<2>)({}))", inner.text),
        };
        Term { text, ty, value }
    });
    match ty {
        Ty::Bit(w) => {
            let slice = (0u32..40, any_type()).prop_flat_map(move |(lo, base)| {
                let base = match base {
                    Ty::Bit(_) => Ty::Bit(w + lo),
                    Ty::Int(_) => Ty::Int((w + lo).max(2)),
                };
                sub(base).prop_map(move |inner| {
                    let text = format!("({})[{}:{lo}]", inner.text, lo + w - 1);
                    let value = ty.wrap(&(&inner.value >> lo));
                    Term { text, ty, value }
                })
            });
            let concat = (1..w.max(2)).prop_flat_map(move |low| {
                let low = low.min(w - 1).max(1);
                if w < 2 {
                    return leaf(ty).boxed();
                }
                (sub(Ty::Bit(w - low)), sub(Ty::Bit(low)))
                    .prop_map(move |(h, l)| {
                        let text = format!("({} ++ {})", h.text, l.text);
                        let value = (&h.value << low) | &l.value;
                        Term { text, ty, value }
                    })
                    .boxed()
            });
            prop_oneof![4 => binary, 1 => unary, 1 => shift, 1 => choice, 1 => cast, 1 => sign, 1 => slice, 1 => concat]
                .boxed()
        }
        Ty::Int(_) => {
            prop_oneof![4 => binary, 1 => unary, 1 => shift, 1 => choice, 1 => cast, 1 => sign]
                .boxed()
        }
    }
}

/// The fields of the packet that comes out, with both results. The second goes through a variable of its type.
fn results(x: &str, y_type: Ty, y: &str) -> Vec<u8> {
    let apply = format!(
        "hdr.res.setValid(); hdr.res.x = {x}; {} y = {y}; hdr.res.y = (bit<72>)(bit<{}>)y;",
        y_type.name(),
        y_type.width()
    );
    let program = Program {
        types: "header res_t { bit<64> x; bit<72> y; }",
        headers: "res_t res;",
        apply: &apply,
        deparse: "packet.emit(hdr.res);",
        ..Program::default()
    };
    program.run(&data(FIELDS)).expect("a packet comes out").1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn expressions_have_the_values_that_the_language_gives(
        (x, y) in any_type().prop_flat_map(|ty| (term(Ty::Bit(64), 3), term(ty, 3)))
    ) {
        let (bytes, unsigned) = (results(&x.text, y.ty, &y.text), y.ty.width());
        let number = |bytes: &[u8]| BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes);
        prop_assert_eq!(number(&bytes[12..20]), x.value, "{}", x.text);
        prop_assert_eq!(number(&bytes[20..29]), Ty::Bit(unsigned).wrap(&y.value), "{}", y.text);
    }
}

/// A case that the test above found once.
#[test]
fn a_slice_of_a_negative_number_and_a_product_of_a_choice() {
    let x = "((((int<90>)((bit<90>)hdr.data.a) + (int<90>)((bit<90>)hdr.data.a)) \
             | (-(int<90>)(90w1000813466))))[89:26]";
    let y = "(((bit<64>)(((bit<24>)((bit<24>)hdr.data.a) - (bit<24>)(24w10123341)))) \
             * (((bit<31>)((bit<31>)hdr.data.e) >= (bit<31>)((bit<31>)hdr.data.d) \
                 ? (bit<64>)((bit<64>)hdr.data.e) : (bit<64>)((bit<64>)hdr.data.e)) \
                * ((bit<21>)(21w1289181) ++ (bit<43>)((bit<43>)hdr.data.d))))";
    let bytes = results(x, Ty::Bit(64), y);
    assert_eq!(bytes[12..20], u64::MAX.to_be_bytes());
    let mut expected = vec![0];
    expected.extend(1_971_099_305_263_180_824u64.to_be_bytes());
    assert_eq!(bytes[20..29], expected);
}
