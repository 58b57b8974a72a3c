// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! v1model's objects: counters, meters, registers, action profiles and digests.

use num_traits::ToPrimitive;
use quench_p4_frontend::ast::{AnnotationBody, AnnotationTokenKind};
use quench_p4_frontend::ir::{
    ExternId, ExternInstance, Program, Table, TableId, TypeDefKind, Value,
};

use super::describe::{preamble, Lists};
use super::message::Message;
use super::reach::Reachable;
use super::symbols::Prefix;
use super::{Dialect, Digest, Generator, Names};
use crate::annotation;
use crate::error::{Error, Result};
use crate::object_names::ObjectNames;

/// Entries of a table without `size`: BMv2 reserves room for so many.
const DEFAULT_TABLE_SIZE: u64 = 1024;

/// Objects with one state for each entry of a table: the table's property, the type, the kind of id.
const DIRECT: [(&str, &str, Prefix); 2] = [
    ("counters", "direct_counter", Prefix::DirectCounter),
    ("meters", "direct_meter", Prefix::DirectMeter),
];

/// Annotations of action profiles that become fields.
const PROFILE_ANNOTATIONS: [&str; 3] = [
    "max_group_size",
    "selector_size_semantics",
    "max_member_weight",
];

/// The kind of id that objects of a type have; `None` if the control plane does not see them.
fn prefix(type_name: &str) -> Option<Prefix> {
    Some(match type_name {
        "counter" => Prefix::Counter,
        "direct_counter" => Prefix::DirectCounter,
        "meter" => Prefix::Meter,
        "direct_meter" => Prefix::DirectMeter,
        "register" => Prefix::Register,
        "action_profile" | "action_selector" => Prefix::ActionProfile,
        _ => return None,
    })
}

pub(super) fn integer(object: &ExternInstance, argument: &str) -> Result<i64> {
    let value = object.args.iter().find(|(name, _)| name == argument);
    let value = match value {
        Some((_, Value::Int(value))) => value.to_i64(),
        _ => None,
    };
    value.ok_or_else(|| Error::new(object.span, format!("'{}' has no {argument}", object.name)))
}

/// v1model, in each of its versions.
pub struct V1Model;

impl Dialect for V1Model {
    fn name(&self) -> &'static str {
        "v1model"
    }

    fn names<'a>(&self, _: &'a Program) -> ObjectNames<'a> {
        ObjectNames::whole()
    }

    fn lists(&self) -> Lists {
        &[]
    }

    fn timeout_property(&self) -> &'static str {
        "support_timeout"
    }

    fn default_size(&self, _: &Table) -> u64 {
        DEFAULT_TABLE_SIZE
    }

    fn looks_for_types(&self, reachable: &Reachable) -> bool {
        reachable.calls_externs
    }

    fn collect_objects(&self, generator: &mut Generator<'_>, names: &mut Names) -> Result<()> {
        for object in &generator.program.externs {
            if let Some(prefix) = prefix(&object.type_name) {
                names.take(prefix, &object.name, object.span)?;
                generator
                    .symbols
                    .add(prefix, &object.name, &object.annotations, object.span)?;
            }
        }
        Ok(())
    }

    fn add_objects(&self, generator: &mut Generator<'_>, digests: &[Digest]) -> Result<()> {
        for index in 0..generator.program.externs.len() {
            generator.add_extern(ExternId(index as u32))?;
        }
        for id in generator.reachable.value_sets.clone() {
            generator.add_value_set(id)?;
        }
        for digest in digests {
            generator.add_digest(digest)?;
        }
        Ok(())
    }

    fn add_resources(
        &self,
        generator: &mut Generator<'_>,
        id: TableId,
        message: &mut Message,
    ) -> Result<()> {
        let program = generator.program;
        let table = &program.tables[id.index()];
        if let Some(profile) = generator.property_extern(id, "implementation") {
            let object = &program.externs[profile.index()];
            if prefix(&object.type_name) != Some(Prefix::ActionProfile) {
                let message =
                    "the table's 'implementation' must be an action_profile or action_selector";
                return Err(Error::new(table.span, message));
            }
            let profile_id = generator.symbols.id(Prefix::ActionProfile, &object.name);
            message.int(6, "implementation_id", profile_id);
        }
        let mut direct = Vec::new();
        for (property, type_name, prefix) in DIRECT {
            let Some(object) = generator.property_extern(id, property) else {
                continue;
            };
            let object = &program.externs[object.index()];
            if object.type_name != type_name {
                let message = format!("the table's '{property}' must be a {type_name}");
                return Err(Error::new(table.span, message));
            }
            direct.push(generator.symbols.id(prefix, &object.name));
        }
        message.packed(7, "direct_resource_ids", direct);
        Ok(())
    }
}

impl Generator<'_> {
    fn add_extern(&mut self, id: ExternId) -> Result<()> {
        let object = &self.program.externs[id.index()];
        let Some(prefix) = prefix(&object.type_name) else {
            return Ok(());
        };
        match prefix {
            Prefix::Counter => {
                let mut message = self.described(object, prefix, &[])?;
                message.message(2, "spec", self.counter_spec(object));
                message.int(3, "size", integer(object, "size")?);
                self.info.message(5, "counters", message);
            }
            Prefix::Meter => {
                let mut message = self.described(object, prefix, &[])?;
                message.message(2, "spec", self.meter_spec(object));
                message.int(3, "size", integer(object, "size")?);
                self.info.message(7, "meters", message);
            }
            Prefix::DirectCounter | Prefix::DirectMeter => self.add_direct(id, object, prefix)?,
            Prefix::Register => {
                let mut message = self.described(object, prefix, &[])?;
                if let Some(ty) = object.type_args.first() {
                    let spec = self.types.data_type(self.program, ty, object.span)?;
                    message.message(2, "type_spec", spec);
                }
                message.int(3, "size", integer(object, "size")?);
                self.info.message(11, "registers", message);
            }
            _ => self.add_profile(id, object)?,
        }
        Ok(())
    }

    /// A message that starts with the object's preamble.
    pub(super) fn described(
        &self,
        object: &ExternInstance,
        prefix: Prefix,
        except: &[&str],
    ) -> Result<Message> {
        let id = self.symbols.id(prefix, &object.name);
        let alias = self.symbols.alias(&object.name);
        let mut message = Message::new();
        let preamble = preamble(
            self.lists,
            id,
            &object.name,
            alias,
            &object.annotations,
            except,
        )?;
        message.message(1, "preamble", preamble);
        Ok(message)
    }

    /// Name of the enum member in the constructor's argument `type`.
    pub(super) fn unit(&self, object: &ExternInstance) -> &str {
        let value = object.args.iter().find(|(name, _)| name == "type");
        let Some((_, Value::Enum(id, member))) = value else {
            return "";
        };
        match &self.program.types[id.index()].kind {
            TypeDefKind::Enum(members) => members.get(*member as usize).map_or("", String::as_str),
            _ => "",
        }
    }

    fn counter_spec(&self, object: &ExternInstance) -> Message {
        let unit = match self.unit(object) {
            "bytes" => (1, "BYTES"),
            "packets" => (2, "PACKETS"),
            "packets_and_bytes" => (3, "BOTH"),
            _ => (0, "UNSPECIFIED"),
        };
        let mut spec = Message::new();
        spec.variant(1, "unit", unit);
        spec
    }

    fn meter_spec(&self, object: &ExternInstance) -> Message {
        let unit = match self.unit(object) {
            "bytes" => (1, "BYTES"),
            "packets" => (2, "PACKETS"),
            _ => (0, "UNSPECIFIED"),
        };
        let mut spec = Message::new();
        spec.variant(1, "unit", unit);
        spec
    }

    pub(super) fn tables_with(&self, property: &str, object: ExternId) -> Vec<TableId> {
        let tables = self.reachable.tables.iter().copied();
        tables
            .filter(|table| self.property_extern(*table, property) == Some(object))
            .collect()
    }

    /// P4Info lists a direct object only if a table has it.
    fn add_direct(&mut self, id: ExternId, object: &ExternInstance, prefix: Prefix) -> Result<()> {
        let (property, _, _) = if prefix == Prefix::DirectCounter {
            DIRECT[0]
        } else {
            DIRECT[1]
        };
        let Some(&table) = self.tables_with(property, id).first() else {
            return Ok(());
        };
        let mut message = self.described(object, prefix, &[])?;
        let (number, name, spec) = if prefix == Prefix::DirectCounter {
            (6, "direct_counters", self.counter_spec(object))
        } else {
            (8, "direct_meters", self.meter_spec(object))
        };
        message
            .message(2, "spec", spec)
            .int(3, "direct_table_id", self.table_id(table));
        self.info.message(number, name, message);
        Ok(())
    }

    fn add_profile(&mut self, id: ExternId, object: &ExternInstance) -> Result<()> {
        let with_selector = object.type_name == "action_selector";
        let mut message = self.described(object, Prefix::ActionProfile, &PROFILE_ANNOTATIONS)?;
        let mut tables = self.tables_with("implementation", id);
        tables.sort_by_key(|table| &self.program.tables[table.index()].name);
        let table_ids = tables
            .into_iter()
            .map(|table| self.table_id(table))
            .collect();
        message
            .packed(2, "table_ids", table_ids)
            .bool(3, "with_selector", with_selector)
            .int(4, "size", integer(object, "size")?);
        if with_selector {
            self.add_selector_fields(object, &mut message)?;
        }
        self.info.message(4, "action_profiles", message);
        Ok(())
    }

    fn add_selector_fields(&self, object: &ExternInstance, message: &mut Message) -> Result<()> {
        let number = |name: &str| -> Result<Option<i64>> {
            let Some(found) = annotation::find(&object.annotations, name) else {
                return Ok(None);
            };
            match annotation::integers(found).as_deref() {
                Some([value]) if i32::try_from(*value).is_ok() => Ok(Some(*value as i64)),
                _ => Err(Error::new(found.span, format!("@{name} needs one number"))),
            }
        };
        message.int(5, "max_group_size", number("max_group_size")?.unwrap_or(0));
        let Some(found) = annotation::find(&object.annotations, "selector_size_semantics") else {
            return Ok(());
        };
        let semantics = match &found.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [token] if token.kind == AnnotationTokenKind::String => {
                    token.text.to_ascii_lowercase()
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        match semantics.as_str() {
            "sum_of_weights" => {
                message.message(6, "sum_of_weights", Message::new());
            }
            "sum_of_members" => {
                let mut members = Message::new();
                members.int(
                    1,
                    "max_member_weight",
                    number("max_member_weight")?.unwrap_or(0),
                );
                message.message(7, "sum_of_members", members);
            }
            _ => {
                let expected =
                    "@selector_size_semantics needs \"sum_of_weights\" or \"sum_of_members\"";
                return Err(Error::new(found.span, expected));
            }
        }
        Ok(())
    }

    fn add_digest(&mut self, digest: &Digest) -> Result<()> {
        let id = self.symbols.id(Prefix::Digest, &digest.name);
        let mut message = Message::new();
        let preamble = preamble(
            self.lists,
            id,
            &digest.name,
            self.symbols.alias(&digest.name),
            &[],
            &[],
        )?;
        let spec = self
            .types
            .data_type(self.program, &digest.data, digest.span)?;
        message
            .message(1, "preamble", preamble)
            .message(2, "type_spec", spec);
        self.info.message(12, "digests", message);
        Ok(())
    }
}
