// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parts of declarations.

use crate::ast::{self, DeclKind};

/// The type parameters of a declaration.
pub(super) fn type_params(decl: &ast::Decl) -> &[ast::Name] {
    match &decl.kind {
        DeclKind::Struct { type_params, .. }
        | DeclKind::Header { type_params, .. }
        | DeclKind::HeaderUnion { type_params, .. }
        | DeclKind::Extern { type_params, .. } => type_params,
        DeclKind::ParserType(signature)
        | DeclKind::ControlType(signature)
        | DeclKind::Package(signature)
        | DeclKind::Parser { signature, .. }
        | DeclKind::Control { signature, .. } => &signature.type_params,
        DeclKind::ExternFunction(prototype) | DeclKind::Function { prototype, .. } => {
            &prototype.type_params
        }
        _ => &[],
    }
}

/// The constructor parameters of a parser, control or package.
pub(super) fn constructor_params(decl: &ast::Decl) -> Option<&[ast::Parameter]> {
    match &decl.kind {
        DeclKind::Parser {
            constructor_params, ..
        }
        | DeclKind::Control {
            constructor_params, ..
        } => Some(constructor_params),
        DeclKind::Package(signature) => Some(&signature.params),
        _ => None,
    }
}

pub(super) fn prototype(decl: &ast::Decl) -> &ast::Prototype {
    match &decl.kind {
        DeclKind::ExternFunction(prototype) | DeclKind::Function { prototype, .. } => prototype,
        _ => unreachable!("a function entity has a function declaration"),
    }
}

pub(super) fn action_params(decl: &ast::Decl) -> &[ast::Parameter] {
    match &decl.kind {
        DeclKind::Action { params, .. } => params,
        _ => unreachable!("an action entity has an action declaration"),
    }
}
