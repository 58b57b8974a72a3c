// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Types in messages.

use crate::check::state::types::{Types, OVERLOAD};
use crate::ir::Type;

impl Types<'_> {
    /// The type as a user writes it.
    pub fn show(&self, ty: &Type) -> String {
        let list = |types: &[Type]| {
            types
                .iter()
                .map(|ty| self.show(ty))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "bool".into(),
            Type::String => "string".into(),
            Type::Error => "error".into(),
            Type::MatchKind => "match_kind".into(),
            Type::InfInt => "int".into(),
            Type::Bit(width) => format!("bit<{width}>"),
            Type::Int(width) => format!("int<{width}>"),
            Type::Varbit(width) => format!("varbit<{width}>"),
            Type::Named(id) => self.defs[id.index()].name.clone(),
            Type::Stack(element, size) => format!("{}[{size}]", self.show(element)),
            Type::Tuple(items) => format!("tuple<{}>", list(items)),
            Type::List(element) => format!("list<{}>", self.show(element)),
            Type::Extern(name, args) => {
                let name = name.split(OVERLOAD).next().unwrap_or(name);
                match args.is_empty() {
                    true => name.to_string(),
                    false => format!("{name}<{}>", list(args)),
                }
            }
            Type::Unknown => "{#}".into(),
            Type::Variable(index) => match &self.variables[*index as usize].bound {
                Some(ty) => self.show(ty),
                None => self.variables[*index as usize].name.clone(),
            },
        }
    }
}
