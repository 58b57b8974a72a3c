// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Meters, filters, math units and groups as a program declares them.

use std::mem::size_of;

use super::json;
use super::limits::{self, Total, COPIES};
use crate::arch::{Kind, Units};
use crate::externs::filter_array::{FilterArray, FilterCell, FilterKind};
use crate::externs::math_unit::MathUnit;
use crate::externs::meter::{MeterDef, MeterKind};
use crate::model::load_error::{fail, LoadResult};
use crate::tables::profile::GroupLimits;
use crate::tables::selector::Mode;

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

/// The width of a filter's samples.
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

/// The limits that a profile sets for its groups.
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
