// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The messages of P4Info about TNA's objects. P4Runtime's own messages for counters, meters, ... stay empty: p4c's
//! Tofino back end lists every object as an instance of an extern, with a message of its own (barefoot/p4info.proto)
//! in it.
//!
//! | file | holds |
//! |---|---|
//! | `objects.rs` | counters, meters, filters, registers, action profiles, digests |
//! | `calls.rs` | how often objects are called once actions have been copied to where they are used |
//! | `kinds.rs` | types of objects, and instances by type |
//! | `hash.rs` | the fields of hashes |
//! | `blocks.rs` | what the pipeline's blocks bring: value sets, port metadata, fields of snapshots |

mod blocks;
mod calls;
mod hash;
mod kinds;
mod objects;

use std::collections::HashSet;

use num_traits::ToPrimitive;
use quench_p4_frontend::ast::Annotation;
use quench_p4_frontend::ir::{ExternId, PackageInstance, Program, Table, TableId, Value};

use super::describe::{preamble, Lists};
use super::message::Message;
use super::reach::Reachable;
use super::symbols::Prefix;
use super::{hidden, Dialect, Digest, Generator, Names};
use crate::error::Result;
use crate::object_names::ObjectNames;
use calls::Calls;
use hash::Arguments;
use kinds::{
    kind, Externs, Kind, Uses, DIRECT_COUNTER, DIRECT_LPF, DIRECT_METER, DIRECT_REGISTER,
    DIRECT_WRED,
};

/// Entries of a table that says nothing.
const DEFAULT_TABLE_SIZE: u64 = 512;
/// Those of a table that asks for none.
const NO_TABLE_SIZE: u64 = 1024;

/// Annotations whose body is a list of expressions, as far as they stand at objects of the control plane.
const LISTS: [&str; 10] = [
    "alpm_atcam_exclude_field_msbs",
    "default_portmap",
    "field_list_field_slice",
    "force_shift",
    "phase0",
    "placement_priority",
    "pa_do_not_bridge",
    "stage",
    "symmetric",
    "user_annotation",
];

/// The property of a table that names an object with one state for each entry, in the order of the table's resources.
const DIRECT: [(&str, &str, Kind); 5] = [
    ("counters", "DirectCounter", DIRECT_COUNTER),
    ("meters", "DirectMeter", DIRECT_METER),
    ("registers", "DirectRegister", DIRECT_REGISTER),
    ("filters", "DirectLpf", DIRECT_LPF),
    ("filters", "DirectWred", DIRECT_WRED),
];

/// TNA, as p4c's back end for Tofino 1 has it.
pub struct Tofino;

impl Dialect for Tofino {
    fn name(&self) -> &'static str {
        "tna"
    }

    fn names<'a>(&self, program: &'a Program) -> ObjectNames<'a> {
        ObjectNames::behind_pipe(program)
    }

    fn lists(&self) -> Lists {
        &LISTS
    }

    fn timeout_property(&self) -> &'static str {
        "idle_timeout"
    }

    /// p4c sets the size of tables without `size` before it writes P4Info; in other tables 0 means none.
    fn default_size(&self, table: &Table) -> u64 {
        if table.size.is_some() {
            return NO_TABLE_SIZE;
        }
        let min_size = table.properties.iter().find(|p| p.name == "min_size");
        match min_size.map(|p| &p.value) {
            Some(Value::Int(size)) => size.to_u64().unwrap_or(DEFAULT_TABLE_SIZE),
            _ => DEFAULT_TABLE_SIZE,
        }
    }

    fn looks_for_types(&self, reachable: &Reachable) -> bool {
        !reachable.value_sets.is_empty() || reachable.parsers.iter().any(|p| p.calls_externs)
    }

    fn collect_objects(&self, generator: &mut Generator<'_>, names: &mut Names) -> Result<()> {
        for object in &generator.program.externs {
            let Some((prefix, _)) = kind(&object.type_name) else {
                continue;
            };
            let name = generator.names.object(&object.name);
            let symbols = match objects::implied_profile(object) {
                true => vec![
                    (Prefix::TofinoActionProfile, name.to_string()),
                    (prefix, format!("{name}{}", objects::SELECTOR_SUFFIX)),
                ],
                false => vec![(prefix, name.into_owned())],
            };
            for (prefix, name) in symbols {
                names.take(prefix, &name, object.span)?;
                generator.symbols.add(prefix, &name, &[], object.span)?;
            }
        }
        generator.collect_blocks()
    }

    /// p4c finds objects where they are declared: those of the top level, then those in controls and, at each table, its
    /// direct ones; then what blocks bring.
    fn add_objects(&self, generator: &mut Generator<'_>, _: &[Digest]) -> Result<()> {
        let mut externs = Externs::default();
        let uses = Uses {
            calls: Calls::of(generator.program, &generator.reachable),
            arguments: Arguments::of(generator.program, &generator.reachable),
        };
        let in_controls = generator.in_controls();
        let (inside, outside): (Vec<_>, Vec<_>) = (0..generator.program.externs.len() as u32)
            .map(ExternId)
            .partition(|id| in_controls.contains(id));
        for id in outside {
            generator.add_object(id, &uses, &mut externs)?;
        }
        let mut inside = inside.into_iter().peekable();
        for table_id in generator.reachable.tables.clone() {
            let table = &generator.program.tables[table_id.index()];
            while let Some(id) = inside.next_if(|id| id.0 < table.externs_before) {
                generator.add_object(id, &uses, &mut externs)?;
            }
            if !hidden(&table.annotations) {
                generator.add_direct_objects(table_id, &uses, &mut externs)?;
            }
        }
        for id in inside {
            generator.add_object(id, &uses, &mut externs)?;
        }
        generator.add_blocks(&mut externs)?;
        externs.write(&mut generator.info);
        Ok(())
    }

    fn add_resources(
        &self,
        generator: &mut Generator<'_>,
        id: TableId,
        message: &mut Message,
    ) -> Result<()> {
        if let Some(profile) = generator.property_extern(id, "implementation") {
            message.int(6, "implementation_id", generator.implementation_id(profile));
        }
        let direct = generator.direct_objects(id).into_iter();
        let ids = direct.map(|((prefix, _), object)| {
            let name = &generator.program.externs[object.index()].name;
            generator.symbols.id(prefix, &generator.names.object(name))
        });
        message.packed(7, "direct_resource_ids", ids.collect());
        Ok(())
    }
}

impl Generator<'_> {
    fn direct_objects(&self, id: TableId) -> Vec<(Kind, ExternId)> {
        let direct = DIRECT.iter().filter_map(|(property, type_name, kind)| {
            let object = self.property_extern(id, property)?;
            let is_direct = self.program.externs[object.index()].type_name == *type_name;
            is_direct.then_some((*kind, object))
        });
        direct.collect()
    }

    fn in_controls(&self) -> HashSet<ExternId> {
        let controls = self.program.controls.iter();
        controls
            .flat_map(|control| control.externs.iter().copied())
            .collect()
    }

    fn add_instance(
        &self,
        kind: Kind,
        name: &str,
        annotations: &[Annotation],
        message: Message,
        externs: &mut Externs,
    ) -> Result<()> {
        let (prefix, type_name) = kind;
        let id = self.symbols.id(prefix, name);
        let alias = self.symbols.alias(name);
        let mut instance = Message::new();
        instance
            .message(
                1,
                "preamble",
                preamble(self.lists, id, name, alias, annotations, &[])?,
            )
            .any(2, "info", type_name, message);
        externs.add(kind, instance);
        Ok(())
    }

    /// The first pipeline.
    fn pipeline(&self) -> Option<&PackageInstance> {
        match self.program.main.as_ref()?.args.first()? {
            (_, Value::Package(pipeline)) => Some(pipeline),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
