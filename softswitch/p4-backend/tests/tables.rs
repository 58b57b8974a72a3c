// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, their JSON and how they run; what BMv2 cannot do.

use crate::common::{error, run, Program};
use serde_json::{json, Value};

fn table<'a>(json: &'a Value, name: &str) -> &'a Value {
    let pipelines = items(&json["pipelines"]);
    pipelines
        .iter()
        .flat_map(|p| items(&p["tables"]))
        .find(|t| t["name"] == name)
        .unwrap_or_else(|| panic!("no table {name}"))
}

/// Names of an action's primitives.
fn operations(action: &Value) -> Value {
    items(&action["primitives"])
        .iter()
        .map(|primitive| primitive["op"].clone())
        .collect()
}

fn items(array: &Value) -> &[Value] {
    array.as_array().expect("an array")
}

#[test]
fn a_table_as_the_control_plane_sees_it() {
    let program = Program {
        locals: "action set(bit<8> v, bit<16> w) { hdr.data.d = v; hdr.data.e = w; }
                 action drop() { mark_to_drop(std); }
                 direct_counter(CounterType.packets) hits;
                 table t { key = { hdr.data.a: lpm; hdr.data.c & 0x0f: exact @name(\"nibble\"); hdr.data.isValid(): ternary; }
                           actions = { set; drop; NoAction; } size = 77; support_timeout = true; counters = hits;
                           default_action = set(1, 2); }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    let table = table(&json, "I.t");
    let keys: Vec<_> = items(&table["key"])
        .iter()
        .map(|k| (&k["match_type"], &k["name"]))
        .collect();
    assert_eq!(
        json!(keys),
        json!([
            ["lpm", "hdr.data.a"],
            ["exact", "nibble"],
            ["ternary", "hdr.data.$valid$"]
        ])
    );
    assert_eq!(table["key"][2]["target"], json!(["data", "$valid$"]));
    assert_eq!(
        (&table["match_type"], &table["max_size"]),
        (&json!("ternary"), &json!(77))
    );
    assert_eq!(table["actions"], json!(["I.set", "I.drop", "NoAction"]));
    assert_eq!(
        table["default_entry"]["action_data"],
        json!(["0x01", "0x0002"])
    );
    assert_eq!(
        (&table["with_counters"], &table["support_timeout"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(json["counter_arrays"][0]["binding"], "I.t");
    let set = &json["actions"][0];
    assert_eq!(
        set["runtime_data"],
        json!([{"name": "v", "bitwidth": 8}, {"name": "w", "bitwidth": 16}])
    );
    assert_eq!(
        set["primitives"][0]["parameters"][1],
        json!({"type": "runtime_data", "value": 0})
    );
    assert_eq!(
        set["primitives"][0]["source_info"]["source_fragment"],
        "hdr.data.d = v;"
    );
}

#[test]
fn constant_entries_hit_miss_and_the_action_that_ran() {
    let program = Program {
        locals: "action one(bit<8> v) { hdr.data.d = v; } action two() { hdr.data.d = 200; }
                 table t { key = { hdr.data.c: exact; } actions = { one; two; NoAction; } default_action = NoAction();
                           const entries = { 1: one(11); 2: two(); 3: NoAction(); } }
                 table u { key = { hdr.data.c: exact; } actions = { one; two; } default_action = two();
                           const entries = { 1: one(1); } }",
        apply: "if (t.apply().hit) { hdr.data.a = 1; } else { hdr.data.a = 2; }
                switch (u.apply().action_run) { one: { hdr.data.b = 1; } two: { hdr.data.b = 2; } }",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 1, 0, 0])[..4], [1, 1, 1, 1]);
    assert_eq!(program.data([0, 0, 2, 0, 0])[..4], [1, 2, 2, 200]);
    assert_eq!(program.data([0, 0, 9, 0, 0])[..4], [2, 2, 9, 200]);
}

#[test]
fn the_smallest_number_of_bmv2_is_the_largest_priority() {
    let program = Program {
        locals: "action set(bit<8> v) { hdr.data.d = v; }
                 table t { key = { hdr.data.c: ternary; hdr.data.e: range; } actions = { set; } default_action = set(0);
                           largest_priority_wins = true;
                           entries = { const priority = 10: (_, 0 .. 100): set(1); const priority = 20: (5 &&& 0xf, _): set(2); } }",
        apply: "t.apply();",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 0x15, 0, 50])[3], 2);
    assert_eq!(program.data([0, 0, 0x16, 0, 50])[3], 1);
    assert_eq!(program.data([0, 0, 0x16, 0, 500])[3], 0);
    let json = program.json();
    let given: Vec<_> = items(&table(&json, "I.t")["entries"])
        .iter()
        .map(|e| {
            (
                e["priority"].clone(),
                e["p4runtime_priority"].clone(),
                e["is_const"].clone(),
            )
        })
        .collect();
    let yes = json!(true);
    assert_eq!(
        given,
        [
            (json!(1), json!(20), yes.clone()),
            (json!(2), json!(10), yes)
        ]
    );
}

/// p4c's format has no place for them, so what it says as well stays as p4c writes it.
#[test]
fn priorities_and_constant_entries_are_marked_only_where_they_follow_from_nothing() {
    let marked = |properties: &str| {
        let program = Program {
            locals: &format!(
                "action set(bit<8> v) {{ hdr.data.d = v; }}
                 table t {{ key = {{ hdr.data.c: ternary; }} actions = {{ set; }} default_action = set(0); {properties} }}"
            ),
            apply: "t.apply();",
            ..Program::default()
        };
        let json = program.json();
        let entries = items(&table(&json, "I.t")["entries"]).iter();
        let marks = entries.map(|e| {
            (
                e.get("p4runtime_priority").cloned(),
                e.get("is_const").is_some(),
            )
        });
        marks.collect::<Vec<_>>()
    };
    let plain = (None, false);
    assert_eq!(
        marked("const entries = { 1: set(1); 2: set(2); }"),
        [plain.clone(), plain.clone()]
    );
    assert_eq!(
        marked("entries = { 1: set(1); 2: set(2); }"),
        [plain.clone(), plain.clone()]
    );
    assert_eq!(
        marked("entries = { const 1: set(1); 2: set(2); }"),
        [(None, true), plain.clone()]
    );
    let smallest = "largest_priority_wins = false; entries = { priority = 7: 1: set(1); priority = 9: 2: set(2); }";
    assert_eq!(marked(smallest), [plain.clone(), plain.clone()]);
    let zero = "entries = { priority = 5: 1: set(1); priority = 0: 2: set(2); }";
    assert_eq!(marked(zero), [plain.clone(), plain.clone()]);
    let twice = "entries = { priority = 5: 1: set(1); priority = 5: 1: set(2); }";
    assert_eq!(marked(twice), [plain.clone(), plain]);
}

#[test]
fn branches_in_an_action_are_jumps() {
    let program = Program {
        locals: "action pick(bit<8> v) { if (v > 5) { hdr.data.d = 1; if (v == 9) { return; } } else { hdr.data.d = 2; } hdr.data.a = 7; }
                 table t { key = { hdr.data.c: exact; } actions = { pick; NoAction; } default_action = NoAction();
                           const entries = { 1: pick(3); 2: pick(6); 3: pick(9); } }",
        apply: "t.apply();",
        ..Program::default()
    };
    let run = |c| {
        let f = program.data([0, 0, c, 0, 0]);
        (f[3], f[0])
    };
    assert_eq!([run(1), run(2), run(3)], [(2, 7), (1, 7), (1, 0)]);
    let json = program.json();
    assert_eq!(
        operations(&json["actions"][0]),
        json!([
            "_jump_if_zero",
            "assign",
            "_jump_if_zero",
            "_jump",
            "_jump",
            "assign",
            "assign"
        ])
    );
}

#[test]
fn successive_statements_are_one_action() {
    let program = Program {
        locals: "register<bit<32>>(4) r;",
        apply: "bit<32> x; r.read(x, 0); x = x + 1; r.write(0, x);",
        ..Program::default()
    };
    let json = program.json();
    let tables = items(&json["pipelines"][0]["tables"]);
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0]["default_entry"]["action_const"], true);
    assert_eq!(
        operations(&json["actions"][0]),
        json!(["assign", "register_read", "assign", "register_write"])
    );
}

#[test]
fn selectors_hash_their_keys() {
    let program = Program {
        locals: "action_selector(HashAlgorithm.crc16, 32w16, 32w10) members;
                 table t { key = { hdr.data.a: exact; hdr.data.b: selector; hdr.data.c: selector; }
                           actions = { NoAction; } implementation = members; }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    let profile = &json["pipelines"][0]["action_profiles"][0];
    assert_eq!(
        (&profile["name"], &profile["max_size"]),
        (&json!("I.members"), &json!(16))
    );
    assert_eq!(profile["selector"]["algo"], "crc16");
    assert_eq!(
        profile["selector"]["input"].as_array().map(Vec::len),
        Some(2)
    );
    let table = table(&json, "I.t");
    assert_eq!(
        (&table["type"], &table["action_profile"]),
        (&json!("indirect_ws"), &json!("I.members"))
    );
    assert_eq!(table["key"].as_array().map(Vec::len), Some(1));
}

#[test]
fn copies_of_packets_keep_lists_of_fields() {
    let program = Program {
        metadata: "@field_list(1) bit<8> x; @field_list(1, 2) bit<16> y;",
        apply: "clone_preserving_field_list(CloneType.I2E, 5, 1); resubmit_preserving_field_list(2); clone(CloneType.I2E, 6);",
        ..Program::default()
    };
    let json = program.json();
    let lists: Vec<_> = items(&json["field_lists"])
        .iter()
        .map(|l| (l["id"].clone(), l["elements"].as_array().map(Vec::len)))
        .collect();
    assert_eq!(json!(lists), json!([[1, 2], [2, 1], [3, 0]]));
    let calls = items(&json["actions"][0]["primitives"]);
    let last = |op: &str| {
        calls
            .iter()
            .rev()
            .find(|p| p["op"] == op)
            .expect("is called")["parameters"]
            .clone()
    };
    assert_eq!(last("resubmit")[0]["value"], "0x00000002");
    assert_eq!(
        last("clone_ingress_pkt_to_egress")[1]["value"],
        "0x00000003"
    );
}

#[test]
fn a_digest_carries_the_values_of_its_time() {
    let program = Program {
        declarations: "struct seen_t { bit<32> who; bit<9> port; }",
        apply: "digest<seen_t>(1, { hdr.data.a, std.ingress_port }); hdr.data.a = 0;",
        ..Program::default()
    };
    let json = program.json();
    let list = &json["learn_lists"][0];
    assert_eq!((&list["id"], &list["name"]), (&json!(1), &json!("seen_t")));
    for element in items(&list["elements"]) {
        assert_eq!(element["value"][0], "scalars");
    }
}

#[test]
fn checksums_have_conditions_and_payload() {
    let program = Program {
        verify: "verify_checksum(hdr.data.isValid() && hdr.data.c == 1, { hdr.data.a, 8w0, hdr.data.d }, hdr.data.e, HashAlgorithm.csum16);",
        update: "update_checksum_with_payload(true, { hdr.data.a }, hdr.data.e, HashAlgorithm.csum16);",
        ..Program::default()
    };
    let json = program.json();
    let flags: Vec<_> = items(&json["checksums"])
        .iter()
        .map(|c| (&c["update"], &c["verify"]))
        .collect();
    assert_eq!(json!(flags), json!([[true, false], [false, true]]));
    assert_eq!(json["calculations"][0]["input"][1]["type"], "payload");
    assert_eq!(
        json["calculations"][1]["input"][1],
        json!({"type": "hexstr", "value": "0x00", "bitwidth": 8})
    );
    assert_eq!(
        json["checksums"][0]["if_cond"],
        json!({"type": "bool", "value": true})
    );
}

#[test]
fn programs_that_bmv2_cannot_run_are_refused_with_their_place() {
    let cases = [
        (
            "",
            "hdr.data.c = hdr.data.c / hdr.data.d;",
            "division and modulo other than of a bit<> value by a positive constant",
        ),
        (
            "",
            "recirculate_preserving_field_list(1);",
            "recirculate_preserving_field_list in ingress",
        ),
        (
            "table t { key = { hdr.data.a: lpm; hdr.data.b: lpm; } actions = { NoAction; } }",
            "t.apply();",
            "more than one lpm key in table I.t",
        ),
        (
            "bit<8>[0] none;",
            "hdr.data.c = none[hdr.data.d];",
            "an index into no elements",
        ),
        (
            "",
            "clone(CloneType.E2E, 1);",
            "a clone other than I2E in ingress and E2E in egress",
        ),
    ];
    for (locals, apply, what) in cases {
        let program = Program {
            locals,
            apply,
            ..Program::default()
        };
        let message = error(&program.text());
        assert!(message.starts_with("test.p4:"), "{message}");
        assert!(
            message.ends_with(&format!("error: not supported: {what}")),
            "{message}"
        );
    }
}

#[test]
fn headers_of_odd_size_are_refused() {
    let program = Program {
        types: "header odd_t { bit<7> v; }",
        headers: "odd_t odd;",
        ..Program::default()
    };
    assert!(error(&program.text()).contains("header odd_t of 7 bits, which are not whole bytes"));
}

#[test]
fn headers_of_odd_size_without_their_varbit_field_are_refused() {
    let program = Program {
        types: "header odd_t { bit<31> v; varbit<1> rest; }",
        headers: "odd_t odd;",
        ..Program::default()
    };
    assert!(error(&program.text())
        .contains("header odd_t with 31 bits besides its varbit field, which are not whole bytes"));
}

#[test]
fn two_entries_for_one_key_are_refused() {
    let with = |kind: &str, entries: &str| {
        let locals = format!(
            "action set(bit<8> v) {{ hdr.data.d = v; }}
             table t {{ key = {{ hdr.data.c: exact; hdr.data.d: {kind}; }} actions = {{ set; }}
                        const entries = {{ {entries} }} }}"
        );
        let program = Program {
            locals: &locals,
            apply: "t.apply();",
            ..Program::default()
        };
        program.text()
    };
    let entries = "(1, 2): set(1);\n(2, 2): set(2);\n(1, 2): set(3);";
    let message = error(&with("exact", entries));
    assert!(message.starts_with("test.p4:18:1: "), "{message}");
    assert!(
        message.ends_with("error: another entry of 'I.t' has this key: take one out"),
        "{message}"
    );
    // The same prefix, written in two ways.
    let prefixes = "(1, 0x20 &&& 0xf0): set(1); (1, 0x21 &&& 0xf0): set(2);";
    assert!(error(&with("lpm", prefixes)).contains("has this key"));
    // The first of two ternary entries wins.
    let ternary = with("ternary", entries);
    assert_eq!(run(&ternary, &[0; 12]), Some((1, vec![0; 12])));
}

/// Fields d of two packets whose d is given, by a table whose range key is a signed d.
fn ranges(entries: &str, d: u64) -> u64 {
    let locals = format!(
        "action set(bit<8> v) {{ hdr.data.c = v; }}
         table t {{ key = {{ hdr.data.d: range; (int<8>)hdr.data.d: range @name(\"signed\"); }} actions = {{ set; NoAction; }}
                    default_action = NoAction;
                    const entries = {{ {entries} }} }}"
    );
    let program = Program {
        locals: &locals,
        apply: "t.apply();",
        ..Program::default()
    };
    program.data([0, 0, 0, d, 0])[2]
}

#[test]
fn an_entry_with_an_empty_range_is_left_out() {
    let entries =
        "(9..3, _): set(1);\n(_, 4..-4): set(2);\n(3..9, 3..9): set(3);\n(_, -4..-2): set(4);";
    assert_eq!([3, 9, 10, 0xfd].map(|d| ranges(entries, d)), [3, 3, 0, 4]);
}

#[test]
fn a_range_over_zero_is_refused_in_an_entry() {
    let result = std::panic::catch_unwind(|| ranges("(_, -4..4): set(1);", 0));
    let message = result.expect_err("it does not compile");
    let message = message.downcast_ref::<String>().expect("a text");
    assert!(
        message.contains("write an entry for each part"),
        "{message}"
    );
}
