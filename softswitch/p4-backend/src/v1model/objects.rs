// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of v1model's objects: counters, meters and registers.

use quench_p4_frontend::ir::{self, ExternId};
use quench_p4_frontend::Warning;

use crate::emit::{enum_argument, size_argument, Emitter};
use crate::error::{not_supported, Error, Result};
use crate::json;
use crate::lower::Lower;

impl<'a> Emitter<'a> {
    pub fn objects(&mut self, lower: &mut Lower<'a>) -> Result<()> {
        let ir = self.ir;
        for (index, instance) in ir.externs.iter().enumerate() {
            let id = ExternId(index as u32);
            match instance.type_name.as_str() {
                "counter" => {
                    let size = size_argument(instance)?;
                    self.counter(instance, Some(size), None);
                }
                "direct_counter" => {
                    match self.binding(instance, lower, |t| t.direct_counter == Some(id))? {
                        Some(table) => self.counter(instance, None, Some(table.name.clone())),
                        None if self.is_property(id) => {}
                        None => lower.warnings.push((
                            Warning::Unused,
                            instance.span,
                            format!("no table has the direct counter {}", instance.name),
                        )),
                    }
                }
                "meter" => {
                    let size = size_argument(instance)?;
                    self.meter(instance, size, None, None)?;
                }
                "direct_meter" => self.direct_meter(id, instance, lower)?,
                "register" => self.register(instance, lower)?,
                // Direct objects are written with the tables that name them.
                "action_profile" | "action_selector" => {}
                other => {
                    return not_supported(instance.span, format_args!("the extern object {other}"))
                }
            }
        }
        Ok(())
    }

    fn binding(
        &self,
        instance: &ir::ExternInstance,
        lower: &Lower<'a>,
        is_bound: impl Fn(&crate::lower::LoweredTable) -> bool,
    ) -> Result<Option<&'a ir::Table>> {
        let mut tables = lower.tables.iter().filter(|(_, table)| is_bound(table));
        let first = tables.next().map(|(id, _)| &self.ir.tables[id.index()]);
        if tables.next().is_some() {
            return not_supported(
                instance.span,
                format_args!("{} in more than one table", instance.name),
            );
        }
        Ok(first)
    }

    /// Whether some table has it, applied or not.
    fn is_property(&self, id: ExternId) -> bool {
        let mut properties = self.ir.tables.iter().flat_map(|table| &table.properties);
        properties.any(|property| matches!(property.value, ir::Value::Extern(other) if other == id))
    }

    fn counter(
        &mut self,
        instance: &ir::ExternInstance,
        size: Option<u64>,
        binding: Option<String>,
    ) {
        let counter = json::CounterArray {
            name: instance.name.clone(),
            id: self.program.counter_arrays.len(),
            source_info: self.source_info(instance.span),
            size,
            is_direct: binding.is_some(),
            binding,
        };
        self.program.counter_arrays.push(counter);
    }

    fn meter(
        &mut self,
        instance: &ir::ExternInstance,
        size: u64,
        binding: Option<String>,
        result_target: Option<(String, String)>,
    ) -> Result<()> {
        let meter = json::MeterArray {
            name: instance.name.clone(),
            id: self.program.meter_arrays.len(),
            source_info: self.source_info(instance.span),
            is_direct: binding.is_some(),
            rate_count: 2,
            kind: enum_argument(self.ir, instance)?,
            size,
            binding,
            result_target,
            colors: None,
        };
        self.program.meter_arrays.push(meter);
        Ok(())
    }

    fn direct_meter(
        &mut self,
        id: ExternId,
        instance: &ir::ExternInstance,
        lower: &mut Lower<'a>,
    ) -> Result<()> {
        let table = self.binding(instance, lower, |t| t.direct_meter == Some(id))?;
        let target = lower.objects.meter_targets.get(&id).cloned();
        match (table, target) {
            (Some(table), Some(target)) => {
                let size = table.size.filter(|&size| size > 0);
                let size = size.unwrap_or(crate::emit::DEFAULT_SIZE);
                self.meter(instance, size, Some(table.name.clone()), Some(target))
            }
            (Some(_), None) => not_supported(
                instance.span,
                format_args!("direct meter {} that no action reads", instance.name),
            ),
            // An error has said already that the table is not applied.
            (None, _) if self.is_property(id) => Ok(()),
            (None, Some(_)) => Err(Error::new(
                instance.span,
                format_args!(
                    "direct meter {} is read, but no table has it: add `meters` to the table",
                    instance.name
                ),
            )),
            (None, None) => {
                lower.warnings.push((
                    Warning::Unused,
                    instance.span,
                    format!("no table has the direct meter {}", instance.name),
                ));
                Ok(())
            }
        }
    }

    fn register(&mut self, instance: &ir::ExternInstance, lower: &Lower<'a>) -> Result<()> {
        let Some(element) = instance.type_args.first() else {
            return not_supported(instance.span, "a register without a type");
        };
        let register = json::RegisterArray {
            name: instance.name.clone(),
            id: self.program.register_arrays.len(),
            source_info: self.source_info(instance.span),
            size: size_argument(instance)?,
            bitwidth: lower.layout.scalar(element, instance.span)?.bits(),
            ..json::RegisterArray::default()
        };
        self.program.register_arrays.push(register);
        Ok(())
    }
}
