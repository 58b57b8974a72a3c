// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: names: declared in scopes and looked up.

use std::collections::HashMap;

use crate::ast;
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::state::place::Body;
use crate::ir::VarKind;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// The meaning of `path` here; reports an error if it has none.
    pub fn lookup(&mut self, path: &ast::Path) -> Option<Entity<'a>> {
        match self.scope.find(path) {
            Some(Entity::Broken) => {
                self.failed = true;
                None
            }
            Some(entity) => Some(entity),
            None => {
                let name = &path.name.text;
                match self.scope.globals.announced.get(name).copied() {
                    Some((position, _)) if position == self.scope.visible => self.error(
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

    /// Adds a name to the innermost local scope.
    pub fn declare(&mut self, name: &ast::Name, entity: Entity<'a>) {
        if !matches!(entity, Entity::Type(_) | Entity::Broken) && !self.is_param(&entity) {
            self.check_shadowing(name);
        }
        let scope = self.scope.locals.last_mut().expect("a local scope is open");
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
        let outer = self.scope.locals.len().saturating_sub(1);
        let hidden = self.scope.locals[..outer]
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

    pub fn in_scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.locals.push(HashMap::new());
        let result = run(self);
        self.scope.locals.pop();
        result
    }

    /// Runs with the scope of the top level as the declaration at `position` sees it.
    pub fn at_top<T>(&mut self, position: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let locals = std::mem::take(&mut self.scope.locals);
        let visible = std::mem::replace(&mut self.scope.visible, position);
        let place = std::mem::take(&mut self.place);
        self.scope.locals.push(HashMap::new());
        let result = run(self);
        self.scope.locals = locals;
        self.scope.visible = visible;
        self.place = place;
        result
    }
}
