// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's units: filters, math units, CRC polynomials (`softswitch/docs/tna-json.md`).

use serde::Deserialize;

/// The parameters of `CRCPolynomial`.
#[derive(Clone, Deserialize)]
pub struct Crc {
    pub width: u32,
    /// The polynomial without its leading 1.
    pub coeff: String,
    #[serde(default)]
    pub reversed: bool,
    /// A result wider than the polynomial repeats it. The `msb` of a CRCPolynomial has no effect on the hardware,
    /// either.
    #[serde(default)]
    pub extended: bool,
    #[serde(default)]
    pub init: Option<String>,
    #[serde(default)]
    pub xor: Option<String>,
}

/// An array of `Lpf` or `Wred`.
#[derive(Deserialize)]
pub struct FilterArray {
    pub name: String,
    pub kind: String,
    #[serde(default)]
    pub size: u64,
    #[serde(default)]
    pub bitwidth: Option<u32>,
    #[serde(default)]
    pub drop_value: u8,
    #[serde(default)]
    pub no_drop_value: u8,
    #[serde(default)]
    pub is_direct: bool,
    #[serde(default)]
    pub binding: Option<String>,
}

#[derive(Deserialize)]
pub struct MathUnit {
    pub name: String,
    pub invert: bool,
    pub shift: i32,
    pub scale: i32,
    /// Row 0 first.
    pub table: [u8; 16],
    pub bitwidth: u32,
}
