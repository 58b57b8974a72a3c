// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What P4Info says of TNA's objects. P4Runtime's own messages for counters, meters, ... stay empty: p4c's Tofino back end
//! lists every object as an instance of an extern, with a message of its own (barefoot/p4info.proto) in it.
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
use quench_p4_frontend::ir::{ExternId, PackageInstance, Table, TableId, Value};

use super::describe::preamble;
use super::message::Message;
use super::symbols::Prefix;
use super::{hidden, Generator, Names};
use crate::error::Result;
use calls::Calls;
use hash::Arguments;
use kinds::{
    kind, Externs, Kind, Uses, DIRECT_COUNTER, DIRECT_LPF, DIRECT_METER, DIRECT_REGISTER,
    DIRECT_WRED,
};

/// Entries of a table that says nothing.
const DEFAULT_TABLE_SIZE: u64 = 512;

/// What p4c gives to a table without `size`.
pub fn default_size(table: &Table) -> u64 {
    let min_size = table.properties.iter().find(|p| p.name == "min_size");
    match min_size.map(|p| &p.value) {
        Some(Value::Int(size)) => size.to_u64().unwrap_or(DEFAULT_TABLE_SIZE),
        _ => DEFAULT_TABLE_SIZE,
    }
}

/// The property of a table that names an object with one state for each entry, in the order of the table's resources.
const DIRECT: [(&str, &str, Kind); 5] = [
    ("counters", "DirectCounter", DIRECT_COUNTER),
    ("meters", "DirectMeter", DIRECT_METER),
    ("registers", "DirectRegister", DIRECT_REGISTER),
    ("filters", "DirectLpf", DIRECT_LPF),
    ("filters", "DirectWred", DIRECT_WRED),
];

impl Generator<'_> {
    pub(super) fn collect_tofino(&mut self, names: &mut Names) -> Result<()> {
        for object in &self.program.externs {
            let Some((prefix, _)) = kind(&object.type_name) else {
                continue;
            };
            let name = self.names.object(&object.name);
            let symbols = match objects::implied_profile(object) {
                true => vec![
                    (Prefix::TofinoActionProfile, name.to_string()),
                    (prefix, format!("{name}{}", objects::SELECTOR_SUFFIX)),
                ],
                false => vec![(prefix, name.into_owned())],
            };
            for (prefix, name) in symbols {
                names.take(prefix, &name, object.span)?;
                self.symbols.add(prefix, &name, &[], object.span)?;
            }
        }
        self.collect_blocks()
    }

    /// p4c finds objects where they are declared: those of the top level, then those in controls and, at each table, its
    /// direct ones; then what blocks bring.
    pub(super) fn add_tofino(&mut self) -> Result<()> {
        let mut externs = Externs::default();
        let uses = Uses {
            calls: Calls::of(self.program, &self.reachable),
            arguments: Arguments::of(self.program, &self.reachable),
        };
        let in_controls = self.in_controls();
        let (inside, outside): (Vec<_>, Vec<_>) = (0..self.program.externs.len() as u32)
            .map(ExternId)
            .partition(|id| in_controls.contains(id));
        for id in outside {
            self.add_object(id, &uses, &mut externs)?;
        }
        let mut inside = inside.into_iter().peekable();
        for table_id in self.reachable.tables.clone() {
            let table = &self.program.tables[table_id.index()];
            while let Some(id) = inside.next_if(|id| id.0 < table.externs_before) {
                self.add_object(id, &uses, &mut externs)?;
            }
            if !hidden(&table.annotations) {
                self.add_direct_objects(table_id, &uses, &mut externs)?;
            }
        }
        for id in inside {
            self.add_object(id, &uses, &mut externs)?;
        }
        self.add_blocks(&mut externs)?;
        externs.write(&mut self.info);
        Ok(())
    }

    /// The ids of a table's action profile or selector, and of its direct objects.
    pub(super) fn add_tofino_resources(&self, id: TableId, message: &mut Message) {
        if let Some(profile) = self.property_extern(id, "implementation") {
            message.int(6, "implementation_id", self.implementation_id(profile));
        }
        let direct = self.direct_objects(id).into_iter();
        let ids = direct.map(|((prefix, _), object)| {
            let name = &self.program.externs[object.index()].name;
            self.symbols.id(prefix, &self.names.object(name))
        });
        message.packed(7, "direct_resource_ids", ids.collect());
    }

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
                preamble(self.arch, id, name, alias, annotations, &[])?,
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
