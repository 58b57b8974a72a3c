// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A program that executes each of TNA's units once for every packet, and writes what they give into header `u`.
//!
//! Packets are `h` (with `c` the sample and operand, `a` the key and index) and `u`, as long as its fields, of any content.

use serde_json::{json, Value};

use crate::common::{assign, expr, field, forward, hex, param, prim, Program};

/// Results, in the order of the header, and their widths.
pub const RESULTS: [(&str, u32); 11] = [
    ("lpf", 32),
    ("wred", 8),
    ("math", 32),
    ("crc", 16),
    ("wide", 64),
    ("color", 8),
    ("log", 8),
    ("entry", 16),
    ("direct", 32),
    ("average", 32),
    ("param", 8),
];

pub const U_BYTES: usize = 32;

fn named(kind: &str, name: &str) -> Value {
    json!({"type": kind, "value": name})
}

fn array(name: &str) -> Value {
    named("filter_array", name)
}

fn u(name: &str) -> Value {
    field("u", name)
}

/// CRC-16/ARC, cut or widened.
fn crc(name: &str, bits: u32, input: Value) -> Value {
    json!({"name": name, "id": 1, "algo": "crc", "bits": bits, "input": input,
           "crc": {"width": 16, "coeff": "0x8005", "reversed": true, "msb": false, "extended": true,
                   "init": "0x0", "xor": "0x0"}})
}

pub fn filters() -> Value {
    json!([
        {"name": "smooth", "id": 1, "kind": "lpf", "size": 256, "bitwidth": 32},
        {"name": "red", "id": 2, "kind": "wred", "size": 256, "bitwidth": 8, "drop_value": 9, "no_drop_value": 4},
        {"name": "direct_smooth", "id": 3, "kind": "lpf", "size": 4, "bitwidth": 32, "is_direct": true, "binding": "t"},
    ])
}

pub fn program() -> Program {
    let mut program = Program::new();
    let fields = RESULTS.map(|(name, bits)| json!([name, bits, false]));
    program.header("u", json!(fields));
    program.json["parsers"][0]["parse_states"][0]["parser_ops"] = json!([
        {"op": "extract", "parameters": [{"type": "regular", "value": "h"}]},
        {"op": "extract", "parameters": [{"type": "regular", "value": "u"}]}]);
    program.json["filter_arrays"] = filters();
    // 64 times the square root, as p4c fills it.
    program.json["math_units"] = json!([{"name": "root", "id": 1, "invert": false, "shift": -1, "scale": -1,
        "table": [0, 0, 0, 0, 91, 101, 111, 120, 128, 136, 143, 150, 157, 163, 169, 175], "bitwidth": 32}]);
    for register in [
        json!({"name": "log", "id": 1, "size": 3, "bitwidth": 16, "log": true}),
        json!({"name": "per_entry", "id": 2, "size": 4, "bitwidth": 32, "initial": "0x70005",
               "fields": [["high", 16], ["low", 16]], "is_direct": true, "binding": "t"}),
        json!({"name": "limit", "id": 3, "size": 1, "bitwidth": 8, "initial": "-0x2", "param": true}),
    ] {
        program.push("register_arrays", register);
    }
    program.push(
        "meter_arrays",
        json!({"name": "m", "id": 1, "size": 256, "type": "bytes", "rate_count": 2, "colors": [10, 20, 30]}),
    );
    program.push("counter_arrays", json!({"name": "c", "id": 1, "size": 256}));
    let byte = json!([{"type": "field", "value": ["h", "c"]}]);
    let odd = json!([{"type": "hexstr", "value": "0x5", "bitwidth": 4}, {"type": "field", "value": ["h", "c"]}]);
    program.push("calculations", crc("cut", 12, byte));
    program.push("calculations", crc("wide", 64, odd));
    let register = |name: &str| named("register_array", name);
    let hit = program.action(
        "hit",
        &[("step", 32)],
        vec![
            prim(
                "register_read",
                vec![u("direct"), register("per_entry"), u("entry")],
            ),
            prim(
                "register_write",
                vec![
                    register("per_entry"),
                    u("entry"),
                    expr("+", u("direct"), param(0)),
                ],
            ),
            prim(
                "lpf",
                vec![
                    u("average"),
                    array("direct_smooth"),
                    field("h", "c"),
                    u("entry"),
                ],
            ),
        ],
    );
    let missed = program.action("missed", &[], vec![]);
    let key = [("exact", field("h", "a"))];
    let extra = json!({"max_size": 4, "entry_index": ["u", "entry"],
                       "default_entry": {"action_id": missed, "action_data": []}});
    program.table("t", "exact", &key, &[hit, missed], extra);
    program.ingress(vec![
        forward(2),
        prim(
            "lpf",
            vec![u("lpf"), array("smooth"), field("h", "c"), field("h", "a")],
        ),
        prim(
            "wred",
            vec![u("wred"), array("red"), field("h", "c"), field("h", "a")],
        ),
        prim(
            "math_unit",
            vec![u("math"), named("math_unit", "root"), field("h", "c")],
        ),
        prim("hash", vec![u("crc"), named("calculation", "cut")]),
        prim("hash", vec![u("wide"), named("calculation", "wide")]),
        prim(
            "execute_meter",
            vec![
                named("meter_array", "m"),
                field("h", "a"),
                u("color"),
                field("h", "b"),
                hex(4),
            ],
        ),
        prim(
            "count",
            vec![
                named("counter_array", "c"),
                field("h", "a"),
                hex(0xffff_fffc),
            ],
        ),
        prim("next_index", vec![u("log"), register("log")]),
        prim(
            "register_write",
            vec![register("log"), u("log"), field("h", "c")],
        ),
        prim("register_read", vec![u("param"), register("limit"), hex(0)]),
        assign(field("meta", "x"), u("color")),
    ]);
    program
}
