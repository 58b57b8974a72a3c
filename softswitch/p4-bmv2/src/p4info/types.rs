// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `P4TypeInfo` (p4types.proto): the named types that the control plane meets, collected as they are met.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};
use quench_p4_frontend::ast::{Annotation, AnnotationBody, AnnotationTokenKind};
use quench_p4_frontend::ir::{self, Field, Type, TypeDef, TypeDefKind};
use quench_p4_frontend::span::Span;

use super::describe::add_annotations;
use super::message::Message;
use crate::annotation;
use crate::error::{not_supported, Error, Result};

/// What `@p4runtime_translation` says that a controller uses.
enum ControllerType {
    String,
    Bits(u32),
}

#[derive(Default)]
pub struct TypeInfo {
    structs: BTreeMap<String, Message>,
    headers: BTreeMap<String, Message>,
    header_unions: BTreeMap<String, Message>,
    enums: BTreeMap<String, Message>,
    error: Option<Message>,
    serializable_enums: BTreeMap<String, Message>,
    new_types: BTreeMap<String, Message>,
}

/// What `@name` says, else the name in the source.
pub fn type_name(def: &TypeDef) -> String {
    named_or(&def.annotations, &def.name)
}

pub fn named_or(annotations: &[Annotation], name: &str) -> String {
    let given = annotation::string(annotations, "name");
    given.map_or_else(
        || name.to_owned(),
        |given| given.trim_start_matches('.').to_owned(),
    )
}

/// A field of a header, with those of structs in it written out: `a.b`.
pub struct FlatField {
    pub name: String,
    pub ty: Type,
    pub annotations: Vec<Annotation>,
}

/// The fields of a header, without structs.
pub fn flat_fields(program: &ir::Program, fields: &[Field]) -> Vec<FlatField> {
    let flat = fields.iter().flat_map(|field| {
        let Some(TypeDefKind::Struct(inner)) = def(program, &field.ty).map(|def| &def.kind) else {
            return vec![FlatField {
                name: named_or(&field.annotations, &field.name),
                ty: field.ty.clone(),
                annotations: field.annotations.clone(),
            }];
        };
        let mut inner = flat_fields(program, inner);
        for part in &mut inner {
            part.name = format!("{}.{}", field.name, part.name);
            let own: Vec<_> = part
                .annotations
                .iter()
                .map(|a| a.name.text.clone())
                .collect();
            let outer = field
                .annotations
                .iter()
                .filter(|a| !own.contains(&a.name.text));
            part.annotations.extend(outer.cloned());
        }
        inner
    });
    flat.collect()
}

pub fn def<'a>(program: &'a ir::Program, ty: &Type) -> Option<&'a TypeDef> {
    match ty {
        Type::Named(id) => Some(&program.types[id.index()]),
        _ => None,
    }
}

/// A `P4NamedType` for a `type` of the program; `None` for all other types.
pub fn newtype_name(program: &ir::Program, ty: &Type) -> Option<Message> {
    let def = def(program, ty)?;
    matches!(def.kind, TypeDefKind::Newtype(_)).then(|| named(&def.name))
}

fn named(name: &str) -> Message {
    let mut message = Message::new();
    message.text(1, "name", name);
    message
}

/// Bits of a value as the control plane writes it; 0 for strings.
pub fn bitwidth(program: &ir::Program, ty: &Type, span: Span) -> Result<u32> {
    match ty {
        Type::Bit(width) | Type::Int(width) => return Ok(*width),
        Type::Bool => return Ok(1),
        Type::Error => return Ok(0),
        _ => {}
    }
    let Some(def) = def(program, ty) else {
        return not_supported(span, "a value of this type in P4Runtime");
    };
    match (&def.kind, translation(&def.annotations)?) {
        (TypeDefKind::Newtype(_), Some((_, ControllerType::String))) => Ok(0),
        (TypeDefKind::Newtype(_), Some((_, ControllerType::Bits(width)))) => Ok(width),
        (TypeDefKind::Newtype(inner), None) => {
            bitwidth(program, untranslated(program, inner), span)
        }
        (TypeDefKind::SerEnum { repr, .. }, _) => bitwidth(program, repr, span),
        (TypeDefKind::Enum(_), _) => Ok(0),
        _ => not_supported(span, format!("a value of type '{}' in P4Runtime", def.name)),
    }
}

/// What a chain of new types ends in.
fn untranslated<'a>(program: &'a ir::Program, mut ty: &'a Type) -> &'a Type {
    while let Some(TypeDefKind::Newtype(inner)) = def(program, ty).map(|def| &def.kind) {
        ty = inner;
    }
    ty
}

/// The URI and the controller's type in `@p4runtime_translation("uri", bit<W> or W or string)`.
fn translation(annotations: &[Annotation]) -> Result<Option<(String, ControllerType)>> {
    let Some(found) = annotation::find(annotations, "p4runtime_translation") else {
        return Ok(None);
    };
    let wrong = || {
        Error::new(
            found.span,
            "expected @p4runtime_translation(\"URI\", string), or bit<W> instead of string",
        )
    };
    let AnnotationBody::Unstructured(tokens) = &found.body else {
        return Err(wrong());
    };
    let width = |value: &BigInt| value.to_u32().map(ControllerType::Bits);
    let kinds: Vec<_> = tokens.iter().map(|t| (&t.kind, t.text.as_str())).collect();
    let controller_type = match kinds.as_slice() {
        [(AnnotationTokenKind::String, _), (_, ","), rest @ ..] => match rest {
            [(AnnotationTokenKind::Identifier, "string")] => Some(ControllerType::String),
            [(AnnotationTokenKind::Integer(value), _)] => width(value),
            [(_, "bit"), (_, "<"), (AnnotationTokenKind::Integer(value), _), (_, ">")] => {
                width(value)
            }
            _ => None,
        },
        _ => None,
    };
    let controller_type = controller_type.ok_or_else(wrong)?;
    Ok(Some((tokens[0].text.clone(), controller_type)))
}

/// A value of so many bits, as whole bytes.
pub fn value_bytes(value: &BigInt, width: u32) -> Vec<u8> {
    let unsigned = if value.is_negative() {
        value + (BigInt::one() << width)
    } else {
        value.clone()
    };
    let digits = unsigned.to_bytes_be().1;
    let length = (width as usize).div_ceil(8).max(1);
    let mut bytes = vec![0; length.saturating_sub(digits.len())];
    bytes.extend(&digits[digits.len().saturating_sub(length)..]);
    bytes
}

impl TypeInfo {
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
        let span = def.span;
        let known = match &def.kind {
            TypeDefKind::Struct(_) => &self.structs,
            TypeDefKind::Header(_) => &self.headers,
            TypeDefKind::HeaderUnion(_) => &self.header_unions,
            TypeDefKind::Enum(_) => &self.enums,
            TypeDefKind::SerEnum { .. } => &self.serializable_enums,
            TypeDefKind::Newtype(_) => &self.new_types,
        };
        if known.contains_key(&name) {
            return Ok(());
        }
        let mut spec = Message::new();
        match &def.kind {
            TypeDefKind::Struct(fields) => {
                for field in fields {
                    let mut member = named(&named_or(&field.annotations, &field.name));
                    member.message(2, "type_spec", self.data_type(program, &field.ty, span)?);
                    spec.message(1, "members", member);
                }
                self.structs.insert(name, spec);
            }
            TypeDefKind::Header(fields) => {
                for field in flat_fields(program, fields) {
                    let mut member = named(&field.name);
                    member.message(2, "type_spec", bitstring(program, &field.ty, span)?);
                    spec.message(1, "members", member);
                }
                self.headers.insert(name, spec);
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
                self.header_unions.insert(name, spec);
            }
            TypeDefKind::Enum(members) => {
                for member in members {
                    spec.message(1, "members", named(member));
                }
                self.enums.insert(name, spec);
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
                self.serializable_enums.insert(name, spec);
            }
            TypeDefKind::Newtype(_) => {
                let spec = self.new_type(program, def)?;
                self.new_types.insert(name, spec);
            }
        }
        Ok(())
    }

    fn new_type(&mut self, program: &ir::Program, def: &TypeDef) -> Result<Message> {
        let TypeDefKind::Newtype(inner) = &def.kind else {
            return not_supported(def.span, "this type in P4Runtime");
        };
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

/// `P4BitstringLikeTypeSpec`: of a header's field, which P4Runtime knows without its name.
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
