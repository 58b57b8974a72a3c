// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, counters and meters.

use std::collections::HashMap;
use std::mem::size_of;

use super::error::{fail, LoadResult, Within};
use super::json;
use super::limits::{self, Total};
use crate::control::CounterValue;
use crate::externs::counter::CounterArray;
use crate::externs::meter::{Meter, MeterArray};
use crate::externs::register::RegisterArray;

/// Counters and meters take their memory in the loaded program and in the switch that runs it; the cells of registers
/// take theirs when they are written.
const COPIES: u64 = 2;

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

pub fn build(root: &json::Root, memory: &Total) -> LoadResult<Arrays> {
    let mut arrays = Arrays::default();
    for (i, register) in root.register_arrays.iter().enumerate() {
        let place = || format!("register '{}'", register.name);
        add(&mut arrays.register_names, "register", &register.name, i)?;
        limits::WIDTH_BITS
            .allow_some(register.bitwidth.into())
            .within(place)?;
        let cell_bytes = 8 * u64::from(register.bitwidth.div_ceil(64));
        memory.take_all(register.size, cell_bytes).within(place)?;
        let size = register.size as usize;
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
        memory
            .take_all(size, COPIES * size_of::<CounterValue>() as u64)
            .within(|| format!("counter '{}'", counter.name))?;
        arrays.counters.push(CounterArray::new(size as usize));
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
        memory
            .take_all(size, COPIES * size_of::<Meter>() as u64)
            .within(place)?;
        arrays.meters.push(MeterArray::new(size as usize, in_bytes));
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
