// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The functions of the architecture.

use super::program::Program;

fn last(apply: &str) -> String {
    let program = Program {
        apply,
        ..Program::default()
    };
    program
        .json()
        .primitives()
        .pop()
        .expect("the program does something")
}

#[test]
fn the_smaller_and_the_larger() {
    assert_eq!(
        last("md.x = min(hdr.data.a, hdr.data.b);"),
        "assign scalars.ingress_metadata.x ((ingress.data.a < ingress.data.b) ? ingress.data.a : ingress.data.b)"
    );
    assert_eq!(
        last("md.x = max(hdr.data.a + 1, 7);"),
        "assign scalars.ingress_metadata.x ((scalars.tmp > 0x00000007) ? scalars.tmp : 0x00000007)"
    );
}

#[test]
fn a_funnel_shift_keeps_the_lower_half() {
    assert_eq!(
        last("funnel_shift_right(md.x, hdr.data.a, hdr.data.b, 8);"),
        "assign scalars.ingress_metadata.x ((((ingress.data.a << 0x0020) | ingress.data.b) >> 0x0008) & 0xffffffff)"
    );
}

#[test]
fn sizes_are_known() {
    assert_eq!(
        last("md.x = sizeInBytes(hdr.data);"),
        "assign scalars.ingress_metadata.x 0x0000000c"
    );
    assert_eq!(
        last("md.x = sizeInBits(hdr.data);"),
        "assign scalars.ingress_metadata.x 0x00000060"
    );
}

#[test]
fn saturating_sums() {
    assert_eq!(
        last("md.x = hdr.data.a |-| hdr.data.b;"),
        "assign scalars.ingress_metadata.x ((ingress.data.a - ingress.data.b) usat_cast 0x20)"
    );
}

#[test]
fn intrinsic_metadata_from_the_parser_are_always_valid() {
    let program = Program {
        apply: "if (is_validated(prsr.global_tstamp)) { md.x = 1; }",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: the validity of this intrinsic metadata"
    );
}
