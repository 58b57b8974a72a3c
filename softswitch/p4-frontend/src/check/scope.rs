// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: names: declared in scopes and looked up.

use std::collections::{BTreeMap, HashMap};

use super::place::Body;
use super::Checker;
use crate::ast;
use crate::ir::{self, Type, VarKind};
use crate::span::Span;
use crate::Warning;

/// The meaning of a name.
#[derive(Clone)]
pub(super) enum Entity<'a> {
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
pub(super) struct Global<'a> {
    pub position: usize,
    pub entity: Entity<'a>,
    pub span: Span,
}

/// The top-level names.
#[derive(Default)]
pub(super) struct Globals<'a> {
    names: HashMap<String, Vec<Global<'a>>>,
    /// The first declaration of each name, also if it is further down.
    announced: BTreeMap<String, (usize, Span)>,
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

impl<'a> Checker<'a, '_> {
    /// The meaning of `path` here; reports an error if it has none.
    pub(super) fn lookup(&mut self, path: &ast::Path) -> Option<Entity<'a>> {
        match self.find(path) {
            Some(Entity::Broken) => {
                self.failed = true;
                None
            }
            Some(entity) => Some(entity),
            None => {
                let name = &path.name.text;
                match self.globals.announced.get(name).copied() {
                    Some((position, _)) if position == self.visible => self.error(
                        path.name.span,
                        format!("the declaration of `{name}` refers to itself"),
                    ),
                    Some((_, span)) => self.error_with_note(
                        path.name.span,
                        format!("`{name}` is used before its declaration"),
                        span,
                        "declared here",
                    ),
                    None => self.undeclared(&path.name),
                }
            }
        }
    }

    pub(super) fn find(&self, path: &ast::Path) -> Option<Entity<'a>> {
        let name = &path.name.text;
        if !path.absolute {
            if let Some(entity) = self.locals.iter().rev().find_map(|scope| scope.get(name)) {
                return Some(entity.clone());
            }
        }
        self.find_global(name).map(|global| global.entity.clone())
    }

    pub(super) fn find_global(&self, name: &str) -> Option<&Global<'a>> {
        self.visible_globals(name).next()
    }

    pub(super) fn visible_globals(&self, name: &str) -> impl Iterator<Item = &Global<'a>> {
        let limit = self.visible;
        self.globals
            .get(name)
            .iter()
            .filter(move |global| global.position < limit)
    }

    /// Adds a name to the innermost local scope.
    pub(super) fn declare(&mut self, name: &ast::Name, entity: Entity<'a>) {
        if !matches!(entity, Entity::Type(_) | Entity::Broken) && !self.is_param(&entity) {
            self.check_shadowing(name);
        }
        let scope = self.locals.last_mut().expect("a local scope is open");
        if let Some(Entity::Broken) | None = scope.insert(name.text.clone(), entity) {
            return;
        }
        self.error::<()>(
            name.span,
            format!("`{}` is already declared in this scope", name.text),
        );
    }

    fn is_param(&self, entity: &Entity) -> bool {
        matches!(entity, Entity::Var(id) if matches!(self.var(*id).kind, VarKind::Param(_)))
    }

    /// A parameter cannot be hidden by a declaration in a block; p4c refuses it too.
    fn check_shadowing(&mut self, name: &ast::Name) {
        let outer = self.locals.len().saturating_sub(1);
        let hidden = self.locals[..outer]
            .iter()
            .rev()
            .find_map(|scope| scope.get(&name.text));
        if let Some(Entity::Var(id)) = hidden {
            let (kind, span) = (self.var(*id).kind, self.var(*id).span);
            if let VarKind::Param(_) = kind {
                let message = format!("`{}` hides a parameter of that name", name.text);
                let note = "the parameter is here";
                if self.place.body == Body::Declarations {
                    let kind = Warning::Shadow;
                    let found = self.diagnostics.warning(kind, name.span, message);
                    found.map(|found| found.note(span, note));
                } else {
                    self.error_with_note::<()>(name.span, message, span, note);
                }
            }
        }
    }

    pub(super) fn in_scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push(HashMap::new());
        let result = run(self);
        self.locals.pop();
        result
    }

    /// Runs with the scope of the top level as the declaration at `position` sees it.
    pub(super) fn at_top<T>(&mut self, position: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let locals = std::mem::take(&mut self.locals);
        let visible = std::mem::replace(&mut self.visible, position);
        let place = std::mem::take(&mut self.place);
        self.locals.push(HashMap::new());
        let result = run(self);
        self.locals = locals;
        self.visible = visible;
        self.place = place;
        result
    }

    /// Position of a top-level declaration.
    pub(super) fn position_of(&self, decl: &ast::Decl) -> usize {
        self.positions
            .get(&(decl as *const _))
            .copied()
            .unwrap_or(self.visible)
    }
}

impl Entity<'_> {
    /// For messages.
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
