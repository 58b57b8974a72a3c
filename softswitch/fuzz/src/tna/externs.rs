// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects that a control uses by an index, and hashes: each is used in one place.

use std::fmt::Write;

use super::assignment::result;
use super::choices::Choices;
use super::control::Control;
use super::expression::{field, index};
use super::registers;
use super::scope::{Scope, Ty};

/// Declares an object in the control; the statements that use it, in code that sees `scope`.
pub(super) fn used(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    match c.below(10) {
        0..=2 => registers::used(c, control, scope),
        3 | 4 => hash(c, control, scope),
        5 => counter(c, control, scope),
        6 => meter(c, control, scope),
        7 => filter(c, control, scope),
        8 => {
            let name = control.name("random");
            let ty = Ty::Bit(*c.of(&[8, 1, 9, 16, 32]));
            let _ = writeln!(control.declarations, "    Random<{ty}>() {name};");
            result(c, scope, ty, &format!("{name}.get()"))
        }
        _ => validity(c, scope),
    }
}

fn counter(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    let name = control.name("counter");
    let (ty, size, index) = index(c, scope);
    let unit = *c.of(&["PACKETS_AND_BYTES", "PACKETS", "BYTES"]);
    let _ = writeln!(
        control.declarations,
        "    Counter<bit<32>, {ty}>({size}, CounterType_t.{unit}) {name};"
    );
    let adjusted = *c.of(&["", ", 4", ", 32w2000"]);
    format!("        {name}.count({index}{adjusted});\n")
}

fn meter(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    let name = control.name("meter");
    let (ty, size, index) = index(c, scope);
    let unit = *c.of(&["BYTES", "PACKETS"]);
    let colours = *c.of(&["", ", 7, 3, 1"]);
    let _ = writeln!(
        control.declarations,
        "    Meter<{ty}>({size}, MeterType_t.{unit}{colours}) {name};"
    );
    // By its name, as p4c takes a colour for a count of bytes, too.
    let given = *c.of(&[
        "",
        ", color = MeterColor_t.YELLOW",
        ", adjust_byte_count = 4",
    ]);
    let given = format!("index = {index}{given}");
    result(c, scope, Ty::Bit(8), &format!("{name}.execute({given})"))
}

fn filter(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    let name = control.name("filter");
    let (ty, size, index) = index(c, scope);
    let sample = Ty::Bit(*c.of(&[32, 16, 8]));
    let value = field(c, scope, sample);
    let call = format!("{name}.execute({value}, {index})");
    let (declared, given) = match c.one_in(2) {
        true => (format!("Wred<{sample}, {ty}>({size}, 9, 2)"), Ty::Bit(8)),
        false => (format!("Lpf<{sample}, {ty}>({size})"), sample),
    };
    let _ = writeln!(control.declarations, "    {declared} {name};");
    result(c, scope, given, &call)
}

const ALGORITHMS: [&str; 9] = [
    "CRC32", "CRC16", "CRC8", "CRC64", "IDENTITY", "RANDOM", "XOR8", "XOR16", "XOR32",
];

/// Few, as a process keeps at most 256 different CRCs.
const POLYNOMIALS: [u32; 2] = [0x1edc_6f41, 0x8005_1021];

fn hash(c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
    let name = control.name("hash");
    let ty = Ty::Bit(*c.of(&[32, 16, 8, 1, 9, 20, 12]));
    let args = match c.one_in(3) {
        true => {
            let bits = *c.of(&[32u32, 16, 8]);
            let coeff = *c.of(&POLYNOMIALS) >> (32 - bits) | 1;
            let [reversed, msb, extended] = [c.one_in(2), false, c.one_in(4)];
            let ends = [0, u32::MAX >> (32 - bits)];
            let (init, xor) = (*c.of(&ends), *c.of(&ends));
            let _ = writeln!(
                control.declarations,
                "    CRCPolynomial<bit<{bits}>>({coeff}, {reversed}, {msb}, {extended}, {init}, {xor}) {name}_poly;"
            );
            format!("HashAlgorithm_t.CUSTOM, {name}_poly")
        }
        false => format!("HashAlgorithm_t.{}", c.of(&ALGORITHMS)),
    };
    let _ = writeln!(control.declarations, "    Hash<{ty}>({args}) {name};");
    let data: Vec<_> = (0..1 + c.below(4))
        .map(|_| {
            let ty = Ty::bit(c);
            field(c, scope, ty)
        })
        .collect();
    let call = format!("{name}.get({{{}}})", data.join(", "));
    result(c, scope, ty, &call)
}

/// Metadata is made invalid, or asked for.
fn validity(c: &mut Choices<'_>, scope: &Scope) -> String {
    let field = *c.of(&["md.m16", "md.m8", "md.s8"]);
    match c.below(2) {
        0 => format!("        invalidate({field});\n"),
        _ => result(c, scope, Ty::Bool, &format!("is_validated({field})")),
    }
}
