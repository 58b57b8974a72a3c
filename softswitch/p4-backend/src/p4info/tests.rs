// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use std::path::Path;

use super::v1model::V1Model;
use quench_p4_frontend::{load_text, Diagnostics, Options};

use super::{generate, P4Runtime};

/// The code that every program here has around its ingress control and its own declarations.
fn program(declarations: &str, ingress: &str) -> String {
    format!(
        "#include <v1model.p4>
        {declarations}
        header H {{ bit<16> a; bit<32> b; }}
        struct Headers {{ H h; }}
        struct Meta {{ bit<8> m; }}
        parser P(packet_in p, out Headers hdr, inout Meta meta, inout standard_metadata_t std) {{
            state start {{ p.extract(hdr.h); transition accept; }}
        }}
        control V(inout Headers hdr, inout Meta meta) {{ apply {{}} }}
        control In(inout Headers hdr, inout Meta meta, inout standard_metadata_t std) {{ {ingress} }}
        control Out(inout Headers hdr, inout Meta meta, inout standard_metadata_t std) {{ apply {{}} }}
        control D(packet_out p, in Headers hdr) {{ apply {{ p.emit(hdr.h); }} }}
        @pkginfo(name = \"test.p4\", version = \"2\") @brief(\"A test.\")
        V1Switch(P(), V(), In(), Out(), V(), D()) main;"
    )
}

fn compile(declarations: &str, ingress: &str) -> Result<P4Runtime, String> {
    let text = program(declarations, ingress);
    let loaded =
        load_text(Path::new("test.p4"), &text, &Options::default()).map_err(|e| e.to_string())?;
    let mut diagnostics = Diagnostics::new();
    let info = generate(&loaded.program, &V1Model, &mut diagnostics);
    let errors: Vec<_> = diagnostics
        .iter()
        .map(|d| d.render(&loaded.sources))
        .collect();
    info.ok_or_else(|| errors.join("\n"))
}

fn text(declarations: &str, ingress: &str) -> String {
    compile(declarations, ingress)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .info
        .to_text()
}

/// Top-level messages of one kind, without the heading.
pub(super) fn parts(text: &str, kind: &str) -> Vec<String> {
    let start = format!("{kind} {{\n");
    let (_, body) = text.split_once("\n\n").expect("a heading");
    let messages = body
        .split_inclusive("\n}\n")
        .filter(|message| message.starts_with(&start));
    messages.map(str::to_owned).collect()
}

#[test]
fn package() {
    assert_eq!(
        text("", "apply {}"),
        "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n\
         pkg_info {\n  name: \"test.p4\"\n  version: \"2\"\n  doc {\n    brief: \"A test.\"\n  }\n  arch: \"v1model\"\n}\n"
    );
}

const TABLE: &str = "
    direct_counter(CounterType.packets_and_bytes) hits;
    @brief(\"Sends.\") action send(@id(7) bit<9> port, bit<4> small) { std.egress_spec = port; hdr.h.a[3:0] = small; }
    action unused(bit<8> x) { meta.m = x; }
    @id(0x10) table t {
        key = {
            hdr.h.a: exact; hdr.h.b: lpm @name(\"address\") @match_note(1, \"x\");
            hdr.h.isValid(): ternary; meta.m: range; meta.m & 3: optional;
        }
        actions = { @tableonly send; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = hits;
        support_timeout = true;
        size = 64;
    }
    apply { t.apply(); }";

#[test]
fn tables() {
    let info = text("", TABLE);
    let tables = parts(&info, "tables");
    assert_eq!(
        tables,
        [r#"tables {
  preamble {
    id: 33554448
    name: "In.t"
    alias: "t"
  }
  match_fields {
    id: 1
    name: "hdr.h.a"
    bitwidth: 16
    match_type: EXACT
  }
  match_fields {
    id: 2
    name: "address"
    annotations: "@match_note(1 , \"x\")"
    bitwidth: 32
    match_type: LPM
  }
  match_fields {
    id: 3
    name: "hdr.h.$valid$"
    bitwidth: 1
    match_type: TERNARY
  }
  match_fields {
    id: 4
    name: "meta.m"
    bitwidth: 8
    match_type: RANGE
  }
  match_fields {
    id: 5
    name: "meta.m & 0x3"
    bitwidth: 8
    match_type: OPTIONAL
  }
  action_refs {
    id: 29482286
    annotations: "@tableonly"
    scope: TABLE_ONLY
  }
  action_refs {
    id: 21257015
    annotations: "@defaultonly"
    scope: DEFAULT_ONLY
  }
  const_default_action_id: 21257015
  initial_default_action {
    action_id: 21257015
  }
  direct_resource_ids: DIRECT
  size: 64
  idle_timeout_behavior: NOTIFY_CONTROL
}
"#
        .replace("29482286", &id_of(&info, "In.send"))
        .replace("DIRECT", &id_of(&info, "In.hits"))]
    );
    let counters = parts(&info, "direct_counters");
    assert!(
        counters[0].contains("unit: BOTH\n  }\n  direct_table_id: 33554448\n"),
        "{counters:?}"
    );
}

/// The id of the object with a name.
pub(super) fn id_of(text: &str, name: &str) -> String {
    let end = text
        .find(&format!("\n    name: \"{name}\"\n"))
        .expect("the object is there");
    let start = text[..end].rfind("id: ").expect("an id comes first");
    text[start + 4..end].to_owned()
}

#[test]
fn actions_that_no_table_has_are_left_out() {
    let actions = parts(&text("", TABLE), "actions");
    assert_eq!(actions.len(), 2);
    assert!(actions[0].contains("name: \"NoAction\""));
    assert!(actions[1].ends_with(
        "    doc {\n      brief: \"Sends.\"\n    }\n  }\n  params {\n    id: 7\n    name: \"port\"\n    bitwidth: 9\n  }\n  \
         params {\n    id: 2\n    name: \"small\"\n    bitwidth: 4\n  }\n}\n"
    ));
}

/// As p4c, which removes them before it writes P4Info.
#[test]
fn tables_behind_a_condition_that_never_holds_are_left_out() {
    let table = "table t { key = { hdr.h.a: exact; } actions = { NoAction; } }";
    let tables = |condition: &str| {
        let apply = format!("{table} apply {{ if ({condition}) {{ hdr.h.b = 1; }} }}");
        parts(&text("", &apply), "tables").len()
    };
    assert_eq!(tables("hdr.h.b == 1 && t.apply().hit"), 1);
    assert_eq!(tables("hdr.h.b == 1 || t.apply().hit"), 1);
    assert_eq!(tables("t.apply().hit && false"), 1);
    assert_eq!(tables("hdr.h.b == 1 && true && t.apply().hit"), 1);
    assert_eq!(tables("false && t.apply().hit"), 0);
    assert_eq!(tables("hdr.h.b == 1 && false && t.apply().hit"), 0);
    assert_eq!(tables("hdr.h.b == 1 || !false || t.apply().miss"), 0);
}

#[test]
fn objects() {
    let info = text(
        "struct Report { bit<16> a; bool b; }",
        "@max_group_size(16) action_selector(HashAlgorithm.crc16, 128, 10) sel;
         counter(8, CounterType.bytes) c; meter(4, MeterType.packets) m; register<bit<19>>(32) r;
         action a() {}
         table t { key = { hdr.h.a: exact; hdr.h.b: selector; } actions = { a; } implementation = sel; }
         apply { t.apply(); c.count(0); m.execute_meter(1, meta.m); r.write(0, 1);
                 digest<Report>(1, { hdr.h.a, true }); }",
    );
    assert_eq!(
        parts(&info, "tables")[0].matches("match_fields {").count(),
        1
    );
    let profile = &parts(&info, "action_profiles")[0];
    let table_id = id_of(&info, "In.t");
    assert!(
        profile.ends_with(&format!(
            "  table_ids: {table_id}\n  with_selector: true\n  size: 128\n  max_group_size: 16\n}}\n"
        )),
        "{profile}"
    );
    assert!(parts(&info, "counters")[0].ends_with("  spec {\n    unit: BYTES\n  }\n  size: 8\n}\n"));
    assert!(parts(&info, "meters")[0].ends_with("  spec {\n    unit: PACKETS\n  }\n  size: 4\n}\n"));
    assert!(parts(&info, "registers")[0].contains("bitwidth: 19"));
    assert!(parts(&info, "digests")[0].contains("struct {\n      name: \"Report\"\n    }"));
    let types = &parts(&info, "type_info")[0];
    assert!(
        types.starts_with("type_info {\n  structs {\n    key: \"Report\"\n"),
        "{types}"
    );
}

/// p4c lists objects as they are declared, those of an instance where the instance is; calls do not matter.
#[test]
fn objects_are_in_the_order_of_declaration() {
    let info = text(
        "struct InAction { bit<16> a; } struct InBody { bit<16> a; }
         action shared() {} action other() {} action inlined(inout bit<16> a) { a = 1; }
         control Leaf(inout bit<16> a) {
             counter(1, CounterType.packets) c;
             action x() { a = 1; }
             table t { key = { a: exact; } actions = { x; shared; } default_action = shared; }
             apply { t.apply(); c.count(0); }
         }",
        "action own() { inlined(hdr.h.a); digest<InAction>(1, { hdr.h.a }); }
         Leaf() early;
         table between {
             key = { hdr.h.a: exact; }
             actions = { own; other; inlined(hdr.h.a); shared; }
             default_action = own;
         }
         Leaf() late;
         action last() { std.egress_spec = 1; }
         apply {
             digest<InBody>(1, { hdr.h.a });
             last();
             late.apply(hdr.h.a);
             Leaf.apply(hdr.h.a);
             between.apply();
             early.apply(hdr.h.a);
         }",
    );
    let names = |kind| -> Vec<String> {
        let parts = parts(&info, kind);
        let name = |part: &String| part.split('"').nth(1).map(str::to_owned);
        parts.iter().filter_map(name).collect()
    };
    let tables = ["In.early.t", "In.between", "In.late.t", "In.Leaf.t"];
    assert_eq!(names("tables"), tables);
    let actions = [
        "shared",
        "other",
        "inlined",
        "In.own",
        "In.early.x",
        "In.late.x",
        "In.last",
        "In.Leaf.x",
    ];
    assert_eq!(names("actions"), actions);
    assert_eq!(names("counters"), ["In.early.c", "In.late.c", "In.Leaf.c"]);
    assert_eq!(names("digests"), ["InAction", "InBody"]);
}

#[test]
fn controller_headers_and_translated_types() {
    let info = text(
        "@p4runtime_translation(\"quench/port\", string) type bit<9> Port;
         @p4runtime_translation(\"quench/vrf\", bit<32>) type bit<10> Vrf;
         enum bit<8> Reason { Marked = 1, Dropped = 2 }
         @controller_header(\"packet_in\") header ToCpu { Port port; Vrf vrf; Reason why; @padding bit<3> pad; }",
        "apply {}",
    );
    let header = &parts(&info, "controller_packet_metadata")[0];
    assert!(
        header.contains("name: \"packet_in\"\n    alias: \"packet_in\"\n"),
        "{header}"
    );
    assert!(
        header.contains("id: 1\n    name: \"port\"\n    type_name {\n      name: \"Port\"\n"),
        "{header}"
    );
    assert!(
        header.contains("name: \"vrf\"\n    bitwidth: 32\n"),
        "{header}"
    );
    assert!(
        header.contains("name: \"pad\"\n    annotations: \"@padding\"\n    bitwidth: 3\n"),
        "{header}"
    );
    let types = &parts(&info, "type_info")[0];
    assert!(
        types.contains("uri: \"quench/port\"\n        sdn_string {\n        }\n"),
        "{types}"
    );
    assert!(types.contains("sdn_bitwidth: 32\n"), "{types}");
    assert!(
        types.contains("name: \"Dropped\"\n        value: \"\\002\"\n"),
        "{types}"
    );
}

#[test]
fn structured_annotations_have_their_values() {
    let info = text(
        "",
        "@mixed[1, -2, \"t\", true, 1 == 2, 5 + 6, 3 < 4 && !false, \"a\" ++ \"b\", 7 / 2]
         @pairs[size = 2 * 3, last = 7 % 4]
         table t { actions = { NoAction; } } apply { t.apply(); }",
    );
    let table = &parts(&info, "tables")[0];
    let values: Vec<_> = table
        .lines()
        .filter_map(|line| line.trim().split_once("_value: "))
        .collect();
    let expected = [
        ("int64", "1"),
        ("int64", "-2"),
        ("string", "\"t\""),
        ("bool", "true"),
        ("bool", "false"),
        ("int64", "11"),
        ("bool", "true"),
        ("string", "\"ab\""),
        ("int64", "3"),
        ("int64", "6"),
        ("int64", "3"),
    ];
    assert_eq!(values, expected);
    for (value, message) in [
        ("x", "`x` is not declared"),
        (
            "8w255 + 8w1",
            "a structured annotation with more than literals",
        ),
        ("1 / 0", "division by zero"),
        ("1 + true", "not defined"),
    ] {
        let errors = compile(
            "",
            &format!(
                "@mixed[{value}] table t {{ actions = {{ NoAction; }} }} apply {{ t.apply(); }}"
            ),
        )
        .expect_err(value);
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn errors_say_where() {
    let both =
        "action a() {} table t { actions = { @tableonly @defaultonly a; } } apply { t.apply(); }";
    let errors = compile("", both).expect_err("the annotations exclude each other");
    assert!(
        errors.contains("'In.a' is both @tableonly and @defaultonly"),
        "{errors}"
    );
    let prefix = "@id(0x03000001) table t { actions = { NoAction; } } apply { t.apply(); }";
    let errors = compile("", prefix).expect_err("0x03 is for value sets");
    assert!(
        errors.contains("the @id of 'In.t' must start with 0x02, or with 0x00"),
        "{errors}"
    );
    let same = "@controller_header(\"packet_in\") header A { bit<8> a; }
                @controller_header(\"packet_in\") header B { bit<8> b; }";
    let errors = compile(same, "apply {}").expect_err("two headers, one name");
    assert!(
        errors.contains("another object of this kind as 'packet_in'"),
        "{errors}"
    );
}
