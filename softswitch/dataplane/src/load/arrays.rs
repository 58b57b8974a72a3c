// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, counters and meters.

use std::collections::HashMap;

use super::error::{fail, LoadResult, Within};
use super::json;
use crate::externs::counter::CounterArray;
use crate::externs::meter::MeterArray;
use crate::externs::register::RegisterArray;

/// Cells that all arrays of one kind may have.
const MAX_CELLS: u64 = 1 << 28;

/// The arrays, indexed as in the JSON; direct ones have no cells.
#[derive(Default)]
pub struct Arrays {
    pub registers: Vec<RegisterArray>,
    pub counters: Vec<CounterArray>,
    pub meters: Vec<MeterArray>,
    register_names: HashMap<String, u32>,
    counter_names: HashMap<String, u32>,
    meter_names: HashMap<String, u32>,
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

fn cells(total: &mut u64, size: u64, per_cell: u64) -> LoadResult<usize> {
    *total = size
        .checked_mul(per_cell)
        .and_then(|size| total.checked_add(size))
        .unwrap_or(u64::MAX);
    if *total > MAX_CELLS {
        return fail(format!(
            "its {size} cells are too many: at most {MAX_CELLS} words are supported in all"
        ));
    }
    Ok(size as usize)
}

pub fn build(root: &json::Root) -> LoadResult<Arrays> {
    let mut arrays = Arrays::default();
    let mut total = 0;
    for (i, register) in root.register_arrays.iter().enumerate() {
        let place = || format!("register '{}'", register.name);
        add(&mut arrays.register_names, "register", &register.name, i)?;
        if !(1..=1 << 16).contains(&register.bitwidth) {
            return fail(format!("a width of {} bits", register.bitwidth)).within(place);
        }
        let limbs = u64::from(register.bitwidth.div_ceil(64));
        let size = cells(&mut total, register.size, limbs).within(place)?;
        arrays
            .registers
            .push(RegisterArray::new(size, register.bitwidth));
    }
    for (i, counter) in root.counter_arrays.iter().enumerate() {
        add(&mut arrays.counter_names, "counter", &counter.name, i)?;
        let size = if counter.is_direct {
            0
        } else {
            counter.size.unwrap_or(0)
        };
        let size = cells(&mut total, size, 2).within(|| format!("counter '{}'", counter.name))?;
        arrays.counters.push(CounterArray::new(size));
    }
    for (i, meter) in root.meter_arrays.iter().enumerate() {
        let place = || format!("meter '{}'", meter.name);
        add(&mut arrays.meter_names, "meter", &meter.name, i)?;
        let in_bytes = match meter.unit.as_str() {
            "bytes" => true,
            "packets" => false,
            other => return fail(format!("unknown type '{other}'")).within(place),
        };
        if meter.rate_count.is_some_and(|count| count != 2) {
            return fail("only meters with two rates are supported").within(place);
        }
        let size = if meter.is_direct { 0 } else { meter.size };
        let size = cells(&mut total, size, 16).within(place)?;
        arrays.meters.push(MeterArray::new(size, in_bytes));
    }
    Ok(arrays)
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
}
