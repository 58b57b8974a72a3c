// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests about counters, meters, registers and value sets.

use std::ops::Range;

use super::tables::refuse;
use crate::exec::core::Core;
use crate::externs::meter::{Meter, MeterKind, MeterSetting};
use crate::model::error::{ControlResult, ErrorCode};
use crate::model::info::{ArrayInfo, MatchKind};
use crate::model::values::{ColorCounts, CounterValue, MatchField, MeterRates};
use crate::switch::Switch;
use crate::tables::key::{canonical, fit, Packed};
use crate::tables::profile::Profile;

fn array(arrays: &[ArrayInfo], what: &str, name: &str) -> ControlResult<usize> {
    match arrays.iter().position(|array| array.name == name) {
        Some(index) if arrays[index].direct_table.is_some() => refuse(
            ErrorCode::InvalidArgument,
            format!(
                "{what} '{name}' is direct: it is read and written with the entries of its table"
            ),
        ),
        Some(index) => Ok(index),
        None => refuse(
            ErrorCode::NotFound,
            format!("the program has no {what} called '{name}'"),
        ),
    }
}

pub(super) fn cell<T>(
    cell: Option<T>,
    what: &str,
    name: &str,
    index: u64,
    size: usize,
) -> ControlResult<T> {
    match cell {
        Some(cell) => Ok(cell),
        None => refuse(
            ErrorCode::OutOfRange,
            format!("{what} '{name}' has {size} cells, no number {index}"),
        ),
    }
}

/// RFC 2698: the peak rate is at least the committed rate. RFC 2697 has no peak rate.
pub(super) fn setting(kind: MeterKind, rates: Option<MeterRates>) -> ControlResult<MeterSetting> {
    match rates {
        Some(rates) if rates.eburst > 0 && (rates.peak(), rates.pburst) != (rates.committed(), rates.cburst) => {
            refuse(
                ErrorCode::InvalidArgument,
                "a meter with an excess burst has one rate: the peak rate and burst are the committed ones",
            )
        }
        Some(rates) if rates.cir_billionths.max(rates.pir_billionths) >= 1_000_000_000 => refuse(
            ErrorCode::InvalidArgument,
            "a billion billionths of a meter's rate are one more of the rate itself",
        ),
        Some(rates) if rates.peak() < rates.committed() => refuse(
            ErrorCode::InvalidArgument,
            format!(
                "the peak rate {} is below the committed rate {}",
                rates.peak() as f64 / 1e9,
                rates.committed() as f64 / 1e9
            ),
        ),
        _ => MeterSetting::new(kind, rates)
            .or_else(|error| refuse(ErrorCode::InvalidArgument, error)),
    }
}

/// The cells of a range that lies inside an array of `size` cells.
pub(super) fn inside(
    range: &Range<u64>,
    what: &str,
    name: &str,
    size: usize,
) -> ControlResult<Range<usize>> {
    let (start, end) = (at(range.start), at(range.end));
    if start > size || end > size {
        return cell(None, what, name, range.start.max(size as u64), size);
    }
    Ok(start..end)
}

pub(super) fn at(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Memory of a field of a value set's member beside its bytes, in the given and in the packed form.
const FIELD_BYTES: usize = 192;

impl Core {
    /// The memory that the control plane's state takes, roughly; that of arrays is the program's.
    pub(super) fn footprint_bytes(&self) -> usize {
        let tables = self.tables.tables.iter().map(|table| table.footprint_bytes);
        let profiles = self.tables.profiles.iter().map(Profile::footprint_bytes);
        let sets = self
            .value_set_members
            .iter()
            .zip(&self.program.info.value_sets);
        let sets = sets.map(|(members, info)| {
            let bytes: u32 = info.key_bits.iter().map(|bits| bits.div_ceil(8)).sum();
            members.len() * (FIELD_BYTES * info.key_bits.len() + 4 * bytes as usize)
        });
        tables.chain(profiles).chain(sets).sum()
    }

    pub(super) fn counter(&self, name: &str) -> ControlResult<usize> {
        array(&self.program.info.counters, "counter", name)
    }

    pub(super) fn meter(&self, name: &str) -> ControlResult<usize> {
        array(&self.program.info.meters, "meter", name)
    }

    pub(super) fn register(&self, name: &str) -> ControlResult<usize> {
        match self
            .program
            .info
            .registers
            .iter()
            .position(|register| register.name == name)
        {
            Some(index) => Ok(index),
            None => refuse(
                ErrorCode::NotFound,
                format!("the program has no register called '{name}'"),
            ),
        }
    }

    pub(super) fn value_set(&self, name: &str) -> ControlResult<usize> {
        match self
            .program
            .info
            .value_sets
            .iter()
            .position(|set| set.name == name)
        {
            Some(index) => Ok(index),
            None => refuse(
                ErrorCode::NotFound,
                format!("the program has no value set called '{name}'"),
            ),
        }
    }
}

impl Switch {
    pub fn counter_read(&self, name: &str, index: u64) -> ControlResult<CounterValue> {
        let core = self.loaded()?;
        let cells = &core.externs.counters[core.counter(name)?].cells;
        cell(
            cells.get(at(index)).copied(),
            "counter",
            name,
            index,
            cells.len(),
        )
    }

    pub fn counter_write(
        &mut self,
        name: &str,
        index: u64,
        value: CounterValue,
    ) -> ControlResult<()> {
        self.counter_fill(name, index..index.saturating_add(1), value)
    }

    /// The same value in all cells of a range.
    pub fn counter_fill(
        &mut self,
        name: &str,
        range: Range<u64>,
        value: CounterValue,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let counter = core.counter(name)?;
        let cells = &mut core.externs.counters[counter].cells;
        let range = inside(&range, "counter", name, cells.len())?;
        cells[range].fill(value);
        Ok(())
    }

    pub fn counter_read_all(&self, name: &str) -> ControlResult<Vec<CounterValue>> {
        let core = self.loaded()?;
        Ok(core.externs.counters[core.counter(name)?].cells.to_vec())
    }

    pub fn meter_read(&self, name: &str, index: u64) -> ControlResult<Option<MeterRates>> {
        let core = self.loaded()?;
        let cells = &core.externs.meters[core.meter(name)?].cells;
        cell(
            cells.get(at(index)).map(Meter::rates),
            "meter",
            name,
            index,
            cells.len(),
        )
    }

    pub fn meter_write(
        &mut self,
        name: &str,
        index: u64,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        self.meter_fill(name, index..index.saturating_add(1), rates)
    }

    /// The same rates, or none, in all cells of a range.
    pub fn meter_fill(
        &mut self,
        name: &str,
        range: Range<u64>,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let meter = core.meter(name)?;
        let setting = setting(core.externs.meters[meter].def.kind, rates)?;
        let cells = &mut core.externs.meters[meter].cells;
        let range = inside(&range, "meter", name, cells.len())?;
        cells[range].iter_mut().for_each(|cell| cell.set(setting));
        Ok(())
    }

    /// The counts of its colours.
    pub fn meter_colors(&self, name: &str, index: u64) -> ControlResult<ColorCounts> {
        let core = self.loaded()?;
        let cells = &core.externs.meters[core.meter(name)?].cells;
        cell(
            cells.get(at(index)).map(|cell| cell.counts),
            "meter",
            name,
            index,
            cells.len(),
        )
    }

    /// Counts the colours of all cells of a range from 0 again.
    pub fn meter_colors_clear(&mut self, name: &str, range: Range<u64>) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let meter = core.meter(name)?;
        let cells = &mut core.externs.meters[meter].cells;
        let range = inside(&range, "meter", name, cells.len())?;
        cells[range]
            .iter_mut()
            .for_each(|cell| cell.counts = ColorCounts::default());
        Ok(())
    }

    pub fn meter_read_all(&self, name: &str) -> ControlResult<Vec<Option<MeterRates>>> {
        let core = self.loaded()?;
        Ok(core.externs.meters[core.meter(name)?]
            .cells
            .iter()
            .map(Meter::rates)
            .collect())
    }

    pub fn register_read(&self, name: &str, index: u64) -> ControlResult<Vec<u8>> {
        let core = self.loaded()?;
        let array = &core.externs.registers[core.register(name)?];
        cell(array.bytes(index), "register", name, index, array.len())
    }

    pub fn register_write(&mut self, name: &str, index: u64, value: &[u8]) -> ControlResult<()> {
        self.register_fill(name, index..index.saturating_add(1), value)
    }

    /// The same value in all cells of a range.
    pub fn register_fill(
        &mut self,
        name: &str,
        range: Range<u64>,
        value: &[u8],
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let register = core.register(name)?;
        let array = &mut core.externs.registers[register];
        let mut bytes = fit(value, array.bits, || format!("register '{name}'"))?;
        bytes.reverse();
        let mut limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| {
                chunk
                    .iter()
                    .rev()
                    .fold(0, |limb, &byte| limb << 8 | u64::from(byte))
            })
            .collect();
        limbs.push(0);
        for index in inside(&range, "register", name, array.len())? {
            array.set(index as u64, &limbs);
        }
        Ok(())
    }

    /// Gives the cells of a range what they began with.
    pub fn register_reset(&mut self, name: &str, range: Range<u64>) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let register = core.register(name)?;
        let array = &mut core.externs.registers[register];
        for index in inside(&range, "register", name, array.len())? {
            array.reset(index as u64);
        }
        Ok(())
    }

    pub fn register_read_all(&self, name: &str) -> ControlResult<Vec<Vec<u8>>> {
        let core = self.loaded()?;
        let array = &core.externs.registers[core.register(name)?];
        Ok((0..array.len() as u64)
            .filter_map(|index| array.bytes(index))
            .collect())
    }

    pub fn value_set_read(&self, name: &str) -> ControlResult<Vec<Vec<MatchField>>> {
        let core = self.loaded()?;
        Ok(core.value_set_members[core.value_set(name)?].clone())
    }

    /// Replaces all members of a value set.
    pub fn value_set_write(
        &mut self,
        name: &str,
        members: &[Vec<MatchField>],
    ) -> ControlResult<()> {
        let core = self.loaded_mut()?;
        let index = core.value_set(name)?;
        let info = &core.program.info.value_sets[index];
        if info.size > 0 && members.len() as u64 > info.size {
            let message = format!(
                "value set '{name}' has room for {} members, {} are given",
                info.size,
                members.len()
            );
            return refuse(ErrorCode::ResourceExhausted, message);
        }
        let bytes: u32 = info.key_bits.iter().map(|bits| bits.div_ceil(8)).sum();
        let mut compiled = Vec::new();
        let mut kept = Vec::new();
        for member in members {
            if member.len() != info.key_bits.len() {
                let fields = info.key_bits.len();
                let message = format!(
                    "members of value set '{name}' have {fields} fields, {} are given",
                    member.len()
                );
                return refuse(ErrorCode::InvalidArgument, message);
            }
            let mut packed = Packed::new(bytes.div_ceil(8) as usize);
            let mut fields = Vec::new();
            let mut at = 0;
            for (&bits, field) in info.key_bits.iter().zip(member) {
                // Exact members are kept as they are; all other kinds of match that tables have are allowed, too.
                let kind = match field {
                    MatchField::Exact(_) => MatchKind::Exact,
                    MatchField::Optional(_) => MatchKind::Optional,
                    MatchField::Lpm(..) => MatchKind::Lpm,
                    MatchField::Range(..) => MatchKind::Range,
                    MatchField::Ternary(..) | MatchField::DontCare => MatchKind::Ternary,
                };
                let field = canonical(kind, bits, field, &|| format!("value set '{name}'"))?;
                packed.add(at, bits, &field);
                fields.push(field);
                at += bits.div_ceil(8);
            }
            compiled.push(packed.ternary());
            kept.push(fields);
        }
        core.value_sets[index] = compiled;
        core.value_set_members[index] = kept;
        Ok(())
    }
}
