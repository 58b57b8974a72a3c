// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{generated, info, ingress, instances, names, program, EMIT, START};

#[test]
fn hashes_with_one_call_have_their_fields() {
    let text = ingress(
        "Hash<bit<16>>(HashAlgorithm_t.CRC16) once;
         Hash<bit<16>>(HashAlgorithm_t.CRC16) twice;
         Hash<bit<16>>(HashAlgorithm_t.CRC16) copied;
         Hash<bit<16>>(HashAlgorithm_t.CRC16) never;
         action shared() { hdr.h.a = copied.get({ hdr.h.b }); }
         table t { key = { hdr.h.a: exact; } actions = { shared; } }
         table u { key = { hdr.h.b: exact; } actions = { shared; } }
         apply {
             t.apply();
             u.apply();
             hdr.h.a = once.get({ hdr.h.b[15:0] ++ hdr.h.a, meta.kind, 3w5, (bit<16>) meta.m });
             if (meta.m == 1) { hdr.h.a = twice.get({ hdr.h.b }); } else { hdr.h.a = twice.get({ hdr.h.a }); }
         }",
    );
    assert_eq!(names(&text, "DynHash"), ["pipe.In.once"]);
    let once = info(&instances(&text, "DynHash")[0]);
    let widths: Vec<_> = once
        .lines()
        .filter(|l| l.contains("bitwidth"))
        .map(str::trim)
        .collect();
    assert_eq!(widths, [16, 16, 4, 3, 16].map(|w| format!("bitwidth: {w}")));
    let fields: String = once.split_inclusive("  field_infos {\n").skip(1).collect();
    let field = |name: &str, end: &str| format!("    field_name: \"{name}\"\n{end}  }}\n");
    assert_eq!(
        fields.replace("  field_infos {\n", ""),
        [
            field("hdr.h.b[15:0]", ""),
            field("hdr.h.a", ""),
            field("meta.kind", ""),
            field("3w5", "    is_constant: true\n"),
            field("(bit<16>)meta.m", ""),
            "  hash_width: 16\n}\n".to_owned(),
        ]
        .concat()
    );
}

/// p4c puts the arguments in, unless two of them share memory: then it copies.
#[test]
fn fields_of_hashes_in_inner_controls_are_the_arguments() {
    let text = generated(&program(
        "control Inner(in bit<32> x, in bit<32> y, out bit<16> z) {
             Hash<bit<16>>(HashAlgorithm_t.CRC16) h;
             apply { z = h.get({ x[7:0], y }); }
         }",
        START,
        "Inner() one; Inner() other;
         apply { one.apply(hdr.h.b, from_parser.global_tstamp[31:0], hdr.h.a); other.apply(hdr.h.b, hdr.h.b, hdr.h.a); }",
        EMIT,
    ))
    .info
    .to_text();
    let fields: Vec<_> = text
        .lines()
        .filter_map(|l| l.trim().strip_prefix("field_name: "))
        .collect();
    assert_eq!(
        fields,
        [
            "\"hdr.h.b[7:0]\"",
            "\"from_parser.global_tstamp[31:0]\"",
            "\"x_0[7:0]\"",
            "\"y_0\""
        ]
    );
}
