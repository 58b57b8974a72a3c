// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Three-colour meters: exact ones as BMv2 has them, and those of Tofino.

mod color;
mod exact;
mod tofino;

#[cfg(test)]
mod tests;

use crate::model::values::{ColorCounts, MeterRates};
pub use color::Color;

/// The way in which a meter's buckets are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterKind {
    Exact,
    Tofino,
}

/// A meter as the program declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeterDef {
    /// Counts bytes; packets otherwise.
    pub in_bytes: bool,
    pub kind: MeterKind,
    /// The program's values for green, yellow and red.
    pub results: [u8; 3],
}

impl MeterDef {
    pub fn result(&self, color: Color) -> u8 {
        self.results[color as usize]
    }
}

#[derive(Debug, Clone, Copy)]
enum Buckets {
    Exact(exact::Buckets),
    Tofino(tofino::Buckets),
}

/// Rates of a meter with full buckets, worked out once for many cells.
#[derive(Debug, Clone, Copy)]
pub struct MeterSetting(Option<Buckets>);

impl MeterSetting {
    /// Without rates everything has the colour that it brings, or is green.
    pub fn new(kind: MeterKind, rates: Option<MeterRates>) -> Result<Self, String> {
        let Some(rates) = rates else {
            return Ok(Self(None));
        };
        Ok(Self(Some(match kind {
            MeterKind::Exact => Buckets::Exact(exact::Buckets::new(rates)),
            MeterKind::Tofino => Buckets::Tofino(tofino::Buckets::new(rates)?),
        })))
    }
}

/// One meter; without rates everything is green.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meter {
    configured: Option<Buckets>,
    /// The counts of the colours, as they are numbered.
    pub counts: ColorCounts,
}

impl Meter {
    /// Sets the rates, or none, and fills the buckets. The counts stay.
    pub fn set(&mut self, setting: MeterSetting) {
        self.configured = setting.0;
    }

    pub fn rates(&self) -> Option<MeterRates> {
        self.configured.map(|buckets| match buckets {
            Buckets::Exact(buckets) => buckets.rates,
            Buckets::Tofino(buckets) => buckets.rates,
        })
    }

    /// Colours a packet, whose bytes cost tokens where the meter is one of bytes. Exact meters are colour-blind.
    pub fn execute(&mut self, now_ns: u64, in_bytes: bool, bytes: u32, before: Color) -> Color {
        let units = if in_bytes { bytes } else { 1 };
        let color = match &mut self.configured {
            Some(Buckets::Exact(buckets)) => buckets.color(now_ns, units),
            Some(Buckets::Tofino(buckets)) => buckets.color(now_ns, units, before),
            None => before,
        };
        self.counts[color as usize].count(bytes);
        color
    }
}

#[derive(Debug, Clone)]
pub struct MeterArray {
    pub def: MeterDef,
    pub cells: Vec<Meter>,
}

impl MeterArray {
    pub fn new(size: usize, def: MeterDef) -> Self {
        Self {
            def,
            cells: vec![Meter::default(); size],
        }
    }

    /// The colour as the program numbers it; `None` where there is no such meter.
    pub fn execute(&mut self, index: u64, now_ns: u64, bytes: u32, before: Color) -> Option<u8> {
        let cell = self.cells.get_mut(usize::try_from(index).ok()?)?;
        let color = cell.execute(now_ns, self.def.in_bytes, bytes, before);
        Some(self.def.result(color))
    }
}
