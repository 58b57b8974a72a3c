// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, counters, meters, filters and math units.

use std::collections::HashMap;
use std::mem::size_of;

use super::limits::{self, Total, COPIES};
use super::value::hex_bits;
use super::{declared, json};
use crate::arch::Kind;
use crate::externs::counter::CounterArray;
use crate::externs::filter_array::FilterArray;
use crate::externs::math_unit::MathUnit;
use crate::externs::meter::{Meter, MeterArray};
use crate::externs::register::RegisterArray;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::model::values::CounterValue;

/// The arrays, indexed as in the JSON; direct ones have no cells.
#[derive(Default)]
pub struct Arrays {
    pub registers: Vec<RegisterArray>,
    pub counters: Vec<CounterArray>,
    pub meters: Vec<MeterArray>,
    pub filters: Vec<FilterArray>,
    pub math_units: Vec<MathUnit>,
    register_names: HashMap<String, u32>,
    counter_names: HashMap<String, u32>,
    meter_names: HashMap<String, u32>,
    filter_names: HashMap<String, u32>,
    math_unit_names: HashMap<String, u32>,
}

fn find(map: &HashMap<String, u32>, what: &str, name: &str) -> LoadResult<u32> {
    map.get(name)
        .copied()
        .map_or_else(|| fail(format!("there is no {what} called '{name}'")), Ok)
}

fn add(map: &mut HashMap<String, u32>, what: &str, name: &str, index: usize) -> LoadResult<()> {
    match map.insert(name.to_owned(), index as u32) {
        None => Ok(()),
        Some(_) => fail(format!("there are two {what}s called '{name}'")),
    }
}

pub fn build(root: &json::Root, kind: Kind, memory: &Total) -> LoadResult<Arrays> {
    let mut arrays = Arrays::default();
    for (i, register) in root.register_arrays.iter().enumerate() {
        let place = || format!("register '{}'", register.name);
        add(&mut arrays.register_names, "register", &register.name, i)?;
        limits::WIDTH_BITS
            .allow_some(register.bitwidth.into())
            .within(place)?;
        let loaded = self::register(root, register, memory).within(place)?;
        arrays.registers.push(loaded);
    }
    for (i, counter) in root.counter_arrays.iter().enumerate() {
        add(&mut arrays.counter_names, "counter", &counter.name, i)?;
        let place = || format!("counter '{}'", counter.name);
        let size = match counter.is_direct {
            true => direct_size(root, kind, counter.binding.as_deref()).within(place)?,
            false => counter.size.unwrap_or(0),
        };
        memory
            .take_all(size, COPIES * size_of::<CounterValue>() as u64)
            .within(place)?;
        arrays.counters.push(CounterArray::new(size as usize));
    }
    for (i, meter) in root.meter_arrays.iter().enumerate() {
        let place = || format!("meter '{}'", meter.name);
        add(&mut arrays.meter_names, "meter", &meter.name, i)?;
        let def = declared::meter_def(kind, meter).within(place)?;
        if meter.rate_count.is_some_and(|count| count != 2) {
            return fail("only meters with two rates are supported").within(place);
        }
        let size = match meter.is_direct {
            true => direct_size(root, kind, meter.binding.as_deref()).within(place)?,
            false => meter.size,
        };
        memory
            .take_all(size, COPIES * size_of::<Meter>() as u64)
            .within(place)?;
        arrays.meters.push(MeterArray::new(size as usize, def));
    }
    for (i, filter) in root.filter_arrays.iter().enumerate() {
        add(&mut arrays.filter_names, "filter", &filter.name, i)?;
        let loaded = declared::filter_array(root, filter, memory);
        let loaded = loaded.within(|| format!("filter '{}'", filter.name))?;
        arrays.filters.push(loaded);
    }
    for (i, unit) in root.math_units.iter().enumerate() {
        add(&mut arrays.math_unit_names, "math unit", &unit.name, i)?;
        let loaded = declared::math_unit(unit);
        let loaded = loaded.within(|| format!("math unit '{}'", unit.name))?;
        arrays.math_units.push(loaded);
    }
    Ok(arrays)
}

/// Cells of a direct counter or meter: none in v1model, whose entries have their own.
fn direct_size(root: &json::Root, kind: Kind, binding: Option<&str>) -> LoadResult<u64> {
    match kind.has_cells_of_entries() {
        true => declared::direct_size(root, binding),
        false => Ok(0),
    }
}

fn register(
    root: &json::Root,
    register: &json::RegisterArray,
    memory: &Total,
) -> LoadResult<RegisterArray> {
    let bits = register.bitwidth;
    let fields = register.fields.iter();
    let sum = fields.fold(0u64, |sum, (_, bits)| sum + u64::from(*bits));
    if !register.fields.is_empty() && sum != u64::from(bits) {
        return fail(format!("its fields have {sum} bits, its cells {bits}"));
    }
    if register.param && (register.size != 1 || register.is_direct) {
        return fail("a parameter is a register with one cell");
    }
    let size = match register.is_direct {
        true => declared::direct_size(root, register.binding.as_deref())?,
        false => register.size,
    };
    let cell_bytes = 8 * u64::from(bits.div_ceil(64));
    let Some(initial) = &register.initial else {
        memory.take_all(size, cell_bytes)?;
        return Ok(RegisterArray::new(size as usize, bits));
    };
    // These cells are written at once.
    memory.take_all(size.saturating_add(1), COPIES * cell_bytes)?;
    let bytes = hex_bits(initial, bits)?;
    let limbs = bytes.rchunks(8).map(|chunk| {
        let bytes = chunk.iter();
        bytes.fold(0, |limb, &byte| limb << 8 | u64::from(byte))
    });
    let limbs: Vec<u64> = limbs.collect();
    Ok(RegisterArray::filled(size as usize, bits, &limbs))
}

impl Arrays {
    pub fn register(&self, name: &str) -> LoadResult<u32> {
        find(&self.register_names, "register", name)
    }

    pub fn register_bits(&self, register: u32) -> u32 {
        self.registers[register as usize].bits
    }

    pub fn counter(&self, name: &str) -> LoadResult<u32> {
        find(&self.counter_names, "counter", name)
    }

    pub fn meter(&self, name: &str) -> LoadResult<u32> {
        find(&self.meter_names, "meter", name)
    }

    pub fn filter(&self, name: &str) -> LoadResult<u32> {
        find(&self.filter_names, "filter", name)
    }

    pub fn math_unit(&self, name: &str) -> LoadResult<u32> {
        find(&self.math_unit_names, "math unit", name)
    }
}
