// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects that belong to a table: a cell for each of its entries.

use std::fmt::Write;

use super::assignment::result;
use super::choices::Choices;
use super::control::Control;
use super::expression::field;
use super::registers;
use super::scope::{Scope, Ty};

pub(super) struct Direct {
    pub property: &'static str,
    pub name: String,
    /// The type of a register's cells.
    cell: Ty,
}

/// An object for a table, or none.
pub(super) fn owned(c: &mut Choices<'_>, control: &mut Control) -> Option<Direct> {
    let (property, kind, args) = match c.below(10) {
        5 => (
            "counters",
            "DirectCounter<bit<64>>",
            "CounterType_t.PACKETS_AND_BYTES",
        ),
        6 => ("meters", "DirectMeter", "MeterType_t.BYTES"),
        7 => ("filters", "DirectLpf<bit<32>>", ""),
        8 => ("filters", "DirectWred<bit<32>>", "7, 1"),
        9 => ("registers", "DirectRegister", ""),
        _ => return None,
    };
    let name = control.name("direct");
    let cell = registers::cell(c);
    let of = match property {
        "registers" => format!("<{cell}>"),
        _ => String::new(),
    };
    let _ = writeln!(control.declarations, "    {kind}{of}({args}) {name};");
    Some(Direct {
        property,
        name,
        cell,
    })
}

impl Direct {
    /// A statement of one of the table's actions.
    pub fn call(&self, c: &mut Choices<'_>, control: &mut Control, scope: &Scope) -> String {
        let name = &self.name;
        match self.property {
            "counters" => format!("        {name}.count({});\n", c.of(&["", "4", "32w20"])),
            "meters" => {
                let args = *c.of(&["", "color = MeterColor_t.YELLOW", "adjust_byte_count = 4"]);
                result(c, scope, Ty::Bit(8), &format!("{name}.execute({args})"))
            }
            "registers" => {
                let action = registers::direct_action(c, control, name, self.cell);
                result(c, scope, self.cell, &format!("{action}.execute()"))
            }
            _ => {
                let sample = field(c, scope, Ty::Bit(32));
                let call = format!("{name}.execute({sample})");
                // A low-pass filter gives the average, WRED one of two values.
                let lpf = control
                    .declarations
                    .contains(&format!("DirectLpf<bit<32>>() {name};"));
                result(c, scope, Ty::Bit(if lpf { 32 } else { 8 }), &call)
            }
        }
    }
}
