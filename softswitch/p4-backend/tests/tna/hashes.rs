// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Hashes and random numbers.

use serde_json::{json, Value};

use super::program::{expression, list, Json, Program};

fn hash(declaration: &str, data: &str) -> Json {
    let locals = format!("{declaration} h;");
    let apply = format!("md.x = (bit<32>) h.get({data});");
    let program = Program {
        locals: &locals,
        apply: &apply,
        ..Program::default()
    };
    program.json()
}

fn crc(width: u32, coeff: &str, reversed: bool, ends: &str) -> Value {
    json!({"width": width, "coeff": coeff, "reversed": reversed, "msb": false, "extended": true, "init": ends, "xor": ends})
}

#[test]
fn a_crc_is_its_parameters() {
    for (algorithm, expected) in [
        ("CRC8", crc(8, "0x07", false, "0x00")),
        ("CRC16", crc(16, "0x8005", true, "0x0000")),
        ("CRC32", crc(32, "0x04c11db7", true, "0xffffffff")),
        (
            "CRC64",
            crc(64, "0x42f0e1eba9ea3693", false, "0x0000000000000000"),
        ),
    ] {
        let json = hash(
            &format!("Hash<bit<20>>(HashAlgorithm_t.{algorithm})"),
            "{hdr.data.a, hdr.data.c[2:0]}",
        );
        let calculation = json.object("calculations", "calc");
        assert_eq!(calculation["algo"], "crc");
        assert_eq!(calculation["crc"], expected);
        assert_eq!(calculation["bits"], 20);
        // Whole bytes: zeros come first.
        let input = list(&calculation["input"]);
        assert_eq!(
            input[0],
            json!({"type": "hexstr", "value": "0x00", "bitwidth": 5})
        );
        assert_eq!(expression(&input[1]), "scalars.tmp");
        assert_eq!(json.all("hash"), ["hash scalars.tmp_2 calc"]);
    }
}

#[test]
fn a_polynomial_of_the_programs_own() {
    let program = Program {
        locals: "CRCPolynomial<bit<16>>(0x1021, true, true, false, 0xFFFF, 1) p;
            Hash<bit<16>>(HashAlgorithm_t.CUSTOM, p) h;",
        apply: "md.index = h.get(hdr.data.a);",
        ..Program::default()
    };
    let expected = json!({"width": 16, "coeff": "0x1021", "reversed": true, "msb": true, "extended": false, "init": "0xffff", "xor": "0x0001"});
    assert_eq!(
        program.json().object("calculations", "calc")["crc"],
        expected
    );
}

#[test]
fn identity_is_a_concatenation() {
    let json = hash(
        "Hash<bit<16>>(HashAlgorithm_t.IDENTITY)",
        "{hdr.data.c, hdr.data.d}",
    );
    assert_eq!(json.0["calculations"], json!([]));
    assert_eq!(
        json.primitives().last().map(String::as_str),
        Some("assign scalars.ingress_metadata.x (((scalars.tmp << 0x0008) | scalars.tmp_1) & 0xffff)")
    );
}

#[test]
fn exclusive_or_combines_words_with_zeros_behind() {
    let json = hash(
        "Hash<bit<16>>(HashAlgorithm_t.XOR16)",
        "{hdr.data.c, hdr.data.d}",
    );
    assert_eq!(json.0["calculations"], json!([]));
    let primitives = json.primitives();
    assert_eq!(
        primitives[primitives.len() - 2..],
        [
            "assign scalars.tmp_2 (((scalars.tmp << 0x0008) | scalars.tmp_1) << 0x0008)",
            "assign scalars.ingress_metadata.x ((scalars.tmp_2 & 0xffff) ^ ((scalars.tmp_2 >> 0x10) & 0xffff))",
        ]
    );
}

#[test]
fn a_symmetric_hash_sorts_its_pair() {
    let json = hash(
        "@symmetric(\"hdr.data.a\", \"hdr.data.b\") Hash<bit<16>>(HashAlgorithm_t.CRC16)",
        "{hdr.data.a, hdr.data.b}",
    );
    let primitives = json.primitives();
    assert!(
        primitives.contains(
            &"assign scalars.tmp_2 ((scalars.tmp < scalars.tmp_1) ? scalars.tmp : scalars.tmp_1)"
                .to_owned()
        ),
        "{primitives:?}"
    );
    let input = list(&json.object("calculations", "calc")["input"]);
    let input: Vec<String> = input.iter().map(expression).collect();
    assert_eq!(input, ["scalars.tmp_2", "scalars.tmp_3"]);
}

#[test]
fn random_numbers_have_all_values_of_their_type() {
    let program = Program {
        locals: "Random<bit<12>>() r; Hash<bit<16>>(HashAlgorithm_t.RANDOM) h;",
        apply: "md.x = (bit<32>) r.get(); md.index = h.get({hdr.data.a});",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.all("modify_field_rng_uniform"),
        ["modify_field_rng_uniform scalars.tmp 0x0000 0x0fff"]
    );
    assert_eq!(json.object("calculations", "calc")["algo"], "random");
}
