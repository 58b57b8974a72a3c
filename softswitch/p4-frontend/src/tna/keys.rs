// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: kinds and widths of the keys of a table.

use super::blocks::Block;
use super::walk::{walk, Item};
use super::widths::scalar;
use crate::diagnostics::Diagnostics;
use crate::ir::{Key, Program, Table};

/// A range is matched by halves of bytes in one TCAM, which has 5 of them.
const MAX_RANGE_BITS: u32 = 20;
/// All TCAMs of Tofino 1: 12 stages of 2 columns of 12 blocks, each of 512 rows of 44 bits.
const TCAM_BITS: u64 = 12 * 2 * 12 * 512 * 44;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            if let Item::Table(id, _) = item {
                let table = &program.tables[id.index()];
                check_ranges(program, table, diagnostics);
                check_kinds(table, diagnostics);
                check_size(program, table, diagnostics);
            }
        });
    }
}

fn check_ranges(program: &Program, table: &Table, diagnostics: &mut Diagnostics) {
    for key in of_kind(table, "range") {
        match scalar(program, &key.expr.ty) {
            Some(bits) if bits > MAX_RANGE_BITS => {
                diagnostics.error(
                    key.expr.span,
                    format!("a `range` key of {bits} bits: Tofino matches ranges of at most {MAX_RANGE_BITS}"),
                );
            }
            _ => {}
        }
    }
}

fn check_kinds(table: &Table, diagnostics: &mut Diagnostics) {
    let mut prefixes = of_kind(table, "lpm");
    let Some(prefix) = prefixes.next() else {
        return;
    };
    if let Some(second) = prefixes.next() {
        let name = &table.name;
        diagnostics
            .error(
                second.expr.span,
                format!("table `{name}` has two `lpm` keys: Tofino matches one"),
            )
            .note(prefix.expr.span, "the first is here");
    }
    for kind in ["ternary", "range"] {
        if let Some(other) = of_kind(table, kind).next() {
            let name = &table.name;
            diagnostics.error(
                other.expr.span,
                format!("table `{name}` has an `lpm` and a `{kind}` key: Tofino cannot match both"),
            );
        }
    }
}

fn check_size(program: &Program, table: &Table, diagnostics: &mut Diagnostics) {
    // An algorithmic TCAM is made of SRAM.
    if table
        .annotations
        .iter()
        .any(|a| a.name.text.starts_with("atcam"))
    {
        return;
    }
    let widths: Option<u64> = of_kind(table, "ternary")
        .map(|key| scalar(program, &key.expr.ty).map(u64::from))
        .sum();
    let (Some(bits @ 1..), Some(size)) = (widths, table.size) else {
        return;
    };
    if bits.saturating_mul(size) > TCAM_BITS {
        let name = &table.name;
        diagnostics.error(
            table.span,
            format!(
                "table `{name}` is too large: with {bits} bits of `ternary` keys Tofino has room for {} entries",
                TCAM_BITS / bits
            ),
        );
    }
}

fn of_kind<'t>(table: &'t Table, kind: &'t str) -> impl Iterator<Item = &'t Key> {
    table.keys.iter().filter(move |key| key.match_kind == kind)
}
