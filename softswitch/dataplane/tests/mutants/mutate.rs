// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Damage to a BMv2 JSON that leaves it one: values at the ends of their types, names of other things, parts twice.

use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{json, Value};

/// Random choices of one mutant.
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Bytes of a number of `bits` bits: often one of the ends.
    pub fn number(&mut self, bits: u32) -> Vec<u8> {
        let nbytes = bits.div_ceil(8) as usize;
        let mut bytes: Vec<u8> = match self.below(4) {
            0 => vec![0; nbytes],
            1 => vec![0xff; nbytes],
            2 => (0..nbytes).map(|_| self.bits() as u8).collect(),
            _ => {
                let mut small = vec![0; nbytes];
                if let Some(last) = small.last_mut() {
                    *last = self.below(5) as u8;
                }
                small
            }
        };
        if let (Some(top), spare @ 1..) = (bytes.first_mut(), bits.next_multiple_of(8) - bits) {
            *top &= 0xff >> spare;
        }
        bytes
    }
}

/// Attributes without a meaning for the loader, which would only take damage from others.
const MEANINGLESS: [&str; 3] = ["source_info", "program", "pragmas"];

pub fn strip(json: &mut Value) {
    match json {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(items) => {
            items.retain(|name, _| !MEANINGLESS.contains(&name.as_str()));
            items.values_mut().for_each(strip);
        }
        _ => (),
    }
}

const NUMBERS: [u64; 24] = [
    0,
    1,
    2,
    3,
    7,
    8,
    9,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    129,
    256,
    65_535,
    65_536,
    1 << 31,
    u32::MAX as u64,
    1 << 63,
    u64::MAX,
];

const HEX: [&str; 12] = [
    "0x0",
    "0x1",
    "-0x1",
    "0x7f",
    "0x80",
    "0x40",
    "0xffffffff",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "-0x80000000000000000000000000000000",
    "0xffffffffffffffffffffffffffffffffffffffff",
];

const WORDS: [&str; 73] = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "not",
    "d2b",
    "b2d",
    "?",
    "valid",
    "two_comp_mod",
    "usat_cast",
    "sat_cast",
    "last_stack_index",
    "size_stack",
    "assign",
    "assign_header",
    "add_header",
    "remove_header",
    "push",
    "pop",
    "mark_to_drop",
    "count",
    "register_read",
    "register_write",
    "truncate",
    "exit",
    "_jump",
    "_jump_if_zero",
    "exact",
    "lpm",
    "ternary",
    "range",
    "optional",
    "extract",
    "extract_VL",
    "set",
    "verify",
    "advance",
    "lookahead",
    "hexstr",
    "field",
    "header",
    "stack_field",
    "csum16",
    "crc32",
    "crc",
    "lpf",
    "wred",
    "math_unit",
    "hash",
    "next_index",
    "execute_meter",
    "entry_index",
    "fair",
    "resilient",
    "random",
    "$valid$",
    "*",
];

/// Changes up to four things.
pub fn damage(json: &mut Value, draw: &mut Draw) {
    let times = 1 + draw.below(2) * draw.below(4);
    for _ in 0..times {
        let other = part(json, draw).clone();
        let name = text(json, draw);
        change(part_mut(json, draw), other, name, draw);
    }
}

/// Children of an array or object.
fn children(json: &Value) -> usize {
    match json {
        Value::Array(items) => items.len(),
        Value::Object(items) => items.len(),
        _ => 0,
    }
}

fn child(json: &Value, at: usize) -> &Value {
    match json {
        Value::Array(items) => &items[at],
        Value::Object(items) => items.values().nth(at).expect("a child"),
        _ => unreachable!("only containers have children"),
    }
}

/// A way down from the root; most end at a leaf.
fn way(json: &Value, draw: &mut Draw) -> Vec<usize> {
    let mut way = Vec::new();
    let mut here = json;
    while children(here) > 0 && (way.len() < 2 || !draw.one_in(8)) {
        let at = draw.below(children(here));
        way.push(at);
        here = child(here, at);
    }
    way
}

fn part<'j>(json: &'j Value, draw: &mut Draw) -> &'j Value {
    way(json, draw).into_iter().fold(json, child)
}

fn part_mut<'j>(json: &'j mut Value, draw: &mut Draw) -> &'j mut Value {
    let way = way(json, draw);
    way.into_iter().fold(json, |json, at| match json {
        Value::Array(items) => &mut items[at],
        Value::Object(items) => items.values_mut().nth(at).expect("a child"),
        _ => unreachable!("only containers have children"),
    })
}

/// A string that the program has somewhere.
fn text(json: &Value, draw: &mut Draw) -> String {
    for _ in 0..20 {
        if let Value::String(text) = part(json, draw) {
            return text.clone();
        }
    }
    String::new()
}

fn change(place: &mut Value, other: Value, name: String, draw: &mut Draw) {
    if draw.one_in(12) {
        *place = other;
        return;
    }
    match place {
        Value::Null => *place = json!(name),
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let old = number.as_u64().unwrap_or(0);
            *place = match draw.below(10) {
                0 => json!(-1),
                1 => json!(1e308),
                2 => json!(old.wrapping_add(1)),
                3 => json!(old.wrapping_sub(1)),
                4 => json!(old.wrapping_mul(8)),
                _ => json!(draw.of(&NUMBERS)),
            }
        }
        Value::String(text) if text.starts_with("0x") && !draw.one_in(8) => {
            *text = draw.of(&HEX).to_string();
        }
        Value::String(text) => {
            *text = match draw.one_in(2) {
                true => draw.of(&WORDS).to_string(),
                false => name,
            }
        }
        Value::Array(items) => change_list(items, other, draw),
        Value::Object(items) => {
            let from = items.values().nth(draw.below(items.len().max(1))).cloned();
            let to = draw.below(items.len().max(1));
            match (from, items.values_mut().nth(to)) {
                (Some(from), Some(to)) => *to = from,
                _ => *place = other,
            }
        }
    }
}

fn change_list(items: &mut Vec<Value>, other: Value, draw: &mut Draw) {
    if items.is_empty() {
        items.push(other);
        return;
    }
    let (a, b) = (draw.below(items.len()), draw.below(items.len()));
    match draw.below(7) {
        0 => items.swap(a, b),
        1 => {
            items.remove(a);
        }
        2 => items.insert(b, items[a].clone()),
        3 => items.truncate(a),
        4 => items[a] = items[b].clone(),
        5 => {
            let item = items[a].clone();
            let times = *draw.of(&[2, 17, 65, 300]);
            items.extend(std::iter::repeat_n(item, times));
        }
        _ => items.insert(a, other),
    }
}
