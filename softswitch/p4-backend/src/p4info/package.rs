// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The package and the headers of packets to and from the controller.

use num_traits::ToPrimitive;
use quench_p4_frontend::ast::{Annotation, AnnotationBody, AnnotationTokenKind, ExprKind};
use quench_p4_frontend::ir::{TypeDef, TypeDefKind};

use super::describe::{add_annotations, add_documentation, preamble};
use super::message::Message;
use super::named::{flat_fields, newtype_name, type_name, FlatField};
use super::symbols::{field_ids, Prefix};
use super::values::bitwidth;
use super::{hidden, Generator};
use crate::annotation;
use crate::error::{Error, Result};

/// The keys of `@pkginfo`, with the numbers of the fields of `PkgInfo`.
const PACKAGE_KEYS: [(&str, u32); 6] = [
    ("name", 1),
    ("version", 2),
    ("arch", 5),
    ("organization", 6),
    ("contact", 7),
    ("url", 8),
];

/// The keys of `@platform_property`, with the numbers of the fields of `PlatformProperties`.
const PLATFORM_KEYS: [(&str, u32); 3] = [
    ("multicast_group_table_size", 1),
    ("multicast_group_table_total_replicas", 2),
    ("multicast_group_table_max_replicas_per_entry", 3),
];

enum Literal {
    Text(String),
    Number(i64),
}

/// The pairs of `@name(key = literal, ...)` or `@name[key = literal, ...]`.
fn pairs(found: &Annotation) -> Result<Vec<(String, Literal)>> {
    let wrong = || {
        let name = &found.name.text;
        Error::new(
            found.span,
            format!("expected @{name}(KEY = VALUE, ...) with strings and numbers as values"),
        )
    };
    let pairs: Option<Vec<_>> = match &found.body {
        AnnotationBody::KeyValues(pairs) => pairs
            .iter()
            .map(|(key, value)| match &value.kind {
                ExprKind::String(text) => Some((key.text.clone(), Literal::Text(text.clone()))),
                ExprKind::Integer { value, .. } => {
                    Some((key.text.clone(), Literal::Number(value.to_i64()?)))
                }
                _ => None,
            })
            .collect(),
        AnnotationBody::Unstructured(tokens) => tokens
            .split(|t| t.kind == AnnotationTokenKind::Punctuation && t.text == ",")
            .filter(|part| !part.is_empty())
            .map(|part| match part {
                [key, equals, value] if equals.text == "=" => {
                    let literal = match &value.kind {
                        AnnotationTokenKind::String => Literal::Text(value.text.clone()),
                        AnnotationTokenKind::Integer(number) => Literal::Number(number.to_i64()?),
                        _ => return None,
                    };
                    Some((key.text.clone(), literal))
                }
                _ => None,
            })
            .collect(),
        AnnotationBody::None => Some(Vec::new()),
        AnnotationBody::Expressions(_) => None,
    };
    pairs.ok_or_else(wrong)
}

fn unknown_key(found: &Annotation, key: &str) -> Error {
    Error::new(
        found.span,
        format!("@{} has no key '{key}' with such a value", found.name.text),
    )
}

impl Generator<'_> {
    pub(super) fn add_package(&mut self) -> Result<()> {
        let annotations = &self.program.main_annotations;
        let mut values: Vec<(&str, u32, String)> =
            vec![("arch", 5, self.dialect.name().to_owned())];
        if let Some(found) = annotation::find(annotations, "pkginfo") {
            for (key, value) in pairs(found)? {
                let known = PACKAGE_KEYS.iter().find(|(name, _)| *name == key);
                let (Some((name, number)), Literal::Text(text)) = (known, value) else {
                    return Err(unknown_key(found, &key));
                };
                values.retain(|(other, _, _)| other != name);
                values.push((name, *number, text));
            }
        }
        let mut package = Message::new();
        for (name, number, value) in values {
            package.text(number, name, &value);
        }
        if let Some(found) = annotation::find(annotations, "platform_property") {
            let mut properties = Message::new();
            for (key, value) in pairs(found)? {
                let known = PLATFORM_KEYS.iter().find(|(name, _)| *name == key);
                let (Some((name, number)), Literal::Number(value)) = (known, value) else {
                    return Err(unknown_key(found, &key));
                };
                properties.int(*number, name, value);
            }
            package.message(11, "platform_properties", properties);
        }
        add_annotations(
            self.lists,
            &mut package,
            (4, 9),
            annotations,
            &["pkginfo", "platform_property"],
        )?;
        add_documentation(&mut package, 3, annotations);
        self.info.message(1, "pkg_info", package);
        Ok(())
    }

    pub(super) fn add_controller_header(&mut self, def: &TypeDef) -> Result<()> {
        let TypeDefKind::Header(fields) = &def.kind else {
            return Ok(());
        };
        if hidden(&def.annotations) {
            return Ok(());
        }
        let Some(name) = annotation::string(&def.annotations, "controller_header") else {
            return Err(Error::new(
                def.span,
                "@controller_header needs a name, such as \"packet_in\"",
            ));
        };
        let id = self.symbols.id(Prefix::ControllerHeader, &type_name(def));
        let mut message = Message::new();
        message.message(
            1,
            "preamble",
            preamble(self.lists, id, &name, &name, &def.annotations, &[])?,
        );
        let fields: Vec<FlatField> = flat_fields(self.program, fields);
        let ids = field_ids(fields.iter().map(|f| (f.annotations.as_slice(), def.span)))?;
        for (field, id) in fields.iter().zip(ids) {
            if hidden(&field.annotations) {
                continue;
            }
            let mut metadata = Message::new();
            metadata.int(1, "id", id).text(2, "name", &field.name);
            add_annotations(self.lists, &mut metadata, (3, 6), &field.annotations, &[])?;
            metadata.int(4, "bitwidth", bitwidth(self.program, &field.ty, def.span)?);
            self.types.data_type(self.program, &field.ty, def.span)?;
            if let Some(name) = newtype_name(self.program, &field.ty) {
                metadata.message(5, "type_name", name);
            }
            message.message(2, "metadata", metadata);
        }
        self.info.message(9, "controller_packet_metadata", message);
        Ok(())
    }
}
