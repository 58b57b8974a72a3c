// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of TNA's objects.

use quench_p4_frontend::Arch;
use serde_json::Value;

use super::program::{list, Program};
use crate::names::{checked, has_one_name_once, pairs};

/// Constructors of objects, and a statement that uses `x`.
const KINDS: [(&str, &str); 9] = [
    (
        "Counter<bit<32>, bit<8>>(4, CounterType_t.PACKETS)",
        "x.count(0);",
    ),
    (
        "Meter<bit<8>>(4, MeterType_t.PACKETS)",
        "hdr.data.d = x.execute(0);",
    ),
    ("Register<bit<32>, bit<8>>(4)", "x.write(0, 1);"),
    (
        "Lpf<bit<32>, bit<8>>(4)",
        "hdr.data.a = x.execute(hdr.data.b, 0);",
    ),
    (
        "Wred<bit<32>, bit<8>>(4, 1, 0)",
        "hdr.data.d = x.execute(hdr.data.b, 0);",
    ),
    ("MathUnit<bit<32>>(MathOp_t.SQR, 1)", ""),
    (
        "Hash<bit<32>>(HashAlgorithm_t.CRC32)",
        "hdr.data.a = x.get({ hdr.data.b });",
    ),
    ("Random<bit<32>>()", "hdr.data.a = x.get();"),
    ("CRCPolynomial<bit<32>>(1, true, false, false, 0, 0)", ""),
];

#[test]
fn objects_in_nested_scopes() {
    for ([locals, apply], one_kind) in &pairs(&KINDS) {
        let program = Program {
            locals,
            apply,
            ..Program::default()
        };
        let compiles = has_one_name_once(&program.text(), Arch::Tna);
        let has = |kinds: &[&str]| {
            let mut all = [locals, apply].into_iter();
            all.any(|text| kinds.iter().any(|kind| text.contains(kind)))
        };
        let one_list = *one_kind || has(&["Lpf"]) && has(&["Wred"]);
        let hidden = has(&["MathUnit", "Random", "CRCPolynomial"]);
        assert_eq!(compiles, !one_list || hidden, "{locals} {apply}");
    }
}

/// Declarations in a control, what it applies, and whether the program compiles.
const IN_CONTROLS: [(&str, &str, bool); 10] = [
    (
        "@name(\".a\") action a() { hdr.data.b = 1; } @name(\".a\") action b() { hdr.data.b = 2; }
         table t { key = { hdr.data.a: exact; } actions = { a; b; } }",
        "t.apply();",
        false,
    ),
    (
        "@name(\".a\") action a(bit<8> x) { hdr.data.d = x; } @name(\".a\") action b(bit<16> x) { hdr.data.c = x; }
         table t { actions = { a; } default_action = a(1); } table u { actions = { b; } default_action = b(1); }",
        "t.apply(); u.apply();",
        false,
    ),
    // An action of P4-14, which each control has.
    (
        "@name(\".a\") action a(bit<8> x) { hdr.data.d = x; } @name(\".a\") action b(bit<8> x) { hdr.data.d = x; }
         table t { actions = { a; } default_action = a(1); } table u { actions = { b; } default_action = b(1); }",
        "t.apply(); u.apply();",
        true,
    ),
    (
        "@name(\".t\") table t { actions = { NoAction; } } @name(\".t\") table u { actions = { NoAction; } }",
        "t.apply(); u.apply();",
        false,
    ),
    // Objects of a table's entries are in the lists of the others.
    (
        "DirectCounter<bit<32>>(CounterType_t.PACKETS) x; action a() { x.count(); }
         table t { key = { hdr.data.a: exact; } actions = { a; } counters = x; }",
        "t.apply(); Counter<bit<32>, bit<8>>(4, CounterType_t.PACKETS) x; x.count(0);",
        false,
    ),
    (
        "DirectMeter(MeterType_t.BYTES) x; action a() { hdr.data.d = x.execute(); }
         table t { key = { hdr.data.a: exact; } actions = { a; } meters = x; }",
        "t.apply(); Meter<bit<8>>(4, MeterType_t.PACKETS) x; hdr.data.e = x.execute(0);",
        false,
    ),
    (
        "DirectRegister<bit<32>>() x; DirectRegisterAction<bit<32>, bit<32>>(x) read = {
             void apply(inout bit<32> value, out bit<32> rv) { rv = value; } };
         action a() { hdr.data.b = read.execute(); }
         table t { key = { hdr.data.a: exact; } actions = { a; } registers = x; }",
        "t.apply(); Register<bit<32>, bit<8>>(4) x; x.write(0, 1);",
        false,
    ),
    (
        "RegisterParam<bit<32>>(5) x; Register<bit<32>, bit<8>>(1) cells;
         RegisterAction<bit<32>, bit<8>, bit<32>>(cells) add = {
             void apply(inout bit<32> value, out bit<32> rv) { value = value + x.read(); rv = value; } };",
        "hdr.data.a = add.execute(0); Register<bit<32>, bit<8>>(4) x; x.write(0, 1);",
        false,
    ),
    (
        "Hash<bit<14>>(HashAlgorithm_t.CRC16) hash; ActionProfile(8) profile; action a() {}
         ActionSelector(profile, hash, SelectorMode_t.FAIR, 4, 2) s; @name(\"s$up\") Register<bit<32>, bit<8>>(4) x;
         SelectorAction(s) down = { void apply(inout bit<1> value) { value = 0; } };
         table t { key = { hdr.data.a: exact; hdr.data.b: selector; } actions = { a; } implementation = s; }",
        "t.apply(); down.execute(hdr.data.b); x.write(0, 1);",
        false,
    ),
    // The JSON has the selector only.
    (
        "Hash<bit<14>>(HashAlgorithm_t.CRC16) hash; action a() {} @name(\".x\") ActionProfile(8) profile;
         @name(\".x\") ActionSelector(profile, hash, SelectorMode_t.FAIR, 4, 2) s;
         table t { key = { hdr.data.a: exact; hdr.data.b: selector; } actions = { a; } implementation = s; }",
        "t.apply();",
        true,
    ),
];

#[test]
fn tables_actions_and_direct_objects_of_one_name() {
    for (locals, apply, compiles) in IN_CONTROLS {
        let program = Program {
            locals,
            apply,
            ..Program::default()
        };
        assert_eq!(
            has_one_name_once(&program.text(), Arch::Tna),
            compiles,
            "{locals}"
        );
    }
}

#[test]
fn a_math_unit_that_hides_another_is_the_one_of_its_block() {
    let unit = |factor| format!("MathUnit<bit<32>>(MathOp_t.MUL, {factor}) curve;");
    let program = Program {
        locals: &format!(
            "Register<bit<32>, bit<8>>(1) cells; {}
             RegisterAction<bit<32>, bit<8>, bit<32>>(cells) bend = {{
                void apply(inout bit<32> value, out bit<32> rv) {{ value = curve.execute(hdr.data.a); rv = value; }}
             }};",
            unit(3)
        ),
        apply: &format!("{} hdr.data.b = bend.execute(0); {{ @name(\"curve_1\") {} }}", unit(5), unit(7)),
        ..Program::default()
    };
    let json = checked(&program.text(), Arch::Tna).expect("it compiles");
    let names = list(&json["math_units"]).iter().map(|unit| &unit["name"]);
    let names: Vec<&Value> = names.collect();
    assert_eq!(names, ["pipe.I.curve", "pipe.I.curve_2", "pipe.I.curve_1"]);
    let used = program.json().all("register_write");
    assert!(used.iter().all(|line| !line.contains("curve_")), "{used:?}");
}

#[test]
fn objects_of_parsers_and_deparsers() {
    let program = Program {
        parser_locals: "value_set<bit<32>>(2) set; Checksum() sum;",
        start: "transition select(hdr.data.a) { set: one; default: two; }",
        states: "state one { Checksum() sum; sum.add({ hdr.data.a }); hdr.data.c = sum.get(); transition accept; }
            state two { sum.add({ hdr.data.a }); hdr.data.c = sum.get(); transition accept; }",
        deparser_locals: "Checksum() sum; Mirror() mirror;",
        deparse: "{ Checksum() sum; hdr.data.c = sum.update({ hdr.data.a }); } hdr.data.c = sum.update({ hdr.data.b });
            if (dprsr.mirror_type == 1) { mirror.emit(md.session); }
            if (dprsr.mirror_type == 2) { Mirror() mirror; mirror.emit(md.session); }",
        ..Program::default()
    };
    assert!(has_one_name_once(&program.text(), Arch::Tna));
}
