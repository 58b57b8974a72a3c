// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters, meters, filters, selectors' actions.

use serde_json::json;

use super::program::Program;

#[test]
fn counters_and_meters_take_optional_arguments() {
    let program = Program {
        locals: "Counter<bit<64>, bit<16>>(16, CounterType_t.PACKETS_AND_BYTES) c;
            Meter<bit<16>>(8, MeterType_t.BYTES) m;
            Meter<bit<16>>(8, MeterType_t.PACKETS, 30, 20, 10) n; Meter<bit<16>>(8, MeterType_t.PACKETS) o;",
        apply: "c.count(md.index, 4); md.y = m.execute(md.index);
            md.y = n.execute(index = md.index, color = MeterColor_t.RED);
            md.y = o.execute(index = md.index, adjust_byte_count = 12);",
        ..Program::default()
    };
    let json = program.json();
    let index = "scalars.ingress_metadata.index";
    assert_eq!(
        json.all("count"),
        [format!("count pipe.I.c {index} 0x00000004")]
    );
    assert_eq!(
        json.all("execute_meter"),
        [
            format!("execute_meter pipe.I.m {index} scalars.tmp"),
            format!("execute_meter pipe.I.n {index} scalars.tmp_1 0x03"),
            format!("execute_meter pipe.I.o {index} scalars.tmp_2 0x00 0x0000000c"),
        ]
    );
    let meter = |name| json.object("meter_arrays", name);
    assert_eq!(meter("pipe.I.m")["type"], "bytes");
    assert!(meter("pipe.I.m").get("colors").is_none());
    assert_eq!(meter("pipe.I.n")["colors"], json!([10, 20, 30]));
}

#[test]
fn direct_objects_count_where_an_action_says_so() {
    let program = Program {
        locals: "DirectCounter<bit<64>>(CounterType_t.PACKETS) c; DirectMeter(MeterType_t.BYTES) m;
            action a() { c.count(); md.y = m.execute(); } action b() {}
            table t { key = { hdr.data.a: exact; } actions = { a; b; } counters = c; meters = m; size = 9; }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(json.all("count"), ["count pipe.I.c scalars.entry_index"]);
    assert_eq!(
        json.all("execute_meter"),
        ["execute_meter pipe.I.m scalars.entry_index scalars.tmp"]
    );
    let table = json.table("pipe.I.t");
    assert_eq!(table["with_counters"], true);
    assert_eq!(table["direct_meters"], "pipe.I.m");
    assert_eq!(table["entry_index"], json!(["scalars", "entry_index"]));
    let meter = json.object("meter_arrays", "pipe.I.m");
    assert_eq!(
        (&meter["is_direct"], &meter["binding"]),
        (&json!(true), &json!("pipe.I.t"))
    );
    assert_eq!(meter["size"], 9);
    assert!(meter.get("result_target").is_none());
}

#[test]
fn filters_have_a_sample_and_an_index() {
    let program = Program {
        locals: "Lpf<bit<32>, bit<16>>(16) average; Wred<bit<32>, bit<16>>(16, 7, 2) early; DirectLpf<bit<16>>() own;
            action smooth() { md.index = own.execute(hdr.data.c); }
            table t { key = { hdr.data.a: exact; } actions = { smooth; } filters = own; size = 9; }",
        apply: "md.x = average.execute(hdr.data.a, md.index); md.y = early.execute(md.x, 3); t.apply();",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.all("lpf"),
        [
            "lpf scalars.tmp_2 pipe.I.own ingress.data.c scalars.entry_index",
            "lpf scalars.tmp pipe.I.average ingress.data.a scalars.ingress_metadata.index",
        ]
    );
    assert_eq!(
        json.all("wred"),
        ["wred scalars.tmp_1 pipe.I.early scalars.ingress_metadata.x 0x0003"]
    );
    let early = json.object("filter_arrays", "pipe.I.early");
    assert_eq!(
        (
            &early["kind"],
            &early["drop_value"],
            &early["no_drop_value"]
        ),
        (&json!("wred"), &json!(7), &json!(2))
    );
    let own = json.object("filter_arrays", "pipe.I.own");
    assert_eq!(
        (&own["binding"], &own["bitwidth"], &own["size"]),
        (&json!("pipe.I.t"), &json!(16), &json!(9))
    );
}

#[test]
fn an_action_on_a_selector_changes_the_bit_of_a_member() {
    let program = Program {
        locals: "Hash<bit<14>>(HashAlgorithm_t.CRC16) h; ActionProfile(32) members;
            ActionSelector(members, h, SelectorMode_t.RESILIENT, 8, 4) groups;
            SelectorAction(groups) down = { void apply(inout bit<1> value) { value = 0; } };
            action send(PortId_t port) { tm.ucast_egress_port = port; }
            table t { key = { hdr.data.a: exact; hdr.data.b: selector; } actions = { send; } implementation = groups; }",
        apply: "t.apply(); down.execute(hdr.data.b);",
        ..Program::default()
    };
    let json = program.json();
    let up = json.object("register_arrays", "pipe.I.groups$up");
    assert_eq!(
        (&up["size"], &up["bitwidth"], &up["initial"]),
        (&json!(32), &json!(1), &json!("0x01"))
    );
    assert!(json.all("register_write")[0].starts_with("register_write pipe.I.groups$up "));
    let profile = &json.0["pipelines"][0]["action_profiles"][0];
    assert_eq!(profile["up"], "pipe.I.groups$up");
}

#[test]
fn a_selector_action_needs_an_index() {
    let program = Program {
        locals: "Hash<bit<14>>(HashAlgorithm_t.CRC16) h; ActionProfile(32) members;
            ActionSelector(members, h, SelectorMode_t.FAIR, 8, 4) groups;
            SelectorAction(groups) down = { void apply(inout bit<1> value) { value = 0; } };",
        apply: "down.execute();",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: SelectorAction.execute without an index"
    );
}

#[test]
fn arrays_have_elements_and_not_more_than_p4info_can_tell() {
    for (kind, arguments) in [
        ("Counter<bit<32>, bit<16>>", ", CounterType_t.PACKETS"),
        ("Meter<bit<16>>", ", MeterType_t.BYTES"),
        ("Register<bit<8>, bit<16>>", ""),
        ("Lpf<bit<32>, bit<16>>", ""),
        ("Wred<bit<32>, bit<16>>", ", 1, 0"),
    ] {
        for (size, shown) in [
            ("0 - 1", "4294967295"),
            ("32w1 << 31", "2147483648"),
            ("0", "0"),
        ] {
            let locals = format!("{kind}({size}{arguments}) cells;");
            let apply = match kind.split('<').next() {
                Some("Counter") => "cells.count(1);",
                Some("Meter") => "hdr.data.d = cells.execute(1);",
                Some("Register") => "hdr.data.d = cells.read(1);",
                _ => {
                    "bit<32> filtered = (bit<32>) cells.execute(1, 1); hdr.data.d = filtered[7:0];"
                }
            };
            let program = Program {
                locals: &locals,
                apply,
                ..Program::default()
            };
            assert_eq!(
                program.error(),
                format!("{shown} elements: 1 to 2147483647 are possible"),
                "{locals}"
            );
        }
    }
}
