// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Widths and numbers that the data plane refuses: the compiler tells them with their place.

use super::program::Program;

fn error(locals: &str, apply: &str) -> String {
    let program = Program {
        locals,
        apply,
        ..Program::default()
    };
    program.error()
}

#[test]
fn hashes_that_are_computed_have_64_bits_at_most() {
    for algorithm in ["CRC8", "CRC64", "RANDOM"] {
        let found = error(
            &format!("Hash<bit<65>>(HashAlgorithm_t.{algorithm}) h;"),
            "bit<65> wide = h.get({hdr.data.a}); md.x = wide[31:0];",
        );
        let want = "not supported: a hash of 65 bits: at most 64 are possible";
        assert_eq!(found, want, "{algorithm}");
    }
    // No calculation: an expression.
    let wide = Program {
        locals: "Hash<bit<65>>(HashAlgorithm_t.IDENTITY) h;",
        apply: "bit<65> wide = h.get({hdr.data.a}); md.x = wide[31:0];",
        ..Program::default()
    };
    assert!(wide
        .json()
        .0
        .get("calculations")
        .is_none_or(|all| all == &serde_json::json!([])));
}

#[test]
fn samples_of_filters_have_32_bits_at_most() {
    for kind in ["Lpf", "Wred"] {
        let arguments = if kind == "Wred" { "8, 1, 0" } else { "8" };
        let found = error(
            &format!("{kind}<bit<33>, bit<8>>({arguments}) cells;"),
            "bit<33> sample = 1; md.x = (bit<32>) cells.execute(sample, 0);",
        );
        let want = "not supported: a filter of samples of 33 bits: at most 32 are possible";
        assert_eq!(found, want, "{kind}");
    }
}

#[test]
fn math_units_are_those_of_the_chip() {
    let of = |ty: &str, arguments: &str| {
        let locals = format!(
            "Register<{ty}, bit<8>>(8) cells; MathUnit<{ty}>({arguments}) unit;
            RegisterAction<{ty}, bit<8>, {ty}>(cells) act = {{
                void apply(inout {ty} value) {{ value = unit.execute(value); }}
            }};"
        );
        error(&locals, "act.execute(0);")
    };
    assert_eq!(
        of("bit<64>", "MathOp_t.MUL, 3"),
        "not supported: a math unit of 64 bits: at most 32 are possible"
    );
    assert_eq!(
        of(
            "bit<32>",
            "true, -2, 0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"
        ),
        "not supported: a math unit with a shift of -2: -1, 0 and 1 are possible"
    );
    for factor in ["0", "-1", "1 << 2000"] {
        assert_eq!(
            of("bit<32>", &format!("MathOp_t.MUL, {factor}")),
            "not supported: a math unit whose factor is not positive, or no number of double precision",
            "{factor}"
        );
    }
}
