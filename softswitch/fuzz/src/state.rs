// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! All that the control plane can see of two switches is the same.

use std::fmt::Debug;

use quench_dataplane::Switch;

/// The first difference.
pub(crate) fn compare(got: &Switch, want: &Switch) -> Result<(), String> {
    const NOW_NS: u64 = u64::MAX / 2;
    let both = Both { got, want };
    let info = want.program().expect("a program is loaded");
    for array in &info.registers {
        both.same(&array.name, |switch| switch.register_read_all(&array.name))?;
    }
    for array in &info.counters {
        both.same(&array.name, |switch| switch.counter_read_all(&array.name))?;
    }
    for array in &info.meters {
        both.same(&array.name, |switch| {
            let cells = 0..array.size;
            let colors = cells.map(|index| switch.meter_colors(&array.name, index));
            colors.collect::<Vec<_>>()
        })?;
    }
    for array in &info.filters {
        both.same(&array.name, |switch| {
            let cells = 0..array.size;
            let values = cells.map(|index| switch.filter_value(&array.name, index));
            values.collect::<Vec<_>>()
        })?;
    }
    for table in &info.tables {
        let name = &table.name;
        both.same(name, |switch| switch.table_entries(name, NOW_NS))?;
        both.same(name, |switch| switch.default_counter_read(name))?;
    }
    for port in want.ports() {
        both.same("a port", |switch| switch.port_get(port, NOW_NS))?;
    }
    both.same("statistics", Switch::stats)
}

struct Both<'s> {
    got: &'s Switch,
    want: &'s Switch,
}

impl<'s> Both<'s> {
    fn same<T: PartialEq + Debug>(
        &self,
        what: &str,
        ask: impl Fn(&'s Switch) -> T,
    ) -> Result<(), String> {
        let (got, want) = (ask(self.got), ask(self.want));
        match got == want {
            true => Ok(()),
            false => Err(format!(
                "{what}: machine code leaves {got:x?}, the interpreter {want:x?}"
            )),
        }
    }
}
