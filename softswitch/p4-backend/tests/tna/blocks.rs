// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch, its two ways, and the intrinsic metadata.

use serde_json::json;

use super::program::{error, expression, list, Program};

fn fields(json: &super::program::Json, header_type: &str) -> Vec<String> {
    let fields = list(&json.object("header_types", header_type)["fields"]).iter();
    fields
        .map(|field| field[0].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn both_ways_have_blocks_and_headers_of_their_own() {
    let json = Program::default().json();
    assert_eq!(json.0["__meta__"]["architecture"], "tna");
    let names = |kind: &str| -> Vec<String> {
        let objects = list(&json.0[kind]).iter();
        objects
            .map(|o| o["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names("parsers"), ["ingress_parser", "egress_parser"]);
    assert_eq!(names("pipelines"), ["ingress", "egress"]);
    assert_eq!(names("deparsers"), ["ingress_deparser", "egress_deparser"]);
    assert_eq!(json.0["checksums"], json!([]));
    assert_eq!(json.0["deparsers"][0]["order"], json!(["ingress.data"]));
    assert_eq!(json.0["deparsers"][1]["order"], json!(["egress.data"]));
}

#[test]
fn all_intrinsic_metadata_exist_also_where_no_block_has_them() {
    let json = Program::default().json();
    for (name, metadata) in [
        ("ingress_intrinsic_metadata", false),
        ("ingress_intrinsic_metadata_from_parser", true),
        ("ingress_intrinsic_metadata_for_deparser", true),
        ("ingress_intrinsic_metadata_for_tm", true),
        ("egress_intrinsic_metadata", false),
        ("egress_intrinsic_metadata_from_parser", true),
        ("egress_intrinsic_metadata_for_deparser", true),
        ("egress_intrinsic_metadata_for_output_port", true),
    ] {
        assert_eq!(json.object("headers", name)["metadata"], metadata, "{name}");
    }
    let tm = fields(&json, "ingress_intrinsic_metadata_for_tm");
    assert!(tm.contains(&"ucast_egress_port$valid".to_owned()));
    let port = fields(&json, "egress_intrinsic_metadata_for_output_port");
    assert!(!port.iter().any(|field| field.ends_with("$valid")));
}

#[test]
fn a_write_of_intrinsic_metadata_sets_its_bit() {
    let program = Program {
        locals: "action send(PortId_t port) { tm.ucast_egress_port = port; }
            table t { key = { hdr.data.a: exact; } actions = { send; } }",
        apply: "tm.ucast_egress_port = 3; t.apply(); invalidate(tm.ucast_egress_port);
            if (is_validated(tm.mcast_grp_a)) { tm.qid = 2; }",
        ..Program::default()
    };
    let json = program.json();
    let port = "ingress_intrinsic_metadata_for_tm.ucast_egress_port";
    let primitives = json.primitives();
    let writes: Vec<&str> = primitives
        .iter()
        .filter(|line| line.contains("ucast"))
        .map(String::as_str)
        .collect();
    assert_eq!(
        writes,
        [
            &format!("assign {port} param0"),
            &format!("assign {port}$valid 0x01"),
            // The control's last statement comes first.
            &format!("assign {port}$valid 0x00"),
            &format!("assign {port} 0x0003"),
            &format!("assign {port}$valid 0x01"),
        ]
    );
    let conditions = list(&json.0["pipelines"][0]["conditionals"]);
    assert_eq!(
        expression(&conditions[0]["expression"]),
        "d2b(ingress_intrinsic_metadata_for_tm.mcast_grp_a$valid)"
    );
}

#[test]
fn user_metadata_gets_a_bit_where_the_program_asks_for_it() {
    let program = Program {
        start: "md.y = 4; transition accept;",
        apply:
            "if (is_validated(md.y)) { tm.qid = 2; } if (is_validated(hdr.data)) { tm.qid = 3; }",
        ..Program::default()
    };
    let json = program.json();
    let state = json.state(0, "start");
    assert_eq!(
        state[state.len() - 2..],
        [
            "set scalars.ingress_metadata.y 0x04",
            "set scalars.ingress_metadata.y$valid 0x01"
        ]
    );
    let conditions = list(&json.0["pipelines"][0]["conditionals"]);
    assert_eq!(
        expression(&conditions[1]["expression"]),
        "d2b(ingress.data.$valid$)"
    );
}

#[test]
fn one_pipeline_with_one_parser_a_way_is_supported() {
    let text = Program::default().text();
    let two = text.replace("Switch(pipe) main;", "Switch(pipe, pipe) main;");
    assert_eq!(
        error(&two),
        "not supported: several pipelines: Switch has an argument for `pipe1`, and the switch runs one"
    );
    let parsers = text
        .replace("Pipeline(IP(), I(), ID(), EP(),", "IngressParsers(IP(), IP()) ips; EgressParsers(EP()) eps;\nMultiParserPipeline(ips, I(), ID(), eps,")
        .replace("Switch(pipe)", "MultiParserSwitch(pipe)");
    assert_eq!(
        error(&parsers),
        "not supported: several parsers in one pipeline: `ig_prsr` has more than `prsr0`"
    );
    let one = parsers.replace("IngressParsers(IP(), IP())", "IngressParsers(IP())");
    assert_eq!(
        super::program::json(&one).0["parsers"][0]["init_state"],
        "start"
    );
}

#[test]
fn objects_have_the_names_of_p4info() {
    let program = Program {
        locals: "@name(\".count\") Counter<bit<32>, bit<16>>(8, CounterType_t.PACKETS) c;
            action act() { c.count(1); }
            table t { actions = { act; } const default_action = act(); }",
        apply: "t.apply();",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(json.table("pipe.I.t")["actions"], json!(["I.act"]));
    assert_eq!(json.object("counter_arrays", "pipe.count")["size"], 8);
}
