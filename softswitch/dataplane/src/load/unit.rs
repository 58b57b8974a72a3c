// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The primitives that execute TNA's units, and the arrays of which a table's entries have a cell each.

use super::expr::Locals;
use super::json;
use super::json::Json;
use super::loader::Loader;
use super::primitive::reference;
use crate::model::load_error::{fail, LoadResult};
use crate::program::table::DirectCells;
use crate::program::unit::Unit;

/// Widths of a filter's sample, a math unit's operand, and an adjustment of a packet's length.
const OPERAND_BITS: u32 = 32;
/// The width of a colour.
const COLOR_BITS: u32 = 2;

impl Loader<'_> {
    /// An execution of a unit; `None` for primitives that are none.
    pub fn unit(
        &mut self,
        op: &str,
        args: &[Json],
        locals: Locals<'_>,
    ) -> LoadResult<Option<Unit>> {
        Ok(Some(match (op, args) {
            ("hash", [dst, calculation]) => Unit::Hash(
                self.target(dst, locals)?,
                self.calculation_index(reference(calculation, "calculation")?)?,
            ),
            ("lpf" | "wred", [dst, array, sample, index]) => {
                let name = reference(array, "filter_array")?;
                let filter = self.arrays.filter(name)?;
                let kind = self.arrays.filters[filter as usize].kind.as_str();
                if kind != op {
                    return fail(format!("filter '{name}' is a {kind}"));
                }
                let target = self.target(dst, locals)?;
                let sample = self.low(sample, OPERAND_BITS, locals)?;
                Unit::Filter(target, filter, sample, self.index(index, locals)?)
            }
            ("math_unit", [dst, unit, operand]) => {
                let unit = self.arrays.math_unit(reference(unit, "math_unit")?)?;
                let target = self.target(dst, locals)?;
                Unit::Math(target, unit, self.low(operand, OPERAND_BITS, locals)?)
            }
            ("execute_meter", [meter, index, dst, before, less @ ..]) if less.len() <= 1 => {
                let meter = self.arrays.meter(reference(meter, "meter_array")?)?;
                let index = self.index(index, locals)?;
                let target = self.target(dst, locals)?;
                let before = self.low(before, COLOR_BITS, locals)?;
                let less = less.first();
                let less = less.map(|less| self.low(less, OPERAND_BITS, locals));
                Unit::Meter(meter, index, target, Some(before), less.transpose()?)
            }
            ("count", [counter, index, less]) => {
                let counter = self.arrays.counter(reference(counter, "counter_array")?)?;
                let index = self.index(index, locals)?;
                Unit::Count(counter, index, self.low(less, OPERAND_BITS, locals)?)
            }
            ("next_index", [dst, register]) => {
                let name = reference(register, "register_array")?;
                let register = self.arrays.register(name)?;
                let arrays = &self.root.register_arrays;
                if !arrays[register as usize].log {
                    return fail(format!("register '{name}' is no log"));
                }
                Unit::NextIndex(self.target(dst, locals)?, register)
            }
            _ => return Ok(None),
        }))
    }

    /// The arrays of which a table's entries have a cell each.
    pub fn direct_cells(&self, table: &json::Table) -> LoadResult<Vec<DirectCells>> {
        let bound = |binding: &Option<String>| binding.as_deref() == Some(&table.name);
        let registers = self.root.register_arrays.iter().zip(0..);
        let registers = registers
            .filter(|(array, _)| array.is_direct && bound(&array.binding))
            .map(|(_, index)| DirectCells::Register(index));
        let filters = self.root.filter_arrays.iter().zip(0..);
        let filters = filters
            .filter(|(array, _)| array.is_direct && bound(&array.binding))
            .map(|(_, index)| DirectCells::Filter(index));
        // In v1model they belong to the entries themselves.
        let cells = self.kind.has_cells_of_entries();
        let counters = self.root.counter_arrays.iter().zip(0..);
        let counters = counters
            .filter(|(array, _)| cells && array.is_direct && bound(&array.binding))
            .map(|(_, index)| DirectCells::Counter(index));
        let meters = self.root.meter_arrays.iter().zip(0..);
        let meters = meters
            .filter(|(array, _)| cells && array.is_direct && bound(&array.binding))
            .map(|(_, index)| DirectCells::Meter(index));
        let cells = registers.chain(filters).chain(counters).chain(meters);
        let cells: Vec<DirectCells> = cells.collect();
        if !cells.is_empty() && table.entry_index.is_none() {
            return fail(
                "it has direct registers, filters, counters or meters, but no 'entry_index'",
            );
        }
        Ok(cells)
    }
}
