// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of types and of fields, as the control plane sees them.

use quench_p4_frontend::ast::Annotation;
use quench_p4_frontend::ir::{self, Field, Type, TypeDef, TypeDefKind};

use super::message::Message;
use crate::annotation;

/// The name in `@name`, else the name in the source.
pub fn type_name(def: &TypeDef) -> String {
    named_or(&def.annotations, &def.name)
}

/// As [`type_name`], for anything that can have `@name`.
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

/// A message of which only field 1, the name, is set.
pub fn named(name: &str) -> Message {
    let mut message = Message::new();
    message.text(1, "name", name);
    message
}
