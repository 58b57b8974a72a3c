// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `P4TypeInfo` (p4types.proto): the named types that the control plane can meet.

use std::collections::BTreeMap;

use quench_p4_frontend::ir::{self, Type, TypeDef, TypeDefKind};
use quench_p4_frontend::span::Span;

use super::describe::{add_annotations, Lists};
use super::message::Message;
use super::named::{def, flat_fields, named, named_or, type_name};
use super::values::{bitwidth, translation, untranslated, value_bytes, ControllerType};
use crate::error::{not_supported, Error, Result};

#[derive(Default)]
pub struct TypeInfo {
    lists: Lists,
    structs: BTreeMap<String, Message>,
    headers: BTreeMap<String, Message>,
    header_unions: BTreeMap<String, Message>,
    enums: BTreeMap<String, Message>,
    error: Option<Message>,
    serializable_enums: BTreeMap<String, Message>,
    new_types: BTreeMap<String, Message>,
}

impl TypeInfo {
    pub fn new(lists: Lists) -> Self {
        Self {
            lists,
            ..Self::default()
        }
    }

    /// `P4DataTypeSpec` of a type; the named types in it are collected.
    pub fn data_type(&mut self, program: &ir::Program, ty: &Type, span: Span) -> Result<Message> {
        let mut spec = Message::new();
        match ty {
            Type::Bit(_) | Type::Int(_) | Type::Varbit(_) => {
                spec.message(1, "bitstring", bitstring(program, ty, span)?);
            }
            Type::Bool => {
                spec.message(2, "bool", Message::new());
            }
            Type::Error => {
                self.add_error(program);
                spec.message(10, "error", Message::new());
            }
            Type::Tuple(items) => {
                let mut tuple = Message::new();
                for item in items {
                    tuple.message(1, "members", self.data_type(program, item, span)?);
                }
                spec.message(3, "tuple", tuple);
            }
            Type::Stack(item, size) => self.stack(program, &mut spec, item, *size, span)?,
            Type::Named(id) => {
                let def = &program.types[id.index()];
                let name = type_name(def);
                let (number, field) = match &def.kind {
                    TypeDefKind::Struct(_) => (4, "struct"),
                    TypeDefKind::Header(_) => (5, "header"),
                    TypeDefKind::HeaderUnion(_) => (6, "header_union"),
                    TypeDefKind::Enum(_) => (9, "enum"),
                    TypeDefKind::SerEnum { .. } => (11, "serializable_enum"),
                    TypeDefKind::Newtype(_) => (12, "new_type"),
                };
                spec.message(number, field, named(&name));
                self.add(program, def, name)?;
            }
            _ => return not_supported(span, "a value of this type in P4Runtime"),
        }
        Ok(spec)
    }

    fn stack(
        &mut self,
        program: &ir::Program,
        spec: &mut Message,
        item: &Type,
        size: u32,
        span: Span,
    ) -> Result<()> {
        let Some(def) = def(program, item) else {
            return not_supported(span, "a stack of other than headers in P4Runtime");
        };
        let name = type_name(def);
        let mut stack = Message::new();
        if matches!(def.kind, TypeDefKind::HeaderUnion(_)) {
            stack
                .message(1, "header_union", named(&name))
                .int(2, "size", size);
            spec.message(8, "header_union_stack", stack);
        } else {
            stack
                .message(1, "header", named(&name))
                .int(2, "size", size);
            spec.message(7, "header_stack", stack);
        }
        self.add(program, def, name)
    }

    fn add(&mut self, program: &ir::Program, def: &TypeDef, name: String) -> Result<()> {
        if self.of_kind(&def.kind).contains_key(&name) {
            return Ok(());
        }
        let spec = self.spec(program, def)?;
        self.of_kind(&def.kind).insert(name, spec);
        Ok(())
    }

    fn of_kind(&mut self, kind: &TypeDefKind) -> &mut BTreeMap<String, Message> {
        match kind {
            TypeDefKind::Struct(_) => &mut self.structs,
            TypeDefKind::Header(_) => &mut self.headers,
            TypeDefKind::HeaderUnion(_) => &mut self.header_unions,
            TypeDefKind::Enum(_) => &mut self.enums,
            TypeDefKind::SerEnum { .. } => &mut self.serializable_enums,
            TypeDefKind::Newtype(_) => &mut self.new_types,
        }
    }

    fn spec(&mut self, program: &ir::Program, def: &TypeDef) -> Result<Message> {
        let span = def.span;
        let mut spec = Message::new();
        match &def.kind {
            TypeDefKind::Struct(fields) => {
                for field in fields {
                    let mut member = named(&named_or(&field.annotations, &field.name));
                    member.message(2, "type_spec", self.data_type(program, &field.ty, span)?);
                    spec.message(1, "members", member);
                }
            }
            TypeDefKind::Header(fields) => {
                for field in flat_fields(program, fields) {
                    let mut member = named(&field.name);
                    member.message(2, "type_spec", bitstring(program, &field.ty, span)?);
                    spec.message(1, "members", member);
                }
            }
            TypeDefKind::HeaderUnion(fields) => {
                for field in fields {
                    let mut member = named(&named_or(&field.annotations, &field.name));
                    if let Some(header) = self::def(program, &field.ty) {
                        member.message(2, "header", named(&type_name(header)));
                        self.add(program, header, type_name(header))?;
                    }
                    spec.message(1, "members", member);
                }
            }
            TypeDefKind::Enum(members) => {
                for member in members {
                    spec.message(1, "members", named(member));
                }
            }
            TypeDefKind::SerEnum { repr, members } => {
                let width = bitwidth(program, repr, span)?;
                let mut underlying = Message::new();
                underlying.int(1, "bitwidth", width);
                spec.message(1, "underlying_type", underlying);
                for (member, value) in members {
                    let mut message = named(member);
                    message.bytes(2, "value", value_bytes(value, width));
                    spec.message(2, "members", message);
                }
            }
            TypeDefKind::Newtype(inner) => return self.new_type(program, def, inner),
        }
        Ok(spec)
    }

    fn new_type(&mut self, program: &ir::Program, def: &TypeDef, inner: &Type) -> Result<Message> {
        let underlying = untranslated(program, inner);
        let mut spec = Message::new();
        match translation(&def.annotations)? {
            None => {
                let original = self.data_type(program, underlying, def.span)?;
                spec.message(1, "original_type", original);
            }
            Some(_) if !matches!(underlying, Type::Bit(_)) => {
                let message = format!(
                    "P4Runtime can translate '{}' only if it is a type over bit<W>",
                    def.name
                );
                return Err(Error::new(def.span, message));
            }
            Some((uri, controller_type)) => {
                let mut translated = Message::new();
                translated.text(1, "uri", &uri);
                match controller_type {
                    ControllerType::Bits(width) => {
                        translated.chosen_int(2, "sdn_bitwidth", width.into())
                    }
                    ControllerType::String => translated.message(3, "sdn_string", Message::new()),
                };
                spec.message(2, "translated_type", translated);
            }
        }
        add_annotations(
            self.lists,
            &mut spec,
            (3, 4),
            &def.annotations,
            &["p4runtime_translation"],
        )?;
        Ok(spec)
    }

    fn add_error(&mut self, program: &ir::Program) {
        self.error.get_or_insert_with(|| {
            let mut spec = Message::new();
            for member in &program.errors {
                spec.repeated_text(1, "members", member);
            }
            spec
        });
    }

    pub fn into_message(self) -> Message {
        let mut info = Message::new();
        let maps = [
            (1, "structs", self.structs),
            (2, "headers", self.headers),
            (3, "header_unions", self.header_unions),
            (4, "enums", self.enums),
            (6, "serializable_enums", self.serializable_enums),
            (7, "new_types", self.new_types),
        ];
        for (number, name, map) in maps {
            for (key, value) in map {
                let mut entry = Message::new();
                entry.text(1, "key", &key).message(2, "value", value);
                info.message(number, name, entry);
            }
        }
        if let Some(error) = self.error {
            info.message(5, "error", error);
        }
        info
    }
}

/// `P4BitstringLikeTypeSpec` of a header's field: P4Runtime has no names for the types of these.
fn bitstring(program: &ir::Program, ty: &Type, span: Span) -> Result<Message> {
    let (number, name, field, width) = match ty {
        Type::Bit(width) => (1, "bit", "bitwidth", *width),
        Type::Int(width) => (2, "int", "bitwidth", *width),
        Type::Varbit(width) => (3, "varbit", "max_bitwidth", *width),
        _ => match def(program, ty).map(|def| &def.kind) {
            Some(TypeDefKind::Newtype(inner) | TypeDefKind::SerEnum { repr: inner, .. }) => {
                return bitstring(program, inner, span)
            }
            _ => (1, "bit", "bitwidth", bitwidth(program, ty, span)?),
        },
    };
    let mut bits = Message::new();
    bits.int(1, field, width);
    let mut spec = Message::new();
    spec.message(number, name, bits);
    Ok(spec)
}
