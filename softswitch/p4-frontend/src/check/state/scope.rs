// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The names that can be seen from where the checker is.

use std::collections::{HashMap, HashSet};

use super::entity::{Entity, Global, Globals};
use super::types::OVERLOAD;
use crate::ast::{self, TypeKind};

#[derive(Default)]
pub struct Scope<'a> {
    pub globals: Globals<'a>,
    /// Position in the program of each declaration of the top level.
    pub positions: HashMap<*const ast::Decl, usize>,
    /// Only global names declared before this position are visible.
    pub visible: usize,
    /// Names of typedefs and new types.
    pub aliases: HashSet<String>,
    pub locals: Vec<HashMap<String, Entity<'a>>>,
}

impl<'a> Scope<'a> {
    pub fn find(&self, path: &ast::Path) -> Option<Entity<'a>> {
        let name = &path.name.text;
        if !path.absolute {
            if let Some(entity) = self.locals.iter().rev().find_map(|scope| scope.get(name)) {
                return Some(entity.clone());
            }
        }
        self.find_global(name).map(|global| global.entity.clone())
    }

    pub fn find_global(&self, name: &str) -> Option<&Global<'a>> {
        self.visible_globals(name).next()
    }

    pub fn visible_globals(&self, name: &str) -> impl Iterator<Item = &Global<'a>> {
        let limit = self.visible;
        self.globals
            .get(name)
            .iter()
            .filter(move |global| global.position < limit)
    }

    /// Position of a top-level declaration.
    pub fn position_of(&self, decl: &ast::Decl) -> usize {
        self.positions
            .get(&(decl as *const _))
            .copied()
            .unwrap_or(self.visible)
    }

    /// The name of the typedef or newtype that a declaration is written with.
    pub fn declared_as(&self, ty: &ast::Type) -> Option<String> {
        let TypeKind::Named(path) = &ty.kind else {
            return None;
        };
        let name = &path.name.text;
        let shadowed = !path.absolute && self.locals.iter().any(|scope| scope.contains_key(name));
        (!shadowed && self.aliases.contains(name)).then(|| name.clone())
    }

    /// The declaration of an extern, parser, control, their types, or package.
    pub fn object_decl(&self, name: &str) -> Option<&'a ast::Decl> {
        let (name, position) = match name.split_once(OVERLOAD) {
            Some((name, position)) => (name, position.parse::<usize>().ok()),
            None => (name, None),
        };
        self.globals
            .get(name)
            .iter()
            .find_map(|global| match global.entity {
                Entity::Object(decl) if position.is_none_or(|p| p == global.position) => Some(decl),
                _ => None,
            })
    }

    /// The name under which [`Type::Extern`](crate::ir::Type::Extern) knows a declaration: with its place, where it
    /// overloads an earlier one.
    pub fn object_name(&self, decl: &ast::Decl) -> String {
        let name = &decl.name.text;
        let position = self.position_of(decl);
        match self.globals.get(name).first() {
            Some(first) if first.position != position => format!("{name}{OVERLOAD}{position}"),
            _ => name.clone(),
        }
    }
}
