// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Primitives of TNA's units: filters, the math unit, hashes, meters and counters with their further arguments, logs.

use super::action::Env;
use super::calc;
use super::program::Target;
use crate::externs::faults::Faults;
use crate::externs::meter::Color;
use crate::model::ids::Value;
use crate::state::stored::Stored;

/// One execution of a unit.
#[derive(Debug)]
pub enum Unit {
    /// Destination and calculation.
    Hash(Target, u32),
    /// Destination, array, sample and index.
    Filter(Target, u32, Value, Value),
    /// Destination, unit and operand.
    Math(Target, u32, Value),
    /// Array, index, destination, the packet's colour before, and what is taken off its length.
    Meter(u32, Value, Target, Option<Value>, Option<Value>),
    /// Array, index and what is taken off the packet's length.
    Count(u32, Value, Value),
    /// Destination and register array: the index of the next entry of a log.
    NextIndex(Target, u32),
}

impl Unit {
    /// The numbers that it works with, and where the result goes.
    pub fn parts(&self) -> (Option<Target>, Vec<Value>) {
        match *self {
            Self::Hash(target, _) | Self::NextIndex(target, _) => (Some(target), vec![]),
            Self::Filter(target, _, sample, index) => (Some(target), vec![sample, index]),
            Self::Math(target, _, operand) => (Some(target), vec![operand]),
            Self::Meter(_, index, target, before, less) => {
                let values = [Some(index), before, less];
                (Some(target), values.into_iter().flatten().collect())
            }
            Self::Count(_, index, less) => (None, vec![index, less]),
        }
    }

    /// The primitive's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hash(..) => "hash",
            Self::Filter(..) => "filter",
            Self::Math(..) => "math_unit",
            Self::Meter(..) => "execute_meter",
            Self::Count(..) => "count",
            Self::NextIndex(..) => "next_index",
        }
    }
}

impl Env<'_> {
    pub fn unit(&mut self, unit: &Unit, params: &[u8]) {
        match *unit {
            Unit::Hash(target, calculation) => {
                let calculation = &self.program.calculations[calculation as usize];
                let hash = calc::compute(self.program, calculation, self.externs, self.packet);
                self.write(&target, Stored::Medium(hash.into()), params);
            }
            Unit::Filter(target, array, sample, index) => {
                let ctx = self.ctx(params);
                let (sample, index) = (ctx.low64(sample) as u32, ctx.index(index));
                let externs = &mut *self.externs;
                let chip_ns = externs.chip_ns(self.now_ns);
                let filter = &mut externs.filters[array as usize];
                let result = filter.execute(index, chip_ns, sample, &mut externs.random);
                if result.is_none() {
                    Faults::count(&externs.faults.meter_index);
                }
                self.write(&target, Stored::Small(result.unwrap_or(0).into()), params);
            }
            Unit::Math(target, unit, operand) => {
                let operand = self.ctx(params).low64(operand) as u32;
                let result = self.externs.math_units[unit as usize].compute(operand);
                self.write(&target, Stored::Small(result.into()), params);
            }
            Unit::Meter(meter, index, target, before, less) => {
                let ctx = self.ctx(params);
                let index = ctx.index(index);
                let before = before.map_or(Color::Green, |color| Color::from_tna(ctx.low64(color)));
                let bytes = self.length_without(less, params);
                let chip_ns = self.externs.chip_ns(self.now_ns);
                let meter = &mut self.externs.meters[meter as usize];
                match meter.execute(index, chip_ns, bytes, before) {
                    Some(color) => self.write(&target, Stored::Small(color.into()), params),
                    None => Faults::count(&self.externs.faults.meter_index),
                }
            }
            Unit::Count(counter, index, less) => {
                let index = self.ctx(params).index(index);
                let bytes = self.length_without(Some(less), params);
                if !self.externs.counters[counter as usize].count(index, bytes) {
                    Faults::count(&self.externs.faults.counter_index);
                }
            }
            Unit::NextIndex(target, register) => {
                let index = self.externs.registers[register as usize].next_index();
                self.write(&target, Stored::Medium(index.into()), params);
            }
        }
    }

    /// The packet's length without a number of bytes, which may be negative; not below 0.
    fn length_without(&self, less: Option<Value>, params: &[u8]) -> u32 {
        let less = less.map_or(0, |less| self.ctx(params).low64(less) as u32 as i32);
        let bytes = i64::from(self.packet.ingress_bytes) - i64::from(less);
        bytes.clamp(0, u32::MAX.into()) as u32
    }
}
