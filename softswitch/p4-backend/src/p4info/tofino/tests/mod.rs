// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

mod blocks;
mod hash;

use std::path::Path;

use quench_p4_frontend::{load_text, Arch, Diagnostics, Options};

use super::super::tests::{id_of, parts};
use super::super::{generate, P4Runtime};
use super::Tofino;

/// A program around declarations, the ingress parser's `start` and its locals, and the controls of ingress and its deparser.
fn program(declarations: &str, parser: &str, ingress: &str, deparser: &str) -> String {
    format!(
        "#include <core.p4>
        #include <tna.p4>
        {declarations}
        enum bit<4> Kind {{ One = 1 }}
        header H {{ bit<16> a; bit<32> b; }}
        header Tail {{ bit<7> c; int<9> d; }}
        struct Headers {{ H h; Tail[2] tails; }}
        struct Meta {{ bit<8> m; bool flag; Kind kind; H saved; }}
        parser InParser(packet_in p, out Headers hdr, out Meta meta, out ingress_intrinsic_metadata_t intr) {{
            {parser}
        }}
        control In(inout Headers hdr, inout Meta meta, in ingress_intrinsic_metadata_t intr,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {{ {ingress} }}
        control InDeparser(packet_out p, inout Headers hdr, in Meta meta,
                in ingress_intrinsic_metadata_for_deparser_t for_deparser) {{ {deparser} }}
        parser OutParser(packet_in p, out Headers hdr, out Meta meta, out egress_intrinsic_metadata_t intr) {{
            state start {{ p.extract(intr); transition accept; }}
        }}
        control Out(inout Headers hdr, inout Meta meta, in egress_intrinsic_metadata_t intr,
                in egress_intrinsic_metadata_from_parser_t from_parser,
                inout egress_intrinsic_metadata_for_deparser_t for_deparser,
                inout egress_intrinsic_metadata_for_output_port_t for_port) {{ apply {{}} }}
        control OutDeparser(packet_out p, inout Headers hdr, in Meta meta,
                in egress_intrinsic_metadata_for_deparser_t for_deparser) {{ apply {{ p.emit(hdr); }} }}
        Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;
        Switch(pipe) main;"
    )
}

const START: &str =
    "state start { p.extract(intr); p.advance(PORT_METADATA_SIZE); transition accept; }";
const EMIT: &str = "apply { p.emit(hdr); }";

fn generated(source: &str) -> P4Runtime {
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    let loaded = load_text(Path::new("test.p4"), source, &options)
        .unwrap_or_else(|failure| panic!("{failure}"));
    let mut diagnostics = Diagnostics::new();
    generate(&loaded.program, &Tofino, &mut diagnostics).unwrap_or_else(|| {
        let errors = diagnostics.iter().map(|d| d.render(&loaded.sources));
        panic!("{}", errors.collect::<Vec<_>>().join("\n"))
    })
}

fn ingress(ingress: &str) -> String {
    generated(&program("", START, ingress, EMIT)).info.to_text()
}

/// The instances of a type, without their indent.
fn instances(text: &str, type_name: &str) -> Vec<String> {
    let name = format!("  extern_type_name: \"{type_name}\"\n");
    let externs = parts(text, "externs");
    let of_type: Vec<_> = externs.iter().filter(|e| e.contains(&name)).collect();
    assert!(of_type.len() <= 1, "one list for each type");
    let of_type = of_type
        .iter()
        .flat_map(|e| e.split("  instances {\n").skip(1));
    let unindented = |text: &str| -> String {
        let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        lines.map(|line| format!("{line}\n")).collect()
    };
    of_type.map(unindented).collect()
}

/// The message in an instance's `info`, with the name of its type.
fn info(instance: &str) -> String {
    let (_, info) = instance.split_once("info {\n").expect("an info");
    let lines = info.lines().filter_map(|line| line.strip_prefix("  "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn names(text: &str, type_name: &str) -> Vec<String> {
    let instances = instances(text, type_name);
    let name = |instance: &String| instance.split('"').nth(1).map(str::to_owned);
    instances.iter().filter_map(name).collect()
}

/// `apply` of these tables after their declarations.
fn applied(declarations: &str, tables: &[&str]) -> String {
    let calls: String = tables.iter().map(|t| format!("{t}.apply(); ")).collect();
    ingress(&format!("{declarations} apply {{ {calls} }}"))
}

const SEND: &str = "action send(bit<9> port) { for_tm.ucast_egress_port = port; }";

#[test]
fn tables_have_the_name_of_the_pipeline_and_actions_do_not() {
    let text = applied(
        &format!(
            "{SEND}
             table sized {{ key = {{ hdr.h.a: ternary; }} actions = {{ send; }} size = 32; idle_timeout = true; }}
             table unsized {{ key = {{ hdr.h.a: exact; }} actions = {{ send; }} }}
             table smallest {{ key = {{ hdr.h.b: exact; }} actions = {{ send; }} min_size = 20; }}
             @stage(3, 512) @alpm_atcam_exclude_field_msbs(hdr.h.a, 7) @pack(a.b) @name(\".other\") table absolute {{ key = {{ hdr.h.b: exact; }} actions = {{ send; }} size = 8; }}"
        ),
        &["sized", "unsized", "smallest", "absolute"],
    );
    let tables = parts(&text, "tables");
    let expected = [
        (
            "pipe.In.sized",
            "  size: 32\n  idle_timeout_behavior: NOTIFY_CONTROL\n}\n",
        ),
        ("pipe.In.unsized", "  size: 512\n}\n"),
        ("pipe.In.smallest", "  size: 20\n}\n"),
        ("pipe.other", "  size: 8\n}\n"),
    ];
    for (table, (name, end)) in tables.iter().zip(expected) {
        assert!(table.contains(&format!("name: \"{name}\"\n")), "{table}");
        assert!(table.ends_with(end), "{table}");
    }
    assert_eq!(tables.len(), 4);
    assert!(
        tables[3].contains("annotations: \"@stage(3, 512)\"\n    annotations: \"@alpm_atcam_exclude_field_msbs(hdr.h.a, 7)\"\n    annotations: \"@pack(a . b)\"\n"),
        "{}",
        tables[3]
    );
    let actions = parts(&text, "actions");
    assert!(actions
        .iter()
        .any(|a| a.contains("name: \"In.send\"\n    alias: \"send\"\n")));
    assert!(text.starts_with(
        "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\npkg_info {\n  arch: \"tna\"\n}\n"
    ));
}

#[test]
fn every_object_is_an_instance_of_an_extern() {
    let text = ingress(
        "Counter<bit<64>, bit<9>>(512, CounterType_t.PACKETS_AND_BYTES) seen;
         Meter<bit<9>>(64, MeterType_t.BYTES) blind;
         Meter<bit<9>>(64, MeterType_t.PACKETS) aware;
         Lpf<bit<16>, bit<9>>(16) smooth;
         Wred<bit<16>, bit<9>>(8, 1, 0) early;
         Register<bit<32>, bit<9>>(128) cells;
         apply {
             seen.count(intr.ingress_port);
             meta.m = blind.execute(intr.ingress_port);
             meta.m = aware.execute(index = intr.ingress_port, color = MeterColor_t.GREEN);
             hdr.h.a = smooth.execute(hdr.h.a, intr.ingress_port);
             meta.m = early.execute(hdr.h.a, intr.ingress_port);
             hdr.h.b = cells.read(intr.ingress_port);
         }",
    );
    for message in ["counters", "meters", "registers", "direct_counters"] {
        assert_eq!(parts(&text, message), [""; 0], "{message}");
    }
    let of = |type_name: &str| -> Vec<String> {
        instances(&text, type_name)
            .iter()
            .map(|i| info(i))
            .collect()
    };
    assert_eq!(
        instances(&text, "Counter"),
        [format!(
            "preamble {{\n  id: {}\n  name: \"pipe.In.seen\"\n  alias: \"seen\"\n}}\ninfo {{\n  \
             [type.googleapis.com/barefoot.Counter] {{\n    spec {{\n      unit: PACKETS_AND_BYTES\n    }}\n    size: 512\n  }}\n}}\n",
            id_of_extern(&text, "pipe.In.seen")
        )]
    );
    assert_eq!(
        of("Meter"),
        [
            "[type.googleapis.com/barefoot.Meter] {\n  spec {\n    unit: BYTES\n  }\n  size: 64\n}\n",
            "[type.googleapis.com/barefoot.Meter] {\n  spec {\n    unit: PACKETS\n    type: COLOR_AWARE\n  }\n  size: 64\n}\n"
        ]
    );
    assert_eq!(
        of("Lpf"),
        ["[type.googleapis.com/barefoot.Lpf] {\n  size: 16\n}\n"]
    );
    assert_eq!(
        of("Wred"),
        ["[type.googleapis.com/barefoot.Wred] {\n  spec {\n    drop_value: 1\n  }\n  size: 8\n}\n"]
    );
    assert_eq!(
        of("Register"),
        ["[type.googleapis.com/barefoot.Register] {\n  type_spec {\n    bitstring {\n      bit {\n        bitwidth: 32\n      }\n    }\n  }\n  \
          size: 128\n  data_field_name: \"In.cells\"\n}\n"]
    );
}

/// The id of an instance, which is deeper in the text than an object of its own.
fn id_of_extern(text: &str, name: &str) -> String {
    id_of(&text.replace("\n      ", "\n    "), name)
}

#[test]
fn direct_objects_come_with_their_tables() {
    let text = applied(
        &format!(
            "DirectCounter<bit<32>>(CounterType_t.BYTES) hits;
             DirectMeter(MeterType_t.BYTES) rate;
             DirectRegister<bit<16>>() last;
             DirectLpf<bit<16>>() smooth;
             Counter<bit<32>, bit<9>>(4, CounterType_t.BYTES) between;
             DirectRegisterAction<bit<16>, bit<16>>(last) store = {{
                 void apply(inout bit<16> value) {{ value = hdr.h.a; }}
             }};
             {SEND}
             action measure() {{ hits.count(); meta.m = rate.execute(); }}
             action keep() {{ store.execute(); }}
             action average() {{ hdr.h.a = smooth.execute(hdr.h.a); }}
             table counted {{ key = {{ hdr.h.a: exact; }} actions = {{ measure; }} counters = hits; meters = rate; size = 4; }}
             table kept {{ key = {{ hdr.h.a: exact; }} actions = {{ keep; }} registers = last; size = 4; }}
             table averaged {{ key = {{ hdr.h.a: exact; }} actions = {{ average; }} filters = smooth; size = 4; }}"
        ),
        &["counted", "kept", "averaged"],
    );
    let table_ids = ["counted", "kept", "averaged"].map(|t| id_of(&text, &format!("pipe.In.{t}")));
    for (type_name, object, table) in [
        ("DirectCounter", "hits", 0),
        ("DirectMeter", "rate", 0),
        ("DirectLpf", "smooth", 2),
    ] {
        let found = instances(&text, type_name);
        assert_eq!(names(&text, type_name), [format!("pipe.In.{object}")]);
        let reference = format!("direct_table_id: {}\n", table_ids[table]);
        assert!(found[0].contains(&reference), "{}", found[0]);
        let resource = format!(
            "direct_resource_ids: {}\n",
            id_of_extern(&text, &format!("pipe.In.{object}"))
        );
        assert!(
            parts(&text, "tables")[table].contains(&resource),
            "{resource}"
        );
    }
    let register = &instances(&text, "DirectRegister")[0];
    assert!(
        register.contains("data_field_name: \"In.last\"\n"),
        "{register}"
    );
    // The types are in the order in which p4c finds their first object: a table's when it comes to the table.
    let types: Vec<_> = parts(&text, "externs")
        .iter()
        .filter_map(|e| e.split('"').nth(1).map(str::to_owned))
        .collect();
    assert_eq!(
        types,
        [
            "Counter",
            "DirectCounter",
            "DirectMeter",
            "DirectRegister",
            "DirectLpf",
            "PortMetadata",
            "Snapshot"
        ]
    );
}

#[test]
fn selectors_and_their_action_profiles() {
    let text = applied(
        &format!(
            "{SEND}
             Hash<bit<16>>(HashAlgorithm_t.CRC16) h1;
             Hash<bit<16>>(HashAlgorithm_t.CRC16) h2;
             ActionProfile(256) members;
             ActionSelector(members, h1, SelectorMode_t.FAIR, 60, 16) groups;
             ActionSelector(128, h2, SelectorMode_t.FAIR) old;
             table b {{ key = {{ hdr.h.a: exact; hdr.h.b: selector; }} actions = {{ send; }} implementation = groups; size = 4; }}
             table a {{ key = {{ hdr.h.a: exact; hdr.h.b: selector; }} actions = {{ send; }} implementation = old; size = 4; }}"
        ),
        &["b", "a"],
    );
    let [a, b] = ["a", "b"].map(|t| id_of(&text, &format!("pipe.In.{t}")));
    let profile = |name: &str| id_of_extern(&text, &format!("pipe.In.{name}"));
    assert_eq!(
        names(&text, "ActionProfile"),
        ["pipe.In.members", "pipe.In.old"]
    );
    assert_eq!(
        names(&text, "ActionSelector"),
        ["pipe.In.groups", "pipe.In.old_sel"]
    );
    let infos = |type_name: &str| -> Vec<String> {
        instances(&text, type_name)
            .iter()
            .map(|i| info(i))
            .collect()
    };
    assert_eq!(
        infos("ActionProfile"),
        [
            format!("[type.googleapis.com/barefoot.ActionProfile] {{\n  table_ids: {b}\n  size: 256\n}}\n"),
            format!("[type.googleapis.com/barefoot.ActionProfile] {{\n  table_ids: {a}\n  size: 128\n}}\n")
        ]
    );
    assert_eq!(
        infos("ActionSelector"),
        [
            format!(
                "[type.googleapis.com/barefoot.ActionSelector] {{\n  table_ids: {b}\n  max_group_size: 60\n  num_groups: 16\n  \
                 action_profile_id: {}\n}}\n",
                profile("members")
            ),
            format!(
                "[type.googleapis.com/barefoot.ActionSelector] {{\n  table_ids: {a}\n  max_group_size: 120\n  num_groups: 4\n  \
                 action_profile_id: {}\n}}\n",
                profile("old")
            )
        ]
    );
    let tables = parts(&text, "tables");
    assert!(tables[0].contains(&format!("implementation_id: {}\n", profile("groups"))));
    assert!(tables[1].contains(&format!("implementation_id: {}\n", profile("old_sel"))));
}

#[test]
fn a_register_parameter_names_the_register_whose_action_reads_it() {
    let text = ingress(
        "RegisterParam<bit<32>>(7) limit; RegisterParam<bit<32>>(0) unread;
         Register<bit<32>, bit<9>>(16) cells;
         RegisterAction<bit<32>, bit<9>, bit<32>>(cells) step = {
             void apply(inout bit<32> value) { value = value + limit.read(); }
         };
         apply { step.execute(intr.ingress_port); }",
    );
    let params = instances(&text, "RegisterParam");
    let cells = id_of_extern(&text, "pipe.In.cells");
    let end =
        format!("  table_id: {cells}\n  initial_value: 7\n  data_field_name: \"In.limit\"\n}}\n");
    assert!(info(&params[0]).ends_with(&end), "{}", params[0]);
    assert!(!params[1].contains("table_id"), "{}", params[1]);
}

#[test]
fn entries_name_tables_and_actions_by_the_same_ids() {
    let source = program(
        "",
        START,
        &format!(
            "{SEND} table t {{ key = {{ hdr.h.a: exact; }} actions = {{ send; }} const entries = {{ 7: send(3); }} size = 2; }}
             apply {{ t.apply(); }}"
        ),
        EMIT,
    );
    let P4Runtime { info, entries } = generated(&source);
    let (info, entries) = (info.to_text(), entries.to_text());
    let table = format!("table_id: {}\n", id_of(&info, "pipe.In.t"));
    let action = format!("action_id: {}\n", id_of(&info, "In.send"));
    assert!(
        entries.contains(&table) && entries.contains(&action),
        "{entries}"
    );
}

#[test]
fn objects_of_the_top_level_come_first_and_have_the_name_of_the_pipeline() {
    let text = generated(&program(
        "Counter<bit<32>, bit<9>>(4, CounterType_t.BYTES) shared;",
        START,
        "Counter<bit<32>, bit<9>>(4, CounterType_t.BYTES) own;
         action both() { own.count(0); shared.count(0); }
         apply { both(); }",
        EMIT,
    ))
    .info
    .to_text();
    assert_eq!(names(&text, "Counter"), ["pipe.shared", "pipe.In.own"]);
}
