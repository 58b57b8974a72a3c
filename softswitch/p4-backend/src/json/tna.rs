// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts that only TNA's JSON has.

use serde::Serialize;

use super::source_info::SourceInfo;

/// The parameters of a CRC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crc {
    pub width: u32,
    /// Hexadecimal, without the highest term.
    pub coeff: String,
    pub reversed: bool,
    pub msb: bool,
    pub extended: bool,
    pub init: String,
    pub xor: String,
}

/// Low-pass filters, or units of weighted random early drop.
#[derive(Clone, Debug, Serialize)]
pub struct Filter {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    /// `lpf` or `wred`.
    pub kind: &'static str,
    pub size: u64,
    pub bitwidth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop_value: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_drop_value: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_direct: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
}

/// A function of one number, by a table of its highest bits.
#[derive(Clone, Debug, Serialize)]
pub struct MathUnit {
    pub name: String,
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
    pub invert: bool,
    pub shift: i32,
    pub scale: i32,
    /// Row 0 first.
    pub table: [u8; 16],
    pub bitwidth: u32,
}
