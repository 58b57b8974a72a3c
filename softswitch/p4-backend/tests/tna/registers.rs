// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, their actions, and math units.

use serde_json::json;

use super::program::{list, Program};

#[test]
fn an_action_reads_changes_and_writes_back_a_cell() {
    let program = Program {
        locals: "Register<bit<32>, bit<16>>(64, 5) cells;
            RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add = {
                void apply(inout bit<32> value, out bit<32> rv) { value = value |+| hdr.data.a; rv = value; }
            };",
        apply: "md.x = add.execute(md.index);",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.primitives(),
        [
            "register_read scalars.tmp pipe.I.cells scalars.ingress_metadata.index",
            "assign scalars.tmp_1 scalars.tmp",
            "assign scalars.tmp_2 0x00000000",
            "assign scalars.tmp_1 ((scalars.tmp_1 + ingress.data.a) usat_cast 0x20)",
            "assign scalars.tmp_2 scalars.tmp_1",
            "register_write pipe.I.cells scalars.ingress_metadata.index scalars.tmp_1",
            "assign scalars.ingress_metadata.x scalars.tmp_2",
        ]
    );
    let cells = json.object("register_arrays", "pipe.I.cells");
    assert_eq!(cells["size"], 64);
    assert_eq!(cells["bitwidth"], 32);
    assert_eq!(cells["initial"], "0x00000005");
    assert!(cells.get("is_direct").is_none() && cells.get("log").is_none());
}

#[test]
fn a_pair_is_one_cell_with_the_first_field_in_the_highest_bits() {
    let program = Program {
        types: "struct pair_t { int<16> low; int<16> high; }",
        locals: "Register<pair_t, bit<16>>(8, {-1, 2}) pairs;
            RegisterAction<pair_t, bit<16>, bit<16>>(pairs) swap = {
                void apply(inout pair_t value) { value.low = value.high; }
            };",
        apply: "swap.execute(3);",
        ..Program::default()
    };
    let json = program.json();
    let pairs = json.object("register_arrays", "pipe.I.pairs");
    assert_eq!(pairs["initial"], "0xffff0002");
    assert_eq!(pairs["fields"], json!([["low", 16], ["high", 16]]));
    assert_eq!(
        json.primitives(),
        [
            "register_read scalars.tmp pipe.I.pairs 0x0003",
            "assign scalars.tmp.low (((scalars.tmp >> 0x10) & 0xffff) two_comp_mod 0x10)",
            "assign scalars.tmp.high ((scalars.tmp & 0xffff) two_comp_mod 0x10)",
            "assign scalars.tmp.low scalars.tmp.high",
            "register_write pipe.I.pairs 0x0003 (((scalars.tmp.low & 0xffff) << 0x0010) | (scalars.tmp.high & 0xffff))",
        ]
    );
}

#[test]
fn an_action_without_an_output_gives_zero_and_the_predicate_one_of_four_bits() {
    let program = Program {
        locals: "Register<bit<8>, bit<8>>(8) cells;
            RegisterAction<bit<8>, bit<8>, bit<8>>(cells) compare = {
                void apply(inout bit<8> value, out bit<8> rv) {
                    rv = this.predicate(value > 3, hdr.data.d == 1);
                }
            };",
        apply: "md.y = compare.execute(0);",
        ..Program::default()
    };
    let bits = "(0x01 << ((0x00 | b2d((scalars.tmp_1 > 0x03))) | (b2d((ingress.data.d == 0x01)) << 0x01)))";
    let json = program.json();
    assert!(
        json.primitives()
            .contains(&format!("assign scalars.tmp_2 {bits}")),
        "{:?}",
        json.primitives()
    );
    assert!(json
        .object("register_arrays", "pipe.I.cells")
        .get("initial")
        .is_none());
}

#[test]
fn direct_registers_have_a_cell_for_each_entry() {
    let program = Program {
        locals: "DirectRegister<bit<16>>(7) last;
            DirectRegisterAction<bit<16>, bit<16>>(last) next = {
                void apply(inout bit<16> value, out bit<16> rv) { rv = value; value = value + 1; }
            };
            action count() { md.index = next.execute(); }
            table t { key = { hdr.data.a: exact; } actions = { count; } registers = last; size = 40; }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.table("pipe.I.t")["entry_index"],
        json!(["scalars", "entry_index"])
    );
    let last = json.object("register_arrays", "pipe.I.last");
    assert_eq!(last["is_direct"], true);
    assert_eq!(last["binding"], "pipe.I.t");
    assert_eq!(last["size"], 40);
    assert_eq!(last["initial"], "0x0007");
    assert_eq!(
        json.all("register_read"),
        ["register_read scalars.tmp pipe.I.last scalars.entry_index"]
    );
}

#[test]
fn registers_are_read_and_written_without_an_action_too() {
    let program = Program {
        locals: "Register<bit<16>, bit<8>>(8) a; Register<bit<16>, bit<8>>(8) b;",
        apply: "md.index = a.read(hdr.data.d); b.write(hdr.data.e, hdr.data.c);",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.all("register_read"),
        ["register_read scalars.tmp pipe.I.a ingress.data.d"]
    );
    let writes = json.all("register_write");
    assert_eq!(
        writes,
        ["register_write pipe.I.b ingress.data.e scalars.tmp_1"]
    );
}

#[test]
fn a_log_has_an_index_of_the_data_plane() {
    let program = Program {
        locals: "Register<bit<32>, bit<16>>(8) log;
            RegisterAction<bit<32>, bit<16>, bit<32>>(log) note = {
                void apply(inout bit<32> value) { value = hdr.data.a; }
            };",
        apply: "note.execute_log();",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(json.object("register_arrays", "pipe.I.log")["log"], true);
    assert_eq!(
        json.all("next_index"),
        ["next_index scalars.tmp pipe.I.log"]
    );
    assert_eq!(
        json.all("register_read"),
        ["register_read scalars.tmp_1 pipe.I.log scalars.tmp"]
    );
}

#[test]
fn a_parameter_is_a_register_of_one_cell() {
    let program = Program {
        locals: "Register<bit<32>, bit<16>>(8) cells; RegisterParam<bit<32>>(100) limit;
            RegisterAction<bit<32>, bit<16>, bit<32>>(cells) act = {
                void apply(inout bit<32> value) { value = limit.read(); }
            };",
        apply: "act.execute(1);",
        ..Program::default()
    };
    let json = program.json();
    let limit = json.object("register_arrays", "pipe.I.limit");
    assert_eq!(limit["param"], true);
    assert_eq!(limit["size"], 1);
    assert_eq!(limit["initial"], "0x00000064");
    assert!(json.all("register_read")[1].ends_with(" pipe.I.limit 0x00000000"));
}

fn math_unit(unit: &str) -> serde_json::Value {
    let locals = format!(
        "Register<bit<32>, bit<16>>(8) cells; {unit} unit;
        RegisterAction<bit<32>, bit<16>, bit<32>>(cells) act = {{
            void apply(inout bit<32> value) {{ value = unit.execute(md.x); }}
        }};"
    );
    let program = Program {
        locals: &locals,
        apply: "act.execute(1);",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.all("math_unit"),
        ["math_unit scalars.tmp_2 pipe.I.unit scalars.ingress_metadata.x"]
    );
    json.object("math_units", "pipe.I.unit").clone()
}

#[test]
fn a_function_of_a_math_unit_fills_its_table() {
    let square = math_unit("MathUnit<bit<32>>(MathOp_t.SQR, 1)");
    assert_eq!(
        (&square["shift"], &square["scale"]),
        (&json!(1), &json!(-6))
    );
    assert_eq!(square["table"][8], 64);
    assert_eq!(square["table"][15], 225);
    let root = math_unit("MathUnit<bit<32>>(MathOp_t.SQRT, 1)");
    assert_eq!((&root["shift"], &root["scale"]), (&json!(-1), &json!(-7)));
    assert_eq!(root["table"][3], 0);
    assert_eq!(root["table"][4], 91);
    let third = math_unit("MathUnit<bit<32>>(MathOp_t.DIV, 1, 3)");
    assert_eq!(
        (&third["invert"], &third["scale"]),
        (&json!(true), &json!(-9))
    );
    assert_eq!(third["table"][8], 171);
    assert_eq!(third["bitwidth"], 32);
}

#[test]
fn a_table_of_a_math_unit_is_listed_from_its_last_row() {
    let unit =
        "MathUnit<bit<32>>(true, -1, -3, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})";
    let unit = math_unit(unit);
    assert_eq!(
        (&unit["invert"], &unit["shift"], &unit["scale"]),
        (&json!(true), &json!(-1), &json!(-3))
    );
    let rows: Vec<u64> = list(&unit["table"])
        .iter()
        .filter_map(|row| row.as_u64())
        .collect();
    assert_eq!(rows, (0..16).collect::<Vec<_>>());
}

#[test]
fn an_action_on_cells_of_another_size_is_refused() {
    let program = Program {
        locals: "Register<bit<8>, bit<16>>(64) cells;
            RegisterAction<bit<32>, bit<14>, bit<32>>(cells) act = {
                void apply(inout bit<32> value) { value = 1; }
            };",
        apply: "act.execute(1);",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: an action on cells of 32 bits of a register with 8 bits a cell"
    );
}
