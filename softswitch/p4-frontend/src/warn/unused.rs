// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations that nothing names, uses of those that are `@deprecated`, and names that hide those of a scope around.
//!
//! Fields, members of enums, structs, headers and enums themselves, and the parameters of parsers, controls and functions
//! may be without use: others decide on them.

use super::names::Names;
use super::report::Report;
use crate::ast::{self, Decl, DeclKind, Expr, ExprKind, Parameter, Signature};
use crate::warnings::Warning;

const PARAMETER: Option<&str> = Some("parameter");
const TYPE_PARAMETER: Option<&str> = Some("type parameter");

pub(super) fn check(tree: &ast::Program, report: &mut Report) {
    let mut walk = Walk {
        names: Names::default(),
        report,
    };
    walk.decls(&tree.decls);
    let Walk { names, report } = walk;
    for (name, what) in names.unused() {
        let message = format!("{what} `{}` is unused", name.text);
        report.warning(Warning::Unused, name.span, message);
    }
}

pub(super) struct Walk<'a, 'r, 'd> {
    pub names: Names<'a>,
    pub report: &'r mut Report<'d>,
}

/// The kind of a declaration, if its name must be used.
fn what(decl: &Decl) -> Option<&'static str> {
    // `__v1model_version` and the like.
    if decl.name.text.starts_with("__") {
        return None;
    }
    Some(match &decl.kind {
        DeclKind::Const { value, .. } if is_assertion(value) => return None,
        DeclKind::Const { .. } => "constant",
        DeclKind::Variable { .. } => "variable",
        DeclKind::Instantiation { .. } => "instance",
        DeclKind::Typedef { .. } | DeclKind::Newtype { .. } => "type",
        DeclKind::ParserType(_) => "parser type",
        DeclKind::ControlType(_) => "control type",
        DeclKind::Package(_) => "package",
        DeclKind::Parser { .. } => "parser",
        DeclKind::Control { .. } => "control",
        DeclKind::Function { .. } => "function",
        DeclKind::Action { .. } => "action",
        DeclKind::Table(_) => "table",
        DeclKind::ValueSet { .. } => "value set",
        DeclKind::Struct { .. }
        | DeclKind::Header { .. }
        | DeclKind::HeaderUnion { .. }
        | DeclKind::Enum { .. }
        | DeclKind::SerEnum { .. }
        | DeclKind::Error { .. }
        | DeclKind::MatchKind { .. }
        | DeclKind::Extern { .. }
        | DeclKind::ExternFunction(_) => return None,
    })
}

/// `const bool checked = static_assert(...)` has done its work.
fn is_assertion(value: &Expr) -> bool {
    let ExprKind::Call { callee, .. } = &value.kind else {
        return false;
    };
    matches!(&callee.kind, ExprKind::Path(path) if path.name.text == "static_assert")
}

impl<'a> Walk<'a, '_, '_> {
    pub(super) fn declare(
        &mut self,
        name: &'a ast::Name,
        what: Option<&'static str>,
        annotations: &'a [ast::Annotation],
    ) {
        let deprecated = annotations.iter().find(|a| a.name.text == "deprecated");
        // The names of the architecture are there for programs to take or leave.
        let what = what.filter(|_| !self.report.is_built_in(name.span));
        let Some(hidden) = self.names.declare(name, what, deprecated) else {
            return;
        };
        let message = format!("`{}` hides another declaration of that name", name.text);
        let note = Some((hidden, "the other is here"));
        self.report
            .warning_with_note(Warning::Shadow, name.span, message, note);
    }

    pub(super) fn scope(&mut self, walk: impl FnOnce(&mut Self)) {
        self.names.enter();
        walk(self);
        self.names.leave();
    }

    fn decls(&mut self, decls: &'a [Decl]) {
        decls.iter().for_each(|decl| self.decl(decl));
    }

    pub(super) fn decl(&mut self, decl: &'a Decl) {
        let is_main =
            decl.name.text == "main" && matches!(decl.kind, DeclKind::Instantiation { .. });
        let what = what(decl).filter(|_| !is_main);
        // Only what has code of its own sees its own name.
        let has_code = matches!(
            decl.kind,
            DeclKind::Parser { .. }
                | DeclKind::Control { .. }
                | DeclKind::Function { .. }
                | DeclKind::Action { .. }
        );
        if has_code {
            self.declare(&decl.name, what, &decl.annotations);
        }
        self.parts(decl);
        if !has_code && !decl.name.text.is_empty() {
            self.declare(&decl.name, what, &decl.annotations);
        }
    }

    fn parts(&mut self, decl: &'a Decl) {
        match &decl.kind {
            DeclKind::Const { ty, value } => {
                self.ty(ty);
                self.expr(value);
            }
            DeclKind::Variable { ty, value } => {
                self.ty(ty);
                value.iter().for_each(|value| self.expr(value));
            }
            DeclKind::Instantiation { ty, args, body } => {
                self.ty(ty);
                self.args(args);
                self.scope(|walk| body.iter().for_each(|method| walk.parts(method)));
            }
            DeclKind::Struct {
                type_params,
                fields,
            }
            | DeclKind::Header {
                type_params,
                fields,
            }
            | DeclKind::HeaderUnion {
                type_params,
                fields,
            } => self.scope(|walk| {
                walk.type_params(type_params);
                fields.iter().for_each(|field| walk.ty(&field.ty));
            }),
            DeclKind::SerEnum { ty, members } => {
                self.ty(ty);
                members.iter().for_each(|(_, value)| self.expr(value));
            }
            DeclKind::Typedef { ty } | DeclKind::Newtype { ty } => self.ty(ty),
            DeclKind::ParserType(signature)
            | DeclKind::ControlType(signature)
            | DeclKind::Package(signature) => self.scope(|walk| {
                walk.type_params(&signature.type_params);
                walk.types_of(&signature.params);
            }),
            DeclKind::Parser {
                signature,
                constructor_params,
                locals,
                states,
            } => self.scope(|walk| {
                walk.signature(signature);
                walk.params(constructor_params, None);
                walk.decls(locals);
                states.iter().for_each(|state| walk.state(state));
            }),
            DeclKind::Control {
                signature,
                constructor_params,
                locals,
                body,
            } => self.scope(|walk| {
                walk.signature(signature);
                walk.params(constructor_params, None);
                walk.decls(locals);
                walk.block(body);
            }),
            DeclKind::Extern {
                type_params,
                methods,
            } => self.scope(|walk| {
                walk.type_params(type_params);
                for method in methods {
                    walk.scope(|walk| {
                        walk.result(&method.prototype);
                        walk.types_of(&method.prototype.params);
                    });
                }
            }),
            DeclKind::ExternFunction(prototype) => self.scope(|walk| {
                walk.result(prototype);
                walk.types_of(&prototype.params);
            }),
            DeclKind::Function { prototype, body } => self.scope(|walk| {
                walk.result(prototype);
                walk.params(&prototype.params, None);
                walk.block(body);
            }),
            DeclKind::Action { params, body } => self.scope(|walk| {
                walk.params(params, PARAMETER);
                walk.block(body);
            }),
            DeclKind::Table(properties) => {
                properties
                    .iter()
                    .for_each(|property| self.property(property));
            }
            DeclKind::ValueSet { ty, size } => {
                self.ty(ty);
                self.expr(size);
            }
            DeclKind::Enum { .. } | DeclKind::Error { .. } | DeclKind::MatchKind { .. } => {}
        }
    }

    fn signature(&mut self, signature: &'a Signature) {
        self.type_params(&signature.type_params);
        self.params(&signature.params, None);
    }

    fn result(&mut self, prototype: &'a ast::Prototype) {
        self.type_params(&prototype.type_params);
        prototype.result.iter().for_each(|ty| self.ty(ty));
    }

    /// Looks at types of declarations without code, whose parameters hide nothing.
    fn types_of(&mut self, params: &'a [Parameter]) {
        for param in params {
            self.ty(&param.ty);
            param.default.iter().for_each(|value| self.expr(value));
        }
    }

    fn type_params(&mut self, names: &'a [ast::Name]) {
        for name in names {
            self.declare(name, TYPE_PARAMETER, &[]);
        }
    }

    fn params(&mut self, params: &'a [Parameter], what: Option<&'static str>) {
        for param in params {
            self.ty(&param.ty);
            param.default.iter().for_each(|value| self.expr(value));
            self.declare(&param.name, what, &param.annotations);
        }
    }
}
