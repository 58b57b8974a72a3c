// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of tables, profiles and selectors.

use serde_json::json;

use super::program::Program;

#[test]
fn hints_of_the_hardware_change_nothing() {
    let program = Program {
        locals: "Alpm(number_partitions = 8) a; Atcam(number_partitions = 8) b;
            action act() {}
            @stage(3) table t { key = { hdr.data.a: lpm; } actions = { act; } alpm = a; idle_timeout = true; }
            table u { key = { hdr.data.a: ternary; hdr.data.c: atcam_partition_index; } actions = { act; } implementation = b; }",
        apply: "t.apply(); u.apply();",
        ..Program::default()
    };
    let json = program.json();
    let (t, u) = (json.table("pipe.I.t"), json.table("pipe.I.u"));
    assert_eq!(
        (&t["match_type"], &t["support_timeout"]),
        (&json!("lpm"), &json!(true))
    );
    assert!(t.get("entry_index").is_none());
    assert_eq!(
        (&u["match_type"], &u["type"]),
        (&json!("ternary"), &json!("simple"))
    );
    assert_eq!(u["key"][1]["match_type"], "exact");
}

#[test]
fn a_profile_keeps_the_default_action() {
    let program = Program {
        locals: "ActionProfile(16) profile; action send(PortId_t port) { tm.ucast_egress_port = port; }
            action drop() { dprsr.drop_ctl = 1; }
            table t { key = { hdr.data.a: exact; } actions = { send; drop; } implementation = profile;
                const default_action = drop(); size = 10; }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    let table = json.table("pipe.I.t");
    assert_eq!(
        (&table["type"], &table["action_profile"]),
        (&json!("indirect"), &json!("pipe.I.profile"))
    );
    assert_eq!(table["default_entry"]["action_id"], table["action_ids"][1]);
    let profile = &json.0["pipelines"][0]["action_profiles"][0];
    assert_eq!(
        (&profile["name"], &profile["max_size"]),
        (&json!("pipe.I.profile"), &json!(16))
    );
}

#[test]
fn a_selector_has_a_hash_and_the_name_of_its_profile() {
    let program = Program {
        locals: "Hash<bit<51>>(HashAlgorithm_t.CRC32) h; ActionProfile(16) profile; Register<bit<1>, bit<32>>(64) alive;
            ActionSelector(profile, h, SelectorMode_t.RESILIENT, alive, 120, 4) groups;
            action send(PortId_t port) { tm.ucast_egress_port = port; }
            table t { key = { hdr.data.a: exact; hdr.data.b: selector; } actions = { send; } implementation = groups; }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    let table = json.table("pipe.I.t");
    assert_eq!(
        (&table["type"], &table["action_profile"]),
        (&json!("indirect_ws"), &json!("pipe.I.profile"))
    );
    let profile = &json.0["pipelines"][0]["action_profiles"][0];
    let selector = &profile["selector"];
    assert_eq!(
        (&selector["algo"], &selector["bits"], &selector["mode"]),
        (&json!("crc"), &json!(51), &json!("resilient"))
    );
    assert_eq!(selector["crc"]["coeff"], "0x04c11db7");
    assert_eq!(
        selector["input"],
        json!([{"type": "field", "value": ["ingress.data", "b"]}])
    );
    assert_eq!(
        (&profile["max_group_size"], &profile["num_groups"]),
        (&json!(120), &json!(4))
    );
    assert_eq!(profile["up"], "pipe.I.alive");
}

#[test]
fn constant_entries_of_all_kinds() {
    let program = Program {
        locals: "action act(bit<8> v) { md.y = v; }
            table t { key = { hdr.data.a: ternary; hdr.data.c: range; } actions = { act; }
                const entries = { (0x0a000000 &&& 0xff000000, 1..9): act(1); (_, _): act(2); } }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    let entries = &json.table("pipe.I.t")["entries"];
    assert_eq!(
        entries[0]["match_key"][1],
        json!({"match_type": "range", "start": "0x0001", "end": "0x0009"})
    );
    assert_eq!(
        entries[1]["match_key"][0],
        json!({"match_type": "ternary", "key": "0x00000000", "mask": "0x00000000"})
    );
}

#[test]
fn a_table_that_never_runs_has_no_objects() {
    let of = |apply: &str| {
        let program = Program {
            locals:
                "DirectLpf<bit<32>>() filter; action take() { md.x = filter.execute(hdr.data.a); }
                table t { key = { hdr.data.a: exact; } actions = { take; } filters = filter; }",
            apply,
            ..Program::default()
        };
        program.json()
    };
    let runs = of("t.apply();");
    let filter = runs.object("filter_arrays", "pipe.I.filter");
    assert_eq!(filter["binding"], "pipe.I.t");
    assert_eq!(runs.all("lpf").len(), 1);
    let never = of("exit; t.apply();");
    assert!(never.0.get("filter_arrays").is_none());
    assert!(never.all("lpf").is_empty());
}
