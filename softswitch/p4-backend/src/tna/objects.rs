// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of TNA's objects. A direct one names its table.

use num_traits::ToPrimitive;
use quench_p4_frontend::ir::{self, ExternId};
use quench_p4_frontend::Warning;

use super::arguments::optional_argument;
use super::cells;
use super::math_unit::math_unit;
use super::registers::array_name;
use super::state::{self, bits_of};
use crate::emit::{enum_argument, size_argument, Emitter, DEFAULT_SIZE};
use crate::error::{not_supported, Error, Result};
use crate::json::{self, hex};
use crate::lower::{Lower, LoweredTable};

/// The width of a filter's samples.
const MAX_SAMPLE_BITS: u32 = 32;

pub fn add<'a>(emitter: &mut Emitter<'a>, lower: &mut Lower<'a>) -> Result<()> {
    let ir = emitter.ir;
    for (index, object) in ir.externs.iter().enumerate() {
        let id = ExternId(index as u32);
        match object.type_name.as_str() {
            "Counter" => counter(emitter, object, Some(size_argument(object)?), None),
            "Meter" => {
                let size = size_argument(object)?;
                meter(emitter, id, size, None)?;
            }
            "Register" | "RegisterParam" => register(emitter, lower, id, None)?,
            "Lpf" | "Wred" => {
                let size = size_argument(object)?;
                filter(emitter, lower, id, size, None)?;
            }
            "DirectCounter" | "DirectMeter" | "DirectRegister" | "DirectLpf" | "DirectWred" => {
                direct(emitter, lower, id)?;
            }
            "MathUnit" => {
                let bits = match object.type_args.first() {
                    Some(ty) => bits_of(lower, ty, object.span)?,
                    None => return not_supported(object.span, "a math unit without a type"),
                };
                let unit = json::MathUnit {
                    id: emitter.program.math_units.len(),
                    source_info: emitter.source_info(object.span),
                    ..math_unit(ir, id, bits)?
                };
                emitter.program.math_units.push(unit);
            }
            "ActionSelector" if state::of(lower).selector_bits.contains(&id) => {
                selector_bits(emitter, object)?;
            }
            // The others are in the calls of their methods, or in tables.
            _ => {}
        }
    }
    Ok(())
}

fn direct<'a>(emitter: &mut Emitter<'a>, lower: &mut Lower<'a>, id: ExternId) -> Result<()> {
    let object = &emitter.ir.externs[id.index()];
    let Some((name, size)) = binding(emitter, lower, id)? else {
        if state::of(lower).without_table.contains(&id) {
            return register(emitter, lower, id, None);
        }
        lower.warnings.push((
            Warning::Unused,
            object.span,
            format!("no table that is applied has {}", object.name),
        ));
        return Ok(());
    };
    match object.type_name.as_str() {
        "DirectCounter" => counter(emitter, object, None, Some(name)),
        "DirectMeter" => meter(emitter, id, size, Some(name))?,
        "DirectRegister" => register(emitter, lower, id, Some((name, size)))?,
        _ => filter(emitter, lower, id, size, Some(name))?,
    }
    Ok(())
}

/// Name and size of the table that has the object.
fn binding(
    emitter: &Emitter<'_>,
    lower: &Lower<'_>,
    id: ExternId,
) -> Result<Option<(String, u64)>> {
    let has = |table: &LoweredTable| {
        table.direct_counter == Some(id)
            || table.direct_meter == Some(id)
            || table.direct_objects.contains(&id)
    };
    let mut tables = lower.tables.iter().filter(|(_, table)| has(table));
    let Some((table, _)) = tables.next() else {
        return Ok(None);
    };
    let object = &emitter.ir.externs[id.index()];
    if tables.next().is_some() {
        return not_supported(
            object.span,
            format_args!("{} in more than one table", object.name),
        );
    }
    let mut written = emitter.program.pipelines.iter().flat_map(|p| &p.tables);
    let name = &emitter.ir.tables[table.index()].name;
    let size = written
        .find(|table| table.name == *name)
        .map(|table| table.max_size);
    Ok(Some((name.clone(), size.unwrap_or(DEFAULT_SIZE))))
}

fn counter(
    emitter: &mut Emitter<'_>,
    object: &ir::ExternInstance,
    size: Option<u64>,
    binding: Option<String>,
) {
    let counter = json::CounterArray {
        name: object.name.clone(),
        id: emitter.program.counter_arrays.len(),
        source_info: emitter.source_info(object.span),
        size,
        is_direct: binding.is_some(),
        binding,
    };
    emitter.program.counter_arrays.push(counter);
}

fn meter(
    emitter: &mut Emitter<'_>,
    id: ExternId,
    size: u64,
    binding: Option<String>,
) -> Result<()> {
    let ir = emitter.ir;
    let object = &ir.externs[id.index()];
    let colour = |name: &str| byte(ir, id, name);
    let colors = match (colour("green"), colour("yellow"), colour("red")) {
        (Some(green), Some(yellow), Some(red)) => Some([green, yellow, red]),
        _ => None,
    };
    let meter = json::MeterArray {
        name: object.name.clone(),
        id: emitter.program.meter_arrays.len(),
        source_info: emitter.source_info(object.span),
        is_direct: binding.is_some(),
        rate_count: 2,
        kind: enum_argument(ir, object)?.to_lowercase(),
        size,
        binding,
        result_target: None,
        colors,
    };
    emitter.program.meter_arrays.push(meter);
    Ok(())
}

/// A constructor's argument of 8 bits.
fn byte(ir: &ir::Program, id: ExternId, name: &str) -> Option<u8> {
    match optional_argument(ir, id, name)? {
        ir::Value::Int(value) => value.to_u8(),
        _ => None,
    }
}

fn register(
    emitter: &mut Emitter<'_>,
    lower: &Lower<'_>,
    id: ExternId,
    direct: Option<(String, u64)>,
) -> Result<()> {
    let ir = emitter.ir;
    let object = &ir.externs[id.index()];
    let ty = super::registers::element(lower, id)?;
    let param = object.type_name == "RegisterParam";
    let bitwidth = bits_of(lower, &ty, object.span)?;
    let initial = match optional_argument(ir, id, "initial_value") {
        Some(value) => {
            let cell = cells::constant(lower, value, &ty, object.span)?;
            Some(hex(&cell, bitwidth))
        }
        None => None,
    };
    let (binding, size) = match direct {
        Some((table, size)) => (Some(table), size),
        None if param || object.type_name == "DirectRegister" => (None, 1),
        None => (None, size_argument(object)?),
    };
    if size == 0 {
        return not_supported(object.span, "a direct register of a table without entries");
    }
    let register = json::RegisterArray {
        name: object.name.clone(),
        id: emitter.program.register_arrays.len(),
        source_info: emitter.source_info(object.span),
        size,
        bitwidth,
        initial,
        fields: cells::fields(lower, &ty, object.span)?,
        is_direct: binding.is_some(),
        binding,
        log: state::of(lower).logs.contains(&id),
        param,
    };
    emitter.program.register_arrays.push(register);
    Ok(())
}

/// A bit for each member of a selector: 1, it is up.
fn selector_bits(emitter: &mut Emitter<'_>, object: &ir::ExternInstance) -> Result<()> {
    let name = array_name(object);
    let mut externs = emitter.ir.externs.iter();
    if let Some(other) = externs.find(|other| other.name == name) {
        let message = format!("'{name}' is the name of a selector's register: change its @name");
        return Err(Error::new(other.span, message));
    }
    let profile = object.args.iter().find_map(|(name, value)| match value {
        ir::Value::Extern(id) if name == "action_profile" => Some(*id),
        _ => None,
    });
    let sized = profile.map_or(object, |id| &emitter.ir.externs[id.index()]);
    let register = json::RegisterArray {
        name,
        id: emitter.program.register_arrays.len(),
        source_info: emitter.source_info(object.span),
        size: size_argument(sized)?,
        bitwidth: 1,
        initial: Some("0x01".to_owned()),
        ..json::RegisterArray::default()
    };
    emitter.program.register_arrays.push(register);
    Ok(())
}

fn filter(
    emitter: &mut Emitter<'_>,
    lower: &Lower<'_>,
    id: ExternId,
    size: u64,
    binding: Option<String>,
) -> Result<()> {
    let ir = emitter.ir;
    let object = &ir.externs[id.index()];
    let is_wred = object.type_name.ends_with("Wred");
    let bitwidth = match object.type_args.first() {
        Some(ty) => bits_of(lower, ty, object.span)?,
        None => return not_supported(object.span, "a filter without a type"),
    };
    if bitwidth > MAX_SAMPLE_BITS {
        return not_supported(
            object.span,
            format_args!(
                "a filter of samples of {bitwidth} bits: at most {MAX_SAMPLE_BITS} are possible"
            ),
        );
    }
    let filter = json::Filter {
        name: object.name.clone(),
        id: emitter.program.filter_arrays.len(),
        source_info: emitter.source_info(object.span),
        kind: if is_wred { "wred" } else { "lpf" },
        size,
        bitwidth,
        drop_value: byte(ir, id, "drop_value"),
        no_drop_value: byte(ir, id, "no_drop_value"),
        is_direct: binding.is_some(),
        binding,
    };
    emitter.program.filter_arrays.push(filter);
    Ok(())
}
