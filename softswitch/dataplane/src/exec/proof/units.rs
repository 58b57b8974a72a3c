// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The part of the proof that is about TNA's units.

use super::*;
use crate::program::table::DirectCells;
use crate::program::unit::Unit;

impl Prover<'_> {
    pub(super) fn unit(&self, unit: &Unit) -> Proof {
        let (target, values) = unit.parts();
        target.map_or(Ok(()), |target| self.target(&target))?;
        values.iter().try_for_each(|&value| self.value(value))?;
        match *unit {
            Unit::Hash(_, calculation) => {
                known(calculation, self.program.calculations.len(), "calculation")
            }
            Unit::Filter(_, array, ..) => self.filter(array),
            Unit::Math(_, unit, _) => known(unit, self.externs.math_units.len(), "math unit"),
            Unit::Meter(meter, ..) => known(meter, self.externs.meters.len(), "meter"),
            Unit::Count(counter, ..) => known(counter, self.externs.counters.len(), "counter"),
            Unit::NextIndex(_, register) => self.register(register),
        }
    }

    fn filter(&self, filter: u32) -> Proof {
        known(filter, self.externs.filters.len(), "filter array")
    }

    pub(super) fn direct_cells(&self, cells: DirectCells) -> Proof {
        match cells {
            DirectCells::Register(register) => self.register(register),
            DirectCells::Filter(filter) => self.filter(filter),
            DirectCells::Counter(counter) => known(counter, self.externs.counters.len(), "counter"),
            DirectCells::Meter(meter) => known(meter, self.externs.meters.len(), "meter"),
        }
    }
}
