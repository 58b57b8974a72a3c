// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers: copies, digests, checksums, and the order of headers.

use serde_json::json;

use super::program::{expression, list, Json, Program};

fn elements(json: &Json, kind: &str) -> Vec<String> {
    list(&json.0[kind][0]["elements"])
        .iter()
        .map(expression)
        .collect()
}

#[test]
fn a_mirror_with_a_type_runs_where_the_metadata_name_it() {
    let program = Program {
        types: "header copy_t { bit<8> kind; bit<16> value; }",
        deparser_locals: "Mirror(3) mirror;",
        deparse: "mirror.emit<copy_t>(md.session, {9, hdr.data.c});",
        ..Program::default()
    };
    let json = program.json();
    let metadata = "ingress_intrinsic_metadata_for_deparser.mirror_type";
    assert_eq!(
        json.deparser(0),
        [
            format!("_jump_if_zero b2d((d2b({metadata}$valid) and ({metadata} == 0x03))) 0x4"),
            "assign scalars.tmp 0x09".to_owned(),
            "assign scalars.tmp_1 ingress.data.c".to_owned(),
            "mirror scalars.ingress_metadata.session 0x00000001".to_owned(),
        ]
    );
    assert_eq!(
        elements(&json, "field_lists"),
        ["scalars.tmp", "scalars.tmp_1"]
    );
    assert_eq!(json.0["field_lists"][0]["name"], "pipe.ID.mirror");
}

#[test]
fn copies_without_a_type_run_where_the_program_says() {
    let program = Program {
        deparser_locals: "Mirror() mirror; Resubmit() again;",
        deparse: "if (dprsr.mirror_type == 1) { mirror.emit(md.session); }
            if (dprsr.resubmit_type == 2) { again.emit(); }",
        ..Program::default()
    };
    let json = program.json();
    let code = json.deparser(0);
    assert!(code[0].contains("mirror_type == 0x01"), "{code:?}");
    assert!(code[1].ends_with("mirror_type$valid 0x3"), "{code:?}");
    assert_eq!(
        code[2],
        "mirror scalars.ingress_metadata.session 0x00000001"
    );
    assert_eq!(code.last().map(String::as_str), Some("resubmit 0x00000002"));
    assert_eq!(json.0["field_lists"][1]["elements"], json!([]));
}

#[test]
fn a_digest_has_copies_of_its_fields() {
    let program = Program {
        types: "struct seen_t { bit<32> who; bit<10> session; }",
        deparser_locals: "Digest<seen_t>(5) seen;",
        deparse: "seen.pack({hdr.data.a, md.session});",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.deparser(0).last().map(String::as_str),
        Some("generate_digest 0x00000000 0x00000001")
    );
    assert_eq!(json.0["learn_lists"][0]["name"], "pipe.ID.seen");
    assert_eq!(
        elements(&json, "learn_lists"),
        ["scalars.tmp", "scalars.tmp_1"]
    );
}

#[test]
fn a_checksum_reads_the_fields_themselves() {
    let program = Program {
        deparser_locals: "Checksum() sum;",
        deparse: "hdr.data.c = sum.update({hdr.data.a, hdr.data.b}, true);",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.deparser(0),
        [
            "hash scalars.tmp calc",
            "assign ingress.data.c ((scalars.tmp == 0x0000) ? 0xffff : scalars.tmp)",
        ]
    );
    let calculation = json.object("calculations", "calc");
    assert_eq!(calculation["algo"], "csum16");
    let input: Vec<String> = list(&calculation["input"]).iter().map(expression).collect();
    assert_eq!(input, ["ingress.data.a", "ingress.data.b"]);
}

#[test]
fn statements_behind_an_emit_run_before_it_unless_they_change_its_header() {
    let program = Program {
        deparser_locals: "Mirror(1) mirror;",
        late: "mirror.emit(md.session);",
        ..Program::default()
    };
    assert_eq!(program.json().deparser(0).len(), 2);
    let program = Program {
        deparser_locals: "Checksum() sum;",
        late: "hdr.data.c = sum.update({hdr.data.a});",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: a change of a header after its emit"
    );
    let program = Program {
        deparse: "if (hdr.data.a == 0) { return; }",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: an emit that does not run for every packet"
    );
}

#[test]
fn a_header_that_is_not_whole_bytes_gets_bits_at_its_end() {
    let program = Program {
        types: "header bridge_t { bit<8> kind; @flexible bit<9> port; @flexible bit<3> level; }",
        headers: "bridge_t bridge;",
        apply: "hdr.bridge = {1, 2, 3};",
        late: "pkt.emit(hdr.bridge);",
        ..Program::default()
    };
    let json = program.json();
    let fields = &json.object("header_types", "bridge_t")["fields"];
    assert_eq!(fields[3], json!(["_padding", 4, false]));
    assert_eq!(
        json.0["deparsers"][0]["order"],
        json!(["ingress.data", "ingress.bridge"])
    );
}
