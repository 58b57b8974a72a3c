// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: the scopes around the body of an instance of a parser or control.

use crate::ast::{self, DeclKind};
use crate::check::checker::Checker;
use crate::check::declarations::function::Owner;
use crate::check::state::entity::Entity;
use crate::check::state::place::{ObjectKind, Place};
use crate::ir::{Expr, Type, VarId};

impl<'a> Checker<'a, '_> {
    /// Runs `body` with the type parameters and constructor parameters of a parser or control bound, in a scope inside that
    /// of the parameters of `apply`, which it gets. `name` is that of the instance.
    pub fn in_object<T>(
        &mut self,
        decl: &'a ast::Decl,
        type_args: &[Type],
        args: &[Expr],
        name: &str,
        body: impl FnOnce(&mut Self, Option<Vec<VarId>>) -> Option<T>,
    ) -> Option<T> {
        let (kind, signature, constructor_params) = match &decl.kind {
            DeclKind::Parser {
                signature,
                constructor_params,
                ..
            } => (ObjectKind::Parser, signature, constructor_params),
            DeclKind::Control {
                signature,
                constructor_params,
                ..
            } => (ObjectKind::Control, signature, constructor_params),
            _ => unreachable!("checked by the caller"),
        };
        let position = self.scope.position_of(decl);
        self.at_top(position, |c| {
            c.place = c.object_place(kind, name.to_owned());
            c.bind_type_params(decl, type_args);
            c.bind_constructor_params(constructor_params, args);
            let params = c.declare_params(&signature.params, Owner::Apply);
            c.in_scope(|c| body(c, params))
        })
    }

    pub fn object_place(&mut self, kind: ObjectKind, prefix: String) -> Place {
        self.instances.bodies += 1;
        Place {
            object: Some(kind),
            prefix,
            instance: self.instances.bodies,
            ..Place::default()
        }
    }

    pub fn bind_constructor_params(&mut self, params: &'a [ast::Parameter], args: &[Expr]) {
        for (param, arg) in params.iter().zip(args) {
            self.declare(&param.name, Entity::Const(arg.clone()));
        }
    }
}
