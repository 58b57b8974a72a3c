// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: controls and actions: elaborates their declarations.

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::declarations::function::Owner;
use crate::check::names::control_plane::hierarchical;
use crate::check::state::entity::Entity;
use crate::check::state::place::Body;
use crate::ir::{self, ActionId, ControlId, Expr, Type};

impl<'a> Checker<'a, '_> {
    /// Elaborates an instance of a control. `args` are the values of its constructor parameters.
    pub fn control(
        &mut self,
        decl: &'a ast::Decl,
        type_args: &[Type],
        args: &[Expr],
        name: String,
    ) -> Option<ControlId> {
        let DeclKind::Control { locals, body, .. } = &decl.kind else {
            unreachable!("checked by the caller");
        };
        let control = self.in_object(decl, type_args, args, &name, |c, params| {
            let mut declarations = Vec::new();
            for local in locals {
                c.control_local(local, &mut declarations);
            }
            c.place.body = Body::ControlApply;
            c.place.result = Some(Type::Void);
            let statements = c.block(body);
            let members = std::mem::take(&mut c.place.members);
            Some(ir::Control {
                name: name.clone(),
                type_name: decl.name.text.clone(),
                params: params?,
                locals: declarations,
                tables: members.tables,
                actions: members.actions,
                externs: members.externs,
                controls: members.controls,
                body: statements,
                span: decl.span,
            })
        })?;
        let id = ControlId(self.ir.controls.len() as u32);
        self.ir.controls.push(control);
        Some(id)
    }

    fn control_local(&mut self, decl: &'a ast::Decl, into: &mut Vec<ir::Stmt>) {
        self.check_annotations(&decl.annotations);
        let entity = match &decl.kind {
            DeclKind::Action { params, body } => {
                let name = hierarchical(&self.place.prefix, &decl.name.text, &decl.annotations);
                self.action(decl, params, body, name).map(|id| {
                    self.place.members.actions.push(id);
                    Entity::Action(id, decl)
                })
            }
            DeclKind::Table(properties) => self.table(decl, properties).map(|id| {
                self.place.members.tables.push(id);
                Entity::Table(id)
            }),
            _ => return self.local_decl(decl, into),
        };
        self.declare(&decl.name, entity.unwrap_or(Entity::Broken));
    }

    fn action(
        &mut self,
        decl: &'a ast::Decl,
        params: &'a [ast::Parameter],
        body: &'a ast::Block,
        name: String,
    ) -> Option<ActionId> {
        let outer_body = std::mem::replace(&mut self.place.body, Body::Action);
        let outer_result = self.place.result.replace(Type::Void);
        self.no_optional(params);
        let parts = self.in_scope(|c| {
            let params = c.declare_params(params, Owner::Action);
            let statements = c.block(body);
            Some((params?, statements))
        });
        self.place.body = outer_body;
        self.place.result = outer_result;
        let (params, body) = parts?;
        let id = ActionId(self.ir.actions.len() as u32);
        self.ir.actions.push(ir::Action {
            name,
            annotations: decl.annotations.clone(),
            params,
            body,
            span: decl.span,
        });
        Some(id)
    }

    /// The current instance's copy of an action of the top level.
    pub fn global_action(&mut self, decl: &'a ast::Decl) -> Option<ActionId> {
        let position = self.scope.position_of(decl);
        let key = (self.place.instance, position);
        if let Some(id) = self.instances.global_actions.get(&key) {
            return Some(*id);
        }
        let DeclKind::Action { params, body } = &decl.kind else {
            unreachable!("an action entity has an action declaration");
        };
        let instance = self.place.instance;
        let object = self.place.object;
        let (id, nested) = self.at_top(position, |c| {
            c.place.instance = instance;
            c.place.object = object;
            let name = hierarchical("", &decl.name.text, &decl.annotations);
            let id = c.action(decl, params, body, name);
            (id, std::mem::take(&mut c.place.members.actions))
        });
        let id = id?;
        self.place.members.actions.extend(nested);
        self.place.members.actions.push(id);
        self.instances.global_actions.insert(key, id);
        Some(id)
    }

    pub fn check_global_action(&mut self, decl: &'a ast::Decl, position: usize) {
        let DeclKind::Action { params, body } = &decl.kind else {
            unreachable!("checked by the caller");
        };
        self.dry_run(|c| {
            c.at_top(position, |c| {
                c.instances.bodies += 1;
                c.place.instance = c.instances.bodies;
                c.action(decl, params, body, decl.name.text.clone())
            })
        });
    }
}
