// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Mutants of JSON: its values change, and subtrees go where others of the same name stand, so that mutants stay JSON and mostly
//! have the form that the loader looks for.

use fastrand::Rng;
use serde_json::{json, Value};

/// Larger mutants are thrown away for their origin: they only cost time.
const MAX_BYTES: usize = 512 << 10;

pub(crate) fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let Ok(mut tree) = serde_json::from_slice::<Value>(data) else {
        let mut bytes = data.to_vec();
        crate::bytes::change(&mut bytes, donor, rng);
        return bytes;
    };
    let other = match rng.u8(..4) {
        0 => serde_json::from_slice(donor).unwrap_or(Value::Null),
        _ => tree.clone(),
    };
    for _ in 0..1 << rng.u8(..3) {
        let at = rng.usize(..size(&tree));
        let (key, node) = nth(&mut tree, at);
        change(key.as_deref(), node, &other, rng);
    }
    let mutant = tree.to_string().into_bytes();
    if mutant.len() > MAX_BYTES {
        return data.to_vec();
    }
    mutant
}

/// Number of values in the tree.
fn size(tree: &Value) -> usize {
    match tree {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// The value of this number in document order, and the key under which it stands.
fn nth(tree: &mut Value, at: usize) -> (Option<String>, &mut Value) {
    fn find<'a>(
        key: Option<&str>,
        tree: &'a mut Value,
        at: &mut usize,
    ) -> Option<(Option<String>, &'a mut Value)> {
        if *at == 0 {
            return Some((key.map(str::to_owned), tree));
        }
        *at -= 1;
        match tree {
            Value::Array(items) => items.iter_mut().find_map(|item| find(key, item, at)),
            Value::Object(members) => members
                .iter_mut()
                .find_map(|(name, item)| find(Some(name), item, at)),
            _ => None,
        }
    }
    let mut left = at;
    find(None, tree, &mut left).expect("the number is below the size")
}

fn change(key: Option<&str>, node: &mut Value, other: &Value, rng: &mut Rng) {
    if rng.u8(..4) == 0 {
        *node = same_key(key, other, rng);
        return;
    }
    match node {
        Value::Null => *node = json!(rng.u8(..4)),
        Value::Bool(value) => *value = !*value,
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            *node = new_number(old, rng);
        }
        Value::String(text) => *node = new_string(text, key, other, rng),
        Value::Array(items) => change_array(items, rng),
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let Some(name) = rng.choice(&keys) else {
                return;
            };
            match rng.u8(..3) {
                0 => drop(members.remove(name)),
                1 => drop(members.insert(name.clone(), Value::Null)),
                _ => {
                    let value = same_key(Some(name), other, rng);
                    members.insert(name.clone(), value);
                }
            }
        }
    }
}

fn change_array(items: &mut Vec<Value>, rng: &mut Rng) {
    if items.is_empty() {
        items.push(json!(rng.u8(..4)));
        return;
    }
    let (a, b) = (rng.usize(..items.len()), rng.usize(..items.len()));
    match rng.u8(..5) {
        0 => drop(items.remove(a)),
        1 => items.swap(a, b),
        2 => items.insert(b, items[a].clone()),
        3 => items.truncate(a),
        _ => {
            let copies = vec![items[a].clone(); 1 << rng.u8(..7)];
            items.splice(b..b, copies);
        }
    }
}

fn new_number(old: i64, rng: &mut Rng) -> Value {
    const NUMBERS: [i64; 22] = [
        0,
        1,
        -1,
        2,
        7,
        8,
        9,
        31,
        32,
        63,
        64,
        65,
        255,
        256,
        511,
        65_535,
        65_536,
        i32::MAX as i64,
        u32::MAX as i64,
        1 << 32,
        i64::MAX,
        i64::MIN,
    ];
    match rng.u8(..8) {
        0..=2 => json!(rng.choice(NUMBERS)),
        3 => json!(old.wrapping_add(1)),
        4 => json!(old.wrapping_sub(1)),
        5 => json!(rng.i64(..64)),
        6 => json!(u64::MAX - rng.u64(..2)),
        _ => json!(old as f64 + 0.5),
    }
}

/// Another string under the same key, another spelling of a number, or a part of the old one.
fn new_string(text: &str, key: Option<&str>, other: &Value, rng: &mut Rng) -> Value {
    const STRINGS: [&str; 12] = [
        "",
        "0x",
        "0x0",
        "0xff",
        "-0x1",
        "0xffffffffffffffffffff",
        "1",
        "ternary",
        "range",
        "valid",
        "$valid$",
        "field",
    ];
    match rng.u8(..6) {
        0 => json!(rng.choice(STRINGS)),
        1 => json!(text.chars().skip(1).collect::<String>()),
        2 => json!(format!("{text}0")),
        _ => same_key(key, other, rng),
    }
}

/// A value that stands under this key somewhere in the tree, or any.
fn same_key(key: Option<&str>, tree: &Value, rng: &mut Rng) -> Value {
    fn collect<'a>(
        key: Option<&str>,
        name: Option<&str>,
        tree: &'a Value,
        found: &mut Vec<&'a Value>,
    ) {
        if key == name {
            found.push(tree);
        }
        match tree {
            Value::Array(items) => items
                .iter()
                .for_each(|item| collect(key, name, item, found)),
            Value::Object(members) => members
                .iter()
                .for_each(|(below, item)| collect(key, Some(below), item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(key, None, tree, &mut found);
    rng.choice(found).cloned().unwrap_or(Value::Null)
}
