// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! TNA's units and the primitives that execute them.

use std::mem::size_of;

use super::json::Json;

use super::arrays::COPIES;
use super::expr::Locals;
use super::limits::{self, Total};
use super::primitive::reference;
use super::{json, Loader};
use crate::arch::{Kind, Units};
use crate::externs::filter_array::{FilterArray, FilterCell, FilterKind};
use crate::externs::math_unit::MathUnit;
use crate::externs::meter::{MeterDef, MeterKind};
use crate::model::load_error::{fail, LoadResult};
use crate::program::table::DirectCells;
use crate::program::unit::Unit;
use crate::tables::profile::GroupLimits;
use crate::tables::selector::Mode;

/// Widths of a filter's sample, a math unit's operand, and an adjustment of a packet's length.
const OPERAND_BITS: u32 = 32;
/// Of a colour.
const COLOR_BITS: u32 = 2;

/// Green, yellow and red where the program gives no others.
const COLORS: [u8; 3] = [0, 1, 2];
const TNA_COLORS: [u8; 3] = [0, 1, 3];

pub fn meter_def(architecture: Kind, meter: &json::MeterArray) -> LoadResult<MeterDef> {
    let in_bytes = match meter.unit.as_str() {
        "bytes" => true,
        "packets" => false,
        other => return fail(format!("unknown type '{other}'")),
    };
    let (kind, colors) = match architecture.units() {
        Units::Tofino => (MeterKind::Tofino, TNA_COLORS),
        Units::Bmv2 => (MeterKind::Exact, COLORS),
    };
    Ok(MeterDef {
        in_bytes,
        kind,
        results: meter.colors.unwrap_or(colors),
    })
}

/// The number of cells of a direct array: one to each entry that its table may have.
pub fn direct_size(root: &json::Root, binding: Option<&str>) -> LoadResult<u64> {
    let Some(binding) = binding else {
        return fail("a direct array without a 'binding'");
    };
    let mut tables = root.pipelines.iter().flat_map(|pipeline| &pipeline.tables);
    match tables.find(|table| table.name == binding) {
        Some(table) => Ok(table_size(table)),
        None => fail(format!("there is no table called '{binding}'")),
    }
}

/// The most entries of a table.
pub fn table_size(table: &json::Table) -> u64 {
    let entries = || {
        table
            .entries
            .as_ref()
            .map_or(0, |entries| entries.len() as u64)
    };
    table.max_size.unwrap_or_else(entries)
}

/// Of the samples of a filter.
const SAMPLE_BITS: u32 = 32;

pub fn filter_array(
    root: &json::Root,
    filter: &json::FilterArray,
    memory: &Total,
) -> LoadResult<FilterArray> {
    let kind = match filter.kind.as_str() {
        "lpf" => FilterKind::Lpf,
        "wred" => FilterKind::Wred {
            drop: filter.drop_value,
            no_drop: filter.no_drop_value,
        },
        other => return fail(format!("unknown kind '{other}'")),
    };
    if filter.bitwidth.is_some_and(|given| given > SAMPLE_BITS) {
        return fail(format!(
            "samples of a filter have {SAMPLE_BITS} bits at most"
        ));
    }
    let size = match filter.is_direct {
        true => direct_size(root, filter.binding.as_deref())?,
        false => filter.size,
    };
    memory.take_all(size, COPIES * size_of::<FilterCell>() as u64)?;
    Ok(FilterArray::new(size as usize, kind))
}

pub fn math_unit(unit: &json::MathUnit) -> LoadResult<MathUnit> {
    if !(-1..=1).contains(&unit.shift) {
        return fail(format!(
            "an exponent shift of {}; Tofino has -1, 0 and 1",
            unit.shift
        ));
    }
    if !(-32..=31).contains(&unit.scale) {
        return fail(format!("a scale of {}, which has 6 bits", unit.scale));
    }
    if !(1..=32).contains(&unit.bitwidth) {
        return fail(format!(
            "a result of {} bits; 1 to 32 are possible",
            unit.bitwidth
        ));
    }
    Ok(MathUnit {
        invert: unit.invert,
        shift: unit.shift,
        scale: unit.scale,
        table: unit.table,
        bits: unit.bitwidth,
    })
}

/// Members of a group of Tofino where the program gives no number: one word.
const GROUP_SIZE: u32 = 120;

/// What a profile says of its groups.
pub fn group_limits(profile: &json::ActionProfile) -> LoadResult<GroupLimits> {
    let selector = profile.selector.as_ref();
    if let Some(register) = selector.and_then(|selector| selector.up.as_deref()) {
        return fail(format!(
            "members that register '{register}' makes active are not supported"
        ));
    }
    let mode = match selector.and_then(|selector| selector.mode.as_deref()) {
        None => None,
        Some("fair") => Some(Mode::Fair),
        Some("resilient") => Some(Mode::Resilient),
        Some(other) => return fail(format!("unknown selector mode '{other}'")),
    };
    let max_size = profile.max_group_size.unwrap_or(match mode {
        Some(_) => GROUP_SIZE,
        None => 0,
    });
    limits::GROUP_MEMBERS.allow(max_size.into())?;
    if mode.is_some() && max_size == 0 {
        return fail("groups without members");
    }
    Ok(GroupLimits {
        mode,
        max_size,
        count: profile.num_groups.unwrap_or(0),
    })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_are_those_of_the_architecture() {
        let colors = r#", "colors": [7, 8, 9]"#;
        for (architecture, colors, kind, results) in [
            (Kind::V1Model, "", MeterKind::Exact, [0, 1, 2]),
            (Kind::Tna, "", MeterKind::Tofino, [0, 1, 3]),
            (Kind::Tna, colors, MeterKind::Tofino, [7, 8, 9]),
        ] {
            let text = format!(r#"{{"name": "m", "type": "bytes", "size": 1{colors}}}"#);
            let meter: json::MeterArray = serde_json::from_str(&text).expect("a meter");
            let def = meter_def(architecture, &meter).expect("a meter of bytes");
            let want = MeterDef {
                in_bytes: true,
                kind,
                results,
            };
            assert_eq!(def, want);
        }
    }
}
