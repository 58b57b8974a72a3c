// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Random expressions against integers of unlimited size.

use crate::common::{assign, field, forward, send, Program};
use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;
use serde_json::{json, Value};

/// Operands in header `w`, perhaps by way of metadata: name, bits, signed.
const FIELDS: [(&str, u32, bool); 8] = [
    ("f8", 8, false),
    ("f31", 31, false),
    ("s33", 33, true),
    ("f64", 64, false),
    ("f65", 65, false),
    ("f88", 88, false),
    ("s127", 127, true),
    ("f200", 200, false),
];
/// Results in header `r`: name, bits, signed, saturating.
const RESULTS: [(&str, u32, bool, bool); 6] = [
    ("r8", 8, false, false),
    ("r64", 64, false, false),
    ("r100", 100, true, false),
    ("r300", 300, false, false),
    ("c20", 20, false, true),
    ("d130", 130, true, true),
];

#[derive(Debug, Clone)]
enum Expr {
    Field(usize),
    Const(BigInt),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Shift(&'static str, Box<Expr>, Box<Expr>),
    Sized(&'static str, Box<Expr>, u32),
    Select(&'static str, [Box<Expr>; 4]),
}

fn exprs() -> impl Strategy<Value = Expr> {
    let constant = prop::collection::vec(any::<u8>(), 0..30)
        .prop_map(|bytes| Expr::Const(BigInt::from_signed_bytes_be(&bytes)));
    let leaf = prop_oneof![3 => (0..FIELDS.len()).prop_map(Expr::Field), 1 => constant];
    leaf.prop_recursive(5, 24, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new).boxed();
        let binary = prop::sample::select(vec!["+", "-", "*", "&", "|", "^"]);
        let shift = prop::sample::select(vec!["<<", ">>"]);
        let amount = prop_oneof![Just(Expr::Field(0)), (0u32..200).prop_map(|n| Expr::Const(n.into()))];
        let sized = prop::sample::select(vec!["two_comp_mod", "usat_cast", "sat_cast"]);
        let compare = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
        prop_oneof![
            4 => (binary, boxed.clone(), boxed.clone()).prop_map(|(op, a, b)| Expr::Binary(op, a, b)),
            1 => boxed.clone().prop_map(Expr::Not),
            1 => (shift, boxed.clone(), amount.prop_map(Box::new)).prop_map(|(op, a, n)| Expr::Shift(op, a, n)),
            2 => (sized, boxed.clone(), 2u32..220).prop_map(|(op, a, bits)| Expr::Sized(op, a, bits)),
            1 => (compare, [boxed.clone(), boxed.clone(), boxed.clone(), boxed])
                .prop_map(|(op, parts)| Expr::Select(op, parts)),
        ]
    })
}

fn to_json(expr: &Expr, operands: &str) -> Value {
    let to_json = |expr: &Expr| to_json(expr, operands);
    let op = |op: &str, left: Value, right: Value| json!({"type": "expression", "value": {"op": op, "left": left, "right": right}});
    match expr {
        Expr::Field(i) => field(operands, FIELDS[*i].0),
        Expr::Const(value) => {
            let sign = if value.sign() == Sign::Minus { "-" } else { "" };
            json!({"type": "hexstr", "value": format!("{sign}{:#x}", value.magnitude())})
        }
        Expr::Binary(name, a, b) | Expr::Shift(name, a, b) => op(name, to_json(a), to_json(b)),
        Expr::Not(a) => op("~", Value::Null, to_json(a)),
        Expr::Sized(name, a, bits) => op(
            name,
            to_json(a),
            json!({"type": "hexstr", "value": format!("{bits:#x}")}),
        ),
        Expr::Select(name, [a, b, c, d]) => {
            let cond = op(name, to_json(a), to_json(b));
            json!({"type": "expression", "value": {"op": "?", "cond": cond, "left": to_json(c), "right": to_json(d)}})
        }
    }
}

fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// The value of `bits` bits of two's complement.
fn wrap(value: &BigInt, bits: u32, signed: bool) -> BigInt {
    let low = ((value % power(bits)) + power(bits)) % power(bits);
    if signed && low >= power(bits - 1) {
        low - power(bits)
    } else {
        low
    }
}

fn clamp(value: BigInt, bits: u32, signed: bool) -> BigInt {
    if signed {
        value.clamp(-power(bits - 1), power(bits - 1) - 1)
    } else {
        value.clamp(BigInt::from(0), power(bits) - 1)
    }
}

fn eval(expr: &Expr, fields: &[BigInt]) -> BigInt {
    match expr {
        Expr::Field(i) => fields[*i].clone(),
        Expr::Const(value) => value.clone(),
        Expr::Binary(op, a, b) => {
            let (a, b) = (eval(a, fields), eval(b, fields));
            match *op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "&" => a & b,
                "|" => a | b,
                _ => a ^ b,
            }
        }
        Expr::Not(a) => !eval(a, fields),
        Expr::Shift(op, a, n) => {
            let amount = u32::try_from(eval(n, fields)).expect("a small amount");
            if *op == "<<" {
                eval(a, fields) << amount
            } else {
                eval(a, fields) >> amount
            }
        }
        Expr::Sized("two_comp_mod", a, bits) => wrap(&eval(a, fields), *bits, true),
        Expr::Sized(op, a, bits) => clamp(eval(a, fields), *bits, *op == "sat_cast"),
        Expr::Select(op, [a, b, c, d]) => {
            let (a, b) = (eval(a, fields), eval(b, fields));
            let holds = match *op {
                "==" => a == b,
                "!=" => a != b,
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                _ => a >= b,
            };
            eval(if holds { c } else { d }, fields)
        }
    }
}

/// With `in_metadata` the operands and results of the expression are fields of metadata, copied from and to headers.
fn program(expr: &Expr, in_metadata: bool) -> Program {
    let mut program = Program::new();
    let padded = |fields: Vec<(String, u32, bool, bool)>| {
        let total: u32 = fields.iter().map(|field| field.1).sum();
        let mut json: Vec<Value> = fields
            .into_iter()
            .map(|(name, bits, signed, sat)| json!([name, bits, signed, sat]))
            .collect();
        if total % 8 != 0 {
            json.push(json!(["_pad", 8 - total % 8, false]));
        }
        Value::from(json)
    };
    program.header(
        "w",
        padded(
            FIELDS
                .iter()
                .map(|&(name, bits, signed)| (name.to_owned(), bits, signed, false))
                .collect(),
        ),
    );
    program.header(
        "r",
        padded(
            RESULTS
                .iter()
                .map(|&(name, bits, signed, sat)| (name.to_owned(), bits, signed, sat))
                .collect(),
        ),
    );
    program.json["parsers"][0]["parse_states"][0]["parser_ops"] = json!([
        {"op": "extract", "parameters": [{"type": "regular", "value": "w"}]},
        {"op": "extract", "parameters": [{"type": "regular", "value": "r"}]},
    ]);
    for (name, kind, id) in [("mw", "w_t", 90), ("mr", "r_t", 91)] {
        program.push(
            "headers",
            json!({"name": name, "id": id, "header_type": kind, "metadata": true}),
        );
    }
    let (operands, results) = if in_metadata {
        ("mw", "mr")
    } else {
        ("w", "r")
    };
    let copies = |to: &str, from: &str, names: &[&str]| -> Vec<Value> {
        let copy = |name: &&str| assign(field(to, name), field(from, name));
        names.iter().map(copy).collect()
    };
    let value = to_json(expr, operands);
    let mut primitives = vec![forward(2)];
    primitives.extend(copies("mw", "w", &FIELDS.map(|field| field.0)));
    primitives.extend(
        RESULTS
            .iter()
            .map(|(name, ..)| assign(field(results, name), value.clone())),
    );
    if in_metadata {
        primitives.extend(copies("r", "mr", &RESULTS.map(|field| field.0)));
    }
    program.ingress(primitives);
    program
}

/// Numbers of the given widths, one after the other, filled up to whole bytes.
fn pack(values: &[BigInt], widths: &[u32]) -> Vec<u8> {
    let bits: u32 = widths.iter().sum();
    let mut all = BigUint::from(0u8);
    for (value, &bits) in values.iter().zip(widths) {
        all = (all << bits) + wrap(value, bits, false).to_biguint().expect("not negative");
    }
    let spare = (8 - bits % 8) % 8;
    let bytes = (all << spare).to_bytes_be();
    let total = (bits + spare) as usize / 8;
    let mut padded = vec![0; total - bytes.len().min(total)];
    padded.extend_from_slice(&bytes[bytes.len().saturating_sub(total)..]);
    padded
}

/// Machine code is there, and it and the interpreter give what integers of unlimited size give.
fn check(expr: &Expr, in_metadata: bool, raw: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let values: Vec<BigInt> = FIELDS
        .iter()
        .zip(raw)
        .map(|(&(_, bits, signed), bytes)| {
            wrap(&BigInt::from_bytes_be(Sign::Plus, bytes), bits, signed)
        })
        .collect();
    let mut packet = pack(&values, &FIELDS.map(|(_, bits, _)| bits));
    let operands = packet.len();
    let widths = RESULTS.map(|(_, bits, ..)| bits);
    packet.extend(pack(&RESULTS.map(|_| BigInt::from(0)), &widths));
    let program = program(expr, in_metadata);
    let exact = eval(expr, &values);
    let results = RESULTS.map(|(_, bits, signed, sat)| {
        if sat {
            clamp(exact.clone(), bits, signed)
        } else {
            exact.clone()
        }
    });
    let results = pack(&results, &widths);
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    for (mut switch, compiled) in [(program.switch(), native), (program.interpreted(), false)] {
        prop_assert_eq!(switch.is_compiled(), compiled);
        let out = send(&mut switch, &packet);
        prop_assert_eq!(&out[0].1[operands..], &results, "compiled: {}", compiled);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn expressions_are_exact(
        expr in exprs(),
        in_metadata in any::<bool>(),
        raw in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0u8), Just(255), Just(128), any::<u8>()], 26), FIELDS.len()),
    ) {
        check(&expr, in_metadata, &raw)?;
    }
}

/// Cranelift makes one instruction of a comparison and a choice between what was compared, which x86-64 has not for
/// numbers of 128 bits.
#[test]
fn the_smaller_and_the_larger_of_two_numbers_are_machine_code() {
    let field = |name| {
        let place = FIELDS.iter().position(|field| field.0 == name);
        Box::new(Expr::Field(place.expect("a field")))
    };
    let pairs = [("f8", "f31"), ("f65", "f88"), ("s127", "f88")];
    let picks = pairs.into_iter().flat_map(|(a, b)| {
        ["<", "<=", ">", ">="].map(|op| {
            let (a, b) = (field(a), field(b));
            Expr::Select(op, [a.clone(), b.clone(), a, b])
        })
    });
    let clamps = ["usat_cast", "sat_cast"].into_iter().flat_map(|op| {
        [("f65", 20), ("f88", 80), ("s127", 100), ("f8", 4)].map(|(a, bits)| {
            let sum = Expr::Binary("-", field(a), field("f31"));
            Expr::Sized(op, Box::new(sum), bits)
        })
    });
    for expr in picks.chain(clamps) {
        for raw in [[0x00; 26], [0xff; 26], [0x80; 26], [0x5a; 26]] {
            let checked = check(&expr, false, &vec![raw.to_vec(); FIELDS.len()]);
            checked.unwrap_or_else(|failure| panic!("{expr:?}: {failure}"));
        }
    }
}
