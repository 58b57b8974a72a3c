// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: names that mean nothing. Each is reported once, with the known name that is closest to it.

use crate::ast;
use crate::check::checker::Checker;
use crate::ir::{Field, Type, TypeDefKind};
use crate::suggest::closest;

/// Names that are compared with others in one program, so that a program of unknown names takes no quadratic time.
const MAX_SUGGESTIONS: usize = 20;

impl Checker<'_, '_> {
    /// Reports `message` about a name that should be one of `known`, if it is the first of this text.
    pub fn unknown<'n, T>(
        &mut self,
        name: &ast::Name,
        message: String,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Option<T> {
        self.failed = true;
        // One missing declaration is one mistake, whatever follows from it.
        if !self.unknown_names.insert(message.clone()) {
            return None;
        }
        let close = match self.unknown_names.len() <= MAX_SUGGESTIONS {
            true => closest(&name.text, known),
            false => None,
        };
        let message = match close {
            Some(close) => format!("{message}: did you mean `{close}`?"),
            None => message,
        };
        self.error(name.span, message)
    }

    /// A name that is declared nowhere around.
    pub fn undeclared<T>(&mut self, name: &ast::Name) -> Option<T> {
        let message = format!("`{}` is not declared in this scope", name.text);
        if self.unknown_names.len() >= MAX_SUGGESTIONS {
            return self.unknown(name, message, []);
        }
        let locals = self.scope.locals.iter().rev().flatten();
        let mut known: Vec<String> = locals.map(|(name, _)| name.clone()).collect();
        // Maps have no order, and messages must not differ from run to run.
        known.sort();
        known.extend(
            self.scope
                .globals
                .names_before(self.scope.visible)
                .map(str::to_owned),
        );
        self.unknown(name, message, known.iter().map(String::as_str))
    }

    /// A member that the type does not have.
    pub fn no_member<T>(&mut self, ty: &Type, name: &ast::Name) -> Option<T> {
        let message = format!("`{}` has no member `{}`", self.types.show(ty), name.text);
        let owned = |fields: &[Field]| fields.iter().map(|field| field.name.clone()).collect();
        let known: Vec<String> = match (ty, self.types.def(ty)) {
            (Type::Error, _) => self.ir.errors.clone(),
            (Type::MatchKind, _) => self.ir.match_kinds.clone(),
            (Type::Stack(..), _) => ["size", "next", "last", "lastIndex"]
                .map(str::to_owned)
                .into(),
            (
                _,
                Some(
                    TypeDefKind::Struct(fields)
                    | TypeDefKind::Header(fields)
                    | TypeDefKind::HeaderUnion(fields),
                ),
            ) => owned(fields),
            (_, Some(TypeDefKind::Enum(members))) => members.clone(),
            (_, Some(TypeDefKind::SerEnum { members, .. })) => {
                members.iter().map(|(member, _)| member.clone()).collect()
            }
            _ => Vec::new(),
        };
        self.unknown(name, message, known.iter().map(String::as_str))
    }
}
