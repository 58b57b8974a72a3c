// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that ask for what the hardware does not have.

use quench_dataplane::SwitchConfig;
use serde_json::Value;

use super::*;

/// The message for a program that is refused.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut program = units::program();
    change(&mut program.json);
    let mut switch = Switch::new(SwitchConfig::default());
    let loaded = switch.load_json(&program.json.to_string());
    loaded.expect_err("it is refused").message
}

fn set(path: &'static str, value: Value) -> (&'static str, Value) {
    (path, value)
}

#[test]
fn what_the_hardware_cannot_do_is_refused() {
    for ((path, value), parts) in [
        (
            set("/math_units/0/shift", json!(-2)),
            ["math unit 'root'", "shift of -2"],
        ),
        (
            set("/math_units/0/scale", json!(32)),
            ["math unit 'root'", "6 bits"],
        ),
        (
            set("/math_units/0/bitwidth", json!(33)),
            ["math unit 'root'", "33 bits"],
        ),
        (
            set("/math_units/0/table", json!([1, 2])),
            ["not a BMv2 JSON", "16"],
        ),
        (
            set("/math_units/0/name", json!("other")),
            ["no math unit", "'root'"],
        ),
        (
            set("/filter_arrays/0/kind", json!("iir")),
            ["filter 'smooth'", "kind 'iir'"],
        ),
        (
            set("/filter_arrays/1/bitwidth", json!(33)),
            ["filter 'red'", "32 bits"],
        ),
        (
            set("/filter_arrays/1/name", json!("smooth")),
            ["two filters", "'smooth'"],
        ),
        (
            set("/filter_arrays/1/size", json!(u64::MAX)),
            ["filter 'red'", "bytes of memory"],
        ),
        (
            set("/filter_arrays/2/binding", json!("u")),
            ["filter 'direct_smooth'", "table called 'u'"],
        ),
        (
            set("/filter_arrays/2/binding", Value::Null),
            ["filter 'direct_smooth'", "binding"],
        ),
        (
            set("/register_arrays/0/log", json!(false)),
            ["next_index", "'log' is no log"],
        ),
        (
            set("/register_arrays/1/fields/0/1", json!(15)),
            ["register 'per_entry'", "31 bits"],
        ),
        (
            set("/register_arrays/1/binding", json!("u")),
            ["register 'per_entry'", "table called 'u'"],
        ),
        (
            set("/register_arrays/2/size", json!(2)),
            ["register 'limit'", "one cell"],
        ),
        (
            set("/register_arrays/2/initial", json!("x")),
            ["register 'limit'", "hexadecimal"],
        ),
        (
            set("/calculations/0/crc", Value::Null),
            ["calculation 'cut'", "parameters"],
        ),
        (
            set("/calculations/0/crc/width", json!(7)),
            ["calculation 'cut'", "7 bits"],
        ),
        (
            set("/calculations/0/crc/width", json!(65)),
            ["calculation 'cut'", "65 bits"],
        ),
        (
            set("/calculations/0/crc/coeff", json!("0xg")),
            ["calculation 'cut'", "hexadecimal"],
        ),
        (
            set("/calculations/0/bits", json!(65)),
            ["calculation 'cut'", "64 bits"],
        ),
        (
            set("/pipelines/0/tables/0/entry_index", json!(["u", "none"])),
            ["table 't'", "no field 'none'"],
        ),
        (
            set("/pipelines/0/tables/0/entry_index", Value::Null),
            ["table 't'", "'entry_index'"],
        ),
        (
            set("/actions/2/primitives/1/op", json!("wred")),
            ["wred", "'smooth' is a lpf"],
        ),
        (
            set("/actions/2/primitives/3/parameters/1/value", json!("x")),
            ["math_unit", "'x'"],
        ),
    ] {
        let message = refusal(|json| *json.pointer_mut(path).expect(path) = value);
        for part in parts {
            assert!(message.contains(part), "{path}: {message}");
        }
    }
}
