// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The meaning of names.

use std::collections::{BTreeMap, HashMap};

use crate::ast;
use crate::ir::{self, Type};
use crate::span::Span;

/// The meaning of a name.
#[derive(Clone)]
pub enum Entity<'a> {
    /// A type without type parameters: built from a declaration, or a type parameter itself.
    Type(Type),
    /// A generic struct, header or header union; its position among the top-level declarations.
    GenericType(&'a ast::Decl),
    /// An extern, parser type, control type, package, parser or control.
    Object(&'a ast::Decl),
    /// A function or extern function.
    Function(&'a ast::Decl),
    /// An action of the top level.
    GlobalAction(&'a ast::Decl),
    /// An action of the control that is being elaborated.
    Action(ir::ActionId, &'a ast::Decl),
    Table(ir::TableId),
    ValueSet(ir::ValueSetId),
    /// A constant, constructor argument or instance.
    Const(ir::Expr),
    Var(ir::VarId),
    /// A declaration that had an error: its uses report no others.
    Broken,
}

/// A top-level declaration and its position: it sees only what stands before it.
#[derive(Clone)]
pub struct Global<'a> {
    pub position: usize,
    pub entity: Entity<'a>,
    pub span: Span,
}

/// The top-level names.
#[derive(Default)]
pub struct Globals<'a> {
    names: HashMap<String, Vec<Global<'a>>>,
    /// The first declaration of each name, also if it is further down.
    pub announced: BTreeMap<String, (usize, Span)>,
}

impl<'a> Globals<'a> {
    pub fn insert(&mut self, name: &str, global: Global<'a>) {
        self.names.entry(name.to_string()).or_default().push(global);
    }

    /// Notes that a name is declared somewhere, for messages.
    pub fn announce(&mut self, name: &str, position: usize, span: Span) {
        self.announced
            .entry(name.to_string())
            .or_insert((position, span));
    }

    /// Those that stand before a position, in that order.
    pub fn names_before(&self, position: usize) -> impl Iterator<Item = &str> {
        let announced = self.announced.iter();
        let mut names: Vec<_> = announced
            .filter(|(_, (at, _))| *at < position)
            .map(|(name, (at, _))| (*at, name.as_str()))
            .collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name)
    }

    pub fn replace(&mut self, name: &str, position: usize, entity: Entity<'a>) {
        let found = self
            .names
            .get_mut(name)
            .into_iter()
            .flatten()
            .find(|global| global.position == position);
        if let Some(global) = found {
            global.entity = entity;
        }
    }

    /// All declarations of a name: several only of overloaded functions.
    pub fn get(&self, name: &str) -> &[Global<'a>] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Entity<'_> {
    /// The description in messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Entity::Type(_) | Entity::GenericType(_) => "a type",
            Entity::Object(decl) => match decl.kind {
                ast::DeclKind::Extern { .. } => "an extern",
                ast::DeclKind::ParserType(_) => "a parser type",
                ast::DeclKind::ControlType(_) => "a control type",
                ast::DeclKind::Package(_) => "a package",
                ast::DeclKind::Parser { .. } => "a parser",
                _ => "a control",
            },
            Entity::Function(_) => "a function",
            Entity::GlobalAction(_) | Entity::Action(..) => "an action",
            Entity::Table(_) => "a table",
            Entity::ValueSet(_) => "a value set",
            Entity::Const(_) => "a constant",
            Entity::Var(_) => "a variable",
            Entity::Broken => "a faulty declaration",
        }
    }
}
