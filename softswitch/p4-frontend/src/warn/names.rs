// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Declared names by scope, and whether each was used.

use std::collections::HashMap;

use crate::ast;
use crate::span::Span;

pub(super) struct Declared<'a> {
    pub name: &'a ast::Name,
    /// The kind of the name, in a message about a name without use; `None` where that is nothing to warn about.
    pub what: Option<&'static str>,
    pub used: bool,
    /// The annotation `@deprecated` of the declaration.
    deprecated: Option<&'a ast::Annotation>,
    depth: usize,
}

#[derive(Default)]
pub(super) struct Names<'a> {
    all: Vec<Declared<'a>>,
    /// Positions in `all` of the declarations of a name that are visible, the innermost last.
    visible: HashMap<&'a str, Vec<usize>>,
    /// The names that each open scope declares.
    scopes: Vec<Vec<&'a str>>,
}

impl<'a> Names<'a> {
    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub fn leave(&mut self) {
        for name in self.scopes.pop().into_iter().flatten() {
            if let Some(declared) = self.visible.get_mut(name) {
                declared.pop();
            }
        }
    }

    /// The result is the place of a declaration in a scope around that is hidden from here on.
    pub fn declare(
        &mut self,
        name: &'a ast::Name,
        what: Option<&'static str>,
        deprecated: Option<&'a ast::Annotation>,
    ) -> Option<Span> {
        let depth = self.scopes.len();
        let visible = self.visible.entry(&name.text).or_default();
        let hidden = visible.last().map(|&other| &self.all[other]);
        let hidden = hidden.filter(|other| other.depth < depth);
        let hidden = hidden.map(|other| other.name.span);
        visible.push(self.all.len());
        self.all.push(Declared {
            name,
            what,
            used: false,
            deprecated,
            depth,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(&name.text);
        }
        hidden
    }

    /// Marks the innermost declaration of the name; of functions that share it, all. The result is the annotation
    /// `@deprecated`, if all of them have it.
    pub fn mark(&mut self, path: &ast::Path) -> Option<&'a ast::Annotation> {
        self.mark_name(&path.name, path.absolute)
    }

    /// `absolute` is only what the top level declares.
    pub fn mark_name(&mut self, name: &ast::Name, absolute: bool) -> Option<&'a ast::Annotation> {
        let visible = self.visible.get(name.text.as_str())?;
        let innermost = visible.last().map_or(0, |&last| self.all[last].depth);
        let depth = if absolute { 0 } else { innermost };
        let mut deprecated = None;
        let mut is_current = false;
        for &at in visible.iter().rev() {
            let declared = &mut self.all[at];
            if declared.depth > depth {
                continue;
            }
            if declared.depth < depth {
                break;
            }
            is_current |= declared.deprecated.is_none();
            deprecated = deprecated.or(declared.deprecated);
            // Those that stand before a used one were marked together with it.
            if declared.used && is_current {
                break;
            }
            declared.used = true;
        }
        deprecated.filter(|_| !is_current)
    }

    pub fn unused(&self) -> impl Iterator<Item = (&'a ast::Name, &'static str)> + '_ {
        let unused = self.all.iter().filter(|declared| !declared.used);
        unused.filter_map(|declared| Some((declared.name, declared.what?)))
    }
}
