// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts that the blocks of the pipeline bring: value sets, port metadata, and the fields that a snapshot of a
//! stage shows.

use std::collections::HashMap;

use quench_p4_frontend::ir::{ControlId, Field, ParserId, Type, TypeDefKind, Value};

use super::super::message::Message;
use super::super::named::{def, flat_fields, named_or};
use super::super::symbols::Prefix;
use super::super::Generator;
use super::kinds::{Externs, PORT_METADATA, SNAPSHOT, VALUE_SET};
use crate::error::Result;

const INGRESS_METADATA: &str = "ingress_intrinsic_metadata_t";

/// The key of port metadata, if the ingress parser does not have the intrinsic metadata.
const NO_INGRESS_METADATA: &str = "phase0_data";

/// Numbers of fields; one name has one number in ingress and egress.
#[derive(Default)]
struct FieldIds(HashMap<String, u32>);

impl FieldIds {
    fn id(&mut self, name: &str) -> u32 {
        let next = self.0.len() as u32 + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

impl Generator<'_> {
    pub(super) fn collect_blocks(&mut self) -> Result<()> {
        for id in self.reachable.value_sets.clone() {
            let set = &self.program.value_sets[id.index()];
            let name = self.names.object(&set.name).into_owned();
            self.symbols
                .add(Prefix::TofinoValueSet, &name, &[], set.span)?;
        }
        if let Some(id) = self.ingress_parser() {
            let span = self.program.parsers[id.index()].span;
            let name = self.port_metadata_name(id);
            self.symbols
                .add(Prefix::TofinoPortMetadata, &name, &[], span)?;
        }
        for (id, _) in self.gresses() {
            let span = self.program.controls[id.index()].span;
            let name = self.snapshot_name(id);
            self.symbols.add(Prefix::TofinoSnapshot, &name, &[], span)?;
        }
        Ok(())
    }

    /// In each parser value sets, then port metadata; after all parsers port metadata that no parser reads; snapshots.
    pub(super) fn add_blocks(&mut self, externs: &mut Externs) -> Result<()> {
        let ingress = self.ingress_parser();
        let parsers = std::mem::take(&mut self.reachable.parsers);
        let mut unread = ingress;
        for parser in &parsers {
            for id in &parser.value_sets {
                let set = &self.program.value_sets[id.index()];
                let mut message = Message::new();
                let spec = self.types.data_type(self.program, &set.element, set.span)?;
                message
                    .message(1, "type_spec", spec)
                    .int(2, "size", set.size as i64);
                let name = self.names.object(&set.name).into_owned();
                self.add_instance(VALUE_SET, &name, &set.annotations, message, externs)?;
            }
            if let (Some(ty), true) = (&parser.port_metadata, ingress == Some(parser.id)) {
                unread = None;
                self.add_port_metadata(parser.id, Some(ty), externs)?;
            }
        }
        self.reachable.parsers = parsers;
        if let Some(parser) = unread {
            self.add_port_metadata(parser, None, externs)?;
        }
        let mut ids = FieldIds::default();
        for (control, direction) in self.gresses() {
            self.add_snapshot(control, direction, &mut ids, externs)?;
        }
        Ok(())
    }

    fn ingress_parser(&self) -> Option<ParserId> {
        let mut args = self.pipeline()?.args.iter();
        let parsers = ["ingress_parser", "ig_prsr"];
        match args.find(|(name, _)| parsers.contains(&name.as_str()))? {
            (_, Value::Parser(id)) => Some(*id),
            // A pipeline with a parser for each port gives the first.
            (_, Value::Package(parsers)) => match parsers.args.first()? {
                (_, Value::Parser(id)) => Some(*id),
                _ => None,
            },
            _ => None,
        }
    }

    /// The controls of ingress and egress, with `barefoot.Direction`.
    fn gresses(&self) -> Vec<(ControlId, (u32, &'static str))> {
        let directions = [
            ("ingress", (0, "DIRECTION_INGRESS")),
            ("egress", (1, "DIRECTION_EGRESS")),
        ];
        let Some(pipeline) = self.pipeline() else {
            return Vec::new();
        };
        let controls = directions.into_iter().filter_map(|(block, direction)| {
            match pipeline.args.iter().find(|(name, _)| name == block)? {
                (_, Value::Control(id)) => Some((*id, direction)),
                _ => None,
            }
        });
        controls.collect()
    }

    fn port_metadata_name(&self, id: ParserId) -> String {
        let parser = &self.program.parsers[id.index()];
        let name = self.names.object(&parser.type_name);
        format!("{name}.$PORT_METADATA")
    }

    /// The control's name is in it twice.
    fn snapshot_name(&self, id: ControlId) -> String {
        let control = &self.program.controls[id.index()].type_name;
        format!("{}.{control}", self.names.object(control))
    }

    fn add_port_metadata(
        &mut self,
        id: ParserId,
        ty: Option<&Type>,
        externs: &mut Externs,
    ) -> Result<()> {
        let parser = &self.program.parsers[id.index()];
        let params = parser.params.iter();
        let key = params
            .map(|id| &self.program.vars[id.index()])
            .find(|var| def(self.program, &var.ty).is_some_and(|def| def.name == INGRESS_METADATA));
        let mut message = Message::new();
        let key = key.map_or(NO_INGRESS_METADATA, |var| &var.name);
        message.text(1, "key_name", key);
        if let Some(ty) = ty {
            let spec = self.types.data_type(self.program, ty, parser.span)?;
            message.message(2, "type_spec", spec);
        }
        let name = self.port_metadata_name(id);
        self.add_instance(PORT_METADATA, &name, &[], message, externs)
    }

    fn add_snapshot(
        &self,
        id: ControlId,
        direction: (u32, &'static str),
        ids: &mut FieldIds,
        externs: &mut Externs,
    ) -> Result<()> {
        let control = &self.program.controls[id.index()];
        let mut fields = Vec::new();
        for (position, param) in control.params.iter().enumerate() {
            let var = &self.program.vars[param.index()];
            // Validity is shown of the user's headers, which come first.
            self.snapshot_fields(&var.name, &var.ty, position == 0, &mut fields);
        }
        let mut fields: Vec<_> = fields
            .into_iter()
            .map(|(name, width)| (ids.id(&name), name, width))
            .collect();
        fields.sort();
        fields.dedup();
        let mut message = Message::new();
        message
            .text(1, "pipe", self.names.pipe.unwrap_or_default())
            .variant(2, "direction", direction);
        for (id, name, width) in fields {
            let mut field = Message::new();
            field
                .int(1, "id", id)
                .text(2, "name", &name)
                .int(3, "bitwidth", width);
            message.message(3, "fields", field);
        }
        self.add_instance(SNAPSHOT, &self.snapshot_name(id), &[], message, externs)
    }

    /// Fields of bits, by their paths: those of `bool` and of other types have no place of their own.
    fn snapshot_fields(
        &self,
        path: &str,
        ty: &Type,
        validity: bool,
        into: &mut Vec<(String, u32)>,
    ) {
        match ty {
            Type::Bit(width) | Type::Int(width) => into.push((path.to_owned(), *width)),
            Type::Stack(element, size) => {
                for index in 0..*size {
                    self.snapshot_fields(&format!("{path}${index}"), element, validity, into);
                }
            }
            _ => match def(self.program, ty).map(|def| &def.kind) {
                Some(TypeDefKind::Struct(fields) | TypeDefKind::HeaderUnion(fields)) => {
                    for Field {
                        name,
                        ty,
                        annotations,
                        ..
                    } in fields
                    {
                        let name = named_or(annotations, name);
                        self.snapshot_fields(&format!("{path}.{name}"), ty, validity, into);
                    }
                }
                Some(TypeDefKind::Header(fields)) => {
                    if validity {
                        into.push((format!("{path}.$valid"), 1));
                    }
                    for field in flat_fields(self.program, fields) {
                        let path = format!("{path}.{}", field.name);
                        self.snapshot_fields(&path, &field.ty, validity, into);
                    }
                }
                Some(TypeDefKind::Newtype(inner) | TypeDefKind::SerEnum { repr: inner, .. }) => {
                    if let Type::Bit(width) | Type::Int(width) = inner {
                        into.push((path.to_owned(), *width));
                    }
                }
                _ => {}
            },
        }
    }
}
