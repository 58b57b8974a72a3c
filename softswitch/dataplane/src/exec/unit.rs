// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Primitives of TNA's units: filters, the math unit, hashes, meters and counters with their further arguments, logs.

use super::calc;
use super::env::Env;
use crate::externs::faults::Faults;
use crate::externs::meter::Color;
use crate::model::ids::Value;
use crate::program::unit::Unit;
use crate::state::stored::Stored;

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
