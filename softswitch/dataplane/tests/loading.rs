// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Malformed programs: one clear message, nothing half-loaded, no panic.

use crate::common::*;
use quench_dataplane::control::ErrorCode;
use quench_dataplane::{Switch, SwitchConfig};
use serde_json::{json, Value};

fn sound() -> Program {
    let mut program = Program::new();
    let out = program.action(
        "out",
        &[("port", 9)],
        vec![assign(std("egress_spec"), param(0))],
    );
    program.push(
        "register_arrays",
        json!({"name": "r", "id": 1, "size": 4, "bitwidth": 12}),
    );
    program.table(
        "t",
        "exact",
        &[("exact", field("h", "a"))],
        &[out],
        json!({}),
    );
    let sum = expr("&", expr("+", field("h", "a"), hex(255)), hex(0xff));
    program.ingress(vec![assign(field("h", "b"), sum)]);
    program
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut program = sound();
    change(&mut program.json);
    let mut switch = Switch::new(SwitchConfig::default());
    let error = switch
        .load_json(&program.json.to_string())
        .expect_err("the program is not sound");
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(switch.program().is_none());
    error.message
}

#[test]
fn errors_name_the_object_and_what_is_wrong() {
    let message =
        refusal(|json| json["actions"][0]["primitives"][0]["parameters"][1]["value"] = json!(4));
    assert_eq!(
        message,
        "the program cannot be loaded: action 'out': primitive 0 'assign': the action has 1 parameters, no number 4"
    );
    let message =
        refusal(|json| json["pipelines"][0]["tables"][0]["key"][0]["target"][1] = json!("zz"));
    assert!(
        message
            .contains("pipeline 'ingress': table 't': key field 0: header 'h' has no field 'zz'"),
        "{message}"
    );
    let message =
        refusal(|json| json["pipelines"][0]["tables"][0]["next_tables"] = json!({"other": null}));
    assert!(
        message.contains("'next_tables' says nothing of action 'out'"),
        "{message}"
    );
    let message = refusal(|json| {
        json["parsers"][0]["parse_states"][0]["transitions"][0]["next_state"] = json!("x")
    });
    assert!(
        message.contains("parser state 'start': transition 0: there is no parser state called 'x'"),
        "{message}"
    );
    let message = refusal(|json| json["__meta__"]["version"] = json!([3, 0]));
    assert!(message.contains("version 3.0"), "{message}");
    let message =
        refusal(|json| json["extern_instances"] = json!([{"name": "e", "id": 1, "type": "Foo"}]));
    assert!(
        message.contains("extern 'e': the type 'Foo' is not supported"),
        "{message}"
    );
    let message = refusal(|json| json["register_arrays"][0]["size"] = json!(1u64 << 40));
    assert!(message.contains("register 'r'"), "{message}");
    let message = refusal(|json| json["headers"] = json!([]));
    assert!(
        message.contains("standard_metadata.ingress_port"),
        "{message}"
    );
}

#[test]
fn what_is_no_json_is_refused() {
    let mut switch = Switch::new(SwitchConfig::default());
    for text in ["", "{", "[]", "null", "{} {}", &"[".repeat(100_000)] {
        assert!(
            switch.load_json(text).is_err(),
            "{}",
            &text[..text.len().min(20)]
        );
    }
    let message = switch.load_json("{\"actions\": [{}]}").unwrap_err().message;
    assert!(
        message.contains("missing field `name` at line 1"),
        "{message}"
    );
}
