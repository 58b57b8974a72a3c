// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that ask for more than there is: each is refused with one line that names the object, before anything of
//! the size that it asks for is allocated.

use crate::common::*;
use quench_dataplane::{SharedProgram, Switch, SwitchConfig};
use serde_json::{json, Value};

/// The loader's refusal of a text. To work through hostile sizes first would take hours, or more memory than there is.
fn refusal_of(text: &str) -> String {
    let mut switch = Switch::new(SwitchConfig::default());
    let error = switch.load_json(text).expect_err("the program is hostile");
    assert!(switch.program().is_none());
    assert!(!error.message.contains('\n'));
    assert!(error.message.len() < 2000, "{}", error.message.len());
    error.message
}

fn refusal(program: &Program) -> String {
    refusal_of(&program.json.to_string())
}

fn assert_refused(program: &Program, parts: &[&str]) {
    let message = refusal(program);
    for part in parts {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

/// `count` fields of `bits` bits.
fn fields(count: usize, bits: u64) -> Value {
    (0..count).map(|i| json!([format!("f{i}"), bits])).collect()
}

/// A header type whose widths add up to 2^32, in 1.3 MB of JSON: in 32 bits the sum is 0, and fields lie up to 512 MiB
/// behind the packet's state.
#[test]
fn header_widths_that_add_up_to_2_to_the_32_are_refused() {
    let mut program = Program::new();
    program.header("wide", fields(65_536, 65_536));
    program.ingress(vec![assign(field("wide", "f60000"), hex(0x41))]);
    assert!(program.json.to_string().len() < 1_700_000);
    assert_refused(&program, &["header type 'wide_t'", "bits"]);
}

#[test]
fn metadata_widths_are_added_without_overflow() {
    let mut program = Program::new();
    program.push(
        "header_types",
        json!({"name": "big_t", "id": 50, "fields": fields(65_536, 65_536)}),
    );
    program.push(
        "headers",
        json!({"name": "big", "id": 50, "header_type": "big_t", "metadata": true}),
    );
    assert_refused(&program, &["header type 'big_t'"]);
}

#[test]
fn many_headers_of_many_fields_are_refused() {
    let mut program = Program::new();
    // No bits at all, so that only the fields themselves take room.
    program.push(
        "header_types",
        json!({"name": "empty_t", "id": 50, "fields": fields(20_000, 0)}),
    );
    for id in 100..2100 {
        program.push(
            "headers",
            json!({"name": format!("e{id}"), "id": id, "header_type": "empty_t"}),
        );
    }
    assert_refused(&program, &["header 'e", "bytes"]);
}

#[test]
fn the_packet_state_has_a_limit() {
    let mut program = Program::new();
    for i in 0..9 {
        program.header(&format!("h{i}"), fields(1, 65_536));
    }
    assert_refused(&program, &["header 'h", "bytes of packet state"]);
    let mut program = Program::new();
    program.push(
        "header_types",
        json!({"name": "v_t", "id": 50, "fields": [["v", "*"]], "max_length": 4_294_967_295u32}),
    );
    program.push(
        "headers",
        json!({"name": "v", "id": 50, "header_type": "v_t"}),
    );
    assert_refused(&program, &["header 'v'", "bytes of packet state"]);
    let mut program = Program::new();
    program.push(
        "header_types",
        json!({"name": "e_t", "id": 50, "fields": []}),
    );
    for id in 100..5000 {
        program.push(
            "headers",
            json!({"name": format!("e{id}"), "id": id, "header_type": "e_t"}),
        );
    }
    assert_refused(&program, &["headers"]);
}

#[test]
fn the_size_of_a_stack_has_a_limit() {
    let mut program = Program::new();
    let ids = vec![1; 5000];
    program.push(
        "header_stacks",
        json!({"name": "st", "id": 9, "header_type": "h_t", "header_ids": ids}),
    );
    assert_refused(&program, &["header stack 'st'", "elements"]);
}

/// 2 MB of JSON that took 2.6 GB.
#[test]
fn parameters_have_a_limit_in_bytes() {
    let mut program = Program::new();
    let names: Vec<String> = (0..600).map(|i| format!("p{i}")).collect();
    let params: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 65_536)).collect();
    program.action("greedy", &params, vec![]);
    assert_refused(&program, &["action 'greedy'", "bytes of parameters"]);
}

#[test]
fn entries_of_the_program_count_as_its_memory() {
    let mut program = Program::new();
    let action = program.action("wide", &[("p", 65_536)], vec![]);
    let entry = |key: u32| {
        json!({"match_key": [{"match_type": "exact", "key": format!("{key:#06x}")}],
               "action_entry": {"action_id": action, "action_data": ["0x1"]}, "priority": 1})
    };
    let entries: Vec<Value> = (0..2000).map(entry).collect();
    program.table(
        "t",
        "exact",
        &[("exact", field("h", "c"))],
        &[action],
        json!({ "entries": entries }),
    );
    // Takes 120 of the 128 MiB, and the entries 8 KiB each.
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 1, "size": 15 << 20, "bitwidth": 64}),
    );
    assert_refused(&program, &["table 't'", "entry", "bytes of memory"]);
}

#[test]
fn keys_have_a_limit_in_bytes() {
    let mut program = Program::new();
    let action = program.action("nothing", &[], vec![]);
    program.header("k", fields(1, 65_536));
    let key: Vec<(&str, Value)> = (0..100).map(|_| ("exact", field("k", "f0"))).collect();
    program.table("t", "exact", &key, &[action], json!({}));
    assert_refused(&program, &["table 't'", "bytes of key"]);

    let mut program = Program::new();
    let part = json!({"type": "lookahead", "value": [0, 65_536]});
    let state = &mut program.json["parsers"][0]["parse_states"][0];
    state["transition_key"] = vec![part; 65_536].into();
    assert_refused(&program, &["parser state 'start'", "bytes of key"]);
}

#[test]
fn empty_parts_of_keys_are_left_out() {
    let mut program = Program::new();
    let state = &mut program.json["parsers"][0]["parse_states"][0];
    state["transition_key"] = json!([{"type": "lookahead", "value": [0, 0]}]);
    let mut switch = Switch::new(SwitchConfig::default());
    switch
        .load_json(&program.json.to_string())
        .expect("a key of 0 bits has one value");
    switch.receive(0, 0, &[]);
    switch.receive(0, 0, &[0; 64]);
    assert!(switch.stats().contains(&("received_pkts", 2)));
}

#[test]
fn arrays_share_one_limit_in_bytes() {
    for (list, array) in [
        (
            "register_arrays",
            json!({"name": "big", "id": 1, "size": 1u64 << 40, "bitwidth": 64}),
        ),
        (
            "register_arrays",
            json!({"name": "big", "id": 1, "size": u64::MAX, "bitwidth": 65_536}),
        ),
        (
            "counter_arrays",
            json!({"name": "big", "id": 1, "size": 100_000_000}),
        ),
        (
            "meter_arrays",
            json!({"name": "big", "id": 1, "size": 10_000_000, "type": "bytes"}),
        ),
    ] {
        let mut program = Program::new();
        program.push(list, array);
        assert_refused(&program, &["'big'", "bytes of memory"]);
    }
    let mut program = Program::new();
    for name in ["first", "second", "third"] {
        let register = json!({"name": name, "id": 1, "size": 7_000_000, "bitwidth": 64});
        program.push("register_arrays", register);
    }
    assert_refused(&program, &["register 'third'", "bytes of memory"]);
}

#[test]
fn tables_have_a_limit_of_entries() {
    let mut program = Program::new();
    let action = program.action("nothing", &[], vec![]);
    let key = [("exact", field("h", "a"))];
    let extra = json!({"max_size": u64::MAX});
    program.table("t", "exact", &key, &[action], extra);
    assert_refused(&program, &["table 't'", "entries"]);
}

#[test]
fn actions_of_tables_count_as_memory() {
    let mut program = Program::new();
    let mut last = 0;
    for i in 0..20_000 {
        last = program.action(&format!("a{i}"), &[], vec![]);
    }
    let mut table = json!({"id": 1, "match_type": "exact", "type": "simple", "key": [],
        "action_ids": [last], "next_tables": {"a19999": null}});
    for i in 0..20_000 {
        table["name"] = json!(format!("t{i}"));
        program.json["pipelines"][0]["tables"]
            .as_array_mut()
            .expect("a list")
            .push(table.clone());
    }
    assert_refused(&program, &["table 't", "bytes of memory"]);
}

#[test]
fn what_a_deparser_emits_has_a_limit() {
    let mut program = Program::new();
    program.header("k", fields(1, 65_536));
    for _ in 0..1000 {
        program.emit("k");
    }
    assert_refused(&program, &["deparser", "bytes"]);
}

#[test]
fn a_program_that_leaves_no_number_for_an_error_is_refused() {
    let mut program = Program::new();
    program.json["errors"] = json!([["Mine", 4_294_967_295u32]]);
    assert_refused(&program, &["error", "NoError"]);
    // Nothing has to be numbered where all are.
    let mut program = Program::new();
    program.push("errors", json!(["Last", 4_294_967_295u32]));
    program.switch();
}

#[test]
fn priorities_are_subtracted_without_overflow() {
    let mut program = Program::new();
    let action = program.action("nothing", &[], vec![]);
    let entry = |key: &str, priority: i64| {
        json!({"match_key": [{"match_type": "ternary", "key": key, "mask": "0xff"}],
               "action_entry": {"action_id": action, "action_data": []}, "priority": priority})
    };
    let entries = json!({"entries": [entry("0x01", i64::MAX), entry("0x02", i64::MIN)]});
    let key = [("ternary", field("h", "a"))];
    program.table("t", "ternary", &key, &[action], entries);
    assert_refused(&program, &["table 't'", "priority"]);
}

#[test]
fn widths_of_expressions_are_added_without_overflow() {
    let far = || json!({"type": "hexstr", "value": "0x7fffffffffffffff"});
    let once = expr("<<", field("h", "a"), far());
    let twice = expr("<<", once, far());
    let thrice = expr("<<", twice, far());
    let sum = expr("+", thrice.clone(), thrice);
    let mut program = Program::new();
    let test = expr(">", expr("*", sum.clone(), sum), hex(1));
    let bool_to_data = json!({"type": "expression", "value": {"type": "expression",
        "value": {"op": "b2d", "left": null, "right": test}}});
    program.ingress(vec![assign(field("h", "b"), bool_to_data)]);
    assert_refused(&program, &["expression", "bits"]);
}

#[test]
fn the_text_has_limits() {
    let program = Program::new().json.to_string();
    let spaces = " ".repeat((32 << 20) - program.len());
    assert!(SharedProgram::interpreted(&format!("{program}{spaces}")).is_ok());
    let message = refusal_of(&format!("{program}{spaces} "));
    assert!(message.contains("33554433 bytes of JSON"), "{message}");
    // The outer object, its list, and each value with the comma in front of it.
    for (commas, problem) in [
        ((1 << 20) - 3, "invalid type"),
        ((1 << 20) - 2, "JSON values"),
    ] {
        let nothing = "0,".repeat(commas);
        let message = refusal_of(&format!("{{\"actions\": [{nothing}0]}}"));
        assert!(message.contains(problem), "{message}");
    }
}

/// Names come from outside: a message quotes them, and stays one short line.
#[test]
fn messages_stay_short() {
    let mut program = Program::new();
    let name = format!("line\n{}", "x".repeat(1 << 20));
    program.action(&name, &[], vec![prim("unknown", vec![])]);
    assert_refused(&program, &["action 'line"]);
}

#[test]
fn metadata_and_headers_are_not_copied_to_each_other() {
    let mut program = Program::new();
    program.push(
        "headers",
        json!({"name": "m2", "id": 60, "header_type": "meta_t", "metadata": false}),
    );
    let copy = prim("assign_header", vec![header("m2"), header("meta")]);
    program.ingress(vec![copy]);
    assert_refused(&program, &["primitive 0 'assign_header'", "metadata"]);
}

/// A parser that is one long way took time with the cube of its states.
#[test]
fn long_parsers_load_soon() {
    let mut program = Program::new();
    let state = |i: usize| {
        let next = (i < 3999).then(|| format!("s{}", i + 1));
        json!({"name": format!("s{i}"), "id": i, "parser_ops": [], "transition_key": [],
            "transitions": [{"type": "default", "value": null, "mask": null, "next_state": next}]})
    };
    program.json["parsers"][0]["parse_states"] = (0..4000).map(state).collect();
    program.json["parsers"][0]["init_state"] = json!("s0");
    program.switch();
}

/// Each of 140 tables runs an action of 1000 primitives: machine code may have 131 072 of them.
#[test]
fn programs_with_too_much_code_are_interpreted() {
    let mut program = Program::new();
    let primitives = vec![assign(field("h", "b"), hex(7)); 1000];
    let action = program.action("long", &[], primitives);
    for i in 0..140 {
        let default = json!({"default_entry": {"action_id": action, "action_data": []}});
        program.table(&format!("t{i}"), "exact", &[], &[action], default);
    }
    program.ingress(vec![forward(2)]);
    let mut switch = program.switch();
    assert!(!switch.is_compiled());
    assert_eq!(send(&mut switch, &[1, 2, 3, 4]), [(2, vec![1, 7, 3, 4])]);
}
