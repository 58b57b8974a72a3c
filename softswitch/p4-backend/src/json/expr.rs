// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions and parameters: BMv2's type-value objects.

use num_bigint::{BigInt, Sign};
use serde::{Serialize, Serializer};
use serde_json::{json, Value};

/// A value that BMv2 computes or names. Data is an integer of any size and sign; truth values are another type, and `d2b`
/// and `b2d` convert between the two.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant; `bits` is the width it is padded to and the width of a constant in a hash input.
    Hex {
        value: BigInt,
        bits: u32,
    },
    Bool(bool),
    /// Header instance and field.
    Field(String, String),
    /// Parameter of the action, by position.
    RuntimeData(usize),
    /// Field of the last valid header of a stack.
    StackField(String, String),
    /// Field of a member of the last valid union of a stack; only in a parser state's key.
    UnionStackField(String, String, String),
    /// Bits of the packet that are not extracted yet: offset and width. Only as a whole `set` source or parser key.
    Lookahead(u32, u32),
    Header(String),
    HeaderStack(String),
    HeaderUnion(String),
    HeaderUnionStack(String),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Field by its position in a header that is itself computed.
    AccessField(Box<Expr>, usize),
    /// Only as parameters of primitives.
    String(String),
    Calculation(String),
    CounterArray(String),
    MeterArray(String),
    RegisterArray(String),
    /// An object of another kind, by its tag and name.
    Object(&'static str, String),
    Vector(Vec<Expr>),
}

/// Hexadecimal as BMv2 reads it, padded to whole bytes.
pub fn hex(value: &BigInt, bits: u32) -> String {
    let digits = bits.div_ceil(8) as usize * 2;
    let sign = if value.sign() == Sign::Minus { "-" } else { "" };
    format!("{sign}0x{:0>digits$}", value.magnitude().to_str_radix(16))
}

impl Expr {
    pub fn hex(value: impl Into<BigInt>, bits: u32) -> Expr {
        Expr::Hex {
            value: value.into(),
            bits,
        }
    }

    pub fn unary(op: &'static str, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    pub fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn ternary(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Ternary(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    pub fn is_constant(&self) -> bool {
        matches!(self, Expr::Hex { .. } | Expr::Bool(_))
    }

    /// Whether `test` holds for this expression or one inside.
    pub fn any(&self, test: &mut impl FnMut(&Expr) -> bool) -> bool {
        test(self)
            || match self {
                Expr::Unary(_, e) | Expr::AccessField(e, _) => e.any(test),
                Expr::Binary(_, l, r) => l.any(test) || r.any(test),
                Expr::Ternary(c, t, e) => c.any(test) || t.any(test) || e.any(test),
                Expr::Vector(items) => items.iter().any(|e| e.any(test)),
                _ => false,
            }
    }

    /// The tree is at most `limit` levels deep. Looks no deeper than that.
    pub fn fits(&self, limit: usize) -> bool {
        let Some(limit) = limit.checked_sub(1) else {
            return false;
        };
        match self {
            Expr::Unary(_, e) | Expr::AccessField(e, _) => e.fits(limit),
            Expr::Binary(_, l, r) => l.fits(limit) && r.fits(limit),
            Expr::Ternary(c, t, e) => c.fits(limit) && t.fits(limit) && e.fits(limit),
            Expr::Vector(items) => items.iter().all(|e| e.fits(limit)),
            _ => true,
        }
    }

    fn is_computed(&self) -> bool {
        matches!(
            self,
            Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Ternary(..)
                | Expr::AccessField(..)
                | Expr::StackField(..)
        )
    }

    /// The form inside an expression, and where BMv2 expects an expression (conditions).
    pub fn operand(&self) -> Value {
        let tagged = |tag: &str, value: Value| json!({"type": tag, "value": value});
        match self {
            Expr::Hex { value, bits } => tagged("hexstr", json!(hex(value, *bits))),
            Expr::Bool(b) => tagged("bool", json!(b)),
            Expr::Field(header, field) => tagged("field", json!([header, field])),
            Expr::RuntimeData(index) => tagged("local", json!(index)),
            Expr::StackField(stack, field) => tagged("stack_field", json!([stack, field])),
            Expr::UnionStackField(stack, member, field) => {
                tagged("union_stack_field", json!([stack, member, field]))
            }
            Expr::Lookahead(offset, width) => tagged("lookahead", json!([offset, width])),
            Expr::Header(name) => tagged("header", json!(name)),
            Expr::HeaderStack(name) => tagged("header_stack", json!(name)),
            Expr::HeaderUnion(name) => tagged("header_union", json!(name)),
            Expr::HeaderUnionStack(name) => tagged("header_union_stack", json!(name)),
            Expr::Unary(op, right) => tagged(
                "expression",
                json!({"op": op, "left": null, "right": right.operand()}),
            ),
            Expr::Binary(op, left, right) => tagged(
                "expression",
                json!({"op": op, "left": left.operand(), "right": right.operand()}),
            ),
            Expr::Ternary(condition, then, otherwise) => tagged(
                "expression",
                json!({
                    "op": "?",
                    "left": then.operand(),
                    "right": otherwise.operand(),
                    "cond": condition.operand(),
                }),
            ),
            Expr::AccessField(header, index) => tagged(
                "expression",
                json!({"op": "access_field", "left": header.operand(), "right": index}),
            ),
            Expr::String(text) => tagged("string", json!(text)),
            Expr::Calculation(name) => tagged("calculation", json!(name)),
            Expr::CounterArray(name) => tagged("counter_array", json!(name)),
            Expr::MeterArray(name) => tagged("meter_array", json!(name)),
            Expr::RegisterArray(name) => tagged("register_array", json!(name)),
            Expr::Object(tag, name) => tagged(tag, json!(name)),
            Expr::Vector(items) => tagged(
                "parameters_vector",
                items.iter().map(Expr::parameter).collect(),
            ),
        }
    }

    /// The form as a parameter of a primitive, where BMv2 requires one more object around an expression.
    pub fn parameter(&self) -> Value {
        match self {
            Expr::RuntimeData(index) => json!({"type": "runtime_data", "value": index}),
            _ if self.is_computed() => json!({"type": "expression", "value": self.operand()}),
            _ => self.operand(),
        }
    }

    /// The form in the input of a hash, where a constant has its width.
    pub fn hash_input(&self) -> Value {
        let mut value = self.operand();
        if let Expr::Hex { bits, .. } = self {
            value["bitwidth"] = json!(bits);
        }
        value
    }
}

/// Serializes in the form of an operand.
impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.operand().serialize(serializer)
    }
}
