// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers and deparsers: variable lengths, stacks, unions, selects, errors.

use crate::common::*;
use quench_dataplane::control::{ErrorCode, MatchField};
use quench_dataplane::Switch;
use serde_json::{json, Value};

fn extract(name: &str) -> Value {
    json!({"op": "extract", "parameters": [{"type": "regular", "value": name}]})
}

fn state(name: &str, ops: Vec<Value>, key: Value, transitions: Vec<Value>) -> Value {
    json!({"name": name, "id": 0, "parser_ops": ops, "transition_key": key, "transitions": transitions})
}

fn otherwise(next: Option<&str>) -> Value {
    json!({"type": "default", "value": null, "mask": null, "next_state": next})
}

fn case(value: &str, mask: Value, next: Option<&str>) -> Value {
    json!({"type": "hexstr", "value": value, "mask": mask, "next_state": next})
}

/// Replaces the parser and writes the parser's error into `h.b`.
fn with_states(program: &mut Program, states: Vec<Value>) -> Switch {
    program.json["parsers"][0]["parse_states"] = json!(states);
    program.ingress(vec![
        forward(2),
        assign(field("h", "b"), std("parser_error")),
    ]);
    program.switch()
}

fn out(switch: &mut Switch, bytes: &[u8]) -> Vec<u8> {
    let out = send(switch, bytes).remove(0);
    if bytes.ends_with(&[0]) {
        let same = send(switch, implied(bytes)).remove(0);
        assert_eq!(same, out, "with implied zeros");
    }
    out.1
}

#[test]
fn variable_length_fields_are_extracted_and_emitted() {
    let mut program = Program::new();
    program.header(
        "v",
        json!([["len", 4, false], ["opt", "*"], ["tail", 12, false]]),
    );
    program.json["header_types"][3]["max_length"] = json!(6);
    let bits = expr("*", field("h", "a"), hex(4));
    let ops = vec![
        extract("h"),
        json!({"op": "extract_VL", "parameters": [{"type": "regular", "value": "v"}, bits]}),
    ];
    let mut switch = with_states(
        &mut program,
        vec![state("start", ops, json!([]), vec![otherwise(None)])],
    );
    // `h.a` counts half bytes; 4 + 12 bits are fixed.
    assert_eq!(
        out(&mut switch, &[4, 0, 0, 0, 0x51, 0x22, 0x33, 0x44, 9]),
        [4, 0, 0, 0, 0x51, 0x22, 0x33, 0x44, 9]
    );
    assert_eq!(
        out(&mut switch, &[0, 0, 0, 0, 0x51, 0x22, 9]),
        [0, 0, 0, 0, 0x51, 0x22, 9]
    );
    // No whole bytes, too few bytes, more than the header may have.
    assert_eq!(out(&mut switch, &[3, 0, 0, 0, 1, 2, 3])[1], 6);
    assert_eq!(out(&mut switch, &[8, 0, 0, 0, 1, 2, 3])[1], 1);
    assert_eq!(
        out(&mut switch, &[10, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])[1],
        4
    );
}

/// `h` and a stack of two `s` that goes on while `s.more` is not 0.
fn stack(program: &mut Program) -> Switch {
    let fields = json!([["more", 8, false], ["v", 8, false]]);
    program.push(
        "header_types",
        json!({"name": "s_t", "id": 9, "fields": fields}),
    );
    for (id, name) in [(50, "s[0]"), (51, "s[1]")] {
        program.push(
            "headers",
            json!({"name": name, "id": id, "header_type": "s_t", "metadata": false}),
        );
        program.emit(name);
    }
    program.push(
        "header_stacks",
        json!({"name": "s", "id": 0, "header_type": "s_t", "header_ids": [50, 51]}),
    );
    let next = json!({"op": "extract", "parameters": [{"type": "stack", "value": "s"}]});
    let key = json!([{"type": "stack_field", "value": ["s", "more"]}]);
    let states = vec![
        state(
            "start",
            vec![extract("h")],
            json!([]),
            vec![otherwise(Some("one"))],
        ),
        state(
            "one",
            vec![next],
            key,
            vec![case("0x00", json!(null), None), otherwise(Some("one"))],
        ),
    ];
    with_states(program, states)
}

#[test]
fn stacks_fill_up_and_overflow() {
    let mut switch = stack(&mut Program::new());
    let whole = [0, 0, 0, 0, 1, 7, 0, 8, 0xff];
    assert_eq!(out(&mut switch, &whole), whole);
    assert_eq!(out(&mut switch, &[0, 0, 0, 0, 1, 7, 1, 8, 1, 9])[1], 3);
}

#[test]
fn stacks_are_pushed_popped_and_indexed() {
    let stack_ref = json!({"type": "header_stack", "value": "s"});
    let element =
        |index: Value| expr("dereference_header_stack", stack_ref.clone(), index)["value"].clone();
    let value = |index: Value| json!({"type": "expression", "value": {"op": "access_field", "left": element(index), "right": 1}});
    let run = |primitives: Vec<Value>| {
        let mut program = Program::new();
        program.ingress(primitives);
        let mut switch = stack(&mut program);
        let bytes = out(&mut switch, &[0, 0, 0, 0, 1, 7, 0, 8]);
        (
            bytes[2..].to_vec(),
            stat(&switch, "stack_index_out_of_range"),
        )
    };
    assert_eq!(
        run(vec![prim("push", vec![stack_ref.clone(), hex(1)])]),
        (vec![0, 0, 1, 7], 0)
    );
    assert_eq!(
        run(vec![prim("pop", vec![stack_ref.clone(), hex(1)])]),
        (vec![0, 0, 0, 8], 0)
    );
    assert_eq!(
        run(vec![prim("pop", vec![stack_ref.clone(), hex(9)])]),
        (vec![0, 0], 0)
    );
    let index = expr("+", field("h", "a"), hex(1));
    assert_eq!(
        run(vec![assign(value(index), hex(0x99))]),
        (vec![0, 0, 1, 7, 0, 0x99], 0)
    );
    assert_eq!(
        run(vec![assign(value(hex(2)), hex(0x99))]),
        (vec![0, 0, 1, 7, 0, 8], 1)
    );
    assert_eq!(
        run(vec![assign(field("h", "c"), value(hex(7)))]),
        (vec![0, 0, 1, 7, 0, 8], 1)
    );
    let last = expr("last_stack_index", json!(null), stack_ref.clone());
    assert_eq!(
        run(vec![assign(field("h", "c"), last)]),
        (vec![0, 1, 1, 7, 0, 8], 0)
    );
}

#[test]
fn a_union_has_one_valid_member() {
    let mut program = Program::new();
    program
        .header("u.x", json!([["v", 8, false]]))
        .header("u.y", json!([["v", 16, false]]));
    let ids: Vec<Value> = program.json["headers"].as_array().unwrap()[3..]
        .iter()
        .map(|h| h["id"].clone())
        .collect();
    program.push(
        "header_union_types",
        json!({"name": "u_t", "id": 1, "headers": [["x", "u.x_t"], ["y", "u.y_t"]]}),
    );
    program.push(
        "header_unions",
        json!({"name": "u", "id": 1, "union_type": "u_t", "header_ids": ids}),
    );
    let valid = json!({"type": "expression", "value": {"op": "valid_union", "left": null,
        "right": {"type": "header_union", "value": "u"}}});
    program.ingress(vec![
        prim("add_header", vec![header("u.y")]),
        prim("add_header", vec![header("u.x")]),
        assign(field("u.x", "v"), hex(0x5a)),
        assign(field("h", "a"), expr("b2d", json!(null), valid)),
    ]);
    let start = state(
        "start",
        vec![extract("h")],
        json!([]),
        vec![otherwise(None)],
    );
    let mut switch = with_states(&mut program, vec![start]);
    assert_eq!(out(&mut switch, &[0, 0, 0, 0, 9]), [1, 0, 0, 0, 0x5a, 9]);

    for name in ["u.x", "meta"] {
        let mut refused = program.json.clone();
        let write = assign(field(name, "$valid$"), hex(1));
        refused["actions"][0]["primitives"] = json!([write]);
        let error = switch.load_json(&refused.to_string()).unwrap_err();
        assert!(error.message.contains("validity"), "{}", error.message);
    }
}

#[test]
fn validity_is_set_by_a_field_of_one_bit() {
    let mut program = Program::new();
    program.header("extra", json!([["n", 8, false]]));
    let validity = field("extra", "$valid$");
    let low_bit = expr("&", field("h", "a"), hex(1));
    let ops = vec![
        extract("h"),
        extract("extra"),
        json!({"op": "set", "parameters": [validity, low_bit]}),
    ];
    program.json["parsers"][0]["parse_states"] =
        json!([state("start", ops, json!([]), vec![otherwise(None)])]);
    program.ingress(vec![forward(2)]);
    for mut switch in [program.switch(), program.interpreted()] {
        assert_eq!(out(&mut switch, &[3, 0, 0, 0, 7, 9]), [3, 0, 0, 0, 7, 9]);
        assert_eq!(out(&mut switch, &[2, 0, 0, 0, 7, 9]), [2, 0, 0, 0, 9]);
    }
}

#[test]
fn selects_use_masks_lookahead_and_order() {
    let mut program = Program::new();
    program.header("x", json!([["v", 8, false]]));
    let key =
        json!([{"type": "field", "value": ["h", "a"]}, {"type": "lookahead", "value": [4, 12]}]);
    let cases = vec![
        case("0x010abc", json!(null), None),
        case("0x010000", json!("0xff0000"), Some("x")),
        otherwise(Some("bad")),
    ];
    let verify = json!({"op": "verify", "parameters": [{"type": "bool", "value": false}, hex(7)]});
    let states = vec![
        state("start", vec![extract("h")], key, cases),
        state(
            "x",
            vec![
                json!({"op": "advance", "parameters": [hex(8)]}),
                extract("x"),
            ],
            json!([]),
            vec![otherwise(None)],
        ),
        state("bad", vec![verify], json!([]), vec![otherwise(None)]),
    ];
    let mut switch = with_states(&mut program, states);
    let zeros = [1, 0, 0, 0, 0, 0];
    assert_eq!(out(&mut switch, &zeros), zeros[..5]);
    assert_eq!(
        out(&mut switch, &[1, 0, 0, 0, 0x1a, 0xbc]),
        [1, 0, 0, 0, 0x1a, 0xbc]
    );
    assert_eq!(
        out(&mut switch, &[1, 0, 0, 0, 0x1a, 0xbd, 5]),
        [1, 0, 0, 0, 0xbd, 5]
    );
    assert_eq!(out(&mut switch, &[2, 0, 0, 0, 0x1a, 0xbc])[1], 7);
    assert_eq!(out(&mut switch, &[1, 0, 0, 0, 0x1a])[1], 1);
}

#[test]
fn value_sets_are_filled_at_run_time() {
    let mut program = Program::new();
    program.header("x", json!([["v", 8, false]]));
    program.push(
        "parse_vsets",
        json!({"name": "set", "id": 1, "compressed_bitwidth": 24, "max_size": 3}),
    );
    let key =
        json!([{"type": "field", "value": ["h", "a"]}, {"type": "field", "value": ["h", "c"]}]);
    let set = json!({"type": "parse_vset", "value": "set", "mask": null, "next_state": "x"});
    let states = vec![
        state("start", vec![extract("h")], key, vec![set, otherwise(None)]),
        state("x", vec![extract("x")], json!([]), vec![otherwise(None)]),
    ];
    program.ingress(vec![assign(field("x", "v"), hex(0xff))]);
    let mut switch = with_states(&mut program, states);
    assert_eq!(switch.program().unwrap().value_sets[0].key_bits, [8, 16]);
    assert_eq!(out(&mut switch, &[1, 0, 2, 3, 4])[4], 4);
    let members = [
        vec![exact(1), MatchField::Exact(vec![2, 3])],
        vec![exact(9), MatchField::Ternary(vec![0x10, 0], vec![0xf0, 0])],
        vec![exact(8), MatchField::Range(vec![0, 5], vec![1, 0])],
    ];
    switch.value_set_write("set", &members).unwrap();
    assert_eq!(out(&mut switch, &[1, 0, 2, 3, 4])[4], 0xff);
    assert_eq!(out(&mut switch, &[1, 0, 2, 4, 4])[4], 4);
    assert_eq!(out(&mut switch, &[9, 0, 0x1f, 4, 4])[4], 0xff);
    assert_eq!(out(&mut switch, &[8, 0, 0, 4, 4])[4], 4);
    assert_eq!(out(&mut switch, &[8, 0, 1, 0, 4])[4], 0xff);
    assert_eq!(
        switch.value_set_read("set").unwrap()[0][1],
        MatchField::Exact(vec![2, 3])
    );
    let wrong = switch.value_set_write("set", &[vec![exact(1)]]);
    assert_eq!(wrong.unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(switch.value_set_read("set").unwrap().len(), 3);
}

#[test]
fn a_parser_that_turns_in_circles_drops_the_packet() {
    let mut program = Program::new();
    let states = vec![
        state(
            "start",
            vec![extract("h")],
            json!([]),
            vec![otherwise(Some("loop"))],
        ),
        state("loop", vec![], json!([]), vec![otherwise(Some("loop"))]),
    ];
    let mut switch = with_states(&mut program, states);
    assert_eq!(send(&mut switch, &[0; 4]), []);
    assert_eq!(stat(&switch, "dropped_endless_loop"), 1);
}
