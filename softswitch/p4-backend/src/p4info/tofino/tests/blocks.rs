// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::super::super::tests::parts;
use super::{generated, info, ingress, instances, names, program, EMIT, START};

#[test]
fn value_sets_and_port_metadata_come_from_parsers() {
    let unpacks = "value_set<bit<16>>(4) types;
         state start {
             p.extract(intr);
             Side side = port_metadata_unpack<Side>(p);
             transition select(side.vrf) { types: more; default: accept; }
         }
         state more { transition accept; }";
    let side = "struct Side { bit<16> vrf; bit<48> pad; }";
    let text = generated(&program(side, unpacks, "apply {}", EMIT))
        .info
        .to_text();
    assert_eq!(parts(&text, "value_sets"), [""; 0]);
    assert_eq!(names(&text, "ValueSet"), ["pipe.InParser.types"]);
    assert!(info(&instances(&text, "ValueSet")[0]).ends_with("  size: 4\n}\n"));
    assert_eq!(
        info(&instances(&text, "PortMetadata")[0]),
        "[type.googleapis.com/barefoot.PortMetadata] {\n  key_name: \"intr\"\n  type_spec {\n    struct {\n      name: \"Side\"\n    }\n  }\n}\n"
    );
    // A program that skips it has it all the same.
    let text = ingress("apply {}");
    assert_eq!(
        names(&text, "PortMetadata"),
        ["pipe.InParser.$PORT_METADATA"]
    );
    assert_eq!(
        info(&instances(&text, "PortMetadata")[0]),
        "[type.googleapis.com/barefoot.PortMetadata] {\n  key_name: \"intr\"\n}\n"
    );
}

#[test]
fn digests_that_are_sent_have_their_types() {
    let deparser = "Digest<Report>(1) report; Digest<Report>(2) unused;
        apply { if (for_deparser.digest_type == 1) { report.pack({ hdr.h.a, hdr.h.b }); } p.emit(hdr); }";
    let source = program(
        "struct Report { bit<16> a; bit<32> b; }",
        START,
        "apply {}",
        deparser,
    );
    let text = generated(&source).info.to_text();
    assert_eq!(names(&text, "Digest"), ["pipe.InDeparser.report"]);
    assert!(info(&instances(&text, "Digest")[0]).contains("struct {\n      name: \"Report\"\n"));
    assert!(parts(&text, "type_info")[0].contains("key: \"Report\""));
}

#[test]
fn snapshots_show_the_fields_of_ingress_and_egress() {
    let text = ingress("apply {}");
    assert_eq!(names(&text, "Snapshot"), ["pipe.In.In", "pipe.Out.Out"]);
    let [into, out] = [0, 1].map(|n| info(&instances(&text, "Snapshot")[n]));
    let fields = |text: &str| -> Vec<(String, String, String)> {
        let fields = text.split("  fields {\n").skip(1);
        let value = |line: Option<&str>| {
            line.and_then(|l| l.split(": ").nth(1))
                .unwrap_or_default()
                .to_owned()
        };
        fields
            .map(|field| {
                let mut lines = field.lines();
                (
                    value(lines.next()),
                    value(lines.next()),
                    value(lines.next()),
                )
            })
            .collect()
    };
    let expected = [
        ("hdr.h.$valid", 1),
        ("hdr.h.a", 16),
        ("hdr.h.b", 32),
        ("hdr.tails$0.$valid", 1),
        ("hdr.tails$0.c", 7),
        ("hdr.tails$0.d", 9),
        ("hdr.tails$1.$valid", 1),
        ("hdr.tails$1.c", 7),
        ("hdr.tails$1.d", 9),
        ("meta.m", 8),
        ("meta.kind", 4),
        ("meta.saved.a", 16),
        ("meta.saved.b", 32),
        ("intr.resubmit_flag", 1),
    ];
    for ((id, (name, width)), found) in (1..).zip(expected).zip(fields(&into)) {
        assert_eq!(
            found,
            (format!("{id}"), format!("\"{name}\""), format!("{width}"))
        );
    }
    assert!(into
        .starts_with("[type.googleapis.com/barefoot.Snapshot] {\n  pipe: \"pipe\"\n  fields {\n"));
    assert!(out.starts_with("[type.googleapis.com/barefoot.Snapshot] {\n  pipe: \"pipe\"\n  direction: DIRECTION_EGRESS\n  fields {\n"));
    // A name has one number in both.
    assert_eq!(fields(&into)[..13], fields(&out)[..13]);
    let last = fields(&into).len() + 1;
    let only_egress = ("\"intr._pad0\"".to_owned(), "7".to_owned());
    let found = fields(&out)
        .into_iter()
        .find(|(id, ..)| *id == last.to_string());
    let (_, name, width) = found.expect("a field that ingress does not have");
    assert_eq!((name, width), only_egress);
}

#[test]
fn a_pipeline_with_a_parser_for_each_port_has_port_metadata() {
    let source = program("", START, "apply {}", EMIT);
    let (program, _) = source
        .split_once("Pipeline(InParser()")
        .expect("the package");
    let text = generated(&format!(
        "{program} IngressParsers(InParser()) in_parsers; EgressParsers(OutParser()) out_parsers;
         MultiParserPipeline(in_parsers, In(), InDeparser(), out_parsers, Out(), OutDeparser()) pipe;
         MultiParserSwitch(pipe) main;"
    ))
    .info
    .to_text();
    assert_eq!(
        names(&text, "PortMetadata"),
        ["pipe.InParser.$PORT_METADATA"]
    );
    assert_eq!(names(&text, "Snapshot"), ["pipe.In.In", "pipe.Out.Out"]);
}
