// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: evaluation: elaborates `main` with everything in it.

use std::collections::HashMap;

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::ir::{self, Value};
use crate::span::{FileId, Span};

const MAIN_IS_A_PACKAGE: &str = "`main` must be an instance of a package";

impl<'a> Checker<'a, '_> {
    /// Elaborates the instances of the top level that are not externs, `main` among them.
    pub fn evaluate(&mut self, program: &'a ast::Program) {
        for (position, decl) in program.decls.iter().enumerate() {
            let DeclKind::Instantiation { ty, args, body } = &decl.kind else {
                continue;
            };
            let instance = self.at_top(position, |c| {
                let (object, _) = c.constructed(ty)?;
                match object.kind {
                    DeclKind::Extern { .. } if decl.name.text == "main" => {
                        c.error(decl.name.span, MAIN_IS_A_PACKAGE)
                    }
                    DeclKind::Extern { .. } => None,
                    _ => c.instance_decl(decl, ty, args, body),
                }
            });
            let Some(instance) = instance else {
                continue;
            };
            if decl.name.text == "main" {
                match &instance.kind {
                    ir::ExprKind::Const(Value::Package(package)) => {
                        self.ir.main = Some((**package).clone());
                        self.ir.main_annotations = decl.annotations.clone();
                        self.ir.main_span = decl.span;
                    }
                    _ => {
                        self.error::<()>(decl.name.span, MAIN_IS_A_PACKAGE);
                    }
                }
            }
            self.scope
                .globals
                .replace(&decl.name.text, position, Entity::Const(instance));
        }
        if self.ir.main.is_none() && !self.failed {
            self.failed = true;
            let own = |decl: &&ast::Decl| decl.span.file == FileId::default();
            let last = program.decls.iter().rev().find(own).map(|decl| Span {
                start: decl.span.end,
                ..decl.span
            });
            self.diagnostics.error(
                last,
                "the program has no `main`: the instance of a package that is to run",
            );
        }
        if self.rules.names_differ {
            self.check_control_plane_names();
        }
    }

    /// The control plane must be able to distinguish objects of one kind by name. Copies of one action may share its name.
    fn check_control_plane_names(&mut self) {
        let ir = &self.ir;
        let tables = ir
            .tables
            .iter()
            .map(|table| ("tables", &table.name, table.span));
        let actions = ir
            .actions
            .iter()
            .map(|action| ("actions", &action.name, action.span));
        let sets = ir
            .value_sets
            .iter()
            .map(|set| ("value sets", &set.name, set.span));
        let externs = ir
            .externs
            .iter()
            .map(|instance| ("extern instances", &instance.name, instance.span));
        let mut seen: HashMap<(&str, &String), Span> = HashMap::new();
        let mut clashes = Vec::new();
        for (kind, name, span) in tables.chain(actions).chain(sets).chain(externs) {
            match seen.insert((kind, name), span) {
                Some(earlier) if earlier != span || kind == "tables" => {
                    clashes.push((
                        format!("two {kind} have the control-plane name `{name}`"),
                        span,
                        earlier,
                    ));
                }
                _ => {}
            }
        }
        for (message, span, earlier) in clashes {
            self.error_with_note::<()>(span, message, earlier, "the other one is here");
        }
    }
}
